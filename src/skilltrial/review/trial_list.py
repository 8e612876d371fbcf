"""All trials of an iteration, a row each: from the figures, without opening a trial."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.records.benchmark import Benchmark, BenchmarkRun
from skilltrial.report.figures import NOTHING, count, dollars, percent, seconds
from skilltrial.report.plain_text import line, natural_key
from skilltrial.review.numbers import MOST_RUNS, benchmark_of
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject

COLUMNS = (
    "case",
    "arm",
    "run",
    "outcome",
    "pass rate",
    "passed",
    "failed",
    "ungraded",
    "time",
    "tokens",
    "cost",
    "tool calls",
)

Row = dict[str, object]


def trials(subject: Subject, query: Query) -> object:
    """`rows`, each with `cells` and the numbers to sort by; None where there are more than the figures keep."""
    iteration = query.iteration(subject)
    n_planned = len(plan_of(subject, iteration).trials)
    if n_planned > MOST_RUNS:
        return {"columns": list(COLUMNS), "rows": None, "n_trials": n_planned}
    found = benchmark_of(subject, iteration, adjusted=query.number("adjusted", 0) == 1)
    rows = sorted((*_graded(found), *_left_out(found)), key=_place)
    return {"columns": list(COLUMNS), "rows": rows, "n_trials": len(rows)}


def _place(row: Row) -> tuple[tuple[tuple[int, int, str], ...], str, int]:
    return natural_key(str(row["case"])), str(row["arm"]), int(str(row["repeat"]))


def _graded(found: Benchmark) -> Iterator[Row]:
    for run in found.runs:
        result = run.result
        yield {
            "case": str(run.eval_id),
            "arm": run.configuration,
            "repeat": run.run_number,
            "sort": _numbers(run),
            "cells": [
                run.outcome.replace("_", " "),
                percent(result.pass_rate),
                str(result.passed),
                str(result.failed),
                str(run.ungraded),
                seconds(result.time_seconds),
                count(result.tokens),
                dollars(run.cost_usd),
                count(result.tool_calls),
            ],
        }


def _numbers(run: BenchmarkRun) -> list[float | None]:
    """Of the cells after the outcome."""
    result = run.result
    effort = (result.time_seconds, result.tokens, run.cost_usd, result.tool_calls)
    return [result.pass_rate, result.passed, result.failed, run.ungraded, *effort]


def _left_out(found: Benchmark) -> Iterator[Row]:
    for entry in found.excluded:
        yield {
            "case": entry.key.case_id,
            "arm": entry.key.arm,
            "repeat": entry.key.repeat,
            "sort": [None] * 8,
            "cells": [f"{entry.outcome.replace('_', ' ')}: {line(entry.reason, 80)}", *[NOTHING] * 8],
        }
