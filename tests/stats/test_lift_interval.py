"""The interval for the lift: by hand, by property, and its coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.stats.lift_interval import lift_interval

UNIT = st.floats(0, 1, allow_nan=False)
PAIRS = st.lists(st.tuples(UNIT, UNIT), min_size=2, max_size=12)


def test_all_cases_won_outright() -> None:
    """E = 5, a = 1, b = 0, so d = u = 1: m2 = (5+1)/(5+1) = 1; v = 6/6 - (5/6)^2 = 11/36.

    Half width t_4(0.975) sqrt(11/180) = 2.7764451 x 0.2472066 = 0.6863556, so 0.3136444 to (clipped) 1.
    """
    interval = lift_interval([1] * 5, [0] * 5)
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
    interval = lift_interval([1, 2 / 3], [1 / 3, 2 / 3])
    assert interval.estimate == pytest.approx(1 / 3)
    assert interval.half_width == pytest.approx(12.7062047 * math.sqrt(503 / 3078), rel=1e-8)
    assert (interval.low, interval.high) == (-1, 1)


def test_all_cases_alike_in_both_arms() -> None:
    """E = 8, d = u = 0: m2 = 1, v = 1/9, half width t_7(0.975) sqrt(1/72) = 2.3646243 x 0.1178511 = 0.2786734."""
    interval = lift_interval([1] * 8, [1] * 8)
    assert interval.estimate == 0
    assert interval.high == pytest.approx(0.2786734, abs=1e-6)
    assert interval.low == -interval.high


def test_fractions_have_the_same_formula() -> None:
    """E = 4, d = 0, 1/4, 3/4, -1/4, sum 3/4, squares 11/16; u = 1/2, 1/2, 3/4, 1/2, sum 9/4.

    m2 = (11/16 + 1) / (9/4 + 1) = 27/52; v = (11/16 + 27/52)/5 - (3/20)^2 = 0.2188462.
    Half width t_3(0.975) sqrt(v/4) = 3.1824463 x 0.2339050 = 0.7443900.
    """
    interval = lift_interval([0.5, 0.75, 1.0, 0.25], [0.5, 0.5, 0.25, 0.5])
    assert interval.estimate == 3 / 16
    assert interval.half_width == pytest.approx(0.7443900, abs=1e-6)
    assert interval.method == "regularised paired cluster t"


def test_equal_fractions_do_not_give_certainty() -> None:
    """E = 4, d = 1/4, u = 0.5, 0.43, 0.52, 0.25, sum 1.7: m2 = (1/4 + 1) / 2.7 = 25/54; v = (1/4 + 25/54)/5 - (1/5)^2.

    v = 0.1025926; half width 3.1824463 sqrt(v/4) = 3.1824463 x 0.1601504 = 0.5096701.
    """
    interval = lift_interval([0.75, 0.85, 0.55, 1.0], [0.5, 0.6, 0.3, 0.75])
    assert interval.half_width == pytest.approx(0.5096701, abs=1e-6)


def test_nearly_equal_fractions_are_as_wide_as_equal_ones() -> None:
    """One difference of 0.26 among 0.25 is no cliff: plain t would give them half a point to either side."""
    equal = lift_interval([1.0] * 5, [0.75] * 5)
    nearly = lift_interval([1.0] * 5, [0.75] * 4 + [0.74])
    assert equal.half_width is not None
    assert nearly.half_width == pytest.approx(equal.half_width, abs=0.005)


@pytest.mark.parametrize(("gain", "cases"), [(1, 4), (1 / 2, 5), (1 / 3, 6), (1 / 4, 7), (1 / 5, 9), (1 / 10, 15)])
def test_fewest_cases_that_can_settle_it(gain: float, cases: int) -> None:
    """Every case rises to 1 by the same amount: the table of docs/statistics.md, and none below four."""

    def low(n: int) -> float | None:
        return lift_interval([1.0] * n, [1 - gain] * n).low

    assert [(low(n) or 0) > 0 for n in (2, 3, cases - 1, cases)] == [False, False, False, True]


def test_one_case_has_an_estimate_and_no_interval() -> None:
    """Nothing is known about other cases from one."""
    interval = lift_interval([1], [0.5])
    assert (interval.estimate, interval.low, interval.high, interval.half_width) == (0.5, None, None, None)
    assert interval.method == "none"


def test_no_case_has_no_estimate() -> None:
    """Unknown is not zero."""
    assert lift_interval([], []).estimate is None


def test_unpaired_cases_are_an_error() -> None:
    """A case without its partner belongs to the caller."""
    with pytest.raises(ValueError, match="shorter"):
        lift_interval([1, 0], [1])


@given(PAIRS)
def test_the_interval_holds_the_estimate_within_the_possible(pairs: list[tuple[float, float]]) -> None:
    """-1 <= low <= estimate <= high <= 1, and never without width where scores are binary."""
    interval = lift_interval([a for a, _ in pairs], [b for _, b in pairs])
    assert interval.low is not None
    assert interval.high is not None
    assert interval.estimate is not None
    assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.low < interval.high


@given(PAIRS)
def test_swapping_the_arms_mirrors_the_interval(pairs: list[tuple[float, float]]) -> None:
    """Neither arm is favoured."""
    treatment, baseline = [a for a, _ in pairs], [b for _, b in pairs]
    one = lift_interval(treatment, baseline)
    other = lift_interval(baseline, treatment)
    assert one.low is not None
    assert one.high is not None
    assert (other.low, other.high) == (pytest.approx(-one.high, abs=1e-12), pytest.approx(-one.low, abs=1e-12))


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_cases_does_not_matter(pairs: list[tuple[float, float]], random) -> None:
    """To the last bit."""
    shuffled = random.sample(pairs, len(pairs))
    one = lift_interval([a for a, _ in pairs], [b for _, b in pairs])
    assert one == lift_interval([a for a, _ in shuffled], [b for _, b in shuffled])


@pytest.mark.parametrize("score", [math.nan, -0.1, 1.1])
def test_what_is_no_score_is_an_error(score: float) -> None:
    """In either arm; a case without a score belongs in neither."""
    with pytest.raises(ValueError, match="treatment's score 1 is"):
        lift_interval([1, score], [0, 0])
    with pytest.raises(ValueError, match="baseline's score 1 is"):
        lift_interval([0, 0], [1, score])


def test_a_higher_level_is_wider() -> None:
    """99 % asks for more room than 95 %."""
    usual = lift_interval([1, 0, 1], [0, 0, 1])
    strict = lift_interval([1, 0, 1], [0, 0, 1], level=0.99)
    assert usual.half_width is not None
    assert strict.half_width is not None
    assert strict.half_width > usual.half_width


@pytest.mark.parametrize("assertions", [1, 3])
@pytest.mark.parametrize(
    ("kind", "cases", "repeats"), [("null", 8, 3), ("lift", 10, 1), ("rare", 5, 3), ("all", 5, 1), ("alike", 10, 3)]
)
def test_coverage(kind: str, cases: int, repeats: int, assertions: int) -> None:
    """The true lift lies in at least 92 % of 600 simulated intervals, also where plain t covers 39 % or 65 %."""
    rng = np.random.default_rng(20)
    hits = 0
    for _ in range(600):
        baseline, treatment, truth = _chances(kind, cases, rng)
        trials = repeats * assertions
        means = [rng.binomial(trials, p) / trials for p in (treatment, baseline)]
        interval = lift_interval(*[list(map(float, m)) for m in means])
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low - 1e-9 <= truth <= interval.high + 1e-9
    assert hits / 600 >= 0.92


def test_coverage_with_unequal_repeats_and_missing_cells() -> None:
    """Up to three trials a cell, each lost with a chance of a third: a case with none left in an arm is in neither."""
    rng = np.random.default_rng(22)
    hits, sets = 0, 600
    for _ in range(sets):
        baseline, treatment, truth = _chances("lift", 12, rng)
        trials = rng.binomial(3, 2 / 3, (2, 12))
        passes = rng.binomial(trials, [treatment, baseline])
        there = trials.min(axis=0) > 0
        interval = lift_interval(*(passes[:, there] / trials[:, there]).tolist())
        assert interval.low is not None
        assert interval.high is not None
        hits += interval.low <= truth <= interval.high
    assert hits / sets >= 0.92


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
    if kind == "alike":
        gains = np.where(draw < 0.9, 1 / 3, np.where(draw < 0.95, 0.0, 1.0))
        return 1 - gains, np.ones(cases), 0.9 / 3 + 0.05
    return (draw < 0.3) * 1.0, (draw < 0.7) * 1.0, 0.4
