"""The table of many skills: a row for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

from skilltrial.records import layout
from skilltrial.records.portfolio import Portfolio, PortfolioRow
from skilltrial.report.figures import NOTHING, Tone, chance, dollars, percent, plural, signed_points
from skilltrial.report.headline import word_tone
from skilltrial.report.markdown import escape
from skilltrial.report.matrix import interval_text, listed, piped, trouble
from skilltrial.report.plain_text import block, line
from skilltrial.report.tables import Cell
from skilltrial.report.template import fill
from skilltrial.report.trial_table import Row

COLUMNS = ("skill", "word", "alone", "lift (points)", "95 % interval", "p (Holm)", "cost")
_FIGURES = (
    "estimate", "low", "high", "n_cases", "p_value", "treatment", "baseline", "treatment_rate", "baseline_rate",
    "cost_usd", "n_excluded", "iteration",
)  # fmt: skip
TABLE_COLUMNS = ("skill", "folder", "word", "alone", "p_adjusted", *_FIGURES, "trouble")
_WIDE = (*COLUMNS[:5], "with", "without", "p", *COLUMNS[5:])


def rows(portfolio: Portfolio) -> list[tuple[str, ...]]:
    """The skills as texts, in the order of `COLUMNS`, and the sum of costs at the end."""
    names = _titles(portfolio)
    told = [_row(row, names[row.folder], wide=False) for row in portfolio.rows]
    return [*told, _total(portfolio, len(COLUMNS))]


def remarks(portfolio: Portfolio) -> list[str]:
    """A sentence for each skill that was not run, is not whole or not valid, and how the words came about."""
    names = _titles(portfolio)
    told = [f"{names[row.folder]}: {why}" for row in portfolio.rows if (why := _why(row))]
    return [*told, portfolio.notice]


def reports(portfolio: Portfolio) -> list[str]:
    """Where the page of each skill is that was run."""
    runs = [row.run for row in portfolio.rows if row.run is not None and row.run.iteration is not None]
    return [
        block(str(PurePath(run.workspace) / layout.iteration_dir(run.iteration or 0) / layout.REPORT), 1000)
        for run in runs
    ]


def html(portfolio: Portfolio) -> str:
    """The table as a self-contained page."""
    tones: list[Tone] = [word_tone(row.word) if row.word else "muted" for row in portfolio.rows]
    told = [_row(row, line(row.folder, 200), wide=True) for row in portfolio.rows]
    return fill(
        "portfolio.html.j2",
        title=_title(portfolio),
        columns=_WIDE,
        rows=[[Cell(row[0]), Cell(row[1], tone), *map(Cell, row[2:])] for row, tone in zip(told, tones, strict=True)],
        total=_total(portfolio, len(_WIDE)),
        remarks=remarks(portfolio),
        reports=reports(portfolio),
    )


def table(portfolio: Portfolio) -> Iterator[Row]:
    """A row a skill for other programs, by `TABLE_COLUMNS`; figures as they are, None is unknown."""
    for row in portfolio.rows:
        run = row.run
        figures: Row = {} if run is None else {column: getattr(run, column) for column in _FIGURES}
        yield {
            "skill": row.name,
            "folder": row.folder,
            "word": row.word,
            "p_adjusted": row.p_adjusted,
            **figures,
            "alone": run and run.word,
            "trouble": _why(row) or None,
        }


def markdown(portfolio: Portfolio) -> str:
    """`portfolio.md`."""
    head = [f"# {escape(_title(portfolio))}", "", piped(_WIDE), piped(["---"] * len(_WIDE))]
    body = [piped(_row(row, line(row.folder, 200), wide=True)) for row in portfolio.rows]
    told = listed([*remarks(portfolio), *(f"Report: {path}" for path in reports(portfolio))])
    return "\n".join([*head, *body, piped(_total(portfolio, len(_WIDE))), "", *told, ""])


def _title(portfolio: Portfolio) -> str:
    size = f"{plural(len(portfolio.rows), 'skill')} on trial" if portfolio.rows else "no skill"
    return f"{line(portfolio.folder, 200)}: {size}"


def _titles(portfolio: Portfolio) -> dict[str, str]:
    """By folder: the skill's name, and where it lies if several have it."""
    n_times = Counter(row.name for row in portfolio.rows)
    titles: dict[str, str] = {}
    for row in portfolio.rows:
        place = row.folder.rpartition("/")[0] if n_times[row.name] > 1 else ""
        titles[row.folder] = f"{line(row.name, 60)} ({line(place, 60)})" if place else line(row.name, 60)
    return titles


def _why(row: PortfolioRow) -> str:
    return line(row.not_run, 400) if row.run is None else trouble(row.run)


def _row(row: PortfolioRow, title: str, *, wide: bool) -> tuple[str, ...]:
    run = row.run
    if run is None:
        return (title, "not run", *[NOTHING] * (len(_WIDE if wide else COLUMNS) - 2))
    alone = run.word or ("error" if run.error else "not run" if run.iteration is None else NOTHING)
    rates = [NOTHING if rate is None else percent(rate) for rate in (run.treatment_rate, run.baseline_rate)]
    return (
        title,
        row.word or alone,
        NOTHING if run.word is None else alone,
        NOTHING if run.estimate is None else signed_points(run.estimate),
        interval_text(run) or NOTHING,
        *((*rates, _chance(run.p_value)) if wide else ()),
        _chance(row.p_adjusted),
        NOTHING if run.iteration is None else dollars(run.cost_usd),
    )


def _total(portfolio: Portfolio, n_columns: int) -> tuple[str, ...]:
    n_run = sum(row.run is not None and row.run.iteration is not None for row in portfolio.rows)
    cost = dollars(portfolio.cost_usd) if n_run else NOTHING
    return (f"{n_run} of {plural(len(portfolio.rows), 'skill')} run", *[""] * (n_columns - 2), cost)


def _chance(p: float | None) -> str:
    return NOTHING if p is None else chance(p)
