"""What a transcript shows of the agent's doings beside its task. Pure: nothing on the disk is looked at."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from skilltrial.execute.shell_writes import place, written_places
from skilltrial.records.conduct import Conduct, LiveRead, Source
from skilltrial.records.events import Event, Notice, SessionStarted, ToolCall, ToolResult, UserMessage
from skilltrial.records.tool_calls import WRITERS, arguments, tool_name, writes

_PATH_KEYS = frozenset(
    {
        "path",
        "file_path",
        "filepath",
        "file",
        "filename",
        "target_file",
        "notebook_path",
        "absolute_path",
        "dir_path",
        "directory",
    }
)
_COMMAND_KEYS = ("command", "cmd", "script")
_CONTENT_KEYS = frozenset(
    {
        "content",
        "contents",
        "file_text",
        "new_string",
        "old_string",
        "new_str",
        "old_str",
        "text",
        "new",
        "old",
        "description",
        "prompt",
        "message",
    }
)
"""What is written, or said, names a place without going there."""
_PATCHED = re.compile(r"(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$")
_ABSOLUTE = re.compile(r"(?<![\w./~$}-])(?:~|\$HOME|\$\{HOME\})?/[^\s'\"`|;&<>(){}$*?]+")
_RELATIVE = re.compile(r"(?<![\w./~$}-])(?:\./)?\.\./[^\s'\"`|;&<>(){}$*?]*")
_BASE = re.compile(r"(?:Base directory for this skill: |Resources loaded from `)(/[^\n`]+)")
"""Where an agent program says that it has a skill from."""
_DEVICES = ("/dev/", "/proc/self/fd/")
_MOST = 20
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """The places of a trial, as absolute normalised paths without links."""

    work: str
    home: str
    tmp: str
    root: str
    """Holds the three."""
    private: tuple[str, ...] = ()
    """Other places that nobody but this trial sees."""
    live: tuple[tuple[Source, str], ...] = ()
    """Places of the person's that have to do with the trial; an inner one comes before one that holds it."""

    def is_own(self, path: str) -> bool:
        """Whether a place is the trial's own."""
        return any(_within(path, own) for own in (self.root, *self.private))

    def source(self, path: str) -> Source | None:
        """What a place has to do with the trial."""
        if self.is_own(path):
            return None
        return next((source for source, where in self.live if _within(path, where)), None)


def observe(
    events: Sequence[Event], grounds: Grounds, *, names: Collection[str], tells_denials: bool = False
) -> Conduct | None:
    """What the agent did; None without any event. `names` are those of the skill under trial.

    `tells_denials`: the agent program reports each call that it refused; else refusals that are not there say nothing.
    """
    if not events:
        return None
    failed = {event.call_id for event in events if isinstance(event, ToolResult) and event.is_error}
    calls = [event for event in events if isinstance(event, ToolCall)]
    denials = sum(isinstance(event, Notice) and event.code == "permission_denied" for event in events)
    outside = (path for call in calls for path in _written(call, grounds, failed=call.call_id in failed))
    listings = [event.skills for event in events if isinstance(event, SessionStarted) and event.skills is not None]
    return Conduct(
        n_inspected=len(calls),
        n_denials=denials if tells_denials or denials else None,
        outside=_few(outside) if calls else None,
        live=_live(calls, grounds, failed) if calls else None,
        shadows=_few(_shadows(events, grounds, names, failed)),
        listed=tuple(dict.fromkeys(skill for listing in listings for skill in listing)) if listings else None,
    )


def _written(call: ToolCall, grounds: Grounds, *, failed: bool) -> Iterator[str]:
    """Places outside. A command that failed may have written before; a tool that writes files has not."""
    fields, places = arguments(call), list[str]()
    if writes(call) and not failed:
        places += [path for word in _path_arguments(call.input) if (path := _absolute(word, grounds))]
    command = _command(fields)
    if command is not None and tool_name(call) not in WRITERS:
        places += written_places(command, work=grounds.work, home=grounds.home, tmp=grounds.tmp)
    for path in places:
        if not grounds.is_own(path) and not path.startswith(_DEVICES):
            yield path


def _live(calls: Iterable[ToolCall], grounds: Grounds, failed: Collection[str]) -> tuple[LiveRead, ...]:
    found: dict[LiveRead, None] = {}
    for call in calls:
        if call.call_id in failed:
            continue
        for path in _named(call.input, grounds):
            source = grounds.source(path)
            if source is not None:
                found[LiveRead(source=source, path=path[:_LONGEST])] = None
    return tuple(found)[:_MOST]


def _shadows(
    events: Sequence[Event], grounds: Grounds, names: Collection[str], failed: Collection[str]
) -> Iterator[str]:
    """Where the skill came from, if not from the trial's own folders."""
    ends = tuple(f"/{name}" for name in names)
    for event in events:
        if isinstance(event, ToolResult) or (isinstance(event, UserMessage) and event.synthetic):
            folders = [posixpath.normpath(found.strip()) for found in _BASE.findall(event.text)]
        elif isinstance(event, ToolCall) and event.call_id not in failed and not writes(event):
            paths = _named(event.input, grounds)
            folders = [path.removesuffix("/SKILL.md") for path in paths if path.endswith("/SKILL.md")]
        else:
            continue
        yield from (folder for folder in folders if folder.endswith(ends) and not grounds.is_own(folder))


def _named(value: Any, grounds: Grounds, key: str = "") -> Iterator[str]:
    """Absolute paths that a call's arguments name."""
    if isinstance(value, str):
        if key.lower().replace("-", "_") in _CONTENT_KEYS:
            return
        words = [*_ABSOLUTE.findall(value), *_RELATIVE.findall(value)]
        words += [value] if key.lower() in _PATH_KEYS else []
        yield from (path for word in dict.fromkeys(words) if (path := _absolute(word, grounds)))
    elif isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from _named(part, grounds, key)
    elif isinstance(value, dict):
        for name, part in cast("dict[str, Any]", value).items():
            yield from _named(part, grounds, name)


def _path_arguments(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from _path_arguments(part)
    elif isinstance(value, dict):
        for name, part in cast("dict[str, Any]", value).items():
            if isinstance(part, str) and name.lower() in _PATH_KEYS:
                yield part
            elif isinstance(part, str):
                yield from _PATCHED.findall(part)
            else:
                yield from _path_arguments(part)


def _command(fields: Mapping[str, Any]) -> str | None:
    given = next((fields[key] for key in _COMMAND_KEYS if key in fields), None)
    if isinstance(given, list):
        words = cast("list[Any]", given)
        return str(words[-1]) if words else None
    return given if isinstance(given, str) else None


def _absolute(word: str, grounds: Grounds) -> str | None:
    return place(word, grounds.work, {"HOME": grounds.home, "TMPDIR": grounds.tmp})


def _within(path: str, folder: str) -> bool:
    # A Mac has its temporary folders below /private, and calls them without that, too.
    path, folder = path.removeprefix("/private"), folder.removeprefix("/private").rstrip("/")
    return path == folder or path.startswith(folder + "/")


def _few(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path[:_LONGEST] for path in paths))[:_MOST]
