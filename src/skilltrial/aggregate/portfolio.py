"""Words of many skills, with the chance in mind that one of many looks good by luck."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.records.estimate import Word
from skilltrial.records.matrix import MatrixCell
from skilltrial.records.portfolio import Portfolio, PortfolioRow
from skilltrial.stats.adjusted_p import holm

ALPHA = 0.05
"""Of all skills together: the chance that even one of them is called better or worse although nothing changed."""


def assemble(folder: str, rows: Sequence[PortfolioRow]) -> Portfolio:
    """The rows with adjusted p and word, sorted, and what all cost.

    A comparison that is not valid counts as one with p = 1: it was tried, and it can claim nothing.
    """
    compared = [row.run for row in rows if row.run is not None and row.run.p_value is not None]
    adjusted = dict(zip([run.name for run in compared], holm([_p(run) for run in compared]), strict=True))
    several = len(compared) > 1
    worded = [
        row if row.run is None else row.model_copy(update=_told(row.run, adjusted.get(row.run.name), several=several))
        for row in rows
    ]
    costs = [row.run.cost_usd for row in rows if row.run is not None and row.run.iteration is not None]
    known = [cost for cost in costs if cost is not None]
    return Portfolio(
        folder=folder,
        rows=tuple(sorted(worded, key=_by_evidence)),
        n_compared=len(compared),
        cost_usd=sum(known) if known and len(known) == len(costs) else None,
        notice=_notice(len(compared)),
    )


def _p(run: MatrixCell) -> float:
    return 1.0 if run.invalid or run.p_value is None else run.p_value


def _told(run: MatrixCell, p: float | None, *, several: bool) -> dict[str, float | Word | None]:
    unproved = several and run.word in {"better", "worse"} and (p is None or p > ALPHA)
    word: Word | None = "cannot tell" if unproved else run.word
    return {"p_adjusted": p, "word": word}


def _by_evidence(row: PortfolioRow) -> tuple[int, float, float, str]:
    """Valid comparisons by p and size of the lift, then those that are not, then what failed, then what was not run."""
    run = row.run
    if run is None or run.word is None:
        return (4 if run is None else 3, 1.0, 0.0, row.folder)
    group = 2 if run.invalid else 1 if run.p_value is None else 0
    return (group, 1.0 if run.p_value is None else run.p_value, -abs(run.estimate or 0.0), row.folder)


def _notice(n_compared: int) -> str:
    if n_compared <= 1:
        return "One comparison: nothing has to be adjusted."
    return (
        f"The word takes all {n_compared} comparisons into account: better and worse stand only where Holm's adjusted p of "
        f"the lift is at most {ALPHA:g} as well; alone is what each skill's own report says."
    )
