"""The table of a matrix in front of a person."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from skilltrial.cli.screen import Screen
from skilltrial.records.matrix import Matrix
from skilltrial.report.matrix import COLUMNS, remarks, reports, rows

_WIDTH = 80


def print_matrix(matrix: Matrix, screen: Screen) -> None:
    """Print a row for each cell, what is to be said of some, and where their reports lie."""
    width = min(screen.width, _WIDTH)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for number, title in enumerate(COLUMNS):
        table.add_column(
            Text(title.replace(" (", "\n(").replace(" int", "\nint")),
            overflow="fold",
            vertical="bottom",
            justify="left" if number in {0, 1} else "right",
        )
    for row in rows(matrix):
        table.add_row(*(Text(cell) for cell in row))
    screen.print(table, width=width)
    screen.print()
    for text in remarks(matrix):
        screen.print(Text(text), width=width)
    for path in reports(matrix):
        screen.print(Text(f"Report: {path}"), soft_wrap=True)
