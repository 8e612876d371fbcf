"""The table of a matrix: a row for each cell."""

from __future__ import annotations

from pathlib import PurePath

from skilltrial.records import layout
from skilltrial.records.matrix import Matrix, MatrixCell
from skilltrial.report.figures import dollars, percent, signed_points
from skilltrial.report.markdown import escape, paragraph
from skilltrial.report.plain_text import block, line

COLUMNS = ("cell", "word", "lift (points)", "95 % interval", "treatment", "baseline", "cost")


def rows(matrix: Matrix) -> list[tuple[str, ...]]:
    """The cells of the table as texts, in the order of `COLUMNS`."""
    return [_row(cell) for cell in matrix.cells]


def remarks(matrix: Matrix) -> list[str]:
    """A sentence for each cell that is not whole or not valid, and what the words do not say."""
    told = [f"{line(cell.name, 80)}: {why}" for cell in matrix.cells if (why := trouble(cell))]
    return [*told, matrix.notice]


def reports(matrix: Matrix) -> list[str]:
    """Where the page of each cell is that was run."""
    return [
        block(str(PurePath(cell.workspace) / layout.iteration_dir(cell.iteration) / layout.REPORT), 1000)
        for cell in matrix.cells
        if cell.iteration is not None
    ]


def markdown(matrix: Matrix) -> str:
    """`matrix.md`."""
    head = [
        f"# {escape(line(matrix.skill, 200))}: every combination",
        "",
        piped(COLUMNS),
        piped(["---"] * len(COLUMNS)),
    ]
    told = listed([*remarks(matrix), *(f"Report: {path}" for path in reports(matrix))])
    return "\n".join([*head, *(piped(row) for row in rows(matrix)), "", *told, ""])


def trouble(cell: MatrixCell) -> str:
    """What went wrong with a run; empty where nothing did."""
    invalid = f"the comparison itself is not valid ({', '.join(cell.invalid)}); see its report." if cell.invalid else ""
    return line(" ".join(part for part in (cell.error, cell.stopped, invalid) if part), 400)


def interval_text(cell: MatrixCell) -> str:
    """`+40 to +93`; empty where there is none."""
    return "" if cell.low is None or cell.high is None else f"{signed_points(cell.low)} to {signed_points(cell.high)}"


def _row(cell: MatrixCell) -> tuple[str, ...]:
    return (
        line(cell.name.replace("--", ", "), 80),
        cell.word or ("error" if cell.error else "not run"),
        signed_points(cell.estimate),
        interval_text(cell),
        percent(cell.treatment_rate),
        percent(cell.baseline_rate),
        dollars(cell.cost_usd),
    )


def piped(cells: list[str] | tuple[str, ...]) -> str:
    """A row of a table in Markdown; texts of others are escaped."""
    return f"| {' | '.join(escape(cell) for cell in cells)} |"


def listed(texts: list[str]) -> list[str]:
    """Items of a list in Markdown, escaped likewise."""
    return [f"- {paragraph(line(text, 1000))}" for text in texts]
