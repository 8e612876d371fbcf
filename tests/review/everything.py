"""A workspace of ours with one of everything in it, and hostile texts wherever an agent can put one.

`python everything.py FOLDER` writes it, in a program of its own: while a browser is open nothing can be aggregated beside it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from everything_files import hostile_files, ordinary_files

from skilltrial import wiring
from skilltrial.execute.run import write_metadata
from skilltrial.execute.trial_folder import publish_trial, write_trial
from skilltrial.grade.digest import grading_digest, grading_parts
from skilltrial.grade.native import to_native
from skilltrial.iterations import note_iteration
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import freeze
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.events import (
    AssistantMessage,
    Event,
    SessionStarted,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from skilltrial.records.grading import AssertionResult, Claim, Grading, JudgeFacts, UserNotes, Verdict, Vote
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import AnswerMatches, Case, FileExists, LlmJudge, Suite
from skilltrial.records.trial import (
    Attempt,
    HarnessFacts,
    HarnessResult,
    OutputFile,
    Reason,
    SkillEvidence,
    Trial,
    TrialKey,
)
from skilltrial.records.usage import Usage
from skilltrial.report import html, markdown

NOW = "2026-03-01T12:00:00Z"
OWNED = "__owned"
"""The flag that every hostile text tries to set."""
NASTY = (
    "</script><script>window.__owned=1</script><img src=x onerror=window.__owned=2>"
    '" onmouseover="window.__owned=3" x=\'<!--<svg onload=window.__owned=4> \u202egnp.exe\u202c \u2028 \u0007'
)
"""What an agent may write to run something on the page."""
LINKS = "[click](javascript:window.__owned=5) <javascript:window.__owned=6> ![x](https://elsewhere.invalid/x.png)"
ARMS = ("with_skill", "without_skill", 'old "<i>skill')
CASES = ("2", "10", "a/b", "quote\"'s", "line\nbreak", "bidi \u202eabc", "<script>window.__owned=7</script>")
STATEMENTS = ("the answer holds a sum", f"the file is there {NASTY}", f"It is well written. {NASTY}")
JUDGE = "anthropic:a-judge"
REASON = "No judge was given."


def plan_of(iteration: int) -> Plan:
    """Three arms; the first two cases three times, the others once."""
    skill = SkillRef(name="tidy", folder="/skills/tidy", fingerprint=f"sha256:{iteration}")
    old = skill.model_copy(update={"fingerprint": "sha256:0"})
    arms = (
        Arm(name=ARMS[0], role="treatment", skill=skill),
        Arm(name=ARMS[1], role="baseline"),
        Arm(name=ARMS[2], role="treatment", skill=old),
    )
    cases = tuple(_case(id_, 3 if id_ in CASES[:2] else 1) for id_ in CASES)
    keys = [
        TrialKey(case_id=case.id, arm=arm.name, repeat=repeat)
        for case in cases
        for repeat in range(1, (case.runs or 1) + 1)
        for arm in arms
    ]
    return Plan(
        skilltrial_version="0",
        created_at=NOW,
        skill=skill,
        suite=Suite(skill_name="tidy", dialect="skill-creator", path="/evals.json", digest="sha256:2", cases=cases),
        arms=arms,
        trials=tuple(PlannedTrial(key=key, seed=key.repeat) for key in keys),
        harness=HarnessChoice(name="claude-code", model="a-model"),
        judge=JUDGE,
        seed=1,
        runs=3,
        timeout_s=60,
        digest=f"sha256:plan-{iteration}",
        notices=(f"A notice. {NASTY}",),
    )


def _case(id_: str, runs: int) -> Case:
    return Case(
        id=id_,
        name=f"Case {id_}",
        prompt=f"Add up the table of {id_}.\n{NASTY}\n{LINKS}",
        expected_output=f"A sum. {NASTY}",
        runs=runs,
        assertions=(
            AnswerMatches(id="sum", text=STATEMENTS[0], pattern="sum", required=True),
            FileExists(id="file", text=STATEMENTS[1], path="*.md", weight=2),
            LlmJudge(id="prose", text=STATEMENTS[2], rubric=STATEMENTS[2]),
        ),
    )


def events_of(key: TrialKey) -> tuple[Event, ...]:
    """The skill is loaded, a file is written, a sub-agent looks, one call fails, and all of it is hostile."""
    skilled = key.arm != ARMS[1]
    load: list[tuple[Any, ...]] = [("Skill", {"skill": "tidy"}, f"Launching skill {NASTY}", False)] if skilled else []
    calls = [
        *load,
        ("Read", {"file_path": f"in.csv {NASTY}"}, "a,b\n1,2", False),
        ("Bash", {"command": f"cat in.csv | awk '{{s+=$1}}' # {NASTY}"}, f"3 {NASTY}", False),
        ("Write", {"file_path": "report.md", "content": f"# Sum {NASTY}"}, "written", False),
        ("Edit", {"file_path": "report.md", "old_string": "Sum", "new_string": f"Total {NASTY}"}, "no such text", True),
        ("TodoWrite", {"todos": [{"content": f"add {NASTY}", "status": "completed"}]}, "ok", False),
        ("Task", {"prompt": f"look again {NASTY}"}, f"It is right. {LINKS}", False),
    ]
    made: list[Event] = [
        SessionStarted(
            ordinal=0, at=NOW, model="a-model", version="1", tools=("Read",), skills=("tidy",) if skilled else ()
        ),
        UserMessage(ordinal=1, at=NOW, text=f"Add up. {NASTY}"),
        Thinking(ordinal=2, at=NOW, text=f"I think {NASTY}"),
    ]
    for number, (name, arguments, result, wrong) in enumerate(calls):
        at = f"2026-03-01T12:00:{number:02}Z"
        made += [
            AssistantMessage(ordinal=len(made), at=at, text=f"Now {name}. {NASTY}"),
            ToolCall(ordinal=len(made) + 1, at=at, call_id=f"c{number}", name=name, input=arguments),
        ]
        if name == "Task":
            made += [
                AssistantMessage(ordinal=len(made), at=at, agent=f"c{number}", text=f"The sub-agent. {NASTY}"),
                ToolCall(
                    ordinal=len(made) + 1,
                    at=at,
                    agent=f"c{number}",
                    call_id="s1",
                    name="Read",
                    input={"file_path": "x"},
                ),
                ToolResult(ordinal=len(made) + 2, at=at, agent=f"c{number}", call_id="s1", text=NASTY),
            ]
        made.append(ToolResult(ordinal=len(made), at=at, call_id=f"c{number}", text=result, is_error=wrong))
    made.append(AssistantMessage(ordinal=len(made), at="2026-03-01T12:00:20Z", text=_answer(key)))
    return tuple(event.model_copy(update={"ordinal": ordinal}) for ordinal, event in enumerate(made))


def _answer(key: TrialKey) -> str:
    return f"The sum of {key.case_id} is 3. See report.md.\n{NASTY}\n{LINKS}"


def _trial(key: TrialKey, plan: Plan, files: tuple[OutputFile, ...]) -> Trial:
    outcome, reason = "completed", None
    if (key.case_id, key.arm, key.repeat) == ("10", ARMS[0], 1):
        outcome, reason = "timed_out", Reason(code="timeout", message=f"60 s are over {NASTY}")
    if (key.case_id, key.arm, key.repeat) == ("10", ARMS[0], 2):
        outcome, reason = "harness_error", Reason(code="api_error", message=f"500 {NASTY}")
    skilled = key.arm != ARMS[1]
    tries = tuple(
        Attempt(outcome=outcome, reason=reason, started_at=NOW, duration_ms=20_000)
        for _ in range(2 if outcome == "harness_error" else 1)
    )
    return Trial.model_validate(
        {
            "key": key,
            "outcome": outcome,
            "reason": reason,
            "final_message": _answer(key) if outcome == "completed" else None,
            "started_at": NOW,
            "duration_ms": 20_000 + 1_000 * key.repeat + (5_000 if skilled else 0),
            "usage": Usage(input_tokens=10_000, output_tokens=1_000 * key.repeat),
            "cost_usd": 0.01 * key.repeat,
            "harness": HarnessFacts(
                name="claude-code", version=f"1 {NASTY}", model_asked="a-model", model_served=f"m {NASTY}"
            ),
            "evidence": SkillEvidence(
                offered=skilled, attempted=skilled, loaded=skilled and key.case_id != "a/b", read=False
            ),
            "attempts": tries,
            "files": files,
            "tool_calls": {"Bash": 1, f"Read {NASTY}": 2},
            "n_tool_errors": 1,
            "n_turns": 7,
            "isolation": "folder",
            "seed": key.repeat,
            "plan_digest": plan.digest,
        }
    )


def _verdicts(key: TrialKey, iteration: int) -> tuple[Verdict, Verdict, Verdict]:
    """By hand: the skill helps with case 2, harms case 10, decides nothing elsewhere; the third is open at times."""
    skilled = key.arm == ARMS[0]
    first: Verdict = "PASS" if skilled or key.case_id != "2" else "FAIL"
    second: Verdict = "FAIL" if skilled and key.case_id == "10" else "PASS"
    third: Verdict = "PASS" if (key.repeat + iteration) % 2 else "FAIL"
    open_ = key.case_id == "2" and key.repeat == 3
    return (first, second, "UNGRADED" if open_ else third)


def _grading(key: TrialKey, plan: Plan, trial: Trial, transcript: bytes, verdicts: tuple[Verdict, ...]) -> Grading:
    case = plan.case(key.case_id)
    places = ("final message", "file report.md", "step 3")
    results = tuple(
        AssertionResult(
            id=each.id,
            text=each.text,
            type=each.type,
            verdict=verdict,
            evidence=f"The text says so: {NASTY}",
            grader="none" if verdict == "UNGRADED" else "judge" if each.type == "llm_judge" else "code",
            confidence="HIGH" if each.type == "llm_judge" and verdict != "UNGRADED" else None,
            votes=(Vote(judge=JUDGE, verdict=verdict, reason=f"Because {NASTY}", quote="Sum", place=place),)
            if verdict != "UNGRADED"
            else (),
            weight=each.weight,
            required=each.required,
        )
        for each, verdict, place in zip(case.assertions, verdicts, places, strict=True)
    )
    parts = grading_parts(
        case, trial, transcript_sha256=hashlib.sha256(transcript).hexdigest(), judge=JUDGE, no_judge_reason=REASON
    )
    return Grading(
        key=key,
        results=results,
        claims=(
            Claim(claim=f"The sum is 3. {NASTY}", verified=True, evidence=NASTY),
            Claim(claim="All rows were read.", type="process", verified=False, evidence="Two were not."),
        ),
        eval_feedback={"suggestions": [{"assertion": STATEMENTS[1], "reason": f"Too weak. {NASTY}"}], "overall": NASTY},
        user_notes=UserNotes(uncertainties=(f"Unsure {NASTY}",), needs_review=("Look",), workarounds=("None",)),
        judge=JudgeFacts(model=JUDGE, calls=1, input_tokens=10, output_tokens=5, cost_usd=0.001),
        digest=grading_digest(parts),
        parts=parts,
    )


def _listed(outputs: Path) -> tuple[OutputFile, ...]:
    files = [path for path in sorted(outputs.rglob("*")) if path.is_file() and not path.is_symlink()]
    return tuple(
        OutputFile(path=path.relative_to(outputs).as_posix(), change="created", size=path.stat().st_size)
        for path in files
    )


def _publish(store: Store, plan: Plan, iteration: int, key: TrialKey) -> None:
    if (key.case_id, key.arm, key.repeat) == ("10", ARMS[0], 3):
        return  # Planned, and never run.
    staged = store.stage()
    outputs = staged / layout.OUTPUTS
    rich = key.case_id == "2" and key.repeat == 1 and iteration == 2
    ordinary_files(outputs, salt=f"{key.arm[:4]} {iteration}", rich=rich)
    if rich:
        hostile_files(outputs, NASTY, big=key.arm == ARMS[0])
    (staged / layout.STDERR).write_text(f"warning: {NASTY}\n", encoding="utf-8")
    trial = _trial(key, plan, _listed(outputs))
    write_trial(trial, HarnessResult(outcome=trial.outcome, events=events_of(key)), plan.case(key.case_id), staged)
    transcript = (staged / layout.TRANSCRIPT).read_bytes()
    publish_trial(store, iteration, key, staged)
    if trial.outcome != "harness_error" and not (key.case_id == "a/b" and key.arm == ARMS[0]):
        grading = _grading(key, plan, trial, transcript, _verdicts(key, iteration))
        text = json.dumps(to_native(grading, trial), ensure_ascii=False, indent=1)
        store.write(f"{layout.trial_dir(iteration, key)}/{layout.GRADING}", text.encode())


def _write_json(store: Store, path: str, value: object) -> None:
    store.write(path, json.dumps(value, ensure_ascii=False, indent=1).encode())


def _comparisons(store: Store, iteration: int) -> None:
    """In skill-creator's shape."""
    side = {
        "content": {"correctness": 5, f"complete {NASTY}": 4},
        "structure": {"organization": 4},
        "content_score": 4.5,
        "structure_score": 4.0,
        "overall_score": 8.5,
    }
    quality = {"score": 8, "strengths": [f"Clear {NASTY}"], "weaknesses": [f"Long {NASTY}"]}
    folder = f"{layout.iteration_dir(iteration)}/{layout.COMPARISONS}"
    comparison = {
        "winner": "A",
        "reasoning": f"A is better. {NASTY} {LINKS}",
        "rubric": {"A": side, "B": side},
        "output_quality": {"A": quality, "B": quality},
        "expectation_results": {
            "A": {"passed": 2, "total": 2, "pass_rate": 1.0, "details": [{"text": NASTY, "passed": True}]},
            "B": {"passed": 1, "total": 2, "pass_rate": 0.5, "details": [{"text": NASTY, "passed": False}]},
        },
    }
    analysis: dict[str, Any] = {
        "comparison_summary": {
            "winner": "A",
            "winner_skill": "tidy",
            "loser_skill": NASTY,
            "comparator_reasoning": NASTY,
        },
        "winner_strengths": [f"Strength {NASTY}"],
        "loser_weaknesses": [f"Weakness {NASTY}"],
        "instruction_following": {"winner": {"score": 9, "issues": [NASTY]}, "loser": {"score": 6, "issues": []}},
        "improvement_suggestions": [
            {"priority": "high", "category": "instructions", "suggestion": f"Say it. {NASTY}", "expected_impact": NASTY}
        ],
        "transcript_insights": {"winner_execution_pattern": NASTY, "loser_execution_pattern": NASTY},
    }
    _write_json(store, f"{folder}/comparison-1.json", comparison)
    _write_json(store, f"{folder}/analysis-1.json", analysis)


