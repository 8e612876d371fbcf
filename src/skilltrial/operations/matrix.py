"""One comparison under several agent programs and models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import product

from pydantic import ValidationError

from skilltrial import wiring
from skilltrial.errors import StoreError
from skilltrial.operations.cells import Cell, plan_cells, row_of, run_cells
from skilltrial.pipeline import RunResult
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.budget import Forecast
from skilltrial.records.matrix import Matrix
from skilltrial.report import matrix as page
from skilltrial.request import RunRequest, default_workspace

NOTICE = "Each word is about its own cell; nothing adjusts them for the number of cells."


def cells_of(request: RunRequest, harnesses: Sequence[str], models: Sequence[str]) -> tuple[Cell, ...]:
    """Every combination; without harnesses or models, that of the request or of nobody."""
    root = (request.workspace or default_workspace(request.skill.absolute())).absolute()
    cells: list[Cell] = []
    for harness, model in product(harnesses or [request.harness], models or [request.model]):
        made = replace(request, harness=harness, model=model)
        wanted = wiring.Wanted(harness=harness, model=model, base_url=request.base_url, env=request.env)
        program = harness or wiring.implied_harness(wanted) or "auto"
        name = f"{layout.slug(program)}--{layout.slug(model or 'default')}"
        cells.append(Cell(name=name, request=replace(made, workspace=root / layout.CELLS / name)))
    return tuple(cells)


async def run_matrix(
    cells: Sequence[Cell],
    request: RunRequest,
    *,
    run_cell: Callable[[Cell], Awaitable[RunResult]],
    agree: Callable[[Forecast], Awaitable[None]],
) -> Matrix:
    """Plan all cells, ask once, run one after another, and write `matrix.json` and `matrix.md` into the workspace.

    See `skilltrial.operations.cells` for errors and ceilings. Raises what `agree` raises.
    """
    planned = await plan_cells(cells, agree=agree)
    root = request.workspace or default_workspace(request.skill.absolute())
    store = wiring.open_store(root, write=True)
    try:
        rows = await run_cells(cells, planned, request.ceilings, run_cell=run_cell, told=row_of)
        matrix = Matrix(skill=request.skill.absolute().name, cells=rows, notice=NOTICE)
        store.write(layout.MATRIX, matrix.model_dump_json(indent=2).encode() + b"\n")
        store.write(layout.MATRIX_MD, page.markdown(matrix).encode())
    finally:
        store.close()
    return matrix


def read_matrix(store: Store) -> Matrix | None:
    """The matrix of a workspace; None where it has none. Raises `StoreError` for one of another form."""
    data = store.read(layout.MATRIX)
    try:
        return None if data is None else Matrix.model_validate_json(data)
    except ValidationError as error:
        raise StoreError(
            "this matrix cannot be read.",
            where=str(store.path(layout.MATRIX)),
            hint="Each of its runs can: `skilltrial report WORKSPACE/cells/NAME`.",
        ) from error
