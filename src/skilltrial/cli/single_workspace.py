"""The iteration that a command is about, where a workspace of several runs has none of its own."""

from __future__ import annotations

from skilltrial.errors import SpecError
from skilltrial.operations.matrix import read_matrix
from skilltrial.operations.portfolio import read_portfolio
from skilltrial.pipeline import newest_iteration
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store

_MOST = 8


def single_iteration(store: Store, wanted: int | None) -> int:
    """The iteration asked for, or the newest. Raises `SpecError` for other folders; of a matrix or portfolio it names the parts."""
    if not iterations(store) and (places := _parts(store)):
        more = f" and {len(places) - _MOST} more" if len(places) > _MOST else ""
        raise SpecError(
            "these are several runs, and each has figures of its own.",
            where=str(store.path("")),
            hint=f"Name the workspace of one: {', '.join(places[:_MOST])}{more}.",
        )
    return newest_iteration(store, wanted)


def _parts(store: Store) -> list[str]:
    if matrix := read_matrix(store):
        return [cell.workspace for cell in matrix.cells]
    portfolio = read_portfolio(store)
    return [row.run.workspace for row in portfolio.rows if row.run] if portfolio else []
