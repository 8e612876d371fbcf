"""Wilson's interval against scipy, by hand, and at its ends."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from skilltrial.stats.interval import Interval
from skilltrial.stats.wilson import wilson


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_agrees_with_scipy(level: float) -> None:
    """Twelve digits, for every count of one to thirty trials."""
    for n in (1, 2, 3, 5, 10, 30):
        for passes in range(n + 1):
            oracle = stats.binomtest(passes, n).proportion_ci(level, method="wilson")
            interval = wilson(passes, n, level=level)
            assert interval.low == pytest.approx(oracle.low, abs=1e-12)
            assert interval.high == pytest.approx(oracle.high, abs=1e-12)


def test_none_of_ten() -> None:
    """The upper end is z^2 / (n + z^2) = 3.8414588 / 13.8414588 = 0.2775328, the lower exactly 0."""
    interval = wilson(0, 10)
    assert interval.low == 0
    assert interval.high == pytest.approx(0.2775328, abs=1e-7)


def test_all_of_ten_is_the_mirror_of_none() -> None:
    """The upper end is exactly 1."""
    assert wilson(10, 10).high == 1
    assert wilson(10, 10).low == pytest.approx(1 - wilson(0, 10).high, abs=1e-15)


def test_no_trial_says_nothing() -> None:
    """Any chance is as good as another: not 0, not a half."""
    assert wilson(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("passes", "n"), [(4, 3), (-1, 3), (0, -1), (math.nan, 3)])
def test_impossible_counts_are_an_error(passes: int, n: int) -> None:
    """More passes than trials, fewer than none, and NaN."""
    with pytest.raises(ValueError, match="passes have to be"):
        wilson(passes, n)


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_is_a_share(level: float) -> None:
    """95 is not 0.95."""
    with pytest.raises(ValueError, match="a level is between 0 and 1"):
        wilson(1, 2, level=level)
