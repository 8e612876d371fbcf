"""Adjusted p values by hand, against scipy, and by property."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skilltrial.stats.adjusted_p import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0, 1), max_size=8)


def test_holm_by_hand() -> None:
    """0.01 x 4 = 0.04; 0.02 x 3 = 0.06; 0.03 x 2 = 0.06; 0.5 x 1."""
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])


def test_holm_never_falls_below_a_smaller_p() -> None:
    """0.02 x 2 = 0.04 is less than 0.016 x 3 = 0.048, so it is that."""
    assert holm([0.02, 0.016, 0.9]) == pytest.approx([0.048, 0.048, 0.9])


def test_benjamini_hochberg_by_hand() -> None:
    """0.5; 0.03 x 4/3 = 0.04; 0.02 x 4/2 = 0.04; 0.01 x 4 = 0.04."""
    assert benjamini_hochberg([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])


@given(P_VALUES)
def test_benjamini_hochberg_agrees_with_scipy(p_values: list[float]) -> None:
    """In any order, with ties, zeros and ones."""
    assert benjamini_hochberg(p_values) == pytest.approx(list(stats.false_discovery_control(p_values or [])) or [])


@given(P_VALUES)
def test_holm_rejects_what_its_step_down_rule_does(p_values: list[float]) -> None:
    """Smallest first: reject while p <= alpha / (those left), then stop."""
    alpha, rejected = 0.05, set()
    for left, i in zip(
        range(len(p_values), 0, -1), sorted(range(len(p_values)), key=p_values.__getitem__), strict=True
    ):
        if p_values[i] * left > alpha:
            break
        rejected.add(i)
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_is_the_closure_of_bonferroni(p_values: list[float]) -> None:
    """An adjusted p is the greatest Bonferroni p over all sets that the hypothesis is in (Marcus, Peritz & Gabriel 1976)."""
    places = range(len(p_values))
    sets = [some for size in range(1, len(p_values) + 1) for some in combinations(places, size)]
    greatest = [
        max(min(1.0, len(some) * min(p_values[j] for j in some)) for some in sets if place in some) for place in places
    ]
    assert holm(p_values) == pytest.approx(greatest)


@pytest.mark.parametrize("p", [math.nan, -0.1, 1.1])
def test_what_is_no_p_is_refused(p: float) -> None:
    """By its place."""
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="p value 1 is"):
            adjust([0.5, p])
