"""The interval for the lift: by hand, by property, and its coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skilltrial.stats.lift_interval import lift_interval

UNIT = st.floats(0, 1, allow_nan=False)
PAIRS = st.lists(st.tuples(UNIT, UNIT), min_size=2, max_size=12)


def test_all_cases_won_outright() -> None:
    """E = 5, a = 1, b = 0, so d = u = 1: m2 = (5+1)/(5+1) = 1; v = 6/6 - (5/6)^2 = 11/36.

    Half width t_4(0.975) sqrt(11/180) = 2.7764451 x 0.2472066 = 0.6863556, so 0.3136444 to (clipped) 1.
    """
    interval = lift_interval([1] * 5, [0] * 5, binary=True)
    assert interval.estimate == 1
    assert interval.low == pytest.approx(0.3136444, abs=1e-6)
    assert interval.high == 1
    assert interval.half_width == pytest.approx(0.6863556, abs=1e-6)
    assert interval.method == "regularised paired cluster t"


def test_mixed_cases_with_three_repeats() -> None:
    """With a = 1, 2/3 and b = 1/3, 2/3: d = 2/3, 0; u = 2/3, 4/9.

    m2 = (4/9 + 1) / (10/9 + 1) = 13/19; v = (4/9 + 13/19)/3 - (2/9)^2 = 193/513 - 4/81 = 503/1539.
    Half width t_1(0.975) sqrt(v/2) = 12.7062047 x 0.4042492 = 5.136, clipped to [-1, 1].
    """
    interval = lift_interval([1, 2 / 3], [1 / 3, 2 / 3], binary=True)
    assert interval.estimate == pytest.approx(1 / 3)
    assert interval.half_width == pytest.approx(12.7062047 * math.sqrt(503 / 3078), rel=1e-8)
    assert (interval.low, interval.high) == (-1, 1)


def test_all_cases_alike_in_both_arms() -> None:
    """E = 8, d = u = 0: m2 = 1, v = 1/9, half width t_7(0.975) sqrt(1/72) = 2.3646243 x 0.1178511 = 0.2786734."""
    interval = lift_interval([1] * 8, [1] * 8, binary=True)
    assert interval.estimate == 0
    assert interval.high == pytest.approx(0.2786734, abs=1e-6)
    assert interval.low == -interval.high


def test_graded_scores_are_a_paired_t() -> None:
    """The same interval as scipy's one-sample t on the differences."""
    treatment, baseline = [0.5, 0.75, 1.0, 0.25], [0.5, 0.5, 0.25, 0.5]
    interval = lift_interval(treatment, baseline, binary=False)
    oracle = stats.ttest_1samp(np.subtract(treatment, baseline), 0).confidence_interval(0.95)
    assert interval.method == "paired t"
    assert (interval.low, interval.high) == pytest.approx((oracle.low, oracle.high), rel=1e-10)


def test_equal_graded_differences_do_not_give_certainty() -> None:
    """E = 4, d = 1/4, u = d^2: m2 = 1; v = (1/4 + 1)/5 - (1/5)^2 = 0.21; half width 3.1824463 sqrt(0.0525) = 0.7291900.

    0.85 - 0.6 and 0.75 - 0.5 are the same difference, although not to the last bit.
    """
    interval = lift_interval([0.75, 0.85, 0.55, 1.0], [0.5, 0.6, 0.3, 0.75], binary=False)
    assert interval.method == "regularised paired cluster t"
    assert interval.half_width == pytest.approx(0.7291900, abs=1e-6)


def test_one_case_has_an_estimate_and_no_interval() -> None:
    """Nothing is known about other cases from one."""
    interval = lift_interval([1], [0.5], binary=False)
    assert (interval.estimate, interval.low, interval.high, interval.half_width) == (0.5, None, None, None)
    assert interval.method == "none"


def test_no_case_has_no_estimate() -> None:
    """Unknown is not zero."""
    assert lift_interval([], [], binary=True).estimate is None


def test_unpaired_cases_are_an_error() -> None:
    """A case without its partner belongs to the caller."""
    with pytest.raises(ValueError, match="shorter"):
        lift_interval([1, 0], [1], binary=True)


@given(PAIRS, st.booleans())
def test_the_interval_holds_the_estimate_within_the_possible(pairs: list[tuple[float, float]], binary: bool) -> None:
    """-1 <= low <= estimate <= high <= 1, and never without width where scores are binary."""
    interval = lift_interval([a for a, _ in pairs], [b for _, b in pairs], binary=binary)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.estimate is not None
    assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
    assert not binary or interval.low < interval.high


@given(PAIRS, st.booleans())
def test_swapping_the_arms_mirrors_the_interval(pairs: list[tuple[float, float]], binary: bool) -> None:
    """Neither arm is favoured."""
    treatment, baseline = [a for a, _ in pairs], [b for _, b in pairs]
    one = lift_interval(treatment, baseline, binary=binary)
    other = lift_interval(baseline, treatment, binary=binary)
    assert one.low is not None
    assert one.high is not None
    assert (other.low, other.high) == (pytest.approx(-one.high, abs=1e-12), pytest.approx(-one.low, abs=1e-12))


@given(PAIRS, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_cases_does_not_matter(pairs: list[tuple[float, float]], binary: bool, random) -> None:
    """To the last bit."""
    shuffled = random.sample(pairs, len(pairs))
    one = lift_interval([a for a, _ in pairs], [b for _, b in pairs], binary=binary)
    assert one == lift_interval([a for a, _ in shuffled], [b for _, b in shuffled], binary=binary)


def test_a_higher_level_is_wider() -> None:
    """99 % asks for more room than 95 %."""
    usual = lift_interval([1, 0, 1], [0, 0, 1], binary=True)
    strict = lift_interval([1, 0, 1], [0, 0, 1], binary=True, level=0.99)
    assert usual.half_width is not None
    assert strict.half_width is not None
    assert strict.half_width > usual.half_width


@pytest.mark.parametrize(("kind", "cases", "repeats"), [("null", 8, 3), ("lift", 10, 1), ("rare", 5, 3), ("all", 5, 1)])
def test_coverage_of_the_binary_interval(kind: str, cases: int, repeats: int) -> None:
    """The true lift lies in at least 92 % of 600 simulated intervals, also where plain t covers 65 %."""
    rng = np.random.default_rng(20)
    hits = 0
    for _ in range(600):
        baseline, treatment, truth = _chances(kind, cases, rng)
        means = [rng.binomial(repeats, p) / repeats for p in (treatment, baseline)]
        interval = lift_interval(*[list(map(float, m)) for m in means], binary=True)
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low <= truth <= interval.high
    assert hits / 600 >= 0.92


def _chances(kind: str, cases: int, rng: np.random.Generator):
    """Chances of a pass per case without and with the skill, and the mean lift over all possible cases."""
    if kind == "null":
        chance = rng.beta(18, 1, cases)
        return chance, chance, 0.0
    if kind == "lift":
        chance, share = rng.beta(1.2, 1.2, cases), rng.uniform(0, 0.8, cases)
        return chance, chance + share * (1 - chance), 0.5 * 0.4
    if kind == "rare":
        gains = rng.random(cases) < 0.15
        return np.where(gains, 0.1, 0.95), np.where(gains, 0.9, 0.96), 0.15 * 0.8 + 0.85 * 0.01
    draw = rng.random(cases)
    return (draw < 0.3) * 1.0, (draw < 0.7) * 1.0, 0.4
