"""The tree of Anthropic's skill-creator: what its aggregator and its viewer read, in their spelling and their units."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from skilltrial.adapters.interchange.writers.figures import Figure, figure, signed, without_unknown
from skilltrial.adapters.interchange.writers.losses import unheld, unmeasured
from skilltrial.adapters.interchange.writers.remarks import Review, read_review, review_losses
from skilltrial.adapters.interchange.writers.rounds import PAIRS, Round, Run, counted, make_round
from skilltrial.adapters.interchange.writers.transcripts import as_markdown, raw_transcript, read_events
from skilltrial.ports import Export, ExportFile, Loss, Trialled
from skilltrial.records.json_value import Json
from skilltrial.records.layout import COMPARISONS, FEEDBACK, HISTORY, OUTPUTS
from skilltrial.records.suite import Case

_METRICS = "metrics.json"
_METRIC_FIELDS = (
    "tool_calls",
    "total_tool_calls",
    "total_steps",
    "errors_encountered",
    "output_chars",
    "transcript_chars",
)
_LARGEST_METRICS = 1_000_000
_DECIMALS = {"pass_rate": 2, "time_seconds": 1, "tokens": 0}
_UNKNOWN = "unknown"


class SkillCreator:
    """Satisfies `ports.Exporter`."""

    name = "skill-creator"

    def export(self, iterations: Sequence[Trialled]) -> Export:
        """One folder an iteration, history.json beside them."""
        files: list[ExportFile] = []
        losses: list[Loss] = []
        for source in iterations:
            round_ = make_round(source, flat=False, pairs=PAIRS)
            files += _files(round_)
            losses += [*round_.losses, *_losses(round_)]
        history = next((s.documents[HISTORY] for s in iterations if HISTORY in s.documents), None)
        if history is not None:
            files.append(ExportFile(path=HISTORY, content=history))
        return Export(files=tuple(files), losses=tuple(losses))


def create() -> SkillCreator:
    """For the entry point."""
    return SkillCreator()


def _files(round_: Round) -> list[ExportFile]:
    ids = _eval_ids(round_)
    files = [
        ExportFile(path=f"{_case_dir(round_, ids, case)}/eval_metadata.json", content=_metadata(case, ids))
        for case in round_.cases
    ]
    for run in round_.runs:
        files += _run_files(run, _run_dir(round_, ids, run))
    benchmark = _benchmark(round_, ids)
    files.append(ExportFile(path=f"{round_.place}/benchmark.json", content=benchmark))
    files.append(ExportFile(path=f"{round_.place}/benchmark.md", content=_markdown(round_, benchmark)))
    review = read_review(round_)
    if review:
        files.append(ExportFile(path=f"{round_.place}/{FEEDBACK}", content=_feedback(round_, ids, review)))
    for place, value in round_.source.documents.items():
        if place.startswith(f"{round_.place}/{COMPARISONS}/"):
            files.append(ExportFile(path=place, content=value))
    return files


def _eval_ids(round_: Round) -> Mapping[str, int]:
    """The target's ids are whole numbers: its programs fail on a mixture. Those written where all are, else by position."""
    cases = round_.source.plan.suite.cases
    written = [case.written_id for case in cases]
    if all(isinstance(id_, int) and id_ >= 0 for id_ in written) and len(set(written)) == len(written):
        return {case.id: id_ for case in cases if isinstance(id_ := case.written_id, int)}
    return {case.id: place for place, case in enumerate(cases, 1)}


def _is_renumbered(case: Case, ids: Mapping[str, int]) -> bool:
    return case.written_id != ids[case.id]


def _eval_name(case: Case, ids: Mapping[str, int]) -> str:
    """A text id is kept as the name."""
    return case.id if _is_renumbered(case, ids) else case.name or f"eval-{ids[case.id]}"


def _case_dir(round_: Round, ids: Mapping[str, int], case: Case) -> str:
    return f"{round_.place}/eval-{ids[case.id]}"


def _run_dir(round_: Round, ids: Mapping[str, int], run: Run) -> str:
    return f"{_case_dir(round_, ids, run.case)}/{run.arm}/run-{run.trial.key.repeat}"


def _metadata(case: Case, ids: Mapping[str, int]) -> Json:
    return {
        "eval_id": ids[case.id],
        "eval_name": _eval_name(case, ids),
        "prompt": case.prompt,
        "assertions": [assertion.text for assertion in case.assertions],
    }


