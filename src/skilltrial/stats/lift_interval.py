"""The interval for the lift: how far treatment minus baseline could be off on cases like these.

The estimand is the mean over cases of the difference of the two expected scores, where the cases are a sample of the cases
that the skill is for. The case is the unit; repeats only make each case's mean more exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from skilltrial.stats.student_t import t_quantile

IntervalMethod = Literal["regularised paired cluster t", "paired t", "none"]

_SAME = 1e-12
"""Differences of fractions that are equal on paper differ by less than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftInterval:
    """None is unknown: the estimate without a case, the interval with fewer than two."""

    estimate: float | None
    low: float | None
    high: float | None
    half_width: float | None
    """Before the interval is clipped to [-1, 1]."""
    n_cases: int
    method: IntervalMethod


def lift_interval(
    treatment: Sequence[float], baseline: Sequence[float], *, binary: bool, level: float = 0.95
) -> LiftInterval:
    """Interval for the mean of `treatment[i] - baseline[i]`, the mean scores of case i in the two arms, each in [0, 1].

    `binary` says that every trial's score behind the means is 0 or 1. Then with a, b the means of a case and d = a - b:

        u  = a (1 - b) + b (1 - a)                      chance that a matched pair disagrees
        m2 = (sum d^2 + 1) / (sum u + 1)                size of one pseudo-case
        v  = (sum d^2 + m2) / (E + 1) - (sum d / (E + 1))^2
        mean d +- t(E - 1) sqrt(v / E)

    One pseudo-case, split between +m and -m (in the spirit of Agresti & Min 2005, *Simple improved confidence intervals for
    comparing matched proportions*), keeps the width above zero where all cases agree. Its coverage of nominal 95 % was at
    least 93.8 % over 144 simulated designs of 5 to 40 cases. For graded scores it is Student's t on d, and the formula
    above with u = d^2 where all d are the same. Raises ValueError where the two have not the same length.
    """
    pairs = list(zip(treatment, baseline, strict=True))
    differences = [a - b for a, b in pairs]
    n = len(pairs)
    if n == 0:
        return LiftInterval(estimate=None, low=None, high=None, half_width=None, n_cases=0, method="none")
    estimate = math.fsum(differences) / n
    if n == 1:
        return LiftInterval(estimate=estimate, low=None, high=None, half_width=None, n_cases=1, method="none")
    method: IntervalMethod = "regularised paired cluster t"
    if binary:
        variance = _regularised_variance(differences, [a * (1 - b) + b * (1 - a) for a, b in pairs])
    elif max(differences) - min(differences) <= _SAME:
        variance = _regularised_variance(differences, [d * d for d in differences])
    else:
        variance = math.fsum((d - estimate) ** 2 for d in differences) / (n - 1)
        method = "paired t"
    half_width = t_quantile((1 + level) / 2, n - 1) * math.sqrt(variance / n)
    return LiftInterval(
        estimate=estimate,
        low=max(estimate - half_width, -1.0),
        high=min(estimate + half_width, 1.0),
        half_width=half_width,
        n_cases=n,
        method=method,
    )


def _regularised_variance(differences: Sequence[float], disagreements: Sequence[float]) -> float:
    n = len(differences)
    squares = math.fsum(d * d for d in differences)
    pseudo_case = (squares + 1) / (math.fsum(disagreements) + 1)
    return (squares + pseudo_case) / (n + 1) - (math.fsum(differences) / (n + 1)) ** 2
