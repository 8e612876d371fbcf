"""The table of a matrix in front of a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from skilltrial.cli.screen import Screen
from skilltrial.records.matrix import Matrix
from skilltrial.report.matrix import COLUMNS, remarks, reports, rows

_WIDTH = 80


def print_matrix(matrix: Matrix, screen: Screen) -> None:
    """Print a row for each cell, what is to be said of some, and where their reports lie."""
    width = min(screen.width, _WIDTH)
    screen.print(figures_table(COLUMNS, rows(matrix), n_words=2), width=width)
    screen.print()
    for text in remarks(matrix):
        screen.print(Text(text), width=width)
    for path in reports(matrix):
        screen.print(Text(f"Report: {path}"), soft_wrap=True)


def figures_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, n_words: int) -> Table:
    """A table whose first `n_words` columns hold words, and the others figures."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for number, title in enumerate(columns):
        table.add_column(
            Text(title.replace(" (", "\n(").replace(" int", "\nint")),
            overflow="fold",
            vertical="bottom",
            justify="left" if number < n_words else "right",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
