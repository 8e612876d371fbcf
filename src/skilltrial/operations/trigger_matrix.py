"""The same queries under several agent programs and models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from pydantic import ValidationError

from skilltrial import wiring
from skilltrial.operations.cells import Cell, bare_row, plan_cells, run_cells
from skilltrial.operations.triggering import Triggered
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.budget import Forecast
from skilltrial.records.matrix import MatrixCell
from skilltrial.records.trigger_results import TriggerCell, TriggerMatrix
from skilltrial.request import RunRequest, default_workspace


async def run_trigger_matrix(
    cells: Sequence[Cell],
    request: RunRequest,
    *,
    run_cell: Callable[[Cell], Awaitable[Triggered]],
    agree: Callable[[Forecast], Awaitable[None]],
) -> TriggerMatrix:
    """Plan all cells, ask once, run one after another, and write `matrix.json` beside their folder.

    `request` is one of `trigger_request`. See `skilltrial.operations.cells` for errors and ceilings. Raises what `agree` raises.
    """
    planned = await plan_cells(cells, agree=agree)
    done: dict[str, Triggered] = {}

    def told(cell: Cell, result: Triggered) -> MatrixCell:
        done[cell.name] = result
        row = bare_row(cell, exit_code=result.exit_code)
        return row.model_copy(update={"iteration": result.results.iteration})

    store = wiring.open_store(request.workspace or default_workspace(request.skill.absolute()), write=True)
    try:
        rows = await run_cells(cells, planned, request.ceilings, run_cell=run_cell, told=told)
        matrix = TriggerMatrix(
            skill=request.skill.absolute().name, cells=tuple(_cell(row, done.get(row.name)) for row in rows)
        )
        store.write(layout.MATRIX, matrix.model_dump_json(indent=2).encode() + b"\n")
    finally:
        store.close()
    return matrix


def read_trigger_matrix(store: Store) -> TriggerMatrix | None:
    """The matrix of a trigger workspace; None where it has none, or one of whole runs."""
    data = store.read(layout.MATRIX)
    try:
        return None if data is None else TriggerMatrix.model_validate_json(data)
    except ValidationError:
        return None


def _cell(row: MatrixCell, done: Triggered | None) -> TriggerCell:
    return TriggerCell(
        name=row.name,
        harness=row.harness,
        model=row.model,
        workspace=row.workspace,
        results=done.results if done else None,
        stopped=row.stopped,
        error=row.error,
        exit_code=row.exit_code,
    )
