"""The table of many skills in front of a person."""

from __future__ import annotations

from rich.text import Text

from skilltrial.cli.matrix_page import figures_table
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.records import layout
from skilltrial.records.portfolio import Portfolio
from skilltrial.report.portfolio import COLUMNS, remarks, reports, rows

_WIDTH = 80
_SOME = 10


def print_portfolio(portfolio: Portfolio, screen: Screen) -> None:
    """Print a row for each skill, what is to be said of some, and where their reports lie."""
    width = min(screen.width, _WIDTH)
    screen.print(figures_table(COLUMNS, rows(portfolio), n_words=3), width=width)
    screen.print()
    for text in remarks(portfolio):
        screen.print(Text(paragraph(text, width, further="  ")), soft_wrap=True)
    paths = reports(portfolio)
    for path in paths[:_SOME]:
        screen.print(Text(f"Report: {path}"), soft_wrap=True)
    if len(paths) > _SOME:
        screen.print(Text(f"{len(paths) - _SOME} more reports are beside these; {layout.PORTFOLIO_MD} names all."))
