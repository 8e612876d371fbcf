"""A matrix in front of a person: progress of each cell, then one table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from skilltrial.cli.cell_runs import run_in_front, whole_run
from skilltrial.cli.failure import INTERRUPTED
from skilltrial.cli.matrix_page import print_matrix
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.operations.cells import Cell, worst
from skilltrial.operations.matrix import run_matrix
from skilltrial.request import RunRequest


def run_matrix_and_print(
    cells: Sequence[Cell], request: RunRequest, *, as_json: bool, ask_above_usd: float, yes: bool, notice: str = ""
) -> int:
    """Run every cell; returns the worst of their exit codes."""
    matrix = run_in_front(
        cells,
        partial(run_matrix, cells, request),
        start=whole_run,
        ceilings=request.ceilings,
        ask_above_usd=ask_above_usd,
        yes=yes,
        notices=[notice] if notice else [],
    )
    if matrix is None:
        return INTERRUPTED
    if as_json:
        put(matrix.model_dump_json(indent=2) + "\n")
    else:
        print_matrix(matrix, Screen())
    return worst(matrix.cells)
