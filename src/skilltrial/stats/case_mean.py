"""The mean of one number a case, and how far it could be off on cases like these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.stats.domain import check_finite, check_share
from skilltrial.stats.interval import Interval
from skilltrial.stats.student_t import t_quantile

_ROUNDING = 1e-12
"""Values that are equal on paper differ by less than this, as a part of them or of 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMean:
    """None is unknown: the estimate without a case, the interval where the cases do not say how much they differ."""

    estimate: float | None
    interval: Interval | None
    n_cases: int


def case_mean(values: Sequence[float], *, level: float = 0.95) -> CaseMean:
    """Mean of `values` (one a case, any unit) with Student's t interval over cases, n - 1 degrees of freedom.

    The estimand is the mean over the cases that these are a sample of (Student 1908, *The probable error of a mean*). There is
    no interval from fewer than two cases, and none where all are equal: cases that agree do not show how much others would
    differ. The interval is not clipped. Raises ValueError at NaN or infinity, or a level outside (0, 1).
    """
    check_share(level, "a level")
    check_finite(values, "value")
    n = len(values)
    if n == 0:
        return CaseMean(estimate=None, interval=None, n_cases=0)
    centre = math.fsum(values) / n
    if n == 1 or math.isclose(min(values), max(values), rel_tol=_ROUNDING, abs_tol=_ROUNDING):
        return CaseMean(estimate=centre, interval=None, n_cases=n)
    variance = math.fsum((value - centre) ** 2 for value in values) / (n - 1)
    half_width = t_quantile((1 + level) / 2, n - 1) * math.sqrt(variance / n)
    return CaseMean(estimate=centre, interval=Interval(centre - half_width, centre + half_width), n_cases=n)
