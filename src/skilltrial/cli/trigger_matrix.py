"""Trigger trials under several agents in front of a person: progress of each, then what came of each query under each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from rich.table import Table
from rich.text import Text

from skilltrial.cli.cell_runs import run_in_front
from skilltrial.cli.failure import INTERRUPTED
from skilltrial.cli.matrix_page import figures_table
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trigger_page import cost_words
from skilltrial.execute.watcher import Watcher
from skilltrial.operations.cells import Cell, worst_of
from skilltrial.operations.trigger_matrix import run_trigger_matrix
from skilltrial.operations.triggering import Triggered, trigger
from skilltrial.records.trigger_results import QueryResult, Share, TriggerArm, TriggerCell, TriggerMatrix
from skilltrial.report.figures import UNKNOWN, percent
from skilltrial.report.plain_text import line
from skilltrial.request import RunRequest

_WIDTH = 80
_COLUMNS = ("", "cell", "recall", "false alarms", "precision", "F1", "right", "cost")
_MOST_CELLS = 6
"""So many columns leave room for the words of a query."""
_EACH = 8


def run_trigger_matrix_and_print(
    cells: Sequence[Cell],
    request: RunRequest,
    *,
    threshold: float,
    as_json: bool,
    ask_above_usd: float,
    yes: bool,
    notice: str = "",
) -> int:
    """Run every cell; returns the worst of their exit codes."""

    async def start(of: RunRequest, watcher: Watcher) -> Triggered:
        return await trigger(of, threshold=threshold, watcher=watcher)

    matrix = run_in_front(
        cells,
        partial(run_trigger_matrix, cells, request),
        start=start,
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
        print_trigger_matrix(matrix, Screen())
    return worst_of(cell.exit_code for cell in matrix.cells)


def print_trigger_matrix(matrix: TriggerMatrix, screen: Screen) -> None:
    """Figures of each cell, then the queries with a column for each, then what makes any of it doubtful."""
    width = min(screen.width, _WIDTH)
    rows = [(number, cell) for number, cell in enumerate(matrix.cells, start=1)]
    screen.print(figures_table(_COLUMNS, [_row(number, cell) for number, cell in rows], n_words=2), width=width)
    if len(rows) <= _MOST_CELLS and (queries := _queries(matrix)):
        screen.print()
        screen.print(_query_table(queries, len(rows)), width=width)
    screen.print()
    for number, cell in rows:
        for text in _remarks(cell):
            screen.print(Text(paragraph(f"{number}: {text}", width, further="   ")), width=width)
    for _, cell in rows:
        if cell.results:
            screen.print(Text(f"Kept in {cell.workspace}, iteration {cell.results.iteration}."), soft_wrap=True)


def _row(number: int, cell: TriggerCell) -> tuple[str, ...]:
    name = line(cell.name.replace("--", ", "), 60)
    arm = _arm(cell)
    if arm is None:
        return (str(number), name, *(UNKNOWN,) * 5, "error" if cell.error else "not run")
    figures = arm.figures
    shares = (figures.recall, figures.false_positives, figures.precision, figures.f1)
    right = f"{figures.n_passed} of {sum(each.kind == 'query' for each in arm.queries)}"
    return (str(number), name, *map(_percent, shares), right, cost_words(arm).replace("at least", ">"))


def _percent(share: Share) -> str:
    return UNKNOWN if share.estimate is None else percent(share.estimate)


def _arm(cell: TriggerCell) -> TriggerArm | None:
    return cell.results.arms[0] if cell.results else None


def _queries(matrix: TriggerMatrix) -> list[tuple[str, list[QueryResult | None]]]:
    """By the query's text: what came of it in each cell."""
    ids: dict[str, QueryResult] = {}
    for cell in matrix.cells:
        arm = _arm(cell)
        ids |= {each.id: each for each in arm.queries} if arm else {}
    by_cell = [{each.id: each for each in arm.queries} if (arm := _arm(cell)) else {} for cell in matrix.cells]
    return [(first.query, [found.get(name) for found in by_cell]) for name, first in ids.items()]


def _query_table(queries: Sequence[tuple[str, list[QueryResult | None]]], n_cells: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for number in range(1, n_cells + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    table.add_column("should be")
    table.add_column("query: loaded in how many runs, under each")
    room = _WIDTH - _EACH * n_cells - 14
    for text, found in queries:
        should = next(each.should_trigger for each in found if each)
        kind = " (ours)" if any(each and each.kind == "canary" for each in found) else ""
        words = Text(line(text, max(20, room - len(kind))) + kind)
        table.add_row(*(Text(_count(each)) for each in found), "yes" if should else "no", words)
    return table


def _count(found: QueryResult | None) -> str:
    if found is None or found.rate.estimate is None:
        return "?"
    sign = "✗ " if found.passes is False else ""
    return f"{sign}{found.n_loaded}/{found.rate.n}"


def _remarks(cell: TriggerCell) -> Iterator[str]:
    if cell.error or cell.stopped:
        yield line(cell.error or cell.stopped, 400)
    if cell.results:
        yield f"{cell.results.word}: {cell.results.why}"
        yield from cell.results.notices
