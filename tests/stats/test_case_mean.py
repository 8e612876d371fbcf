"""Means over cases with Student's t."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from skilltrial.stats.case_mean import CaseMean, case_mean


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_agrees_with_scipy(level: float) -> None:
    """The interval of a one-sample t test."""
    values = [0.2, 0.9, 0.4, 0.4, 1.7, -3.0]
    oracle = stats.ttest_1samp(values, 0).confidence_interval(level)
    found = case_mean(values, level=level)
    assert found.estimate == pytest.approx(sum(values) / 6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((oracle.low, oracle.high), rel=1e-10)


def test_two_cases_by_hand() -> None:
    """0 and 1: mean 1/2, variance 1/2, standard error 1/2, t of one degree 12.7062047."""
    interval = case_mean([0, 1]).interval
    assert interval is not None
    assert interval.high == pytest.approx(0.5 + 12.7062047 / 2, abs=1e-6)


def test_cases_that_agree_have_no_interval() -> None:
    """A width of zero would be certainty from three cases."""
    assert case_mean([0.5, 0.5, 0.5]) == CaseMean(estimate=0.5, interval=None, n_cases=3)


def test_cases_that_differ_by_rounding_agree() -> None:
    """0.1 + 0.2 is 0.30000000000000004: an interval of that width would be made of nothing."""
    assert case_mean([0.1 + 0.2, 0.3, 0.3]).interval is None


def test_one_case_and_none() -> None:
    """Unknown is not zero."""
    assert case_mean([0.7]) == CaseMean(estimate=0.7, interval=None, n_cases=1)
    assert case_mean([]) == CaseMean(estimate=None, interval=None, n_cases=0)


def test_nan_is_refused() -> None:
    """It would come out as a figure."""
    with pytest.raises(ValueError, match="value 1 is nan"):
        case_mean([1.0, math.nan])
