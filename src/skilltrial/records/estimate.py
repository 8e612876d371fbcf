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
    p_adjusted: float | None = None
    """`p_value` by Benjamini and Hochberg, over all arms that are compared with this baseline; None where there is one."""
    n_clusters: int | None = None
    """Independent observations: families of cases, and cases of none. The interval is over these. None: in older files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverCases:
    """A mean over cases with Student's t interval; None is unknown. No interval where all cases are alike."""

    estimate: float | None
    low: float | None
    high: float | None
    n_cases: int
    """Independent observations: cases of one family are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """Of one arm: does at least one of `k` trials of a case pass, and do all of them? A trial passes where nothing failed."""

    k: int | None
    """The smallest number of graded trials over the cases that have any; None below 2, and then there are no figures."""
    pass_at_k: OverCases | None
    pass_hat_k: OverCases | None


Measure = Literal["seconds", "tokens", "cost_usd"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How many times as much treatment takes: the geometric mean over cases. None where nothing is known, or a trial took 0."""

    treatment: str
    baseline: str
    measure: Measure
    estimate: float | None
    low: float | None
    high: float | None
    level: float = 0.95
    n_cases: int
    """Cases in which both arms have the figure; those of one family count once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRate:
    """Of one case's graded trials in one arm, with Wilson's interval at 95 %: passed are those in which nothing failed."""

    passed: int
    graded: int
    low: float
    high: float
