"""What the stream of an agent program says, whatever its format, and the collecting of it.

Reading never fails: lines that are no JSON and events of unknown types become `Notice` events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

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
from skilltrial.records.trial import ReasonCode
from skilltrial.records.usage import Usage
from skilltrial.transcript.foreign_json import Fields, printable, read_row

_NOTICE_CHARS = 2000
_LISTING_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error that the agent program reports."""

    message: str
    status: int | None = None
    """Of the HTTP answer, where the program tells."""
    code: ReasonCode | None = None
    """Where the program says outright what it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStream:
    """All that a stream says."""

    events: tuple[Event, ...]
    finished: bool
    """The agent came to an end of its own and said so, in the way of its format."""
    failure: Failure | None
    """The error that ended the run; None where there was none, or where a retry mended it."""
    waiting: Failure | None
    """An error after which the program was trying again, with nothing since."""
    final_message: str | None
    usage: Usage
    cost_usd: float | None
    model: str | None
    version: str | None


def rows(lines: Iterable[str], recorder: Recorder) -> Iterator[Fields]:
    """The objects of a stream, one a line; other lines go to the recorder as notices."""
    for line in lines:
        if not line.strip():
            continue
        row = read_row(line)
        if row is None:
            recorder.add(Notice(ordinal=0, code="unparsable_line", text=printable(line.strip()[:_NOTICE_CHARS])))
        else:
            yield row


@dataclass(kw_only=True)
class Recorder:
    """Puts together what a reader finds. `at` goes into every event that is added after it was set."""

    prompt: str | None
    """Becomes the first event where given: most streams do not have it."""
    at: str | None = None
    finished: bool = False
    failure: Failure | None = None
    waiting: Failure | None = None
    cost_usd: float | None = None
    model: str | None = None
    version: str | None = None
    last_text: str | None = None
    _events: list[Event] = field(default_factory=list[Event])
    _piece: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        if self.prompt is not None:
            self.add(UserMessage(ordinal=0, text=self.prompt))

    def add(self, event: Event) -> None:
        """Add an event; its ordinal is set here."""
        self.end_piece()
        self._events.append(event.model_copy(update={"ordinal": len(self._events), "at": event.at or self.at}))

    def session(
        self, *, skills: tuple[str, ...] | None = None, tools: tuple[str, ...] = (), listing: str | None = None
    ) -> None:
        """The program reports what it runs with; model and version are those set before."""
        shown = listing[:_LISTING_CHARS] if listing else None
        event = SessionStarted(
            ordinal=0, model=self.model, version=self.version, skills=skills, tools=tools, listing=shown
        )
        self.add(event)

    def say(self, text: str) -> None:
        """Something that the agent said; it had an answer from its model then."""
        self.add(AssistantMessage(ordinal=0, text=text))
        self.last_text = text if text.strip() else self.last_text
        self.waiting = None

    def say_piece(self, text: str) -> None:
        """A part of a message; parts that follow each other are one message."""
        self._piece.append(text)

    def think(self, text: str) -> None:
        """Reasoning."""
        self.add(Thinking(ordinal=0, text=text))

    def call(self, call_id: str | None, name: str | None, given: Any) -> None:
        """A tool call."""
        self.add(ToolCall(ordinal=0, call_id=call_id or "", name=name or "", input=given))
        self.waiting = None

    def answer(self, call_id: str | None, text: str, *, is_error: bool | None) -> None:
        """The result of a tool call."""
        self.add(ToolResult(ordinal=0, call_id=call_id or "", text=text, is_error=is_error))

    def note(self, code: str, content: str | Fields) -> None:
        """Anything else worth keeping."""
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        self.add(Notice(ordinal=0, code=code, text=text[:_NOTICE_CHARS]))

    def retrying(self, failure: Failure) -> None:
        """The program tries again after an error."""
        self.note("api_retry", failure.message)
        self.waiting = failure

    def fail(self, failure: Failure) -> None:
        """The program gives up."""
        self.note("error", failure.message)
        self.failure = failure

    def stream(self, usage: Usage) -> AgentStream:
        """What was found."""
        self.end_piece()
        return AgentStream(
            events=tuple(self._events),
            finished=self.finished,
            failure=self.failure,
            waiting=self.waiting,
            final_message=self.last_text,
            usage=usage,
            cost_usd=self.cost_usd,
            model=self.model,
            version=self.version,
        )

    def end_piece(self) -> None:
        """No further part of the message comes."""
        if self._piece:
            text, self._piece = "".join(self._piece), []
            self.say(text)


@dataclass(kw_only=True)
class Tokens:
    """Adds up what single requests took. A count that one of them does not tell is unknown for all."""

    input_has_cache: bool
    """The format's input counts what was read from and written to a cache, too."""
    _requests: list[Usage] = field(default_factory=list[Usage])

    def add(self, given: int | None, output: int | None, *, read: int | None = None, write: int | None = None) -> None:
        """One request, or a sum over some."""
        fresh = given
        if given is not None and self.input_has_cache:
            fresh = max(0, given - (read or 0) - (write or 0))
        self._requests.append(
            Usage(input_tokens=fresh, output_tokens=output, cache_read_tokens=read, cache_write_tokens=write)
        )

    def usage(self, *, requests: int | None = None) -> Usage:
        """The sum; everything is unknown where nothing was told. `requests` where they are not what was added."""

        def total(name: str) -> int | None:
            counts: list[int | None] = [getattr(request, name) for request in self._requests]
            known = [count for count in counts if count is not None]
            return sum(known) if known and len(known) == len(counts) else None

        return Usage(
            input_tokens=total("input_tokens"),
            output_tokens=total("output_tokens"),
            cache_read_tokens=total("cache_read_tokens"),
            cache_write_tokens=total("cache_write_tokens"),
            requests=requests,
        )
