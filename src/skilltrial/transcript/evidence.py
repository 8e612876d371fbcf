"""What a transcript shows of the skill: offered, attempted, loaded, read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import unescape
from typing import Any, cast

from skilltrial.records.events import Event, SessionStarted, ToolCall, ToolResult
from skilltrial.records.trial import SkillEvidence

_NAME_KEYS = ("skill", "name", "skill_name", "skillName", "command")
_NOT_READING = re.compile(r"(?i)write|edit|create|patch|^agent$|^task$")
"""Tools that may name a file without reading it."""


def skill_evidence(
    events: Sequence[Event],
    name: str,
    *,
    skill_tools: Collection[str],
    also: Collection[str] = (),
    description: str | None = None,
) -> SkillEvidence:
    """Evidence about the skill called `name`, by any agent of the trial, sub-agents too.

    `skill_tools` are the tools that load a skill; `also` are other names of it, like its folder's where that differs.
    `description` is what the listing for the model should hold.
    `/name` and `plugin:name` are the same skill as `name`. A call without a result is attempted, not loaded. Without any
    event nothing can be told, and without a listing nothing can be told about `offered`.
    """
    if not events:
        return SkillEvidence()
    names = {_plain(known) for known in (name, *also)}
    results = {event.call_id: event for event in events if isinstance(event, ToolResult)}
    calls = [event for event in events if isinstance(event, ToolCall)]
    attempts = [call for call in calls if call.name in skill_tools and _asked_for(call) in names]
    reads = [
        call
        for call in calls
        if call.name not in skill_tools and (_reads(call, names) or _shows(call, results.get(call.call_id), names))
    ]
    return SkillEvidence(
        offered=_offered(events, names),
        attempted=bool(attempts),
        loaded=any(_worked(results.get(call.call_id)) for call in attempts),
        read=any(_worked(results.get(call.call_id)) for call in reads),
        described=is_described(listing_of(events), description),
    )


def skills_taken(events: Sequence[Event], names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that an agent of the trial loaded or read, whatever its tool for skills is called."""
    tools = {event.name for event in events if isinstance(event, ToolCall) and "skill" in event.name.lower()}
    return tuple(name for name in names if skill_evidence(events, name, skill_tools=tools).reached)


def _offered(events: Sequence[Event], names: set[str]) -> bool | None:
    listings = [event.skills for event in events if isinstance(event, SessionStarted) and event.skills is not None]
    if not listings:
        return None
    return any(_plain(skill) in names for listing in listings for skill in listing)


def listing_of(events: Sequence[Event]) -> str | None:
    """The text in which the agent program listed its skills for the model; None where it does not show that."""
    return next((event.listing for event in events if isinstance(event, SessionStarted) and event.listing), None)


def is_described(listing: str | None, description: str | None) -> bool | None:
    """Whether a description stands there whole; None without a listing, or a description."""
    if not listing or not description or not description.strip():
        return None
    return _even(description) in _even(unescape(listing)) or _even(description) in _even(listing)


def _even(text: str) -> str:
    return " ".join(text.split())


def _plain(name: str) -> str:
    return name.strip().lstrip("/").rpartition(":")[2]


def _asked_for(call: ToolCall) -> str | None:
    value: Any = call.input
    given = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    for key in _NAME_KEYS:
        if isinstance(given.get(key), str):
            return _plain(given[key])
    return None


def _worked(result: ToolResult | None) -> bool:
    return result is not None and result.is_error is not True


def _reads(call: ToolCall, names: set[str]) -> bool:
    if _NOT_READING.search(call.name):
        return False
    wanted = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})[/\\]+SKILL\.md\b")
    return any(wanted.search(text) for text in _texts(call.input))


def _shows(call: ToolCall, result: ToolResult | None, names: set[str]) -> bool:
    """By another name, like `skills/*/SKILL.md` or after a `cd`: the result has the name from the file's front matter."""
    if result is None or _NOT_READING.search(call.name) or not any("SKILL.md" in text for text in _texts(call.input)):
        return False
    own = rf"(?m)^\s*(?:\d+\s*[\t→|:])?\s*name:\s*['\"]?(?:{'|'.join(map(re.escape, names))})['\"]?\s*$"
    return re.search(own, result.text) is not None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from _texts(part)
    elif isinstance(value, dict):
        yield from _texts(list(cast("dict[str, Any]", value).values()))
