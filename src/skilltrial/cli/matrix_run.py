"""A matrix in front of a person: progress of each cell, then one table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.matrix_page import print_matrix
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import heeding
from skilltrial.matrix import Cell, run_matrix, worst
from skilltrial.pipeline import RunResult, run
from skilltrial.records.budget import Forecast
from skilltrial.records.matrix import Matrix
from skilltrial.report.figures import plural
from skilltrial.request import RunRequest


def run_matrix_and_print(
    cells: Sequence[Cell], request: RunRequest, *, as_json: bool, ask_above_usd: float, yes: bool, notice: str = ""
) -> int:
    """Run every cell; returns the worst of their exit codes."""
    screen = Screen(stderr=True)
    first = Progress(screen)
    if notice:
        first.say(notice)
    first.say(f"{plural(len(cells), 'run')}: {', '.join(cell.name for cell in cells)}")
    consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.ceilings, progress=first)
    try:
        matrix = anyio.run(_all, cells, request, screen, consent)
    except (KeyboardInterrupt, asyncio.CancelledError):
        matrix = None
    if matrix is None:
        with suppress(OSError):  # the terminal may be what has gone
            say("stopped. Finished trials of every cell are kept. The same command goes on from there.")
        return INTERRUPTED
    if as_json:
        put(matrix.model_dump_json(indent=2) + "\n")
    else:
        print_matrix(matrix, Screen())
    return worst(matrix)


async def _all(cells: Sequence[Cell], request: RunRequest, screen: Screen, consent: Consent) -> Matrix:
    async def agree(forecast: Forecast) -> None:
        consent.progress.forecasts(forecast)
        await consent.agree(forecast)

    async def run_cell(cell: Cell) -> RunResult:
        with Progress(screen) as progress:
            progress.say(cell.name)
            return await heeding(progress.stops, partial(run, cell.request, watcher=progress))

    return await run_matrix(cells, request, run_cell=run_cell, agree=agree)
