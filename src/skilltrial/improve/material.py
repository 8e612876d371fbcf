"""What the proposing model is told: of train cases alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skilltrial.records.improvement import Improvement

MAX_TRIALS = 24
"""Shown with all that happened, failed ones first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTrial:
    """A trial of a train case with the version that is to be improved."""

    case_id: str
    prompt: str
    expected: str
    outcome: str
    failed: tuple[tuple[str, str], ...]
    """Assertions that did not hold: text and evidence."""
    passed: tuple[str, ...]
    open: tuple[str, ...]
    """Without a verdict."""
    answer: str
    """The final message."""
    steps: tuple[str, ...]
    """What the agent did, a line each."""
    words: tuple[str, ...] = ()
    """Of people, on this case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Of one candidate of a round."""

    files: Mapping[str, bytes]
    """Of the version that is to be improved, by path."""
    trials: tuple[ShownTrial, ...]
    suggestions: tuple[str, ...] = ()
    """Of analyses of comparisons, where they are of train cases."""
    tried: tuple[str, ...] = ()
    """Other versions and what became of them, a line each."""
    slot: int = 1
    n_slots: int = 1


def tried_lines(state: Improvement) -> Iterator[str]:
    """All versions but the first. In words: no figure or text of the other parts."""
    for each in state.versions[1:]:
        if each.name == state.incumbent:
            word = "accepted; this is the version that you are shown"
        elif each.result is None:
            word = "not tried yet; write something different"
        else:
            word = {"won": "was accepted", "lost": "did worse", "tie": "was no better", "baseline": ""}[each.result]
        yield f"- {each.name} (made from {each.parent}): {each.summary or 'no summary'}: {word}"


def failed_first(trials: Sequence[ShownTrial]) -> tuple[ShownTrial, ...]:
    """The most telling ones, as many as are shown: each case once before any twice."""
    seen: dict[str, int] = {}
    ranked: list[tuple[int, int, ShownTrial]] = []
    for each in sorted(trials, key=lambda trial: -len(trial.failed)):
        n_before = seen.get(each.case_id, 0)
        seen[each.case_id] = n_before + 1
        ranked.append((not each.failed, n_before, each))
    return tuple(each for _, _, each in sorted(ranked, key=lambda row: row[:2])[:MAX_TRIALS])
