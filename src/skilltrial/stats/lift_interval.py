"""The interval for the lift: how far treatment minus baseline could be off on cases like these.

The estimand is the mean over cases of the difference of the two expected scores, where the cases are a sample of the cases
that the skill is for. The case is the unit; repeats only make each case's mean more exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from skilltrial.stats.domain import check_scores
from skilltrial.stats.student_t import t_quantile
from skilltrial.stats.summary import difference

IntervalMethod = Literal["regularised paired cluster t", "none"]


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


def lift_interval(treatment: Sequence[float], baseline: Sequence[float], *, level: float = 0.95) -> LiftInterval:
    """Interval for the mean of `treatment[i] - baseline[i]`, the mean scores of case i in the two arms, each in [0, 1].

    With a, b the means of a case, d = a - b, and E cases:

        u  = a (1 - b) + b (1 - a)                      chance that a matched pair disagrees
        m2 = (sum d^2 + 1) / (sum u + 1)                size of one pseudo-case
        v  = (sum d^2 + m2) / (E + 1) - (sum d / (E + 1))^2
        mean d +- t(E - 1) sqrt(v / E)

    One pseudo-case, split between +m and -m (in the spirit of Agresti & Min 2005, *Simple improved confidence intervals for
    comparing matched proportions*), keeps the width above zero where all cases agree. Its coverage of nominal 95 % was at
    least 93.8 % over 144 simulated designs with scores of 0 or 1, and 94.3 % over 1,080 with fractions, where Student's t on d
    went down to 39 %. Raises ValueError where the two have not the same length, or at a score outside [0, 1] or NaN: a case
    without a score in one of the arms belongs in neither.
    """
    check_scores(treatment, "treatment's score")
    check_scores(baseline, "baseline's score")
    pairs = list(zip(treatment, baseline, strict=True))
    n = len(pairs)
    if n == 0:
        return LiftInterval(estimate=None, low=None, high=None, half_width=None, n_cases=0, method="none")
    estimate = difference(math.fsum(a - b for a, b in pairs) / n, 0.0)
    if n == 1:
        return LiftInterval(estimate=estimate, low=None, high=None, half_width=None, n_cases=1, method="none")
    half_width = t_quantile((1 + level) / 2, n - 1) * math.sqrt(_variance(pairs) / n)
    return LiftInterval(
        estimate=estimate,
        low=max(estimate - half_width, -1.0),
        high=min(estimate + half_width, 1.0),
        half_width=half_width,
        n_cases=n,
        method="regularised paired cluster t",
    )


def _variance(pairs: Sequence[tuple[float, float]]) -> float:
    """Of the differences with the pseudo-case among them."""
    n = len(pairs)
    squares = math.fsum((a - b) ** 2 for a, b in pairs)
    disagreement = math.fsum(a * (1 - b) + b * (1 - a) for a, b in pairs)
    pseudo_case = (squares + 1) / (disagreement + 1)
    return (squares + pseudo_case) / (n + 1) - (math.fsum(a - b for a, b in pairs) / (n + 1)) ** 2
