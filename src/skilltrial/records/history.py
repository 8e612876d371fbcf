"""`history.json`: the versions of a skill that was improved, in skill-creator's shape, and ours beside."""

from __future__ import annotations

from skilltrial.records.record import Record


class HistoryVersion(Record):
    """One version."""

    version: str
    """`v0`, `v1`, …"""
    parent: str | None
    """The version that it was made from; None of the first."""
    expectation_pass_rate: float | None
    """A fraction of 1; None is unknown."""
    grading_result: str
    """Against its parent: `baseline` (the first), `won`, `lost` or `tie`; in foreign files whatever stands there."""
    is_current_best: bool
    iteration: int | None = None
    """In which it was tried; None where the file does not tell."""
    skill_fingerprint: str | None = None


class History(Record):
    """See the module. `current_best` is the `version` of one of `iterations`."""

    started_at: str | None
    """ISO 8601."""
    skill_name: str
    current_best: str | None
    iterations: tuple[HistoryVersion, ...]