def _run_files(run: Run, folder: str) -> list[ExportFile]:
    metrics = _metrics(run)
    files = [ExportFile(path=f"{folder}/timing.json", content=_timing(run)), *run.output_files(f"{folder}/{OUTPUTS}")]
    if run.results:
        files.append(ExportFile(path=f"{folder}/grading.json", content=_grading(run, metrics)))
    if metrics and _METRICS not in run.outputs:
        files.append(ExportFile(path=f"{folder}/{OUTPUTS}/{_METRICS}", content=metrics))
    raw = raw_transcript(run)
    own = raw is not None and raw.suffix == ".md" and not read_events(run)
    transcript = raw if own and raw else as_markdown(run)
    files.append(ExportFile(path=f"{folder}/transcript.md", content=transcript))
    return files


def _timing(run: Run) -> Json:
    trial = run.trial
    grader = run.grading.judge.duration_ms / 1000 if run.grading and run.grading.judge else None
    return without_unknown(
        {
            "total_tokens": run.tokens,
            "duration_ms": trial.duration_ms,
            "total_duration_seconds": run.seconds,
            "executor_start": trial.started_at,
            "executor_end": _end(trial.started_at, trial.duration_ms),
            "executor_duration_seconds": run.seconds,
            "grader_duration_seconds": grader,
        }
    )


