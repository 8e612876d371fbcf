"""Values of other people's JSON, made such that they can be written as JSON again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import cast

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from skilltrial.records.foreign import ForeignWorkspace
from skilltrial.records.json_value import Json

_ESCAPED_BYTE = re.compile(r"\\u(dc[89a-f][0-9a-f])")
_DEEPEST = 100
"""Levels of lists and objects that are kept."""


_WORKSPACE = TypeAdapter(ForeignWorkspace)


def as_read(text: str) -> str:
    """The name of a file as it was before `plain` made it one that can be written: bytes that are no text as half characters."""
    return _ESCAPED_BYTE.sub(lambda match: chr(int(match[1], 16)), text)


def plain(value: Json, left: int = _DEEPEST) -> Json:
    """The same without what JSON does not have: NaN and infinities become texts, half characters their escapes.

    What is nested too deeply for a writer of JSON is cut off.
    """
    if isinstance(value, str):
        return value if value.isascii() else _whole(value)
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


def _whole(text: str) -> str:
    """With pairs of halves put together. The others differ, so that two names of files that hold them still differ."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return joined.encode("utf-8", "backslashreplace").decode()


def writable(workspace: ForeignWorkspace) -> ForeignWorkspace:
    """The workspace itself where all of it can be written, as it nearly always can; else with such texts mended."""
    try:
        _WORKSPACE.dump_json(workspace)
    except PydanticSerializationError:
        return _WORKSPACE.validate_python(plain(asdict(workspace)))
    return workspace
