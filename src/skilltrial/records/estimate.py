"""What figures over trials are estimated to be, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Word = Literal["better", "worse", "no difference beyond the margin", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stat:
    """Over runs; None where no run has the figure. `stddev` is the sample's (n − 1), None for one run."""

    mean: float | None
    stddev: float | None
    min: float | None
    max: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """Does the skill help? Mean over cases of treatment minus baseline."""

    treatment: str
    baseline: str
    estimate: float | None
    low: float | None
    high: float | None
    level: float = 0.95
    n_cases: int
    """Cases with a graded trial in both arms."""
    repeats_min: int
    repeats_max: int
    word: Word
    why: str
    """One sentence that gives the reason for the word."""
    margin: float
    p_value: float | None
    """Two-sided exact stratified permutation (for graded scores: seeded shuffles): did anything change on these cases?"""
    visible: float | None
    """Half-width of the interval: the size of effect that this design could tell from nothing."""
    method: str
