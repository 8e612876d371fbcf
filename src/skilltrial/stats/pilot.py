"""What a pilot says of the variances that a plan needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import variance

from skilltrial.stats.permutation import Stratum
from skilltrial.stats.planner import Spread

_FEWEST = 2
"""Numbers that have a variance."""


def pilot_spread(strata: Sequence[Stratum]) -> Spread | None:
    """The variances of scores in [0, 1] by the method of moments, from all trials of each case in both arms.

    Within a case: the mean over cases of the sample variance of its trials, for 0 and 1 the unbiased estimate of p (1 - p).
    Between cases: the variance of the observed differences of means, less the part that the repeats explain, floored at 0 (the
    moment estimator of a one-way layout: Searle, Casella & McCulloch 1992, *Variance Components*). Repeats may be unequal.
    None where that is unknown: with fewer than two cases, or without a case that has two trials in the same arm, for
    either arm. Few cases leave `between` very uncertain: below ten compare with `planner.USUAL_SPREAD`.
    """
    treatment = _within(stratum.treatment for stratum in strata)
    baseline = _within(stratum.baseline for stratum in strata)
    if len(strata) < _FEWEST or treatment is None or baseline is None:
        return None
    differences = [_mean(stratum.treatment) - _mean(stratum.baseline) for stratum in strata]
    explained = [treatment / len(stratum.treatment) + baseline / len(stratum.baseline) for stratum in strata]
    between = variance(differences) - _mean(explained)
    return Spread(between=max(0.0, between), treatment=treatment, baseline=baseline)


def _within(arm: Iterable[Sequence[float]]) -> float | None:
    variances = [variance(scores) for scores in arm if len(scores) >= _FEWEST]
    return _mean(variances) if variances else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
