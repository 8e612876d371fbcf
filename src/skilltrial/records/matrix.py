"""`matrix.json`: one comparison under several agent programs and models."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.estimate import Word
from skilltrial.records.record import Record


class MatrixCell(Record):
    """One run of its own. Figures are None where there is none."""

    name: str
    harness: str | None
    model: str | None
    """As asked for; None: the program's own."""
    workspace: str
    iteration: int | None = None
    word: Word | None = None
    """Of this cell alone."""
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n_cases: int | None = None
    p_value: float | None = None
    """Of the lift, of this cell alone."""
    treatment: str | None = None
    baseline: str | None = None
    treatment_rate: float | None = None
    """Mean over cases, as a fraction of 1."""
    baseline_rate: float | None = None
    cost_usd: float | None = None
    """Of the agents; None also where a try did not tell."""
    n_excluded: int = 0
    invalid: tuple[str, ...] = ()
    """Codes of the findings by which this comparison answers no question about the skill."""
    stopped: str = ""
    """The ceiling that a part of it was not run for."""
    error: str = ""
    """Why there is no result."""
    exit_code: int = 0


class Matrix(Record):
    """All cells, in the order in which they were run."""

    schema_version: Literal[1] = 1
    skill: str
    cells: tuple[MatrixCell, ...]
    notice: str
