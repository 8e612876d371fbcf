"""Where each event of a transcript stands, and what is known of it without its texts."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import TypeAdapter, ValidationError

from skilltrial.errors import StoreError
from skilltrial.grade.blindfold import loads_skill
from skilltrial.records.events import (
    AssistantMessage,
    Event,
    Notice,
    SessionStarted,
    Thinking,
    ToolCall,
    ToolResult,
    UserMessage,
)
from skilltrial.records.trial import SkillEvidence
from skilltrial.review.timeline.calls import words_of
from skilltrial.transcript.evidence import skill_evidence

MOST_LINE_BYTES = 16_000_000
"""A longer line is told, not read."""
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_KEPT_LISTS = 8

Mark = Literal["offered", "not_offered", "asked", "loaded", "read"]
"""What an event shows of the skill under trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One event, without its texts."""

    start: int
    n_bytes: int
    ordinal: int
    """Its place in the file, from 0, whatever the event itself says."""
    kind: str
    step: int | None
    """As verdicts count (`step 3`): only what judges see has a number."""
    n_chars: int
    agent: str | None
    depth: int
    """0: the main agent's."""
    tool: str | None
    """Of a call and of its result."""
    call: int | None
    """Of a result: the ordinal of its call."""
    is_error: bool
    mark: Mark | None
    turn: int | None
    """Of a message of the user's: which one."""
    seconds: float | None
    """Since the first event that tells a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What decides which events judges see, and which tell of the skill."""

    skill: str
    also: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """The user's messages after the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """All events of a transcript. `calls` are the ordinals of calls by their id."""

    lines: tuple[Line, ...]
    calls: dict[str, int]


def lines_of(path: Path, seen: Seen) -> Lines:
    """The events of a transcript; read again only where the file has changed."""
    try:
        state = path.stat()
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    return _lines(path, state.st_mtime_ns, state.st_size, seen)


def events_at(path: Path, lines: Iterator[Line]) -> Generator[tuple[Line, Event]]:
    """These events with their texts, one after the other."""
    with path.open("rb") as file:
        for line in lines:
            file.seek(line.start)
            yield line, _event(file.read(min(line.n_bytes, MOST_LINE_BYTES)), line.n_bytes, line.ordinal)


@lru_cache(maxsize=_KEPT_LISTS)
def _lines(path: Path, changed_ns: int, size: int, seen: Seen) -> Lines:
    del changed_ns, size
    listing = _Listing(seen)
    with path.open("rb") as file:
        for start, n_bytes, data in _rows(file):
            listing.add(start, n_bytes, _event(data, n_bytes, len(listing.lines)))
    return Lines(lines=tuple(listing.lines), calls={id_: line.ordinal for id_, line in listing.calls.items()})


def _rows(file: BinaryIO) -> Generator[tuple[int, int, bytes]]:
    start = 0
    while data := file.readline(MOST_LINE_BYTES):
        n_bytes = len(data)
        rest = data
        while not rest.endswith(b"\n") and (rest := file.readline(MOST_LINE_BYTES)):
            n_bytes += len(rest)
        if data.strip():
            yield start, n_bytes, data
        start += n_bytes


def _event(data: bytes, n_bytes: int, ordinal: int) -> Event:
    if n_bytes > len(data):
        said = data[:2_000].decode("utf-8", "replace")
        return Notice(
            ordinal=ordinal, code="too_long", text=f"An event of {n_bytes:,} bytes is not read. It begins: {said}"
        )
    try:
        return _EVENT.validate_json(data)
    except ValidationError:
        return Notice(ordinal=ordinal, code="unreadable", text=data.decode("utf-8", "replace"))


class _Listing:
    """What is known while the file is read."""

    def __init__(self, seen: Seen) -> None:
        self.lines: list[Line] = []
        self.calls: dict[str, Line] = {}
        self._seen = seen
        self._asked: dict[str, ToolCall] = {}
        self._hidden: set[str] = set()
        self._n_steps = 0
        self._turn = 0
        self._first: datetime | None = None

    def add(self, start: int, n_bytes: int, event: Event) -> None:
        """Note the next event."""
        if isinstance(event, ToolCall) and loads_skill(event, self._seen.names):
            self._hidden.add(event.call_id)
        called = self.calls.get(event.call_id) if isinstance(event, ToolResult) else None
        line = Line(
            start=start,
            n_bytes=n_bytes,
            ordinal=len(self.lines),
            kind=event.kind,
            step=self._step(event),
            n_chars=sum(map(len, words_of(event))),
            agent=event.agent,
            depth=self._depth(event.agent),
            tool=event.name if isinstance(event, ToolCall) else called.tool if called else None,
            call=called.ordinal if called else None,
            is_error=isinstance(event, ToolResult) and event.is_error is True,
            mark=self._mark(event),
            turn=self._turn_of(event),
            seconds=self._seconds(event.at),
        )
        self.lines.append(line)
        if isinstance(event, ToolCall):
            self.calls[event.call_id] = line
            self._asked[event.call_id] = event

    def _step(self, event: Event) -> int | None:
        """Numbers as `grade.judge_view` gives them: those of `grade.blindfold.neutral_events`, from 1."""
        match event:
            case ToolCall() | ToolResult():
                seen = event.call_id not in self._hidden
            case UserMessage():
                seen = event.text in self._seen.said and not event.synthetic
            case AssistantMessage():
                seen = True
            case SessionStarted() | Thinking() | Notice():
                seen = False
        self._n_steps += seen
        return self._n_steps if seen else None

    def _depth(self, agent: str | None) -> int:
        depth = 0
        while agent is not None and depth < 8:  # noqa: PLR2004 - deeper ones are drawn alike; a circle ends
            depth += 1
            caller = self.calls.get(agent)
            agent = caller.agent if caller else None
        return depth

    def _mark(self, event: Event) -> Mark | None:
        match event:
            case SessionStarted():
                offered = self._evidence(event).offered
                return None if offered is None else "offered" if offered else "not_offered"
            case ToolCall():
                return "asked" if self._evidence(event).attempted else None
            case ToolResult() if (call := self._asked.pop(event.call_id, None)) is not None:
                told = self._evidence(call, event)
                return "loaded" if told.loaded else "read" if told.read else None
            case _:
                return None

    def _evidence(self, *events: Event) -> SkillEvidence:
        tools = [event.name for event in events if isinstance(event, ToolCall) and loads_skill(event, ())]
        return skill_evidence(events, self._seen.skill, skill_tools=tools, also=self._seen.also)

    def _turn_of(self, event: Event) -> int | None:
        if not isinstance(event, UserMessage) or event.synthetic or event.agent is not None:
            return None
        self._turn += 1
        return self._turn

    def _seconds(self, at: str | None) -> float | None:
        if at is None:
            return None
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        self._first = self._first or moment
        return max(0.0, (moment - self._first).total_seconds())
