"""Running a request in front of a person: progress on standard error, the report on standard output."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import TypeVar

import anyio

from skilltrial import wiring
from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.pipeline import RunRequest, RunResult, run
from skilltrial.report import terminal
from skilltrial.report.figures import dollars

ResultT = TypeVar("ResultT")

INCOMPLETE = 3
AT_A_CEILING = 4
_STOPS = [signal.SIGINT, signal.SIGTERM] + ([] if sys.platform == "win32" else [signal.SIGHUP])


def run_and_print(
    request: RunRequest, *, as_json: bool, ask_above_usd: float = math.inf, yes: bool = False, notice: str = ""
) -> int:
    """The whole of `skilltrial run`; returns the exit code. `notice` is said before anything else."""
    # A closed pipe stops the run as Ctrl-C does: nobody reads on, and every further trial costs money.
    gone = partial(signal.raise_signal, signal.SIGTERM)
    with Progress(Screen(stderr=True, gone=gone)) as progress:
        try:
            consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.ceilings, progress=progress)
            work = partial(_run, request, progress, consent, notice)
            result = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            result = None
    if result is None:
        with suppress(OSError):  # the terminal may be what has gone
            say(f"stopped. {progress.kept} The same command goes on from there.")
        return INTERRUPTED
    if as_json:
        told = {**result.benchmark.model_dump(mode="json"), "forecast": result.forecast.model_dump(mode="json")}
        put(json.dumps({**told, "judge_usd": result.judge_usd}, indent=2, ensure_ascii=False) + "\n")
    else:
        terminal.print_report(result.benchmark, Screen(), report_path=str(result.report))
    if not result.complete:
        return INCOMPLETE
    return AT_A_CEILING if result.stopped else 0


def _judge(cost_usd: float | None) -> str:
    if cost_usd is None:
        return "what the judge cost in this iteration is unknown; no ceiling holds it"
    return f"the judge cost {dollars(cost_usd)} in this iteration, under no ceiling"


async def _run(request: RunRequest, progress: Progress, consent: Consent, notice: str) -> RunResult:
    """The first and the last word are said here, where a reader that has gone is heeded."""
    if notice:
        progress.say(notice)
    result = await run(request, watcher=progress, agree=consent.agree)
    if result.judge_calls:
        progress.say(_judge(result.judge_usd))
    return result


async def heeding(stops: Callable[[], None], work: Callable[[], Awaitable[ResultT]]) -> ResultT:
    """Do it. The first signal to stop asks the agents to end, the second kills them, the third cleans nothing up.

    `stops` hears of the first.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    signals = iter(range(1, 1000))

    def stop(_number: int, _frame: FrameType | None) -> None:
        match next(signals):
            case 1 if task:
                loop.call_soon_threadsafe(stops)
                loop.call_soon_threadsafe(task.cancel)
            case 2:
                wiring.kill_agents()
            case _:
                os._exit(INTERRUPTED)  # what is left is swept by the next run in this workspace

    before = {number: signal.getsignal(number) for number in _STOPS}
    # SIGTERM always ends it; what nohup or a script told us to ignore stays ignored.
    heard = [number for number in _STOPS if before[number] != signal.SIG_IGN or number == signal.SIGTERM]
    for number in heard:
        signal.signal(number, stop)
    try:
        return await work()
    finally:
        for number in heard:
            signal.signal(number, before[number])
