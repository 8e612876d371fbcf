"""When a query is settled, what a description scores, which is the best."""

from __future__ import annotations

import itertools

import pytest

from skilltrial.records.optimisation import Candidate, QueryTally, Score
from skilltrial.trigger.choice import best_of, is_perfect
from skilltrial.trigger.tally import compared, first_runs, is_settled, score_of, word_of


def tally(number: int, loaded: int, other: int, errors: int = 0, *, should: bool = True) -> QueryTally:
    """What came of a query."""
    return QueryTally(id=f"q{number}", should_trigger=should, n_loaded=loaded, n_not_loaded=other, n_errors=errors)


@pytest.mark.parametrize("threshold", [0.5, 0.3, 1.0])
@pytest.mark.parametrize("runs", [1, 2, 3, 5])
def test_stopping_early_never_changes_the_side(runs: int, threshold: float) -> None:
    """All sequences of loads: as soon as a query is settled, all endings give the answer that it has then."""
    for outcomes in itertools.product([True, False], repeat=runs):
        whole = tally(0, sum(outcomes), runs - sum(outcomes)).passes(threshold)
        for n in range(1, runs + 1):
            early = tally(0, sum(outcomes[:n]), n - sum(outcomes[:n]))
            if is_settled(early, runs=runs, threshold=threshold):
                assert early.passes(threshold) is whole or n == 0
                break
        else:
            pytest.fail("never settled")


def test_two_of_three_that_agree_are_enough() -> None:
    """Two alike settle three runs; one each does not; three of five that are alike do."""
    assert first_runs(3, 0.5) == 2
    assert first_runs(1, 0.5) == 1
    assert is_settled(tally(0, 2, 0), runs=3, threshold=0.5)
    assert not is_settled(tally(0, 1, 1), runs=3, threshold=0.5)
    assert first_runs(5, 0.5) == 3


def test_an_error_is_no_result() -> None:
    """One load and one error: a load that may follow or not leaves 1/2 or more. One that was not loaded may still change."""
    assert is_settled(tally(0, 1, 0, 1), runs=3, threshold=0.5)
    assert not is_settled(tally(0, 0, 1, 1), runs=3, threshold=0.5)
    assert tally(0, 0, 0, 3).passes(0.5) is None
    assert score_of([tally(0, 0, 0, 3), tally(1, 0, 2, should=False), tally(2, 0, 2)], 0.5) == Score(
        n_passed=1, n_decided=2, n_queries=3
    )


def candidate(number: int, passed: int, text: str = "text") -> Candidate:
    """With so many of ten on validation."""
    score = Score(n_passed=passed, n_decided=10, n_queries=10)
    return Candidate(number=number, round=number, description=text, train=score, validation=score)


def test_the_best_is_the_best_on_validation_and_of_equals_the_own_then_the_shorter() -> None:
    """Ties never change a description for nothing."""
    own, longer, shorter = candidate(0, 7), candidate(1, 8, "longer text"), candidate(2, 8, "short")
    assert best_of([own, longer, shorter]).number == 2
    assert best_of([own, candidate(1, 7, "a")]).number == 0
    assert best_of([own, Candidate(number=1, description="not tried")]).number == 0
    assert is_perfect(candidate(0, 10))
    assert not is_perfect(candidate(0, 9))


def test_better_only_where_the_interval_leaves_zero_out() -> None:
    """Four queries that all turn: m2 = 1, v = 1 - (4/5)^2 = 0.36, half width t(3) sqrt(0.36 / 4) = 0.955. Three: beyond 1."""

    def turned(n: int) -> str:
        return word_of(compared([tally(k, 3, 0) for k in range(n)], [tally(k, 0, 3) for k in range(n)], 0.5))

    four = compared([tally(k, 3, 0) for k in range(4)], [tally(k, 0, 3) for k in range(4)], 0.5)
    assert (four.difference, four.low) == (1.0, pytest.approx(1 - 0.95467, abs=1e-4))
    assert (turned(4), turned(3)) == ("better", "cannot tell")
    worse = compared([tally(k, 0, 3) for k in range(4)], [tally(k, 3, 0) for k in range(4)], 0.5)
    assert word_of(worse) == "worse"


def test_queries_without_a_result_for_both_are_in_no_difference() -> None:
    """Unknown is not zero: of three queries one has no result for the incumbent."""
    found = compared([tally(k, 3, 0) for k in range(3)], [tally(0, 0, 3), tally(1, 3, 0), tally(2, 0, 0, 3)], 0.5)
    assert (found.n_paired, found.difference) == (2, 0.5)
    nothing = compared([tally(0, 0, 0, 3)], [tally(0, 3, 0)], 0.5)
    assert (nothing.difference, nothing.best_low, word_of(nothing)) == (None, None, "cannot tell")
