"""What a tool call is about, alike for all agent programs: a command, a change of a file, things to do, or its arguments."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import cast

from skilltrial.records.events import Event, Notice, SessionStarted, ToolCall
from skilltrial.records.json_value import Json, is_list, is_object
from skilltrial.records.tool_calls import arguments, tool_name, writes

_PATHS = ("file_path", "filePath", "path", "filename", "file", "notebook_path", "absolute_path")
_COMMANDS = ("command", "cmd", "script", "code")
_PATCHES = ("patch", "patchText", "patch_text", "diff", "input")
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "search")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "replace")
_CONTENTS = ("content", "contents", "file_text", "fileText", "new_source", "text")
_TODOS = ("todos", "plan", "items", "tasks")
_SAID = ("content", "step", "description", "text", "title", "task")
_MOST_DIFF_CHARS = 40_000
_MOST_TODOS = 100


def words_of(event: Event) -> tuple[str, ...]:
    """All texts of an event as a person reads them: what is searched, and what `whole_text` joins."""
    match event:
        case ToolCall():
            return (event.name, *_leaves(event.input))
        case SessionStarted():
            return tuple(filter(None, (event.model, event.version, *event.tools, *(event.skills or ()), event.listing)))
        case Notice():
            return (event.code, event.text)
        case _:
            return (event.text,)


def whole_text(event: Event) -> str:
    """One text of an event; of a call its arguments as JSON."""
    match event:
        case ToolCall():
            return pretty(event.input)
        case SessionStarted():
            return event.listing or ""
        case _:
            return event.text


def pretty(value: Json) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def written_path(call: ToolCall) -> str | None:
    """The file that a call writes, as the agent named it; None where it writes none, or names it otherwise."""
    return _first(arguments(call), _PATHS) if writes(call) else None


def about(call: ToolCall, *, most: int) -> Mapping[str, Json]:
    """`shape` and what belongs to it, texts cut to `most` characters.

    `command` (text), `edit` (path, rows of a diff), `write` (path, text), `patch` (text), `todos` (items), `arguments` (text).
    """
    given = arguments(call)
    path = _first(given, _PATHS)
    todos = _todos(given)
    if todos:
        return {"shape": "todos", "items": todos}
    command = _first(given, _COMMANDS)
    patch = next((given[key] for key in _PATCHES if _is_patch(given.get(key))), None)
    if patch is None and command is not None and _is_patch(command):
        patch = command
    if patch is not None:
        return {"shape": "patch", **_cut(str(patch), most)}
    edits = _edits(given)
    if edits and writes(call):
        return {"shape": "edit", "path": path, "rows": _rows(edits)}
    content = _first(given, _CONTENTS)
    if path is not None and content is not None and writes(call):
        return {"shape": "write", "path": path, **_cut(content, most)}
    if command is not None and tool_name(call) not in {"str_replace_editor", "str_replace_based_edit_tool"}:
        return {"shape": "command", "why": _first(given, ("description",)), **_cut(command, most)}
    only = next(iter(given.values()), None) if len(given) == 1 else None
    return {"shape": "arguments", "line": only if isinstance(only, str) else path, **_cut(pretty(call.input), most)}


def _cut(text: str, most: int) -> dict[str, Json]:
    return {"text": text[:most], "n_chars": len(text)}


def _first(given: Mapping[str, Json], names: tuple[str, ...]) -> str | None:
    """A text under one of these names; a command may be a list of words."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
        if name in _COMMANDS and is_list(value) and value and all(isinstance(word, str) for word in value):
            return " ".join(cast("list[str]", value))
    return None


def _is_patch(value: Json) -> bool:
    return isinstance(value, str) and ("*** Begin Patch" in value or value.startswith(("--- ", "diff --git ")))


def _todos(given: Mapping[str, Json]) -> list[Json]:
    """Each with its text and state, where the call holds nothing but such a list."""
    for name in _TODOS:
        value = given.get(name)
        if is_list(value) and value and all(is_object(each) and "status" in each for each in value):
            items = cast("list[dict[str, Json]]", value)[:_MOST_TODOS]
            return [{"text": _first(each, _SAID) or pretty(each), "state": str(each["status"])} for each in items]
    return []


def _edits(given: Mapping[str, Json]) -> list[tuple[str, str]]:
    """Old and new text of each change."""
    several: Json = given.get("edits")
    parts: list[Mapping[str, Json]] = [each for each in several if is_object(each)] if is_list(several) else [given]
    found = [(_first(part, _OLD) or "", _first(part, _NEW) or "") for part in parts]
    return [(old, new) for old, new in found if old or new]


def _rows(edits: list[tuple[str, str]]) -> list[Json]:
    """Lines with their sign: `-`, `+` or a space; `…` between changes and where the rest is left out."""
    rows: list[Json] = []
    left = _MOST_DIFF_CHARS
    for number, (old, new) in enumerate(edits):
        if number:
            rows.append(["…", ""])
        for sign, line in _difference(old, new):
            left -= len(line) + 1
            if left < 0:
                return [*rows, ["…", "The rest is left out; see the arguments."]]
            rows.append([sign, line])
    return rows


def _difference(old: str, new: str) -> list[tuple[str, str]]:
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    if len(before) * len(after) > 250_000:  # noqa: PLR2004 - comparing takes as many steps
        return [*(("-", line) for line in before), *(("+", line) for line in after)]
    rows: list[tuple[str, str]] = []
    for what, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            rows += [(" ", line) for line in before[i:j]]
        else:
            rows += [*(("-", line) for line in before[i:j]), *(("+", line) for line in after[k:m])]
    return rows


def _leaves(value: Json) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if is_list(value):
        return tuple(text for each in value for text in _leaves(each))
    if is_object(value):
        return tuple(text for each in value.values() for text in _leaves(each))
    return () if value is None else (str(value),)