def _end(started_at: str | None, duration_ms: int | None) -> str | None:
    if started_at is None or duration_ms is None:
        return None
    try:
        moment = datetime.fromisoformat(started_at) + timedelta(milliseconds=duration_ms)
    except (ValueError, OverflowError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _metrics(run: Run) -> dict[str, Json]:
    """What the trial's metrics.json holds (where that is ours and not the agent's), else what its record does."""
    calls, errors = run.trial.tool_calls, run.trial.n_tool_errors
    known: dict[str, Json] = {}
    if calls is not None:
        known = {"tool_calls": dict(calls), "total_tool_calls": sum(calls.values())}
    if errors is not None:
        known["errors_encountered"] = errors
    if _METRICS not in run.outputs:
        known = {**known, **_object(run.folder / OUTPUTS / _METRICS)}
    return known


def _object(path: Path) -> dict[str, Json]:
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST_METRICS:
            return {}
        value = json.loads(path.read_bytes(), parse_constant=lambda _: None)
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def _grading(run: Run, metrics: Mapping[str, Json]) -> Json:
    """Without `timing.total_duration_seconds`: the aggregator reads timing.json, and its tokens, only where that is missing."""
    grading = run.grading
    timing = {
        key: value for key, value in cast("dict[str, Json]", _timing(run)).items() if key.endswith("r_duration_seconds")
    }
    fields: dict[str, Json] = {
        "expectations": [_expectation(result.text, result.verdict, result.evidence) for result in run.results],
        "summary": {
            "passed": run.n_passed,
            "failed": len(run.results) - run.n_passed,
            "total": len(run.results),
            "pass_rate": run.pass_rate,
        },
        "execution_metrics": {name: metrics[name] for name in _METRIC_FIELDS if name in metrics},
        "timing": timing,
        "claims": [
            without_unknown({"claim": c.claim, "type": c.type, "verified": c.verified, "evidence": c.evidence})
            for c in (grading.claims if grading else ())
        ],
        "user_notes_summary": {"uncertainties": list(run.user_notes), "needs_review": [], "workarounds": []},
    }
    if grading and grading.eval_feedback:
        fields["eval_feedback"] = dict(grading.eval_feedback)
    return fields


def _expectation(text: str, verdict: str, evidence: str) -> Json:
    return {"text": text, "passed": verdict == "PASS", "evidence": evidence}


def _benchmark(round_: Round, ids: Mapping[str, int]) -> dict[str, Json]:
    meta = round_.source.benchmark.metadata
    graded = [run for run in round_.runs if run.results]
    ran = {run.case.id for run in graded}
    return {
        "metadata": {
            "skill_name": meta.skill_name,
            "skill_path": meta.skill_path,
            "executor_model": meta.executor_model or _UNKNOWN,
            "analyzer_model": meta.analyzer_model or _UNKNOWN,
            "timestamp": meta.timestamp,
            "evals_run": [ids[case.id] for case in round_.cases if case.id in ran],
            "runs_per_configuration": max((run.trial.key.repeat for run in graded), default=0),
        },
        "runs": [_benchmark_run(run, ids) for run in graded],
        "run_summary": _summary(round_, graded),
        "notes": [*round_.source.benchmark.notices, *round_.source.benchmark.notes],
    }


def _benchmark_run(run: Run, ids: Mapping[str, int]) -> Json:
    calls = run.trial.tool_calls
    return {
        "eval_id": ids[run.case.id],
        "eval_name": _eval_name(run.case, ids),
        "configuration": run.arm,
        "run_number": run.trial.key.repeat,
        "result": without_unknown(
            {
                "pass_rate": run.pass_rate,
                "passed": run.n_passed,
                "failed": len(run.results) - run.n_passed,
                "total": len(run.results),
                "time_seconds": run.seconds,
                "tokens": run.tokens,
                "tool_calls": None if calls is None else sum(calls.values()),
                "errors": run.trial.n_tool_errors,
            }
        ),
        "expectations": [_expectation(result.text, result.verdict, result.evidence) for result in run.results],
        "notes": list(run.user_notes),
    }


def _summary(round_: Round, graded: Sequence[Run]) -> dict[str, Json]:
    figures: dict[str, dict[str, Figure]] = {}
    for arm in round_.arms:
        own = [run for run in graded if run.arm == arm]
        found = {
            "pass_rate": figure(run.pass_rate for run in own),
            "time_seconds": figure(run.seconds for run in own),
            "tokens": figure(run.tokens for run in own),
        }
        figures[arm] = {name: value for name, value in found.items() if value is not None}
    summary: dict[str, Json] = {
        arm: {
            name: {"mean": each.mean, "stddev": each.spread, "min": each.low, "max": each.high}
            for name, each in found.items()
        }
        for arm, found in figures.items()
    }
    delta: dict[str, str] = {}
    if len(figures) == 2:  # noqa: PLR2004 - treatment and baseline
        new, old = figures.values()
        delta = {
            name: signed(new[name].mean - old[name].mean, decimals)
            for name, decimals in _DECIMALS.items()
            if name in new and name in old
        }
    return {**summary, "delta": delta}


def _markdown(round_: Round, benchmark: Mapping[str, Json]) -> str:
    meta, summary = benchmark["metadata"], benchmark["run_summary"]
    arms = list(round_.arms)
    lines = [
        f"# Skill benchmark: {meta['skill_name']}",
        "",
        f"Model: {meta['executor_model']}. Date: {meta['timestamp']}.",
        f"Evals: {', '.join(map(str, meta['evals_run']))} ({meta['runs_per_configuration']} runs per configuration).",
        "",
        f"| metric | {' | '.join(arms)} | delta |",
        f"|---|{'---|' * len(arms)}---|",
    ]
    for name, decimals in _DECIMALS.items():
        cells = [_cell(summary[arm].get(name), decimals) for arm in arms]
        lines.append(f"| {name} | {' | '.join(cells)} | {summary['delta'].get(name, _UNKNOWN)} |")
    lines += ["", *(f"- {' '.join(str(note).split())}" for note in benchmark["notes"])]
    return "\n".join(lines) + "\n"


def _cell(stat: Mapping[str, float] | None, decimals: int) -> str:
    return f"{stat['mean']:.{decimals}f} ± {stat['stddev']:.{decimals}f}" if stat else _UNKNOWN


def _feedback(round_: Round, ids: Mapping[str, int], review: Review) -> Json:
    """A remark on a whole case stands at its first run: the target knows runs alone."""
    reviews: list[Json] = []
    for remark in review.remarks:
        run = remark.run or next((run for run in round_.runs if run.case.id == remark.case.id), None)
        if run is not None:
            run_id = _run_dir(round_, ids, run).removeprefix(f"{round_.place}/").replace("/", "-")
            stamp = remark.timestamp or review.timestamp
            reviews.append(without_unknown({"run_id": run_id, "feedback": remark.text, "timestamp": stamp}))
    return {"reviews": reviews, "status": review.status or "in_progress"}


def _losses(round_: Round) -> list[Loss]:
    ids = _eval_ids(round_)
    losses = unheld(round_, holds=("claims", "critique", "notes"))
    graded = [run for run in round_.runs if run.results]
    losses += unmeasured(round_, graded, instead="its aggregator takes what is missing for 0")
    lost = [case for case in round_.cases if _is_renumbered(case, ids) and case.name not in {None, case.id}]
    if lost:
        names = ", ".join(repr(case.name) for case in lost[:3])
        losses.append(
            round_.loss(f"the names of {counted(len(lost), 'case')} ({names}): their ids stand in their place")
        )
    expected = [case for case in round_.cases if case.expected_output]
    if expected and round_.source.plan.suite.dialect != "skill-creator":
        losses.append(
            round_.loss(f"the expected output of {counted(len(expected), 'case')}: it belongs into the eval file")
        )
    review = read_review(round_)
    return [*losses, *(review_losses(round_, review, ("timestamp", "status", "run")) if review else [])]
