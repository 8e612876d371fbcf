"""Tables of the reports as plain JSON, so that a page shows the very same texts."""

from __future__ import annotations

from collections.abc import Iterable

from skilltrial.report.tables import Cell, Table


def plain_cells(cells: Iterable[Cell]) -> list[list[str]]:
    """A text and its tone each."""
    return [[cell.text, cell.tone] for cell in cells]


def plain_table(table: Table | None) -> dict[str, object] | None:
    """`columns`, `rows` of cells, and `total` where the table has one."""
    if table is None:
        return None
    return {
        "columns": list(table.columns),
        "rows": [plain_cells(row) for row in table.rows],
        "total": None if table.total is None else plain_cells(table.total),
    }
