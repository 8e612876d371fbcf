"""Permutation tests against brute force over every relabelling."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skilltrial.stats.permutation import Stratum, exact_p, mid_p, shuffled_p

BITS = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=4).map(tuple)
STRATA = st.lists(st.builds(Stratum, BITS, BITS), min_size=1, max_size=3)


def brute_force(strata: list[Stratum]) -> float:
    """The share of all relabellings whose treatment sum is as far from the mean of all of them as the observed one."""
    sums = Counter({0.0: 1})
    for stratum in strata:
        pooled = stratum.treatment + stratum.baseline
        choices = Counter(sum(pick) for pick in itertools.combinations(pooled, len(stratum.treatment)))
        following: Counter[float] = Counter()
        for (total, ways), (add, more) in itertools.product(sums.items(), choices.items()):
            following[total + add] += ways * more
        sums = following
    count = sum(sums.values())
    centre = sum(total * ways for total, ways in sums.items()) / count
    observed = abs(sum(sum(stratum.treatment) for stratum in strata) - centre)
    return sum(ways for total, ways in sums.items() if abs(total - centre) >= observed - 1e-9) / count


def test_one_case_won_three_to_nothing() -> None:
    """Three of six labels can be chosen in 20 ways; the observed one and its mirror are as far out: 2/20."""
    assert exact_p([Stratum((1, 1, 1), (0, 0, 0))]) == pytest.approx(0.1)


def test_five_cases_won_at_one_repeat() -> None:
    """Each case's two labels fall either way: 2 of 2^5 relabellings are all on one side."""
    assert exact_p([Stratum((1,), (0,))] * 5) == pytest.approx(2 / 32)


def test_unequal_repeats() -> None:
    """T = (1, 1), B = (0): three labellings with sums 2, 1, 1, mean 4/3; only the observed one is 2/3 away."""
    assert exact_p([Stratum((1, 1), (0,))]) == pytest.approx(1 / 3)


def test_no_difference_is_one() -> None:
    """All pass: every relabelling is as far out as the observed."""
    assert exact_p([Stratum((1, 1), (1, 1))] * 4) == 1


def test_no_case_is_no_p() -> None:
    """Unknown is neither 0 nor 1."""
    assert exact_p([]) is None
    assert shuffled_p([], np.random.default_rng(1)) is None


@given(STRATA)
def test_exact_p_is_the_share_of_all_relabellings(strata: list[Stratum]) -> None:
    """Equal and unequal repeats, ties and all."""
    assert exact_p(strata) == pytest.approx(brute_force(strata))


@given(STRATA)
def test_exact_p_is_a_probability_and_mirrors(strata: list[Stratum]) -> None:
    """In (0, 1], the same with the arms swapped, and the same for any order of cases."""
    p = exact_p(strata)
    assert p is not None
    assert 0 < p <= 1
    assert exact_p([Stratum(s.baseline, s.treatment) for s in strata]) == pytest.approx(p)
    assert exact_p(strata[::-1]) == pytest.approx(p)


def test_one_stratum_of_equal_arms_is_fishers_exact_test() -> None:
    """Symmetric margins, where all definitions of two-sided are one."""
    fisher = stats.fisher_exact([[7, 1], [3, 5]]).pvalue
    assert exact_p([Stratum((1,) * 7 + (0,), (1,) * 3 + (0,) * 5)]) == pytest.approx(fisher)


def test_a_large_suite_stays_finite() -> None:
    """100 cases of 20 repeats all won: 2 of C(40, 20)^100 relabellings, which is no float above zero but no error either."""
    p = exact_p([Stratum((1,) * 20, (0,) * 20)] * 100)
    assert p is not None
    assert 0 <= p < 1e-100


def test_shuffles_come_near_to_brute_force() -> None:
    """9,999 shuffles of graded scores, within four standard errors (0.005 each at most)."""
    strata = [Stratum((1.0, 0.5), (0.25, 0.5)), Stratum((0.75, 1.0), (0.0, 0.5, 0.25))]
    assert shuffled_p(strata, np.random.default_rng(3)) == pytest.approx(brute_force(strata), abs=0.02)


def test_shuffles_repeat_with_their_seed() -> None:
    """The generator is the only source of chance."""
    strata = [Stratum((1.0, 0.5), (0.25, 0.5))]
    p = [shuffled_p(strata, np.random.default_rng(7), shuffles=99) for _ in range(2)]
    assert p[0] == p[1]


def test_shuffled_p_is_never_zero() -> None:
    """The observed labels count as one: 1/100 is the least that 99 shuffles can show."""
    p = shuffled_p([Stratum((0.9,), (0.1,))] * 30, np.random.default_rng(7), shuffles=99)
    assert p == pytest.approx(0.01)


def test_mid_p_counts_ties_by_half() -> None:
    """Passes of three among six labels with three passes: 1, 9, 9, 1 of 20. Observed 2: 2/20 further out, 18/20 as far."""
    assert exact_p([Stratum((1, 1, 0), (0, 0, 1))]) == pytest.approx(1)
    assert mid_p([Stratum((1, 1, 0), (0, 0, 1))]) == pytest.approx(2 / 20 + 9 / 20)


@given(STRATA)
def test_mid_p_lies_between_half_the_exact_p_and_the_exact_p(strata: list[Stratum]) -> None:
    """Never above it."""
    exact, mid = exact_p(strata), mid_p(strata)
    assert exact is not None
    assert mid is not None
    assert exact / 2 - 1e-12 <= mid <= exact


def test_no_case_has_no_mid_p() -> None:
    """As with the exact one."""
    assert mid_p([]) is None


def test_an_exact_p_of_graded_scores_is_refused() -> None:
    """They would be counted as the nearest number of passes."""
    with pytest.raises(ValueError, match="scores of 0 and 1"):
        exact_p([Stratum((0.5,), (1.0,))])


@pytest.mark.parametrize("arms", [((math.nan,), (1.0,)), ((1.0,), (math.inf,)), ((), (1.0,)), ((1.0,), ())])
def test_a_case_has_numbers_in_both_arms(arms: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
    """NaN would make every shuffle look less far out than it is."""
    with pytest.raises(ValueError, match=r"leave it out|leave out what is unknown"):
        Stratum(*arms)
