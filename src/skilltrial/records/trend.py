"""What `skilltrial history --json` prints: the iterations of a workspace side by side."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.history import History
from skilltrial.records.record import Record
from skilltrial.records.workspace_benchmark import IterationRow

Change = Literal["skill", "suite", "model", "agent program", "version of the agent program", "judge", "baseline"]


class TrendPoint(Record):
    """One iteration."""

    iteration: int
    row: IterationRow | None = None
    """None where nothing could be read."""
    error: str = ""
    """Why there is no row."""
    changed: tuple[Change, ...] = ()
    """Since the last iteration before that has a row."""
    unknown: tuple[Change, ...] = ()
    """Of what one of the two does not tell, so that nobody knows whether it changed."""
    comparable: bool = False
    """With that one: nothing has changed but the skill and the version of the agent program, and the model is known. False of
    the first."""


class Trend(Record):
    """All iterations, the oldest first."""

    schema_version: Literal[1] = 1
    skill_name: str
    points: tuple[TrendPoint, ...]
    versions: History | None = None
    """Of `history.json`."""
    notices: tuple[str, ...] = ()
