"""The history of a workspace in front of a person."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from skilltrial import wiring
from skilltrial.cli.matrix_page import figures_table
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.operations.trend import read_trend
from skilltrial.records.trend import Trend
from skilltrial.report.history import bars, change_sentences, rates_sentence, title, trend_table, version_table
from skilltrial.report.history_page import render
from skilltrial.report.tables import Table
from skilltrial.spec.whole_file import write_whole

_WIDTH = 80
_BESIDE_BARS = ("iteration", "word", "with", "without", "time", "cost")
"""What the bars do not say."""


def show_history(workspace: Path, *, html_file: Path | None, as_json: bool) -> None:
    """Print it, and write the page; SpecError and StoreError say what is wrong with the folder or the file."""
    trend = read_trend(wiring.open_store(workspace, write=False))
    if html_file:
        write_whole(html_file, render(trend).encode())
    if as_json:
        put(trend.model_dump_json(indent=2) + "\n")
    else:
        _print(trend, Screen(), html_file)


def _print(trend: Trend, screen: Screen, html_file: Path | None) -> None:
    width = min(screen.width, _WIDTH)
    screen.print(Text(title(trend), style="bold"))
    if trend.points:
        screen.print()
        for text in bars(trend):
            screen.print(Text(text), soft_wrap=True)
        screen.print()
        _print_table(trend_table(trend), screen, _BESIDE_BARS, n_words=2)
    told = (*change_sentences(trend), rates_sentence(trend), *trend.notices)
    if sentences := tuple(filter(None, told)):
        screen.print()
        for text in sentences:
            screen.print(Text(paragraph(text, width, further="   ")), soft_wrap=True)
    if versions := version_table(trend):
        screen.print()
        screen.print(Text("Versions of history.json", style="bold"))
        _print_table(versions, screen, versions.columns, n_words=2)
    if html_file:
        screen.print()
        screen.print(Text(f"Page: {html_file}"), soft_wrap=True)


def _print_table(table: Table, screen: Screen, columns: tuple[str, ...], *, n_words: int) -> None:
    places = [table.columns.index(name) for name in columns]
    rows = ([row[place].text for place in places] for row in table.rows)
    screen.print(figures_table(columns, rows, n_words=n_words), width=min(screen.width, _WIDTH))
