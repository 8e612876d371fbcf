"""How many times as much? Costs and times of two arms as the ratio of their geometric means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from skilltrial.stats.case_mean import CaseMean, case_mean
from skilltrial.stats.interval import Interval


def geometric_ratio(treatment: Sequence[float], baseline: Sequence[float], *, level: float = 0.95) -> CaseMean:
    """Geometric mean over cases of `treatment[i] / baseline[i]`, with Student's t interval on the log differences.

    One number a case and arm, in the same unit (seconds, dollars, tokens): the geometric mean over its repeats, else the ratio
    is that of arithmetic means within and of geometric ones between cases. 1 is no difference, 1.2 a fifth more. The
    estimand is exp of the mean log ratio on cases like these (the paired form of the usual analysis of ratios: Bland & Altman
    1996, *Transformations, means, and confidence intervals*). Raises ValueError at a number that is not above 0, which has no
    logarithm, and where the two have not the same length.
    """
    pairs = list(zip(treatment, baseline, strict=True))
    for position, pair in enumerate(pairs):
        if not all(0 < number < math.inf for number in pair):
            raise ValueError(f"case {position} has {pair!r}; only numbers above 0 have a ratio")
    found = case_mean([math.log(t) - math.log(b) for t, b in pairs], level=level)
    return CaseMean(
        estimate=None if found.estimate is None else math.exp(found.estimate),
        interval=found.interval and Interval(math.exp(found.interval.low), math.exp(found.interval.high)),
        n_cases=found.n_cases,
    )
