"""What people said of trials: one journal a workspace, only ever added to, of which everything else is a view."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from skilltrial.records.record import Record
from skilltrial.records.trial import TrialKey


class PersonVerdict(Record):
    """A person's verdict on one assertion of one trial, a line of `journal.jsonl`.

    A later one of the same person on the same assertion counts instead.
    """

    kind: Literal["verdict"] = "verdict"
    id: str = ""
    """Chosen by the page, so that a line that was sent twice counts once; empty from elsewhere."""
    at: datetime
    """UTC, aware."""
    by: str
    """Who says so; any name that the person chose."""
    iteration: int
    key: TrialKey
    assertion: str
    """Its id within the case."""
    verdict: Literal["PASS", "FAIL", "UNSURE"]
    note: str = ""
    blind: bool
    """The person saw neither the arm nor what the judge said."""
    trial_digest: str
    """The part `trial` of the grading's digests: what was looked at."""
    assertion_digest: str
    """The part `assertion:ID`: what was asked. Verdicts on another statement or another trial no longer count."""
    drawn_for: str = ""
    """Whose verdicts this assertion was drawn at random to check, within arm and verdict: the part `judge` of the grading's
    digests. Empty: the person chose it."""


class WholeCase(Record):
    """All trials of a case together."""

    case_id: str


class ForeignRun(Record):
    """What somebody's feedback file calls a run, where no trial here is called so."""

    run_id: str


About: TypeAlias = TrialKey | WholeCase | ForeignRun
"""What a person speaks of."""


class Word(Record):
    """What all lines but verdicts have."""

    id: str
    """Chosen by who sends it: a line that was sent twice counts once."""
    at: datetime
    """UTC, aware."""
    by: str
    iteration: int


class Comment(Word):
    """What a person typed. An empty one takes back those that it replaces."""

    kind: Literal["comment"] = "comment"
    about: About
    text: str
    replaces: tuple[str, ...] = ()
    """The lines that the person saw and wrote over. Two that replace the same stand beside each other: nobody saw both."""
    trial_digest: str = ""
    """The part `trial` of the grading's digests: what was looked at. Empty: not known, or about a case."""


class Rating(Word):
    """A later one of the same person on the same thing counts instead; None takes it back."""

    kind: Literal["rating"] = "rating"
    about: About
    rating: Literal["good", "needs-work", "bad"] | None
    trial_digest: str = ""


class Note(Word):
    """A comment on the whole iteration."""

    kind: Literal["note"] = "note"
    text: str
    replaces: tuple[str, ...] = ()


class Decision(Word):
    """What to do next with the skill; the last of all people counts, None takes it back."""

    kind: Literal["decision"] = "decision"
    action: Literal["iterate", "publish", "stop"] | None


class Completion(Word):
    """The review of the iteration is done. Nothing turns this back; what is said later is added."""

    kind: Literal["completion"] = "completion"


class Exclusion(Word):
    """A trial that is to be left out of the adjusted figures, or no longer; the last of all people counts."""

    kind: Literal["exclusion"] = "exclusion"
    key: TrialKey
    excluded: bool
    reason: str = Field(min_length=1)
    """Also of taking it back."""
    trial_digest: str = ""
    """A trial that ran again since is no longer excluded."""


class Reviewed(Word):
    """A person has looked at a trial, or at all of a case; the last of the same person counts."""

    kind: Literal["reviewed"] = "reviewed"
    about: About
    reviewed: bool
    trial_digest: str = ""


Line: TypeAlias = Annotated[
    PersonVerdict | Comment | Rating | Note | Decision | Completion | Exclusion | Reviewed, Field(discriminator="kind")
]
"""A line of `journal.jsonl`."""
