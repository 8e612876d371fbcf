"""Values of other people's JSON, made such that they can be written as JSON again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic_core import PydanticSerializationError

from skilltrial.records.foreign import ForeignWorkspace
from skilltrial.records.record import Json

_DEEPEST = 100
"""Levels of lists and objects that are kept."""


def plain(value: Json, left: int = _DEEPEST) -> Json:
    """The same without what JSON does not have: NaN and infinities become texts, half characters U+FFFD.

    What is nested too deeply for a writer of JSON is cut off.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping | list | tuple) and left == 0:
        return "…"
    if isinstance(value, Mapping):
        items = cast("Mapping[Json, Json]", value).items()
        return {plain(str(key)): plain(item, left - 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [plain(item, left - 1) for item in cast("Sequence[Json]", value)]
    return value


def writable(workspace: ForeignWorkspace) -> ForeignWorkspace:
    """The workspace itself where all of it can be written, as it nearly always can; else with such texts mended."""
    try:
        workspace.model_dump_json()
    except PydanticSerializationError:
        return ForeignWorkspace.model_validate(plain(workspace.model_dump()))
    return workspace
