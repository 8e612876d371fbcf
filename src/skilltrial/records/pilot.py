"""What an iteration says of how much scores vary, for plans of a larger one."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record


class Pilot(Record):
    """Variances to plan with, and what they stand on."""

    between: float
    """Of the true lift, from case to case."""
    treatment: float
    """Of the scores of one case's trials, averaged over cases."""
    baseline: float
    n_cases: int
    """Cases with a comparable score in both arms."""
    assumed: tuple[Literal["between", "within"], ...] = ()
    """What is not from these trials but the usual value."""
    why: str = ""
    """Of what is assumed, in one sentence."""
