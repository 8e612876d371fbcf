"""Running a request in front of a person: progress on standard error, the report on standard output."""

from __future__ import annotations

import signal
import sys
from functools import partial

import anyio
from rich.console import Console

from skilltrial.cli.progress import Progress
from skilltrial.pipeline import RunRequest, run
from skilltrial.report import terminal

INCOMPLETE = 3


def run_and_print(request: RunRequest, *, as_json: bool) -> int:
    """The whole of `skilltrial run`; returns the exit code."""
    _stop_like_ctrl_c()
    with Progress(Console(stderr=True)) as progress:
        result = anyio.run(partial(run, request, watcher=progress))
    if as_json:
        sys.stdout.write(result.benchmark.model_dump_json(indent=2) + "\n")
    else:
        terminal.print_report(result.benchmark, Console(), report_path=str(result.report))
    return 0 if result.complete else INCOMPLETE


def _stop_like_ctrl_c() -> None:
    """A polite kill is made to end as Ctrl-C does, so that no agent outlives us."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
