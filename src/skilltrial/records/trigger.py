"""A trigger set: queries, and whether the skill should be loaded for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.records.repair import Repair


class TriggerQuery(Record):
    """What a user says, and what should happen then."""

    id: str
    """Unique in the set."""
    written_id: str | int | None = None
    """As in the file; None where the reader had to make one."""
    query: str
    should_trigger: bool | None = None
    """None where the file names skills instead: see `expects`."""
    expects: tuple[str, ...] | None = None
    """The skills that should be loaded, where the file names them; empty: none of them."""
    split: str | None = None
    """Like `train`, `validation`, `test`, where the file has it."""
    note: str | None = None
    """Why, in the author's words."""
    extra: Mapping[str, Json] = Field(default_factory=dict)
    """Keys of the author's that mean nothing here."""

    def wants(self, skill: str) -> bool:
        """Whether this skill should be loaded for the query."""
        if self.expects is not None:
            return skill in self.expects
        return bool(self.should_trigger)


class TriggerSuite(Record):
    """All queries of one file."""

    schema_version: Literal[1] = 1
    skill_name: str | None = None
    dialect: str
    path: str
    """Absolute path of the file."""
    digest: str
    """`sha256:` over the queries and what is expected of them."""
    queries: tuple[TriggerQuery, ...]
    extra: Mapping[str, Json] = Field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()
