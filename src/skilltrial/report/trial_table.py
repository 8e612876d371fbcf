"""All trials, or all their assertions, as rows for other programs: CSV and JSON lines.

One row an observation, one column a variable, the same columns whatever the workspace; a cell without a value is unknown.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from skilltrial.aggregate.census import Census, Entry
from skilltrial.records.benchmark import Excluded
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.report.plain_text import line

Value = str | int | float | bool | None
Row = Mapping[str, Value]

TRIAL_COLUMNS = (
    "iteration", "case", "arm", "role", "repeat", "outcome", "excluded", "score", "weighted_score", "passed", "failed",
    "ungraded", "seconds", "tokens_in", "tokens_out", "tokens", "cost_usd", "tool_calls", "tool_errors", "turns", "harness",
    "version", "model", "skill_offered", "skill_reached", "reason", "started_at", "reused_from", "seed", "skill_fingerprint",
    "suite_digest", "plan_digest",
)  # fmt: skip
ASSERTION_COLUMNS = (
    "iteration", "case", "arm", "role", "repeat", "assertion", "type", "text", "weight", "required", "verdict", "grader",
    "evidence",
)  # fmt: skip

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""A spreadsheet takes a text that begins so for a formula; the last four are the wide ones."""
_TEXT = 2_000
_DIGEST = "sha256:"
"""Of an import there may be a word in its place, and a seed that nobody chose."""


def trial_rows(plan: Plan, iteration: int, census: Census) -> Iterator[Row]:
    """One row a planned trial, cases in the suite's order, treatment first; also of those that were not run."""
    entries = {entry.key: entry for entry in census.entries}
    trials = {trial.key: trial for trial in census.trials}
    excluded = {item.key: item for item in census.excluded}
    for key in census.planned:
        yield {
            **_names(plan, iteration, key),
            **_outcome(trials.get(key), excluded.get(key)),
            **_verdicts(entries.get(key)),
            **_effort(trials.get(key)),
            **_origin(plan, key, trials.get(key)),
        }


def assertion_rows(plan: Plan, iteration: int, census: Census) -> Iterator[Row]:
    """One row for each assertion of each trial in which the agent had its chance."""
    for entry in census.entries:
        for result in entry.grading.results:
            yield {
                **_names(plan, iteration, entry.key),
                "assertion": result.id,
                "type": result.type,
                "text": result.text,
                "weight": result.weight,
                "required": result.required,
                "verdict": result.verdict,
                "grader": None if result.grader == "none" else result.grader,
                "evidence": result.evidence,
            }


def as_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """With a head, line feeds at the ends of lines, and an empty cell for what is unknown.

    Texts stand on one line and do not act; before one that a spreadsheet would take for a formula stands an apostrophe.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(row.get(column)) for column in columns] for row in rows)
    return file.getvalue()


def as_jsonl(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """An object a line, with null for what is unknown. Texts are as they are, in JSON's escapes."""
    return "".join(json.dumps({column: row.get(column) for column in columns}) + "\n" for row in rows)


def _names(plan: Plan, iteration: int, key: TrialKey) -> Row:
    return {
        "iteration": iteration,
        "case": key.case_id,
        "arm": key.arm,
        "role": plan.arm(key.arm).role,
        "repeat": key.repeat,
    }


def _outcome(trial: Trial | None, excluded: Excluded | None) -> Row:
    reason = trial.reason if trial else None
    return {
        "outcome": trial.outcome if trial else "not_run",
        "excluded": excluded.reason if excluded else None,
        "reason": f"{reason.code}: {reason.message}" if reason else None,
    }


def _verdicts(entry: Entry | None) -> Row:
    if entry is None:
        return {}
    return {
        "score": entry.score,
        "weighted_score": entry.grading.weighted_score,
        "passed": entry.grading.n_passed,
        "failed": entry.grading.n_failed,
        "ungraded": entry.grading.n_ungraded,
    }


def _effort(trial: Trial | None) -> Row:
    if trial is None:
        return {}
    return {
        "seconds": None if trial.duration_ms is None else trial.duration_ms / 1000,
        "tokens_in": trial.usage.input_tokens,
        "tokens_out": trial.usage.output_tokens,
        "tokens": trial.usage.total_tokens,
        "cost_usd": trial.cost_usd if trial.cost_usd is not None and math.isfinite(trial.cost_usd) else None,
        "tool_calls": None if trial.tool_calls is None else sum(trial.tool_calls.values()),
        "tool_errors": trial.n_tool_errors,
        "turns": trial.n_turns,
        "skill_offered": trial.evidence.offered,
        "skill_reached": trial.evidence.reached,
    }


def _origin(plan: Plan, key: TrialKey, trial: Trial | None) -> Row:
    skill = plan.arm(key.arm).skill
    planned: Row = {
        "harness": plan.harness_of(key.arm).name,
        "skill_fingerprint": skill.fingerprint if skill and skill.fingerprint.startswith(_DIGEST) else None,
        "suite_digest": plan.suite.digest,
        "plan_digest": plan.digest,
    }
    if trial is None:
        return planned
    reused = trial.reused_from
    return {
        **planned,
        "harness": trial.harness.name,
        "version": trial.harness.version,
        "model": trial.harness.model_served,
        "started_at": trial.started_at,
        "reused_from": reused.iteration if reused else None,
        "seed": None if trial.harness.discovery == "unknown" else trial.seed,
    }


def _csv_cell(value: Value) -> Value:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _csv_text(value)
        case _:
            return value


@lru_cache(maxsize=256)
def _csv_text(text: str) -> str:
    """Most texts stand in many rows."""
    shown = line(text, _TEXT)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
