"""What every assertion has."""

from __future__ import annotations

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record


class AssertionBase(Record):
    """What every assertion has.

    `id` is unique within its case. `text` is what a person reads: the statement itself where it was written as text, else
    a sentence made from the fields. `written` keeps the author's own value, so that a file can be written back.
    """

    id: str
    text: str
    written: Json = None
    weight: float = Field(default=1, gt=0, allow_inf_nan=False)
    """In the weighted score of a trial, which stands beside its pass rate."""
    required: bool = False
    """Whether a trial in which it does not hold is named, whatever its pass rate."""
