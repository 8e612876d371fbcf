"""Files of an author's that a case needs."""

from __future__ import annotations

from skilltrial.records.record import Record


class CaseFile(Record):
    """A file of the author's: one that the task starts with, or one that a check needs."""

    path: str
    """Where it lies in the agent's folder (or its copy), relative to that, with forward slashes."""
    source: str | None = None
    """Absolute path that it is copied from; None where `content` has it."""
    content: str | None = None
    sha256: str
