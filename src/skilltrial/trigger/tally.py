"""When a query has been run often enough, and what descriptions score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.records.optimisation import DescriptionTest, OptimiseWord, QueryTally, Score
from skilltrial.stats.lift_interval import lift_interval
from skilltrial.stats.wilson import wilson


def is_settled(tally: QueryTally, *, runs: int, threshold: float) -> bool:
    """True once the runs that are left, of `runs`, cannot bring it to the other side of the threshold.

    So a score is the same as if all were run: nothing is gained or lost by stopping.
    """
    n = tally.n_loaded + tally.n_not_loaded
    left = max(runs - n - tally.n_errors, 0)
    if left == 0:
        return True
    return tally.n_loaded / (n + left) >= threshold or (tally.n_loaded + left) / (n + left) < threshold


def first_runs(runs: int, threshold: float) -> int:
    """After so many a query can be settled: they are run at once."""
    for n in range(1, runs):
        ends = (
            QueryTally(id="", should_trigger=True, n_loaded=n),
            QueryTally(id="", should_trigger=True, n_not_loaded=n),
        )
        if any(is_settled(end, runs=runs, threshold=threshold) for end in ends):
            return n
    return runs


def score_of(tallies: Iterable[QueryTally], threshold: float) -> Score:
    """Queries on the right side, of those with a result."""
    passed = [each.passes(threshold) for each in tallies]
    return Score(n_passed=passed.count(True), n_decided=len(passed) - passed.count(None), n_queries=len(passed))


def compared(best: Sequence[QueryTally], incumbent: Sequence[QueryTally], threshold: float) -> DescriptionTest:
    """What the test queries say; `incumbent` is empty where the best is the skill's own.

    The difference is paired by query, with the regularised interval of `stats.lift_interval`.
    """
    score = score_of(best, threshold)
    interval = wilson(score.n_passed, score.n_decided) if score.n_decided else None
    found = DescriptionTest(
        best=tuple(best),
        incumbent=tuple(incumbent or best),
        best_score=score,
        incumbent_score=score_of(incumbent or best, threshold),
        best_low=interval.low if interval else None,
        best_high=interval.high if interval else None,
    )
    before = {each.id: each.passes(threshold) for each in incumbent}
    pairs = [(each.passes(threshold), before.get(each.id)) for each in best]
    known = [(float(new), float(old)) for new, old in pairs if new is not None and old is not None]
    if not known:
        return found
    lift = lift_interval([new for new, _ in known], [old for _, old in known])
    update = {"difference": lift.estimate, "low": lift.low, "high": lift.high, "n_paired": len(known)}
    return found.model_copy(update=update)


def word_of(test: DescriptionTest) -> OptimiseWord:
    """Better or worse only where the interval of the difference leaves zero out."""
    if test.low is not None and test.low > 0:
        return "better"
    if test.high is not None and test.high < 0:
        return "worse"
    return "cannot tell"
