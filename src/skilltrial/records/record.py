"""What all records share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. Unknown fields are an error; what others' files carry beside goes into `extra` fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


Severity = Literal["info", "warning", "invalid"]
