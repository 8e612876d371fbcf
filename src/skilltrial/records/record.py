"""What all records share."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Json = Any
"""A JSON value of somebody else's file; narrowed where it is used."""


class Record(BaseModel):
    """A frozen value. Unknown fields are an error; what others' files carry beside goes into `extra` fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Repair(Record):
    """Something that reading had to interpret, carry along or put right, for people and programs."""

    code: str
    """Stable, kebab-case: `unknown-key`, `id-made-text`."""
    message: str
    file: str = ""
    line: int | None = None
    """1-based."""
    path: str = ""
    """Place inside the file, like `evals[2].files[0]`."""
    value: str = ""
    """The value found, shortened."""


Severity = Literal["info", "warning", "invalid"]
