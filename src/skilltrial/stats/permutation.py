"""Did anything change on these cases? Permutation tests that shuffle the arms' labels within each case.

The null hypothesis is sharp: on each of these cases, which arm a trial was in made no difference to its score. Then every
relabelling of a case's trials that keeps the sizes of the arms is equally likely. The statistic is the sum of the treatment
arm's scores; with the same number of repeats everywhere this orders the relabellings as the lift does, else each case weighs
r1 r0 / (r1 + r0) of its repeats. Two-sided means: the share of relabellings in which the statistic is at least as far from
its expectation as the observed one, on either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skilltrial.stats.domain import check_finite

_TIE = 1e-9
"""Statistics that are equal on paper differ by less than this."""
_FEW_TRIALS = 100
"""Up to so many of a case, numpy is fastest with shuffling them outright."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """The trials' scores of one case, by arm. Both arms have at least one, and all are numbers, else ValueError."""

    treatment: tuple[float, ...]
    baseline: tuple[float, ...]

    def __post_init__(self) -> None:
        if not (self.treatment and self.baseline):
            raise ValueError("a case with scores in one arm only has nothing to relabel; leave it out")
        check_finite(self.treatment + self.baseline, "score")

    @property
    def excess(self) -> float:
        """Treatment's sum of scores less its expectation under relabelling."""
        pooled = math.fsum(self.treatment + self.baseline)
        share = len(self.treatment) / (len(self.treatment) + len(self.baseline))
        return math.fsum(self.treatment) - pooled * share


def exact_p(strata: Sequence[Stratum]) -> float | None:
    """Two-sided exact p where every score is 0 or 1; None without a stratum.

    The treatment's passes in a case are hypergeometric given all its passes; their sum is a convolution over cases
    (the conditional test of Mantel & Haenszel 1959, in its exact form). Raises ValueError at any other score.
    """
    if not strata:
        return None
    further, as_far = _tails(strata)
    return min(1.0, further + as_far)


def mid_p(strata: Sequence[Stratum]) -> float | None:
    """Like `exact_p`, with relabellings exactly as far out as the observed one counted by half; a note beside the exact p.

    Less conservative, and no longer guaranteed (Lancaster 1961, *Significance tests in discrete distributions*).
    """
    if not strata:
        return None
    further, as_far = _tails(strata)
    return min(1.0, further + as_far / 2)


def shuffled_p(strata: Sequence[Stratum], rng: np.random.Generator, *, shuffles: int = 9_999) -> float | None:
    """Two-sided Monte Carlo p for scores of any size; None without a stratum. Never 0: the observed labels count as one shuffle."""
    if not strata:
        return None
    sums = np.zeros(shuffles)
    for stratum in strata:
        scores, counts = np.unique(stratum.treatment + stratum.baseline, return_counts=True)
        n = len(stratum.treatment)
        method = "count" if counts.sum() <= _FEW_TRIALS else "marginals"
        drawn = rng.multivariate_hypergeometric(counts, n, size=shuffles, method=method)
        sums += drawn @ scores - n * (counts @ scores) / counts.sum()
    excess = abs(math.fsum(stratum.excess for stratum in strata))
    as_far = int((np.abs(sums) >= excess - _TIE).sum())
    return (as_far + 1) / (shuffles + 1)


def _tails(strata: Sequence[Stratum]) -> tuple[float, float]:
    """The share of relabellings further out than the observed one, and of those exactly as far."""
    passes = np.ones(1)
    for stratum in strata:
        passes = np.convolve(passes, _hypergeometric(stratum))
    observed = math.fsum(score for stratum in strata for score in stratum.treatment)
    excess = math.fsum(stratum.excess for stratum in strata)
    beyond = np.abs(np.arange(len(passes)) - (observed - excess)) - abs(excess)
    return float(passes[beyond > _TIE].sum()), float(passes[np.abs(beyond) <= _TIE].sum())


def _hypergeometric(stratum: Stratum) -> npt.NDArray[np.float64]:
    pooled = stratum.treatment + stratum.baseline
    if not all(score in (0, 1) for score in pooled):
        raise ValueError(f"an exact p is for scores of 0 and 1, not {pooled!r}; shuffle graded ones")
    n, total, passes = len(stratum.treatment), len(pooled), round(math.fsum(pooled))
    ways = math.comb(total, n)
    return np.array([math.comb(passes, k) * math.comb(total - passes, n - k) / ways for k in range(n + 1)])
