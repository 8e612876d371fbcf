"""Running a request in front of a person: progress on standard error, the report on standard output."""

from __future__ import annotations

import signal
import sys

import anyio
from rich.console import Console

from skilltrial.cli.progress import Progress
from skilltrial.pipeline import RunRequest, RunResult, run
from skilltrial.report import terminal

INCOMPLETE = 3


def run_and_print(request: RunRequest, *, as_json: bool) -> int:
    """The whole of `skilltrial run`; returns the exit code."""
    with Progress(Console(stderr=True)) as progress:
        result = anyio.run(_run, request, progress)
    if as_json:
        sys.stdout.write(result.benchmark.model_dump_json(indent=2) + "\n")
    else:
        terminal.print_report(result.benchmark, Console(), report_path=str(result.report))
    return 0 if result.complete else INCOMPLETE


async def _run(request: RunRequest, progress: Progress) -> RunResult:
    """Ctrl-C cancels by itself; a polite kill is made to do the same, so that no agent outlives us."""
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_on_sigterm, group.cancel_scope)
        result = await run(request, watcher=progress)
        group.cancel_scope.cancel()
        return result
    raise KeyboardInterrupt


async def _cancel_on_sigterm(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
