"""Which description is the best so far, and whether to look on."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.records.optimisation import Candidate


def best_of(candidates: Sequence[Candidate]) -> Candidate:
    """The one with the highest share on validation; of equals the skill's own, then the shorter, then the earlier.

    Candidates without a validation score are left out; where none has one it is the first.
    """
    scored = [each for each in candidates if each.validation is not None and each.validation.share is not None]
    return max(scored, key=_rank, default=candidates[0])


def is_perfect(candidate: Candidate) -> bool:
    """All queries of train and validation are on the right side, and each has a result."""
    scores = (candidate.train, candidate.validation)
    return all(each is not None and each.n_passed == each.n_queries for each in scores)


def _rank(candidate: Candidate) -> tuple[float, bool, int, int]:
    share = candidate.validation.share if candidate.validation else None
    return (share or 0.0, candidate.number == 0, -len(candidate.description), -candidate.number)
