"""What people say of an iteration by now: the last word of each on each thing, from the journal.

Words of several people stand beside each other, and so do two of one person who saw only one of them, in two windows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, assert_never

from skilltrial.grade.digest import TRIAL
from skilltrial.grade.run import read_grading
from skilltrial.journal import Unread, read_journal
from skilltrial.ports import Store
from skilltrial.records.journal import (
    About,
    Comment,
    Completion,
    Decision,
    Exclusion,
    Line,
    Note,
    PersonVerdict,
    Rating,
    Reviewed,
)
from skilltrial.records.trial import TrialKey

TypedT = TypeVar("TypedT", Comment, Note)


class Opinion(NamedTuple):
    """Of one person on one thing."""

    comments: tuple[Comment, ...] = ()
    """Not empty, and not written over; more than one where they were typed in two windows."""
    rating: Rating | None = None
    reviewed: Reviewed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """All that counts by now of what people said of an iteration."""

    iteration: int
    opinions: Mapping[About, Mapping[str, Opinion]]
    """By thing and person, in the order of the first words."""
    notes: Mapping[str, tuple[Note, ...]]
    """On the whole, by person."""
    decision: Decision | None
    completion: Completion | None
    """The first: None while the review goes on."""
    exclusions: Mapping[TrialKey, Exclusion]
    """Trials that are excluded now, unless they ran again since."""
    verdicts: tuple[PersonVerdict, ...]
    unread: tuple[Unread, ...]
    """Lines of the journal that do not count, of whatever iteration."""


def feedback_of(store: Store, iteration: int) -> Feedback:
    """What people say of it, empty where nobody did. `store` is where the journal is. Raises `StoreError`."""
    journal = read_journal(store)
    return feedback_in(journal.lines, iteration, unread=journal.unread)


def feedback_in(lines: Sequence[Line], iteration: int, *, unread: tuple[Unread, ...] = ()) -> Feedback:
    """The same of lines that were read."""
    own = [line for line in lines if line.iteration == iteration]
    typed: defaultdict[tuple[About, str], list[Comment]] = defaultdict(list)
    notes: defaultdict[str, list[Note]] = defaultdict(list)
    ratings: dict[tuple[About, str], Rating] = {}
    marks: dict[tuple[About, str], Reviewed] = {}
    exclusions: dict[TrialKey, Exclusion] = {}
    decision: Decision | None = None
    completion: Completion | None = None
    for line in own:
        match line:
            case Comment():
                typed[line.about, line.by].append(line)
            case Note():
                notes[line.by].append(line)
            case Rating():
                ratings[line.about, line.by] = line
            case Reviewed():
                marks[line.about, line.by] = line
            case Exclusion():
                exclusions[line.key] = line
            case Decision():
                decision = line
            case Completion():
                completion = completion or line
            case PersonVerdict():
                pass
            case _:
                assert_never(line)
    return Feedback(
        iteration=iteration,
        opinions=_opinions(typed, ratings, marks),
        notes={by: left for by, written in notes.items() if (left := standing(written))},
        decision=decision if decision and decision.action else None,
        completion=completion,
        exclusions={key: line for key, line in exclusions.items() if line.excluded},
        verdicts=tuple(line for line in own if isinstance(line, PersonVerdict)),
        unread=unread,
    )


def left_out(store: Store, said: Feedback) -> Mapping[TrialKey, str]:
    """Trials that people left out, with the reason; one that ran again since is another one, and not among them.

    `store` is where the trials are.
    """
    found: dict[TrialKey, str] = {}
    for key, exclusion in said.exclusions.items():
        grading = read_grading(store, said.iteration, key) if exclusion.trial_digest else None
        now = grading.parts.get(TRIAL, "") if grading else ""
        if not now or now == exclusion.trial_digest:
            found[key] = exclusion.reason
    return found


def standing(written: Iterable[TypedT]) -> tuple[TypedT, ...]:
    """Of one person's words on one thing those that were neither written over nor taken back, oldest first."""
    every = list(written)
    gone = {name for each in every for name in each.replaces}
    return tuple(each for each in every if each.id not in gone and each.text.strip())


def _opinions(
    typed: Mapping[tuple[About, str], Sequence[Comment]],
    ratings: Mapping[tuple[About, str], Rating],
    marks: Mapping[tuple[About, str], Reviewed],
) -> dict[About, dict[str, Opinion]]:
    found: defaultdict[About, dict[str, Opinion]] = defaultdict(dict)
    for about, by in dict.fromkeys([*typed, *ratings, *marks]):
        rating, mark = ratings.get((about, by)), marks.get((about, by))
        opinion = Opinion(
            comments=standing(typed.get((about, by), ())),
            rating=rating if rating and rating.rating else None,
            reviewed=mark if mark and mark.reviewed else None,
        )
        if opinion != Opinion():
            found[about][by] = opinion
    return dict(found)
