"""e-values by hand, against their other formula, and that they are fair bets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from skilltrial.stats.e_process import pairs_log_e, scores_log_e

COUNTS = st.integers(0, 40)
DIFFERENCES = st.lists(st.floats(-1, 1), max_size=20)


def test_one_win_by_hand() -> None:
    """4 B(2, 1) P(p > 1/2) = 4 x 1/2 x 3/4 = 3/2; one loss 4 x 1/2 x 1/4 = 1/2; no pair yet 1."""
    assert [math.exp(pairs_log_e(*counts)) for counts in ((1, 0), (0, 1), (0, 0))] == pytest.approx([1.5, 0.5, 1])


@given(COUNTS, COUNTS)
def test_agrees_with_the_beta_formula(wins: int, losses: int) -> None:
    """2^(W+L+1) B(W+1, L+1) P(p > 1/2) with scipy's beta functions."""
    oracle = (wins + losses + 1) * math.log(2) + special.betaln(wins + 1, losses + 1)
    oracle += math.log(special.betainc(losses + 1, wins + 1, 0.5))
    assert pairs_log_e(wins, losses) == pytest.approx(oracle, abs=1e-9)


@given(COUNTS, COUNTS)
def test_a_fair_coin_leaves_the_wealth_as_it_is(wins: int, losses: int) -> None:
    """The mean of the e-values after the next pair is the e-value now, so no stopping rule can gain."""
    now = math.exp(pairs_log_e(wins, losses))
    following = math.exp(pairs_log_e(wins + 1, losses)), math.exp(pairs_log_e(wins, losses + 1))
    assert sum(following) / 2 == pytest.approx(now, rel=1e-9)


def test_seven_wins_in_a_row_settle_it_at_five_percent() -> None:
    """(2^8 - 1) / 8 = 31.9 is above 20; six give 127 / 7 = 18.1."""
    assert math.exp(pairs_log_e(7, 0)) == pytest.approx(255 / 8)
    assert math.exp(pairs_log_e(6, 0)) == pytest.approx(127 / 7)


def test_thousands_of_pairs_do_not_overflow() -> None:
    """Far beyond what a float holds, on either side."""
    assert pairs_log_e(3_000, 0) > 2_000
    assert pairs_log_e(0, 3_000) < -5


def test_graded_by_hand() -> None:
    """One difference of 1: the mean of 1 + l over l = 0.05 to 0.5 is 1.275; of -1 it is 0.725; of nothing 1."""
    assert [math.exp(scores_log_e(d)) for d in ([1], [-1], [])] == pytest.approx([1.275, 0.725, 1])


@given(DIFFERENCES, st.floats(0, 1))
def test_a_difference_and_its_mirror_leave_the_wealth_as_it_is(differences: list[float], size: float) -> None:
    """Fair where the next difference is as likely up as down."""
    now = math.exp(scores_log_e(differences))
    following = [math.exp(scores_log_e([*differences, d])) for d in (size, -size)]
    assert sum(following) / 2 == pytest.approx(now, rel=1e-9)


def test_ten_thousand_losses_are_still_a_number() -> None:
    """A log of about -513, from the smallest bet."""
    assert scores_log_e([-1.0] * 10_000) == pytest.approx(10_000 * math.log(0.95) - math.log(10), abs=1e-6)


def test_looking_after_every_pair_rejects_rarely_under_the_null() -> None:
    """At most 5 % of 400 walks of 100 fair pairs ever reach 20 (Ville), and nearly all do with three wins to one loss."""
    rng = np.random.default_rng(2)
    grid = {(n, w): pairs_log_e(w, n - w) >= math.log(20) for n in range(101) for w in range(n + 1)}

    def ever(chance: float) -> float:
        walks = np.cumsum(rng.random((400, 100)) < chance, axis=1)
        return float(np.mean([any(grid[n + 1, int(w)] for n, w in enumerate(walk)) for walk in walks]))

    assert ever(0.5) <= 0.05
    assert ever(0.75) > 0.9


def test_impossible_counts_and_differences_are_refused() -> None:
    """NaN among them."""
    with pytest.raises(ValueError, match="counts are 0 or more"):
        pairs_log_e(-1, 0)
    for wrong in (1.5, math.nan):
        with pytest.raises(ValueError, match="difference 1 is"):
            scores_log_e([0, wrong])
