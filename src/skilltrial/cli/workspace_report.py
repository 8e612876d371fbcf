"""The report of a workspace that is there."""

from __future__ import annotations

from pathlib import Path

from skilltrial import wiring
from skilltrial.cli.matrix_page import print_matrix
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import StoreError
from skilltrial.matrix import read_matrix
from skilltrial.pipeline import newest_iteration, summarise
from skilltrial.plan.iteration import iterations
from skilltrial.report import html, terminal


def report_workspace(workspace: Path, *, iteration: int | None, html_file: Path | None, as_json: bool) -> None:
    """Aggregate what is on the disk and print it; StoreError and SpecError say what is wrong with the folder."""
    store = wiring.open_store(workspace, write=False)
    if iteration is None and html_file is None and not iterations(store) and (matrix := read_matrix(store)):
        if as_json:
            put(matrix.model_dump_json(indent=2) + "\n")
        else:
            print_matrix(matrix, Screen())
        return
    benchmark = summarise(store, newest_iteration(store, iteration))
    if html_file:
        try:
            html_file.write_text(html.render(benchmark), encoding="utf-8")
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror}).", where=str(html_file)) from error
    if as_json:
        put(benchmark.model_dump_json(indent=2) + "\n")
    else:
        terminal.print_report(benchmark, Screen(), report_path=str(html_file) if html_file else None)
