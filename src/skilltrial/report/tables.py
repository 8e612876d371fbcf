"""The tables of every report: cells with their text and tone, made once for all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

from skilltrial.records.benchmark import ArmSummary, Benchmark, CaseRow
from skilltrial.records.estimate import OverCases, Stat
from skilltrial.report import figures
from skilltrial.report.figures import NOTHING, Tone, percent, signed_points
from skilltrial.report.headline import arm_names, arm_title, paired
from skilltrial.report.plain_text import line, natural_key

_SIDE_BY_SIDE = 3
"""So many arms have room in columns of a terminal."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and whether it is good news."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under columns. The first column names the row; all others hold figures."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: tuple[Cell, ...] | None = None


def case_table(benchmark: Benchmark) -> Table:
    """One row a case: the pass rates of the arms, the difference in points, assertions without a verdict.

    Of many arms only the compared ones; `arm_table` has all.
    """
    names = side_by_side(benchmark)
    rows = tuple(_case_cells(benchmark, row, names) for row in cases_in_order(benchmark))
    titles = tuple(arm_title(benchmark, name) for name in names)
    if benchmark.lift is None:
        return Table(columns=("case", *titles, "ungraded"), rows=rows)
    return Table(
        columns=("case", *titles, "difference (points)", "ungraded"), rows=rows, total=_total(benchmark, names)
    )


def effort_table(benchmark: Benchmark) -> Table:
    """What the arms took: trials, passes, tokens, time and cost, with the change from baseline to treatment."""
    names = side_by_side(benchmark)
    arms = [summary for name in names if isinstance(summary := benchmark.run_summary[name], ArmSummary)]
    compared = benchmark.lift is not None and len(arms) > 1
    blank = (Cell(NOTHING, "muted"),) if compared else ()
    rows = (
        (Cell("trials graded"), *(Cell(f"{arm.trials_graded} of {arm.trials_planned}") for arm in arms), *blank),
        (Cell("trials without a failure"), *(_whole_cell(arm) for arm in arms), *blank),
        *((*row, *blank) for row in _reliability_rows(benchmark, names)),
        _effort_cells("tokens, mean", [(arm.tokens, arm) for arm in arms], figures.count, compared=compared),
        _effort_cells("time, mean", [(arm.time_seconds, arm) for arm in arms], figures.seconds, compared=compared),
        _effort_cells("cost, mean", [(arm.cost_usd, arm) for arm in arms], figures.dollars, compared=compared),
    )
    titles = tuple(arm_title(benchmark, name) for name in names)
    return Table(columns=("figure", *titles, *(("difference",) if compared else ())), rows=rows)


def arm_table(benchmark: Benchmark) -> Table | None:
    """One row an arm, where there are more than stand side by side; None otherwise."""
    names = arm_names(benchmark)
    if len(names) <= _SIDE_BY_SIDE:
        return None
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        rate, summary = overall_rate(benchmark, name), benchmark.run_summary[name]
        if isinstance(summary, ArmSummary):
            rows.append(
                (
                    Cell(arm_title(benchmark, name)),
                    Cell(NOTHING, "muted") if rate is None else Cell(percent(rate)),
                    Cell(f"{summary.trials_graded} of {summary.trials_planned}"),
                    _stat_cell(summary.tokens, summary, figures.count),
                    _stat_cell(summary.time_seconds, summary, figures.seconds),
                    _stat_cell(summary.cost_usd, summary, figures.dollars),
                )
            )
    return Table(
        columns=("arm", "pass rate", "trials (graded)", "tokens (mean)", "time (mean)", "cost (mean)"), rows=tuple(rows)
    )


def overall_rate(benchmark: Benchmark, name: str) -> float | None:
    """The mean over cases of an arm's pass rates, None where nothing was graded."""
    config = benchmark.configs.get(name)
    return config.overall_pass_rate if config else None


def side_by_side(benchmark: Benchmark) -> tuple[str, ...]:
    """The arms that have columns: all, or the compared ones where they are too many."""
    names = arm_names(benchmark)
    return names if len(names) <= _SIDE_BY_SIDE else names[:2]


def cases_in_order(benchmark: Benchmark) -> list[CaseRow]:
    """The cases by id, numbers by their value."""
    return sorted(benchmark.cases, key=lambda row: natural_key(str(row.eval_id)))


def case_title(eval_id: str | int, name: str) -> str:
    """A case's id and, where it says more, its name."""
    shown, label = line(str(eval_id), 60), line(name, 60)
    return label if label.startswith(shown) else f"{shown} {label}".strip()


