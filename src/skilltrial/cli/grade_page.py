"""Regraded trials in front of a person."""

from __future__ import annotations

import json

import anyio

from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.regrading import Change, Regraded, RegradeRequest, Why, regrade
from skilltrial.report import terminal
from skilltrial.report.figures import dollars, plural

INCOMPLETE = 3
_SHOWN = 40
_WHY: dict[Why, str] = {
    "first": "not graded before",
    "assertion": "the assertion changed",
    "case": "the task's notes changed",
    "output": "the trial changed",
    "judge": "the judge changed",
    "evidence": "the same, decided anew",
    "unknown": "an older version graded it",
}


def grade_and_print(request: RegradeRequest, *, as_json: bool) -> int:
    """Grade, print what changed and the report; returns the exit code."""
    done = anyio.run(regrade, request)
    benchmark, page = done.evaluation.benchmark, done.evaluation.page
    if as_json:
        told = {
            "workspace": str(done.workspace),
            "iteration": done.iteration,
            "graded": len(done.evaluation.gradings),
            "renewed": done.n_renewed,
            "changes": [{**change._asdict(), "key": change.key.model_dump()} for change in done.changes],
            "judge_usd": done.judge_usd,
            "benchmark": benchmark.model_dump(mode="json"),
        }
        put(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    else:
        console = Screen()
        put("".join(f"{text}\n" for text in _lines(done, console.width)) + "\n")
        terminal.print_report(benchmark, console, report_path=str(page))
    return INCOMPLETE if done.judge_failed else 0


def _lines(done: Regraded, width: int) -> list[str]:
    n = len(done.evaluation.gradings)
    cost = "" if done.judge_usd is None else f"; the judge cost {dollars(done.judge_usd)} in this iteration so far"
    head = f"{plural(n, 'graded trial')}, {done.n_renewed} anew; {plural(len(done.changes), 'verdict')} changed{cost}."
    more = len(done.changes) - _SHOWN
    return [
        paragraph(head, width),
        *(paragraph(_words(change), width, indent="  ", further="    ") for change in done.changes[:_SHOWN]),
        *([f"  and {more:,} more; --json has them all"] if more > 0 else []),
    ]


def _words(change: Change) -> str:
    return f"{change.key} {change.id}: {change.before or 'new'} → {change.after} ({_WHY[change.why]})"
