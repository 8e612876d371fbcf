"""Win rates with ties."""

from __future__ import annotations

import math

import pytest

from skilltrial.stats.lift_interval import lift_interval
from skilltrial.stats.win_rate import win_rate


def test_wins_losses_and_ties() -> None:
    """Three won, one lost, one tied: 3.5 of 5."""
    assert win_rate([1, 1, 1, 0, 0.5]).estimate == pytest.approx(0.7)


def test_the_interval_is_that_of_the_lift() -> None:
    """A case won passes in treatment alone, a case lost in baseline alone, a tie in neither: d from -1..1 to 0..1."""
    lift = lift_interval([1, 1, 1, 0, 0], [0, 0, 0, 1, 0])
    interval = win_rate([1, 1, 1, 0, 0.5]).interval
    assert interval is not None
    assert lift.low is not None
    assert lift.high is not None
    assert (interval.low, interval.high) == pytest.approx(((1 + lift.low) / 2, (1 + lift.high) / 2))


def test_all_won_is_not_certain() -> None:
    """Five of five: the lift from 0.3136444 (by hand in the tests of the lift) is a win rate from 0.6568222."""
    interval = win_rate([1] * 5).interval
    assert interval is not None
    assert interval.low == pytest.approx(0.6568222, abs=1e-6)
    assert interval.high == 1


def test_swapped_sides_mirror() -> None:
    """Neither side is favoured."""
    one, other = win_rate([1, 0.25, 0.5, 0]).interval, win_rate([0, 0.75, 0.5, 1]).interval
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_one_case_and_none() -> None:
    """An estimate without an interval, and neither."""
    assert (win_rate([1]).estimate, win_rate([1]).interval) == (1, None)
    assert win_rate([]).estimate is None


def test_nan_is_refused() -> None:
    """A pair that was not judged is left out by the caller."""
    with pytest.raises(ValueError, match="score 1 is nan"):
        win_rate([1, math.nan])
