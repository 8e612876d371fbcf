"""Stopping early: the exact null by enumeration, boundaries by hand, the research's table by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from skilltrial.stats.group_sequential import Boundary, Round, SequentialTest, boundaries, group_sequential


def test_nothing_stops_after_one_round() -> None:
    """Twenty wins to none, and each case has run once."""
    test = group_sequential([Round(20, 0)], max_rounds=5)
    assert (test.verdict, test.looks[0].boundary) == ("go on", Boundary(None, 0))


def test_the_second_look_by_hand() -> None:
    """Two rounds of five, five pairs each, one-sided 5 %: 0.05 x 0.4^1.5 = 0.012649 may be spent.

    Of ten coins at least nine heads have 11/1024 = 0.010742, at least eight 56/1024: so nine wins to one, a net of 8.
    """
    look = group_sequential([Round(5, 0), Round(4, 1)], max_rounds=5).looks[-1]
    assert (look.net, look.boundary.net) == (8, 8)
    assert look.boundary.spent == pytest.approx(11 / 1024)


def test_reaching_the_boundary_is_an_effect() -> None:
    """And looks after it are not made."""
    test = group_sequential([Round(5, 0), Round(4, 1), Round(0, 5)], max_rounds=5)
    assert test.verdict == "effect"
    assert len(test.looks) == 2


@pytest.mark.parametrize("sizes", [(3, 4, 3), (5, 5, 2), (0, 6, 5), (1, 1, 9), (4, 0, 4, 3)])
def test_the_error_is_that_of_all_paths(sizes: tuple[int, ...]) -> None:
    """Every way that the coins can fall is walked: the share that ever reaches a boundary is what was spent, at most 5 %."""
    edges = boundaries(sizes, max_rounds=len(sizes))
    paths = itertools.product((-1, 1), repeat=sum(sizes))
    ends = list(itertools.accumulate(sizes))
    stopped = [
        any(edge.net is not None and sum(path[:end]) >= edge.net for end, edge in zip(ends, edges, strict=True))
        for path in paths
    ]
    assert edges[-1].spent == pytest.approx(sum(stopped) / len(stopped))
    assert edges[-1].spent <= 0.05


def test_an_even_trend_is_futile_after_two_rounds() -> None:
    """Ten pairs, five to five, three rounds to come: 15 more, 25 in all need 1.645 x 5 = 8.22.

    That is 8.22 / sqrt(15) = 2.12 standard deviations from 0: 1.7 %.
    """
    test = group_sequential([Round(3, 2), Round(2, 3)], max_rounds=5)
    assert test.verdict == "futile"
    assert test.looks[-1].conditional_power == pytest.approx(0.0169, abs=1e-3)


def test_a_good_trend_goes_on() -> None:
    """Seven to three is no effect yet, and not futile: 8.22 - 4 - 0.4 x 15 is below 0."""
    test = group_sequential([Round(4, 1), Round(3, 2)], max_rounds=5)
    assert test.verdict == "go on"
    assert (test.looks[-1].conditional_power or 0) > 0.5


def test_no_pair_that_differs_is_futile_after_the_third_round() -> None:
    """Not after the second: nothing is known of a trend."""
    assert group_sequential([Round(0, 0)] * 2, max_rounds=5).verdict == "go on"
    three = group_sequential([Round(0, 0)] * 3, max_rounds=5)
    assert (three.verdict, three.looks[-1].conditional_power) == ("futile", None)


def test_the_last_round_ends_it() -> None:
    """With or without pairs that differ."""
    assert group_sequential([Round(0, 0)], max_rounds=1).verdict == "no effect found"
    assert group_sequential([Round(5, 0)], max_rounds=1).verdict == "effect"
    assert group_sequential([Round(4, 0)], max_rounds=1).verdict == "no effect found"


def test_before_the_first_round_there_is_nothing_to_see() -> None:
    """Go on."""
    assert group_sequential([], max_rounds=5) == SequentialTest(verdict="go on", looks=())


@pytest.mark.parametrize(
    ("kind", "cases", "rounds", "rejected", "used"),
    [
        ("null", 20, 5, 0.043, 0.52),
        ("lift", 20, 5, 0.87, 0.62),
        ("lift", 10, 10, 0.78, 0.50),
        ("lift", 20, 10, 0.95, 0.39),
    ],
)
def test_the_table_of_the_research(kind: str, cases: int, rounds: int, rejected: float, used: float) -> None:
    """Share of 500 simulated trials that end in an effect, and of the runs that it took, within 0.05."""
    rng = np.random.default_rng(6)
    baseline = rng.beta(1, 1, (500, cases)) if kind == "null" else rng.beta(1.2, 1.2, (500, cases))
    gain = 0 if kind == "null" else rng.uniform(0, 0.8, (500, cases)) * (1 - baseline)
    scores = [rng.random((500, cases, rounds)) < chance[:, :, None] for chance in (baseline + gain, baseline)]
    wins, losses = (scores[0] & ~scores[1]).sum(axis=1), (scores[1] & ~scores[0]).sum(axis=1)
    found = [
        group_sequential([Round(int(a), int(b)) for a, b in zip(*row, strict=True)], max_rounds=rounds)
        for row in zip(wins, losses, strict=True)
    ]
    assert np.mean([test.verdict == "effect" for test in found]) == pytest.approx(rejected, abs=0.05)
    assert np.mean([len(test.looks) for test in found]) / rounds == pytest.approx(used, abs=0.05)


def test_what_makes_no_sense_is_refused() -> None:
    """More rounds than planned, negative counts, an alpha of 5."""
    with pytest.raises(ValueError, match="more than the 1"):
        group_sequential([Round(1, 0)] * 2, max_rounds=1)
    with pytest.raises(ValueError, match="counts are 0 or more"):
        group_sequential([Round(-1, 0)], max_rounds=1)
    with pytest.raises(ValueError, match="alpha is between"):
        group_sequential([], max_rounds=1, alpha=5)
