"""What people said of trials: one journal a workspace, only ever added to, of which everything else is a view."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from skilltrial.records.record import Record
from skilltrial.records.trial import TrialKey


class PersonVerdict(Record):
    """A person's verdict on one assertion of one trial, a line of `journal.jsonl`.

    A later one of the same person on the same assertion counts instead.
    """

    kind: Literal["verdict"] = "verdict"
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
