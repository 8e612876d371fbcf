"""Plans: against the research's figures, against the noncentral t, by hand, and each function against the others."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skilltrial.stats.planner import (
    USUAL_SPREAD,
    Repeats,
    Spread,
    case_variance,
    cases_needed,
    cheapest_repeats,
    neyman_repeats,
    power,
    repeats_needed,
    smallest_lift,
)

SPREADS = st.builds(Spread, between=st.floats(0.001, 0.2), treatment=st.floats(0, 0.25), baseline=st.floats(0, 0.25))
REPEATS = st.builds(Repeats, st.integers(1, 10), st.integers(1, 10))


def test_the_variance_of_a_case_by_hand() -> None:
    """0.03 + 0.2 / 4 + 0.1 / 2 = 0.13."""
    assert case_variance(Spread(between=0.03, treatment=0.2, baseline=0.1), Repeats(4, 2)) == pytest.approx(0.13)


@pytest.mark.parametrize(("runs", "cases"), [(1, 60), (3, 24), (5, 17)])
def test_cases_for_twenty_points(runs: int, cases: int) -> None:
    """The research's figures for 80 % and one-sided 5 %, to the case: its variances were those of a sample."""
    assert cases_needed(0.2, repeats=Repeats(runs, runs), spread=USUAL_SPREAD) == pytest.approx(cases, abs=1)


def test_power_is_near_that_of_the_noncentral_t() -> None:
    """Within 2.5 points from 10 cases on; with 5 up to 7 points less, never more."""
    for cases, room in ((5, 0.07), (10, 0.025), (20, 0.015), (40, 0.01)):
        for lift in (0.05, 0.1, 0.2, 0.3):
            noncentrality = lift / math.sqrt(case_variance(USUAL_SPREAD, Repeats(3, 3)) / cases)
            oracle = stats.nct.sf(stats.t.ppf(0.95, cases - 1), cases - 1, noncentrality)
            found = power(lift, n_cases=cases, repeats=Repeats(3, 3), spread=USUAL_SPREAD)
            assert oracle - room < found < oracle + 1e-3


def test_power_without_a_lift_is_alpha() -> None:
    """The test's size."""
    assert power(0, n_cases=10, repeats=Repeats(1, 1), spread=USUAL_SPREAD, alpha=0.025) == pytest.approx(0.025)


@given(SPREADS, REPEATS, st.integers(2, 60), st.sampled_from([0.3, 0.8, 0.95]))
def test_the_smallest_lift_is_found_with_that_power(
    spread: Spread, repeats: Repeats, cases: int, wanted: float
) -> None:
    """One undoes the other."""
    lift = smallest_lift(n_cases=cases, repeats=repeats, spread=spread, power=wanted)
    assert power(lift, n_cases=cases, repeats=repeats, spread=spread) == pytest.approx(wanted, abs=1e-9)


@given(SPREADS, REPEATS, st.floats(0.05, 1))
def test_no_fewer_cases_would_do(spread: Spread, repeats: Repeats, lift: float) -> None:
    """As many as said are enough, one less is not."""
    cases = cases_needed(lift, repeats=repeats, spread=spread)
    assert cases is not None
    assert smallest_lift(n_cases=cases, repeats=repeats, spread=spread) <= lift
    assert cases == 2 or smallest_lift(n_cases=cases - 1, repeats=repeats, spread=spread) > lift


@given(SPREADS, st.integers(2, 60), st.floats(0.05, 1))
def test_no_fewer_repeats_would_do(spread: Spread, cases: int, lift: float) -> None:
    """None means that not even a million would."""

    def smallest(runs: int) -> float:
        return smallest_lift(n_cases=cases, repeats=Repeats(runs, runs), spread=spread)

    runs = repeats_needed(lift, n_cases=cases, spread=spread)
    if runs is None:
        assert smallest(1_000_000) > lift
    else:
        assert smallest(runs) <= lift * (1 + 1e-6)
        assert runs == 1 or smallest(runs - 1) > lift


def test_repeats_do_not_average_out_what_differs_between_cases() -> None:
    """Five cases whose lifts vary by 0.2 (a standard deviation of 45 points) never show ten points."""
    spread = Spread(between=0.2, treatment=0.1, baseline=0.1)
    assert repeats_needed(0.1, n_cases=5, spread=spread) is None


def test_more_than_a_million_cases_are_no_plan() -> None:
    """A hundredth of a point is out of reach."""
    assert cases_needed(0.0001, repeats=Repeats(1, 1), spread=USUAL_SPREAD) is None


def test_the_cheapest_repeats_by_hand() -> None:
    """A case costs eight runs: sqrt(8 x 0.34 / (2 x 0.03)) = sqrt(45.33) = 6.7330."""
    assert cheapest_repeats(USUAL_SPREAD, case_cost=8, run_cost=1) == pytest.approx(6.7330, abs=1e-4)


def test_the_cheapest_repeats_are_cheapest() -> None:
    """Variance times price is no lower at any other number."""
    best = cheapest_repeats(USUAL_SPREAD, case_cost=5, run_cost=0.5)
    assert best is not None

    def price(runs: float) -> float:
        return (USUAL_SPREAD.between + 0.34 / runs) * (5 + 2 * runs * 0.5)

    assert all(price(best) <= price(best * factor) for factor in (0.5, 0.9, 1.1, 2))


def test_without_a_spread_between_cases_repeats_have_no_limit() -> None:
    """None, not infinity."""
    assert cheapest_repeats(Spread(between=0, treatment=0.1, baseline=0.1), case_cost=1, run_cost=1) is None


@pytest.mark.parametrize(
    ("treatment", "baseline", "runs", "split"),
    [(0.16, 0.04, 6, (4, 2)), (0.1, 0.1, 6, (3, 3)), (0, 0.2, 5, (1, 4)), (0, 0, 6, (3, 3)), (0.1, 0.1, 2, (1, 1))],
)
def test_runs_go_where_the_scores_vary(treatment: float, baseline: float, runs: int, split: tuple[int, int]) -> None:
    """Standard deviations 0.4 and 0.2 share six runs as 2 : 1; each arm has at least one."""
    assert neyman_repeats(Spread(between=0.03, treatment=treatment, baseline=baseline), runs) == Repeats(*split)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: cases_needed(0, repeats=Repeats(1, 1), spread=USUAL_SPREAD), "lift to find is above 0"),
        (lambda: cases_needed(math.nan, repeats=Repeats(1, 1), spread=USUAL_SPREAD), "lift to find is above 0"),
        (lambda: repeats_needed(0.1, n_cases=1, spread=USUAL_SPREAD), "a test needs two cases"),
        (lambda: power(0.1, n_cases=1, repeats=Repeats(1, 1), spread=USUAL_SPREAD), "a test needs two cases"),
        (lambda: smallest_lift(n_cases=9, repeats=Repeats(1, 1), spread=USUAL_SPREAD, power=0.01), "without any lift"),
        (
            lambda: power(0.1, n_cases=9, repeats=Repeats(1, 1), spread=Spread(between=0, treatment=0, baseline=0)),
            "plan",
        ),
        (lambda: Spread(between=math.nan, treatment=0, baseline=0), "variances are 0 or more"),
        (lambda: Repeats(0, 1), "at least one repeat"),
        (lambda: neyman_repeats(USUAL_SPREAD, 1), "too few"),
        (lambda: cheapest_repeats(USUAL_SPREAD, case_cost=0, run_cost=1), "costs are above 0"),
    ],
)
def test_questions_without_an_answer_are_refused(question, message: str) -> None:
    """With what was asked."""
    with pytest.raises(ValueError, match=message):
        question()
