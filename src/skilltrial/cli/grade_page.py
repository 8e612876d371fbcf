"""Regraded trials in front of a person."""

from __future__ import annotations

import asyncio
import json
import math
import signal
from contextlib import suppress
from functools import partial

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import heeding
from skilltrial.operations.regrading import Change, Outlook, Regraded, RegradeRequest, Why, regrade
from skilltrial.records.budget import Ceilings
from skilltrial.report import terminal
from skilltrial.report.figures import dollars, plural

INCOMPLETE = 3
_SHOWN = 40
_WHY: dict[Why, str] = {
    "first": "not graded before",
    "assertion": "the assertion changed",
    "rules": "this version of skilltrial grades by other rules",
    "case": "the task's notes changed",
    "output": "the trial changed",
    "judge": "the judge changed",
    "evidence": "the same, decided anew",
    "unknown": "an older version or another tool graded it",
}


def grade_and_print(
    request: RegradeRequest, *, as_json: bool, ask_above_usd: float = math.inf, yes: bool = False
) -> int:
    """Grade, print what changed and the report; returns the exit code."""
    with Progress(Screen(stderr=True, gone=partial(signal.raise_signal, signal.SIGTERM))) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=Ceilings(), progress=progress)
        try:
            done = anyio.run(_grade, request, progress, consent)
        except (KeyboardInterrupt, asyncio.CancelledError):
            done = None
    if done is None:
        with suppress(OSError):  # the terminal may be what has gone
            say(f"stopped. {progress.kept} The same command goes on from there.")
        return INTERRUPTED
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


async def _grade(request: RegradeRequest, progress: Progress, consent: Consent) -> Regraded:
    work = partial(regrade, request, watcher=progress, agree=partial(_agree, consent))
    return await heeding(progress.stops, work)


async def _agree(consent: Consent, outlook: Outlook) -> None:
    progress = consent.progress
    if outlook.notice:
        progress.say(outlook.notice)
    progress.say(f"{plural(outlook.n_trials, 'finished trial')}; {_calls(outlook)}")
    await consent.agree_to_calls(outlook.n_calls, outlook.usd, limits="--only limits it")
    progress.grades(outlook.n_trials)


def _calls(outlook: Outlook) -> str:
    if outlook.judge is None:
        return "no judge is asked"
    if not outlook.n_calls:
        return f"nothing to ask the judge {outlook.judge}"
    about = "cost unknown" if outlook.usd is None else f"about {dollars(outlook.usd)}"
    calls, of = plural(outlook.n_calls, "call"), plural(outlook.n_to_judge, "trial")
    return f"{calls} of the judge {outlook.judge} for {of}, {about}"


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
