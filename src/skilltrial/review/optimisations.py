"""The newest search for a better description: where it stands, and what each description came to."""

from __future__ import annotations

from pydantic import ValidationError

from skilltrial.records import layout
from skilltrial.records.json_value import Json
from skilltrial.records.optimisation import Candidate, Optimisation, Score
from skilltrial.review.comparisons import read_json
from skilltrial.review.subject import Subject

SEARCHES = f"{layout.OPTIMISE}/search-*/{layout.OPTIMISATION}"
_ALONE = layout.OPTIMISATION
"""In the folder of a search, which is a workspace too."""


def newest_search(subject: Subject) -> Json:
    """Null where there is none that can be read. Scores are queries on the right side, of those with a result."""
    found: list[Optimisation] = []
    for place in [*subject.store.find(SEARCHES), _ALONE]:
        try:
            found.append(Optimisation.model_validate(read_json(subject, place)))
        except ValidationError:
            continue  # of another version
    if not found:
        return None
    state = max(found, key=lambda each: each.number)
    test = state.test
    return {
        "number": state.number,
        "created_at": state.created_at,
        "step": state.step,
        "doing": state.doing,
        "word": state.word,
        "why": state.why,
        "ended": state.ended,
        "notices": list(state.notices),
        "rewriter": state.rewriter,
        "rounds": state.rounds,
        "runs": state.runs,
        "parts": {part: len(state.part(part)) for part in ("train", "validation", "test")},
        "spent": state.spent.model_dump(mode="json"),
        "difference": None if test is None else {"estimate": test.difference, "low": test.low, "high": test.high},
        "candidates": [_told(each, state) for each in state.candidates],
        "refused": [
            {"round": call.round, "answer": call.answer, "why": call.refused} for call in state.calls if call.refused
        ],
    }


def _told(candidate: Candidate, state: Optimisation) -> Json:
    test: Score | None = None
    if state.test is not None and candidate.number in (0, state.best):
        test = state.test.best_score if candidate.number == state.best else state.test.incumbent_score
    return {
        "number": candidate.number,
        "description": candidate.description,
        "is_best": candidate.number == state.best,
        "train": _pair(candidate.train),
        "validation": _pair(candidate.validation),
        "test": _pair(test),
    }


def _pair(score: Score | None) -> Json:
    return None if score is None else [score.n_passed, score.n_decided]
