"""The mean of rates over cases."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from scipy import special

from skilltrial.stats.interval import Interval
from skilltrial.stats.mean_rate import mean_rate


def interval(rates: list[float], level: float = 0.95) -> Interval:
    """Of two cases and more."""
    found = mean_rate(rates, level=level).interval
    assert found is not None
    return found


def test_cases_that_are_all_or_nothing_are_trials() -> None:
    """Clopper and Pearson: of 10 of 10 the lower end is 0.025^(1/10) = 0.69150; of 0 of 5 the upper one 1 - 0.025^(1/5)."""
    assert interval([1.0] * 10).low == pytest.approx(0.6915029)
    assert interval([1.0] * 10).high == 1.0
    found = interval([0.0] * 5)
    assert (found.low, found.high) == (0.0, pytest.approx(0.5218238))
    found = interval([1.0] * 7 + [0.0] * 3)
    assert (found.low, found.high) == pytest.approx((special.betaincinv(7, 4, 0.025), special.betaincinv(8, 3, 0.975)))


def test_rates_between_say_more() -> None:
    """Four halves: v = (0 + 2/4) / 5 = 0.1, n* = 4 x 0.25 / 0.1 = 10, so 5 of 10; at 0, 1, 0, 1 it is 2 of 4."""
    found = interval([0.5] * 4)
    assert (found.low, found.high) == pytest.approx((special.betaincinv(5, 6, 0.025), special.betaincinv(6, 5, 0.975)))
    wide = interval([0.0, 1.0, 0.0, 1.0])
    assert (wide.low, wide.high) == pytest.approx((special.betaincinv(2, 3, 0.025), special.betaincinv(3, 2, 0.975)))


def test_swapped_sides_mirror() -> None:
    """A rate of loads and one of no loads."""
    one, other = interval([1, 0.25, 0.5, 0]), interval([0, 0.75, 0.5, 1])
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_one_case_and_none() -> None:
    """An estimate without an interval, and neither."""
    assert (mean_rate([0.5]).estimate, mean_rate([0.5]).interval) == (0.5, None)
    assert mean_rate([]).estimate is None


def test_what_is_no_rate_is_refused() -> None:
    """It would come out as a figure."""
    with pytest.raises(ValueError, match=r"rate 1 is 1\.5"):
        mean_rate([1, 1.5])


def some(share: float) -> Callable[[random.Random], float]:
    """So many of the cases always, the others never."""
    return lambda rng: float(rng.random() < share)


def between(a: float, b: float) -> Callable[[random.Random], float]:
    """Chances of a beta distribution, with the mean a / (a + b)."""
    return lambda rng: rng.betavariate(a, b)


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (some(0.85), 0.85),
        (some(0.6), 0.6),
        (between(1e6, 1e6 / 19), 0.95),
        (between(4, 1), 0.8),
        (between(0.5, 0.5), 0.5),
    ],
    ids=["85 % of the cases", "60 % of the cases", "each at 0.95", "mostly high", "mostly either"],
)
@pytest.mark.parametrize(("n", "runs"), [(5, 1), (10, 3)])
def test_it_holds_as_often_as_it_says(draw: Callable[[random.Random], float], truth: float, n: int, runs: int) -> None:
    """Cases and their runs are drawn anew 400 times: inside at 95 %, less three standard errors of that count."""
    rng = random.Random(f"{truth} {n} {runs}")
    inside = 0
    for _ in range(400):
        chances = [draw(rng) for _ in range(n)]
        found = interval([sum(rng.random() < chance for _ in range(runs)) / runs for chance in chances])
        inside += found.low <= truth <= found.high
    assert inside >= 0.95 * 400 - 3 * (400 * 0.95 * 0.05) ** 0.5
