"""Davidson's model against scipy's optimiser, by hand, and where there is no answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from skilltrial.stats.bradley_terry import Ranking, bradley_terry


def rank(wins, ties=None, seed: int = 1) -> Ranking:
    """With a seed for the resamples."""
    wins = np.asarray(wins, dtype=float)
    return bradley_terry(wins, np.zeros_like(wins) if ties is None else ties, rng=np.random.default_rng(seed))


def comparisons(seed: int, cases: int = 12, variants: int = 4):
    """Random wins and ties."""
    rng = np.random.default_rng(seed)
    wins, ties = rng.integers(0, 4, (2, cases, variants, variants)).astype(float)
    ties = np.triu(ties, 1)
    return wins * (1 - np.eye(variants)), ties + ties.transpose(0, 2, 1)


def test_agrees_with_the_greatest_likelihood() -> None:
    """Davidson's likelihood with half of each outcome added, climbed by a general optimiser."""
    wins, ties = comparisons(3)
    won, tied = wins.sum(axis=0) + 0.5 * (1 - np.eye(4)), ties.sum(axis=0) + 0.5 * (1 - np.eye(4))

    def cost(x) -> float:
        logs, log_tie = np.append(x[:-1], 0), x[-1]
        mean = (logs[:, None] + logs[None, :]) / 2
        total = np.log(np.exp(logs)[:, None] + np.exp(logs)[None, :] + np.exp(mean + log_tie))
        return -float((won * (logs[:, None] - total)).sum() + (tied * (mean + log_tie - total)).sum() / 2)

    best = optimize.minimize(cost, np.zeros(4), method="BFGS", options={"gtol": 1e-6}).x
    logs = np.append(best[:-1], 0)
    found = rank(wins, ties)
    assert [one.log_strength for one in found.strengths] == pytest.approx(list(logs - logs.mean()), abs=1e-5)
    assert found.tie == pytest.approx(math.exp(best[-1]), rel=1e-5)


def test_two_variants_by_hand() -> None:
    """Seven wins, one loss, no tie, and half of each: 7.5 to 1.5 to 0.5.

    Two variants fit exactly: p = 7.5 / 1.5 = 5, logs +-(ln 5) / 2; the tie is 0.5 / sqrt(7.5 x 1.5) = 0.1490712.
    """
    found = rank([[[0, 7], [1, 0]]])
    assert [one.log_strength for one in found.strengths] == pytest.approx([math.log(5) / 2, -math.log(5) / 2])
    assert found.tie == pytest.approx(0.1490712, abs=1e-6)


def test_only_ties_are_equal_strengths() -> None:
    """Ten ties and half of each: a tie of 10.5 / 0.5 = 21."""
    found = rank([[[0, 0], [0, 0]]], [[[0, 10], [10, 0]]])
    assert [one.log_strength for one in found.strengths] == pytest.approx([0, 0])
    assert found.tie == pytest.approx(21)


def test_a_variant_that_never_lost_is_finite() -> None:
    """A chain of three: the first beats the second, the second the third, in all of a thousand."""
    found = rank([[[0, 1000, 0], [0, 0, 1000], [0, 0, 0]]])
    first, second, third = (one.log_strength for one in found.strengths)
    assert first > second > third
    assert first < 10


def test_the_intervals_hold_the_estimates_and_repeat_with_the_seed() -> None:
    """The generator is the only source of chance."""
    wins, ties = comparisons(5)
    found = rank(wins, ties, seed=4)
    for one in found.strengths:
        assert one.interval is not None
        assert one.interval.low < one.log_strength < one.interval.high
    assert found == rank(wins, ties, seed=4)
    assert found != rank(wins, ties, seed=5)


def test_cases_that_agree_have_no_interval() -> None:
    """Nor has one case: nothing shows how much others would differ."""
    for cases in (1, 6):
        found = rank([[[0, 2], [1, 0]]] * cases)
        assert [one.interval for one in found.strengths] == [None, None]
        assert found.n_cases == cases


def test_weakly_linked_groups_settle() -> None:
    """Three and three, thousands of comparisons within and one between: resamples without it still end."""
    wins = np.random.default_rng(1).poisson(20, (40, 6, 6)).astype(float) * (1 - np.eye(6))
    wins[:, :3, 3:] = wins[:, 3:, :3] = 0
    wins[0, 2, 3] = 1
    found = rank(wins)
    assert all(one.log_strength > 0 for one in found.strengths[:3])


@pytest.mark.parametrize(
    ("wins", "ties", "message"),
    [
        (np.zeros((2, 2)), np.zeros((2, 2)), "of shape"),
        (np.zeros((0, 2, 2)), np.zeros((0, 2, 2)), "of shape"),
        (np.zeros((1, 2, 2)), np.zeros((1, 3, 3)), "of shape"),
        ([[[0, -1], [1, 0]]], np.zeros((1, 2, 2)), "counts, 0 or more"),
        ([[[0, math.nan], [1, 0]]], np.zeros((1, 2, 2)), "counts, 0 or more"),
        (np.zeros((1, 2, 2)), [[[0, 1], [0, 0]]], "do not mirror"),
        ([[[1, 1], [1, 0]]], np.zeros((1, 2, 2)), "compared with itself"),
        ([[[0, 1, 0], [0, 0, 0], [0, 0, 0]]], np.zeros((1, 3, 3)), r"links variants \[2\]"),
    ],
)
def test_what_has_no_ranking_is_refused(wins, ties, message: str) -> None:
    """Rather than a strength from nothing."""
    with pytest.raises(ValueError, match=message):
        rank(wins, ties)
