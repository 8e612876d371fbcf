"""What all records share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

_FIELDS: dict[frozenset[str], set[str]] = {}


class Record(BaseModel):
    """A frozen value. Unknown fields are an error; what others' files carry beside goes into `extra` fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_post_init(self, _: object, /) -> None:
        """Records with the same fields given share the set of their names: thousands of trials take half the memory."""
        given = self.__pydantic_fields_set__
        object.__setattr__(self, "__pydantic_fields_set__", _FIELDS.setdefault(frozenset(given), given))


Severity = Literal["info", "warning", "invalid"]
