"""Tool calls of whatever agent program, read alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from skilltrial.records.events import ToolCall
from skilltrial.records.record import Json


def tool_name(call: ToolCall) -> str:
    """The tool's own name in lower case, without the server that offers it (`mcp__files__Write` is `write`)."""
    return call.name.rpartition("__")[2].lower()


def arguments(call: ToolCall) -> Mapping[str, Json]:
    """The call's arguments by name; empty where they are not an object."""
    given: Json = call.input
    return cast("dict[str, Json]", given) if isinstance(given, dict) else {}
