"""Ratios of geometric means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from skilltrial.stats.geometric_ratio import geometric_ratio


def test_by_hand() -> None:
    """4 over 1 and 1 over 1: sqrt(4 x 1) = 2; logs ln 4 and 0, half width 12.7062047 ln 2."""
    found = geometric_ratio([4, 1], [1, 1])
    assert found.estimate == pytest.approx(2)
    assert found.interval is not None
    assert math.log(found.interval.high) == pytest.approx((1 + 12.7062047) * math.log(2), abs=1e-6)


def test_agrees_with_scipy() -> None:
    """A paired t test of the logs."""
    rng = np.random.default_rng(4)
    treatment, baseline = rng.lognormal(1.2, 0.4, 12), rng.lognormal(1, 0.4, 12)
    oracle = stats.ttest_rel(np.log(treatment), np.log(baseline)).confidence_interval()
    found = geometric_ratio(treatment.tolist(), baseline.tolist())
    assert found.estimate == pytest.approx(stats.gmean(treatment) / stats.gmean(baseline))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((math.exp(oracle.low), math.exp(oracle.high)))


def test_the_unit_does_not_matter() -> None:
    """Seconds or milliseconds."""
    seconds = geometric_ratio([2, 3, 5], [1, 4, 4])
    milliseconds = geometric_ratio([2e3, 3e3, 5e3], [1e3, 4e3, 4e3])
    assert seconds.estimate == pytest.approx(milliseconds.estimate)


def test_one_case_and_none() -> None:
    """An estimate without an interval, and neither."""
    assert (geometric_ratio([3], [2]).estimate, geometric_ratio([3], [2]).interval) == (pytest.approx(1.5), None)
    assert geometric_ratio([], []).estimate is None


@pytest.mark.parametrize("number", [0, -1, math.nan, math.inf])
def test_what_has_no_logarithm_is_refused(number: float) -> None:
    """A trial that cost nothing has no ratio."""
    with pytest.raises(ValueError, match="case 1 has"):
        geometric_ratio([1, 1], [1, number])
