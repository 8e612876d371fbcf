"""The report of a workspace that is there."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from skilltrial import wiring
from skilltrial.errors import StoreError
from skilltrial.pipeline import newest_iteration, summarise
from skilltrial.report import html, terminal


def report_workspace(workspace: Path, *, iteration: int | None, html_file: Path | None, as_json: bool) -> None:
    """Aggregate what is on the disk and print it; StoreError and SpecError say what is wrong with the folder."""
    store = wiring.open_store(workspace, write=False)
    benchmark = summarise(store, newest_iteration(store, iteration))
    if html_file:
        try:
            html_file.write_text(html.render(benchmark), encoding="utf-8")
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(html_file)) from error
    if as_json:
        sys.stdout.write(benchmark.model_dump_json(indent=2) + "\n")
    else:
        terminal.print_report(benchmark, Console(), report_path=str(html_file) if html_file else None)
