"""Writes invented evaluation workspaces in skill-creator's layouts, with any of its known faults, and the truth about them.

skill/SKILL.md, skill/evals/evals.json, skill/scripts, skill/references
workspace/iteration-K/eval-I/eval_metadata.json
workspace/iteration-K/eval-I/<config>/run-R/{grading.json, timing.json, transcript.md}
workspace/iteration-K/eval-I/<config>/run-R/outputs/{report.md, rows.csv, chart.png, metrics.json, user_notes.md}
workspace/iteration-K/{feedback.json, comparisons/}, workspace/history.json
loop/{results.json, eval_set.json}
truth.json      what a correct aggregator must say of the last iteration
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from skilltrial.testing.workspaces_loop import write_loop
from skilltrial.testing.workspaces_options import Task, WorkspaceOptions, write_json, write_text
from skilltrial.testing.workspaces_run import RunPlace, RunTruth, RunWriter
from skilltrial.testing.workspaces_text import CRITERIA, FOREIGN, TOPICS, VERBS, words


def write_workspace(out: Path, options: WorkspaceOptions | None = None) -> dict[str, Any]:
    """Write everything below `out`; returns what truth.json says."""
    options = options or WorkspaceOptions()
    rng = Random(options.seed)  # noqa: S311 - an invented world
    tasks = _tasks(options, rng)
    _skill(out / "skill", tasks, rng)
    writer = RunWriter(options, rng)
    workspace = out / "workspace"
    for iteration in range(1, options.iterations + 1):
        writer.next_iteration()
        top = workspace / f"iteration-{iteration}"
        _runs(top, iteration, tasks, options=options, writer=writer)
        if options.iterations > 1:
            write_json(top / "feedback.json", _feedback(tasks, options, rng))
        _comparison(top / "comparisons", rng)
    write_json(workspace / "history.json", _history(options, writer.runs))
    truth = _truth(options, writer.runs)
    write_json(out / "truth.json", truth)
    if options.loop_queries:
        write_loop(out / "loop", options, rng)
    return truth


def _tasks(options: WorkspaceOptions, rng: Random) -> list[Task]:
    tasks: list[Task] = []
    for number in range(options.evals):
        topic, verb = rng.choice(TOPICS), rng.choice(VERBS)
        prompt = f"Please {verb} the {topic} file I exported ({words(rng, 12)}) and write a short report."
        if number == 0 and "non-ascii" in options.faults:
            prompt += " " + FOREIGN
        difficulty = rng.uniform(-0.8, 0.8)
        criteria = rng.sample(CRITERIA, min(options.assertions, len(CRITERIA)))
        criteria += [f"Extra check {extra} holds" for extra in range(options.assertions - len(CRITERIA))]
        name = f"{verb}-{topic.replace(' ', '-')}-{number}"
        tasks.append(Task(id=number, name=name, prompt=prompt, difficulty=difficulty, criteria=tuple(criteria)))
    return tasks


def _skill(root: Path, tasks: Sequence[Task], rng: Random) -> None:
    write_text(
        root / "SKILL.md",
        "---\nname: table-report\ndescription: Turn exported tables into checked reports. Use when the user has a "
        "spreadsheet or CSV export and wants totals, charts or a written summary.\n---\n\n# Table report\n\n"
        + "\n".join(f"{step}. {words(rng, 14).capitalize()}." for step in range(1, 40))
        + "\n",
    )
    write_text(root / "scripts/totals.py", "import csv, sys\nprint(sum(1 for _ in csv.reader(sys.stdin)))\n")
    write_text(root / "references/formats.md", "# Formats\n\n" + words(rng, 300) + "\n")
    evals = [
        {
            "id": task.id,
            "prompt": task.prompt,
            "expected_output": "A report and a cleaned table",
            "files": [],
            "expectations": list(task.criteria),
        }
        for task in tasks
    ]
    write_json(root / "evals/evals.json", {"skill_name": "table-report", "evals": evals})


def _runs(top: Path, iteration: int, tasks: Sequence[Task], *, options: WorkspaceOptions, writer: RunWriter) -> None:
    home = top / "runs" if options.layout == "legacy" else top
    flat = options.layout == "flat"
    for task in tasks:
        folder = home / (task.name if "descriptive-dirs" in options.faults else f"eval-{task.id}")
        _metadata(folder / "eval_metadata.json", task, is_last=task is tasks[-1], faults=options.faults)
        for place, config in enumerate(options.configs):
            if "empty-config" in options.faults and task.id == 0 and place == 0:
                continue
            for number in range(1, 2 if flat else options.runs + 1):
                writer.write(
                    RunPlace(
                        folder=folder / config if flat else folder / config / f"run-{number}",
                        task=task,
                        config=config,
                        is_first_config=place == 0,
                        number=number,
                        iteration=iteration,
                        gain=options.gain + 0.3 * (iteration - 1),
                    )
                )
    if "stray-file" in options.faults:
        write_text(home / "eval-notes.md", "notes of the reviewer\n")


def _metadata(path: Path, task: Task, *, is_last: bool, faults: frozenset[str]) -> None:
    if "no-metadata" in faults and is_last:
        return
    eval_id = task.name if "mixed-ids" in faults and task.id == 1 else task.id
    fields = {"eval_id": eval_id, "eval_name": task.name, "prompt": task.prompt, "assertions": list(task.criteria)}
    write_json(path, fields)


def _feedback(tasks: Sequence[Task], options: WorkspaceOptions, rng: Random) -> dict[str, Any]:
    run = "" if options.layout == "flat" else "-run-1"
    reviews: list[dict[str, str]] = []
    for task in tasks:
        commented = rng.random() < 0.4  # noqa: PLR2004 - of the invented world
        reviews.append(
            {
                "run_id": f"eval-{task.id}-{options.configs[0]}{run}",
                "feedback": words(rng, 8) if commented else "",
                "timestamp": "2026-01-15T12:00:00Z",
            }
        )
    return {"reviews": reviews, "status": "complete"}


def _history(options: WorkspaceOptions, runs: Sequence[RunTruth]) -> dict[str, Any]:
    iterations: list[dict[str, Any]] = []
    for number in range(1, options.iterations + 1):
        rates = [run.rate for run in runs if run.iteration == number and run.config == options.configs[0]]
        iterations.append(
            {
                "version": f"v{number - 1}",
                "parent": None if number == 1 else f"v{number - 2}",
                "expectation_pass_rate": round(_stat(rates)["mean"] or 0, 4),
                "grading_result": "baseline" if number == 1 else "won",
                "is_current_best": number == options.iterations,
            }
        )
    return {
        "started_at": "2026-01-15T10:30:00Z",
        "skill_name": "table-report",
        "current_best": f"v{options.iterations - 1}",
        "iterations": iterations,
    }


def _truth(options: WorkspaceOptions, runs: Sequence[RunTruth]) -> dict[str, Any]:
    last = [run for run in runs if run.iteration == options.iterations]
    arms = {config: _arm([run for run in last if run.config == config]) for config in options.configs}
    truth: dict[str, Any] = {"faults": sorted(options.faults), "last_iteration": arms}
    if len(options.configs) > 1:
        one, two = (arms[config] for config in options.configs[:2])
        truth["delta_first_minus_second"] = {
            name: round(one[name]["mean"] - two[name]["mean"], 6)
            for name in one
            if name != "not_graded" and one[name]["n"] and two[name]["n"]
        }
    truth["run_count"] = len(runs)
    return truth


def _arm(runs: Sequence[RunTruth]) -> dict[str, Any]:
    graded = [run for run in runs if run.is_graded]
    return {
        "pass_rate_of_graded_runs": _stat([run.rate for run in graded]),
        "pass_rate_if_ungraded_is_zero": _stat([run.rate if run.is_graded else 0.0 for run in runs]),
        "time_seconds": _stat([run.seconds for run in runs]),
        "tokens": _stat([run.tokens for run in runs]),
        "not_graded": len(runs) - len(graded),
    }


def _stat(values: Sequence[float]) -> dict[str, Any]:
    n = len(values)
    if not n:
        return {"n": 0, "mean": None, "stddev": None}
    mean = sum(values) / n
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1)) if n > 1 else 0.0
    return {"n": n, "mean": round(mean, 6), "stddev": round(sd, 6)}


def _comparison(home: Path, rng: Random) -> None:
    rubric = {"A": _side(rng, 3, 5), "B": _side(rng, 1, 4)}
    reasoning = words(rng, 20)
    quality = {
        side: {
            "score": round(scores["overall_score"]),
            "strengths": [words(rng, 4)],
            "weaknesses": [words(rng, 4)],
        }
        for side, scores in rubric.items()
    }
    comparison = {"winner": "A", "reasoning": reasoning, "rubric": rubric, "output_quality": quality}
    write_json(home / "comparison-1.json", comparison)
    summary = {
        "winner": "A",
        "winner_skill": "skill",
        "loser_skill": "skill-snapshot",
        "comparator_reasoning": words(rng, 12),
    }
    analysis: dict[str, Any] = {
        "comparison_summary": summary,
        "winner_strengths": [words(rng, 6)],
        "loser_weaknesses": [words(rng, 6)],
        "instruction_following": {"winner": {"score": 9, "issues": []}, "loser": {"score": 6, "issues": []}},
        "improvement_suggestions": [
            {
                "priority": "high",
                "category": "instructions",
                "suggestion": words(rng, 8),
                "expected_impact": words(rng, 6),
            }
        ],
        "transcript_insights": {
            "winner_execution_pattern": "read, run, check",
            "loser_execution_pattern": "read, guess",
        },
    }
    write_json(home / "analysis.json", analysis)


def _side(rng: Random, low: int, high: int) -> dict[str, Any]:
    content = {name: rng.randint(low, high) for name in ("correctness", "completeness", "accuracy")}
    structure = {name: rng.randint(low, high) for name in ("organization", "formatting", "usability")}
    scores = sum(content.values()) / 3, sum(structure.values()) / 3
    return {
        "content": content,
        "structure": structure,
        "content_score": round(scores[0], 1),
        "structure_score": round(scores[1], 1),
        "overall_score": round(sum(scores), 1),
    }