def _beside(store: Store) -> None:
    """Versions in skill-creator's shape, and a trigger result in the shape of its `run_loop`."""
    versions = [
        {
            "version": "v0",
            "parent": None,
            "expectation_pass_rate": 0.5,
            "grading_result": "baseline",
            "is_current_best": False,
        },
        {
            "version": "v1",
            "parent": "v0",
            "expectation_pass_rate": 0.8,
            "grading_result": "won",
            "is_current_best": True,
        },
    ]
    _write_json(
        store,
        layout.HISTORY,
        {"started_at": NOW, "skill_name": f"tidy {NASTY}", "current_best": "v1", "iterations": versions},
    )
    results = [
        {
            "query": f"add it up {NASTY}",
            "should_trigger": True,
            "trigger_rate": 1.0,
            "triggers": 3,
            "runs": 3,
            "pass": True,
        },
        {
            "query": "write a poem",
            "should_trigger": False,
            "trigger_rate": 0.667,
            "triggers": 2,
            "runs": 3,
            "pass": False,
        },
    ]
    summary = {"total": 2, "passed": 1, "failed": 1}
    made = {"skill_name": "tidy", "description": f"Adds up. {NASTY}", "results": results, "summary": summary}
    _write_json(store, "triggers/1.json", made)


def write_everything(folder: Path) -> None:
    """Two iterations, reports included."""
    store = wiring.open_store(folder, write=True)
    try:
        for iteration in (1, 2):
            plan = freeze(store, plan_of(iteration), iteration)
            write_metadata(plan, iteration, store)
            for planned in plan.trials:
                _publish(store, plan, iteration, planned.key)
            benchmark = summarise(store, iteration)
            place = layout.iteration_dir(iteration)
            store.write(f"{place}/{layout.BENCHMARK}", benchmark.model_dump_json(indent=2).encode())
            store.write(f"{place}/{layout.BENCHMARK_MD}", markdown.render(benchmark).encode())
            store.write(f"{place}/{layout.REPORT}", html.render(benchmark).encode())
            note_iteration(store, benchmark)
            _comparisons(store, iteration)
        _beside(store)
    finally:
        store.close()


def main() -> None:
    """Write it where the first argument says; a half-written one is removed."""
    folder = Path(sys.argv[1])
    try:
        write_everything(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


if __name__ == "__main__":
    main()
