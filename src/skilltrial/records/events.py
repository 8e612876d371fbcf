"""The transcript: what the agent did, as normalised events.

One event a line in `transcript.jsonl`, numbered from 0 in `ordinal`. `agent` is None for the main agent, else the id of the
tool call that started the sub-agent. The raw stream of the agent program is kept beside it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.record import Record

MAX_TEXT_CHARS = 1_000_000
"""Of one text of an event, and of a final message; of a longer one the middle is cut out."""


class EventBase(Record):
    """What every event has."""

    ordinal: int = Field(ge=0)
    agent: str | None = None
    at: str | None = None
    """ISO 8601, where the agent program says it."""
    cut: int | None = None
    """At least so many characters were left out of the middle of its texts longer than `MAX_TEXT_CHARS`; None: nothing was."""


class SessionStarted(EventBase):
    """The agent program reports what it runs with."""

    kind: Literal["session_started"] = "session_started"
    model: str | None = None
    version: str | None = None
    tools: tuple[str, ...] = ()
    skills: tuple[str, ...] | None = None
    """Skills it says it knows; None where it does not say."""
    listing: str | None = None
    """The text in which it lists its skills for the model, where it shows that."""


class UserMessage(EventBase):
    """The task's prompt, or a text that the agent program put in the user's place (`synthetic`)."""

    kind: Literal["user_message"] = "user_message"
    text: str
    synthetic: bool = False


class AssistantMessage(EventBase):
    """Text that the agent said."""

    kind: Literal["assistant_message"] = "assistant_message"
    text: str


class Thinking(EventBase):
    """Reasoning that the agent program shows."""

    kind: Literal["thinking"] = "thinking"
    text: str


class ToolCall(EventBase):
    """A tool call, before its result."""

    kind: Literal["tool_call"] = "tool_call"
    call_id: str
    name: str
    input: Json = None


class ToolResult(EventBase):
    """What a tool call gave back. `is_error` is None where the agent program does not say."""

    kind: Literal["tool_result"] = "tool_result"
    call_id: str
    text: str
    is_error: bool | None = None


class Notice(EventBase):
    """Anything else worth keeping: a retry, a refused permission, an event of an unknown type."""

    kind: Literal["notice"] = "notice"
    code: str
    """`api_retry`, `permission_denied`, `unknown_event`, …"""
    text: str = ""


Event = Annotated[
    SessionStarted | UserMessage | AssistantMessage | Thinking | ToolCall | ToolResult | Notice,
    Field(discriminator="kind"),
]