def arm_rate(benchmark: Benchmark, row: CaseRow, name: str) -> float | None:
    """The mean pass rate of a case in an arm, None where nothing was graded."""
    lift = benchmark.lift
    if lift is not None and name == lift.treatment:
        return row.treatment
    if lift is not None and name == lift.baseline:
        return row.baseline
    config = benchmark.configs.get(name)
    return next((case.pass_rate for case in config.evals if case.eval_id == row.eval_id), None) if config else None


def _case_cells(benchmark: Benchmark, row: CaseRow, names: tuple[str, ...]) -> tuple[Cell, ...]:
    rates = tuple(_rate_cell(benchmark, row, name) for name in names)
    ungraded = Cell(str(row.ungraded), "warning" if row.ungraded else "muted")
    title = Cell(case_title(row.eval_id, row.eval_name))
    if benchmark.lift is None:
        return (title, *rates, ungraded)
    if row.difference is None:
        return (title, *rates, Cell(NOTHING, "muted"), ungraded)
    return (title, *rates, Cell(signed_points(row.difference), figures.gain_tone(row.difference)), ungraded)


def _rate_cell(benchmark: Benchmark, row: CaseRow, name: str) -> Cell:
    rate = arm_rate(benchmark, row, name)
    if rate is None:
        return Cell(NOTHING, "muted")
    lift = benchmark.lift
    counts = {lift.treatment: row.n_treatment, lift.baseline: row.n_baseline} if lift else {}
    full = lift.repeats_max if lift else 0
    runs = counts.get(name, full)
    return Cell(percent(rate) if runs == full else f"{percent(rate)} (n={runs})")


def _total(benchmark: Benchmark, names: tuple[str, ...]) -> tuple[Cell, ...] | None:
    lift, rows = benchmark.lift, paired(benchmark)
    if lift is None or not rows:
        return None
    rates: list[Cell] = []
    for name in names:
        known = [rate for row in rows if (rate := arm_rate(benchmark, row, name)) is not None]
        rates.append(Cell(percent(fmean(known))) if len(known) == len(rows) else Cell(NOTHING, "muted"))
    mean = Cell(f"mean of {figures.plural(len(rows), 'case')}")
    difference = Cell(signed_points(lift.estimate), figures.gain_tone(lift.estimate))
    n_ungraded = sum(row.ungraded for row in benchmark.cases)
    return (mean, *rates, difference, Cell(f"{n_ungraded} in all" if n_ungraded else "0"))


def _reliability_rows(benchmark: Benchmark, names: tuple[str, ...]) -> Iterator[tuple[Cell, ...]]:
    """Does any run of a case pass, and do all? No rows where no arm has several runs."""
    found = [benchmark.reliability.get(name) for name in names]
    sizes = {each.k for each in found if each is not None and each.k is not None}
    if not sizes:
        return
    k = str(sizes.pop()) if len(sizes) == 1 else "k"
    yield (Cell(f"pass@{k}: any run passes"), *(_share_cell(each and each.pass_at_k) for each in found))
    yield (Cell(f"pass^{k}: all runs pass"), *(_share_cell(each and each.pass_hat_k) for each in found))


def _share_cell(found: OverCases | None) -> Cell:
    return Cell(NOTHING, "muted") if found is None or found.estimate is None else Cell(percent(found.estimate))


def _effort_cells(
    title: str, stats: list[tuple[Stat, ArmSummary]], unit: Callable[[float | None], str], *, compared: bool
) -> tuple[Cell, ...]:
    cells = [Cell(title), *(_stat_cell(stat, arm, unit) for stat, arm in stats)]
    if compared:
        new, old = stats[0][0].mean, stats[1][0].mean
        cells.append(Cell(figures.change(new, old, unit), figures.effort_tone(new, old)))
    return tuple(cells)


def _whole_cell(arm: ArmSummary) -> Cell:
    if arm.trials_graded == 0:
        return Cell(NOTHING, "muted")
    return Cell(f"{arm.trials_passed} of {arm.trials_graded}")


def _stat_cell(stat: Stat, arm: ArmSummary, unit: Callable[[float | None], str]) -> Cell:
    if stat.mean is None:
        return Cell(unit(None), "muted")
    return Cell(unit(stat.mean) if stat.n >= arm.trials_graded else f"{unit(stat.mean)} (n={stat.n})")
