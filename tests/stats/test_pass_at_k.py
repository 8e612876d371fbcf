"""pass@k and pass^k against counting, and their refusals."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest

from skilltrial.stats.pass_at_k import pass_at_k, pass_hat_k


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_both_are_shares_of_all_choices_of_k_trials(n: int) -> None:
    """Of c passes in n trials: every choice of k is looked at."""
    for c in range(n + 1):
        outcomes = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            choices = list(combinations(outcomes, k))
            assert pass_at_k([c], [n], k=k).estimate == pytest.approx(sum(map(any, choices)) / comb(n, k))
            assert pass_hat_k([c], [n], k=k).estimate == pytest.approx(sum(map(all, choices)) / comb(n, k))


def test_averaged_over_cases_of_unequal_repeats() -> None:
    """2 of 3 and 1 of 4, k = 2: pass@2 = 1 and 1 - 3/6 = 1/2; pass^2 = 1/3 and 0."""
    assert pass_at_k([2, 1], [3, 4], k=2).estimate == pytest.approx(3 / 4)
    assert pass_hat_k([2, 1], [3, 4], k=2).estimate == pytest.approx(1 / 6)


def test_at_one_both_are_the_mean_pass_rate() -> None:
    """1/3, 2/3, 3/3: mean 2/3, standard deviation 1/3, half width 4.3026527 / (3 sqrt 3) = 0.8280460; clipped at 1."""
    found = pass_at_k([1, 2, 3], [3, 3, 3], k=1)
    assert found == pass_hat_k([1, 2, 3], [3, 3, 3], k=1)
    assert found.estimate == pytest.approx(2 / 3)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0, 1)


def test_the_interval_is_over_cases() -> None:
    """Ten cases, five of them 1 and five 2/3: sd = sqrt(10/9)/6; half width 2.2621572 sd / sqrt 10 = 0.1256754."""
    found = pass_hat_k([3] * 5 + [2] * 5, [3] * 10, k=1)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(5 / 6 - 0.1256754, abs=1e-6)


def test_cases_of_a_family_are_one_observation() -> None:
    """Chances 1, 0 (one family: 1/2) and 1: mean of 1/2 and 1 is 3/4 of two, not 2/3 of three; half width 12.7062 / 4, clipped."""
    found = pass_hat_k([2, 0, 2], [2, 2, 2], k=2, families=["f", "f", None])
    assert (found.estimate, found.n_cases) == (0.75, 2)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0, 1)


def test_variants_of_one_case_alone_have_no_interval() -> None:
    """One family cannot speak for others."""
    assert pass_at_k([2, 0, 1], [2, 2, 2], k=1, families=["f", "f", "f"]).interval is None


def test_all_pass_is_one_without_an_interval() -> None:
    """Cases that agree do not show how much others would differ."""
    found = pass_hat_k([3, 3], [3, 3], k=3)
    assert (found.estimate, found.interval) == (1, None)


def test_no_case_is_unknown() -> None:
    """Neither 0 nor 1."""
    assert pass_at_k([], [], k=3).estimate is None


@pytest.mark.parametrize(
    ("passes", "runs", "k", "message"),
    [
        ([3, 1], [3, 2], 3, "case 1 has 2 trials, too few for k = 3"),
        ([1], [3], 0, "k is at least 1"),
        ([4], [3], 1, "case 0 passed 4 of 3"),
        ([-1], [3], 1, "case 0 passed -1 of 3"),
        ([1, 1], [3], 1, "shorter"),
    ],
)
def test_what_has_no_answer_is_refused(passes: list[int], runs: list[int], k: int, message: str) -> None:
    """Above all k > n: nothing unbiased can be said of more trials than were run."""
    for estimator in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match=message):
            estimator(passes, runs, k=k)
