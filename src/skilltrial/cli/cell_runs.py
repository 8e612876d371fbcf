"""Several runs of one command in front of a person: one question for all, progress of each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import say
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.trial_run import heeding
from skilltrial.operations.cells import Cell
from skilltrial.pipeline import RunResult, run
from skilltrial.records.budget import Ceilings, Forecast
from skilltrial.report.figures import plural

ResultT_co = TypeVar("ResultT_co", covariant=True)


class Work(Protocol[ResultT_co]):
    """What runs the cells."""

    async def __call__(
        self,
        *,
        run_cell: Callable[[Cell], Awaitable[RunResult]],
        agree: Callable[[Forecast], Awaitable[None]],
    ) -> ResultT_co: ...


def run_in_front(
    cells: Sequence[Cell],
    work: Work[ResultT_co],
    *,
    ceilings: Ceilings,
    ask_above_usd: float,
    yes: bool,
    notices: Sequence[str] = (),
) -> ResultT_co | None:
    """What `work` returns; None where it was stopped, which is said."""
    screen = Screen(stderr=True)
    first = Progress(screen)
    for notice in notices:
        first.say(notice)
    first.say(f"{plural(len(cells), 'run')}: {', '.join(cell.name for cell in cells)}")
    consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=ceilings, progress=first)

    async def agree(forecast: Forecast) -> None:
        first.forecasts(forecast)
        await consent.agree(forecast)

    async def run_cell(cell: Cell) -> RunResult:
        with Progress(screen) as progress:
            progress.say(cell.name)
            return await heeding(progress.stops, partial(run, cell.request, watcher=progress))

    try:
        return anyio.run(partial(work, run_cell=run_cell, agree=agree))
    except (KeyboardInterrupt, asyncio.CancelledError):
        with suppress(OSError):  # the terminal may be what has gone
            say("stopped. Finished trials of every run are kept. The same command goes on from there.")
        return None
