"""Tool calls of whatever agent program, read alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from skilltrial.records.events import Event, ToolCall, ToolResult
from skilltrial.records.json_value import Json

WRITERS = frozenset(
    {
        "write",
        "write_file",
        "writefile",
        "create_file",
        "edit",
        "edit_file",
        "multiedit",
        "multi_edit",
        "notebookedit",
        "notebook_edit",
        "apply_patch",
        "applypatch",
        "patch",
        "replace",
        "search_replace",
        "str_replace",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "insert",
        "append_file",
        "move_file",
        "delete_file",
    }
)
"""Tools that write files, of all agent programs, as `tool_name` gives them."""


def tool_name(call: ToolCall) -> str:
    """The tool's own name in lower case, without the server or set that it is of.

    `mcp__files__Write` is `write`, as is `file_system.write`.
    """
    return call.name.rpartition("__")[2].rpartition(".")[2].lower()


def calls_by_name(events: Sequence[Event]) -> dict[str, int] | None:
    """How often each tool was called. None without a transcript: nobody knows."""
    if not events:
        return None
    return dict(sorted(Counter(event.name for event in events if isinstance(event, ToolCall)).items()))


def failed_calls(events: Sequence[Event]) -> int | None:
    """How many tool calls failed. None without a transcript, and where of no call it is said whether it did."""
    told = [event.is_error for event in events if isinstance(event, ToolResult)]
    if not events or (told and all(is_error is None for is_error in told)):
        return None
    return sum(is_error is True for is_error in told)


def arguments(call: ToolCall) -> Mapping[str, Json]:
    """The call's arguments by name; empty where they are not an object."""
    given: Json = call.input
    return cast("dict[str, Json]", given) if isinstance(given, dict) else {}


def writes(call: ToolCall) -> bool:
    """Whether the call is one of a tool that writes files; a shell is none, unless it is given a patch."""
    fields, name = arguments(call), tool_name(call)
    if name in WRITERS or (name == "create" and "path" in fields):
        return fields.get("command") not in {"view", "undo_edit"}
    return any("apply_patch" in str(value) for value in fields.values()) and "command" in fields
