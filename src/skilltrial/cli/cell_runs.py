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
from skilltrial.execute.watcher import Watcher
from skilltrial.operations.cells import Cell
from skilltrial.pipeline import RunResult, run
from skilltrial.records.budget import Ceilings, Forecast
from skilltrial.report.figures import plural
from skilltrial.request import RunRequest

ResultT_co = TypeVar("ResultT_co", covariant=True)
CellT = TypeVar("CellT")
CellT_contra = TypeVar("CellT_contra", contravariant=True)


class Work(Protocol[CellT_contra, ResultT_co]):
    """What runs the cells."""

    async def __call__(
        self,
        *,
        run_cell: Callable[[Cell], Awaitable[CellT_contra]],
        agree: Callable[[Forecast], Awaitable[None]],
    ) -> ResultT_co: ...


def run_in_front(
    cells: Sequence[Cell],
    work: Work[CellT, ResultT_co],
    *,
    start: Callable[[RunRequest, Watcher], Awaitable[CellT]],
    ceilings: Ceilings,
    ask_above_usd: float,
    yes: bool,
    notices: Sequence[str] = (),
) -> ResultT_co | None:
    """What `work` returns; None where it was stopped, which is said. `start` runs one of them, like `whole_run`."""
    screen = Screen(stderr=True)
    first = Progress(screen)
    for notice in notices:
        first.say(notice)
    first.say(f"{plural(len(cells), 'run')}: {', '.join(cell.name for cell in cells)}")
    consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=ceilings, progress=first)

    async def agree(forecast: Forecast) -> None:
        first.forecasts(forecast)
        await consent.agree(forecast)

    async def run_cell(cell: Cell) -> CellT:
        with Progress(screen) as progress:
            progress.say(cell.name)
            return await heeding(progress.stops, partial(start, cell.request, progress))

    try:
        return anyio.run(partial(work, run_cell=run_cell, agree=agree))
    except (KeyboardInterrupt, asyncio.CancelledError):
        with suppress(OSError):  # the terminal may be what has gone
            say("stopped. Finished trials of every run are kept. The same command goes on from there.")
        return None


async def whole_run(request: RunRequest, watcher: Watcher) -> RunResult:
    """All the stages, as `skilltrial run` has them."""
    return await run(request, watcher=watcher)
