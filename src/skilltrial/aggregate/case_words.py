"""What the trials of one case say of it: a word, and the probability that the skill does harm there. A description, no test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from skilltrial.aggregate.scores import CaseScores
from skilltrial.records.benchmark import CaseWord
from skilltrial.stats.harm import harm_probability

CLEAR = 0.95
"""From this probability on it is said that the skill harms, and below the rest that it helps."""
_FEW = 2
"""With fewer trials in an arm, it cannot be seen whether they agree."""
_cached = lru_cache(maxsize=4096)(harm_probability)


def harm(row: CaseScores) -> float | None:
    """The posterior probability that a trial passes less often in treatment; None without trials of both arms."""
    if not row.treatment or not row.baseline:
        return None
    return _cached(_counts(row.treatment), _counts(row.baseline))


def case_word(row: CaseScores) -> CaseWord:
    """The word; see docs/statistics.md. On the assertions that are compared, a trial passes where all of them hold."""
    new, old = row.treatment, row.baseline
    if not new or not old:
        return "cannot tell"
    if min(new + old) == 1:
        return "both pass"
    probability = harm(row) or 0.0
    repeated = min(len(new), len(old)) >= _FEW
    if probability <= 1 - CLEAR or (repeated and min(new) > max(old)):
        return "helps"
    if probability >= CLEAR or (repeated and max(new) < min(old)):
        return "harms"
    if len(set(new)) > 1 or len(set(old)) > 1:
        return "flaky"
    return "both fail" if new[0] == old[0] else "cannot tell"


def _counts(scores: Sequence[float]) -> tuple[int, int]:
    return sum(score == 1 for score in scores), len(scores)
