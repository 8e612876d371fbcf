"""`portfolio.json`: many skills, each on trial for itself, and what is left of their words when all are looked at together."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.estimate import Word
from skilltrial.records.matrix import MatrixCell
from skilltrial.records.record import Record


class PortfolioRow(Record):
    """One skill."""

    name: str
    folder: str
    """Relative to the folder of all, with forward slashes."""
    run: MatrixCell | None = None
    """Its run, and its word when it is looked at alone; None where it was not run."""
    not_run: str = ""
    """Why there is no run."""
    p_adjusted: float | None = None
    """Of the lift, by Holm over all skills that have one."""
    word: Word | None = None
    """`better` and `worse` only where `p_adjusted` agrees; None without a comparison."""


class Portfolio(Record):
    """All skills of a folder, those with the strongest evidence first."""

    schema_version: Literal[1] = 1
    folder: str
    rows: tuple[PortfolioRow, ...]
    n_compared: int
    """Skills with a comparison: over so many Holm's adjustment goes."""
    cost_usd: float | None
    """Of all agents together; None where a run did not tell."""
    notice: str
