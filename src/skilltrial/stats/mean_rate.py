"""The mean of one rate a case, and how far it could be off on cases like these."""

from __future__ import annotations

import math
from collections.abc import Sequence

from skilltrial.stats.case_mean import CaseMean
from skilltrial.stats.domain import check_scores, check_share
from skilltrial.stats.interval import Interval
from skilltrial.stats.student_t import incomplete_beta

_PSEUDO_CASES = 2
_BISECTIONS = 50


def mean_rate(rates: Sequence[float], *, level: float = 0.95) -> CaseMean:
    """Mean of `rates`, one a case in [0, 1], with an interval for the mean of the cases that these are a sample of.

    Where every rate is 0 or 1, each case is a trial of its own: Clopper & Pearson 1934, *The use of confidence or fiducial
    limits*. Rates between say more than that, so the interval is taken at an effective number of cases (Korn & Graubard 1998,
    *Confidence intervals for proportions with small expected number of positive counts*): with p the mean of n rates r,

        v  = (sum (r - p)^2 + 2 p (1 - p)) / (n + 1)      two pseudo-cases that differ as much as rates can
        n* = n p (1 - p) / v, at least n                  p n* of n* trials

    In 380 simulated designs of 3 to 20 cases with 1 to 10 runs each, nominal 95 %, it held at least 94 % of the time but for
    cases of which nine in ten are nearly never hit and one always (87 %). The interval of the lift with d = 2 r - 1 went down to
    79 % there. For a win rate r is the mean over repeats of 1 for won, 1/2 for a tie, 0 for lost.
    None without a case, no interval from one. Raises ValueError at a rate outside [0, 1] or NaN, or a level outside (0, 1).
    """
    check_share(level, "a level")
    check_scores(rates, "rate")
    n = len(rates)
    if n == 0:
        return CaseMean(estimate=None, interval=None, n_cases=0)
    p = math.fsum(rates) / n
    if n == 1:
        return CaseMean(estimate=p, interval=None, n_cases=1)
    n_effective = max(_effective(rates, p), n)
    hits, misses = p * n_effective, (1 - p) * n_effective
    tail = (1 - level) / 2
    low = _beta_quantile(tail, hits, misses + 1) if max(rates) > 0 else 0.0
    high = _beta_quantile(1 - tail, hits + 1, misses) if min(rates) < 1 else 1.0
    return CaseMean(estimate=p, interval=Interval(low, high), n_cases=n)


def _effective(rates: Sequence[float], p: float) -> float:
    n, most = len(rates), p * (1 - p)
    variance = (math.fsum((rate - p) ** 2 for rate in rates) + _PSEUDO_CASES * most) / (n - 1 + _PSEUDO_CASES)
    return n * most / variance if variance > 0 else n


def _beta_quantile(probability: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = `probability`."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(a, b, x=middle) < probability else (low, middle)
    return (low + high) / 2
