"""Means and spreads."""

from __future__ import annotations

import pytest

from skilltrial.stats.summary import Summary, mean, summarise


def test_figures_of_a_sample() -> None:
    """1, 2, 6: mean 3, squared distances 4 + 1 + 9 = 14, over n - 1 = 2 is 7."""
    summary = summarise([6, 1, 2])
    assert (summary.mean, summary.min, summary.max, summary.n) == (3, 1, 6, 3)
    assert summary.sd == pytest.approx(7**0.5)


def test_one_number_has_no_spread() -> None:
    """Unknown is not zero."""
    assert summarise([4.5]) == Summary(mean=4.5, sd=None, min=4.5, max=4.5, n=1)


def test_nothing_has_no_figures() -> None:
    """Not even a mean."""
    assert summarise([]) == Summary(mean=None, sd=None, min=None, max=None, n=0)
    assert mean([]) is None


def test_order_does_not_matter_to_the_last_bit() -> None:
    """A plain running sum gives 0.0 for one of the two orders."""
    assert mean([1e16, 1.0, -1e16]) == mean([1e16, -1e16, 1.0]) == 1 / 3
