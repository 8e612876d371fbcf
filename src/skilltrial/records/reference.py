"""A right solution of a case, by its author."""

from __future__ import annotations

from skilltrial.records.case_file import CaseFile
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record


class Reference(Record):
    """What an agent leaves that does the task right. For `skilltrial oracle` alone: no agent and no judge sees it."""

    files: tuple[CaseFile, ...] = ()
    """Lie over the files that the case starts with."""
    removes: tuple[str, ...] = ()
    """Paths of files or folders that the case starts with, and a right solution does not leave."""
    answer: str | None = None
    """The final message; None: not said."""
    folder: str | None = None
    """Absolute path of where the files lie, which no agent may find; None: there are none."""
    written: Json = None
    """As the author wrote it; None where the folder was found by its name."""
