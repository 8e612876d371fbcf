"""One shape for the requests of the four wire formats; a scenario sees nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal, cast

Api = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]

# Text that a client wraps around or adds beside what the user typed.
_WRAPPED = re.compile(
    r"^\s*(<(system-reminder|environment_context|session_context|user_instructions|skills_instructions|"
    r"permissions instructions|INSTRUCTIONS|command-|local-command|available_skills|skill-context)|"
    r"# AGENTS\.md instructions|Base directory for this skill:|Skill tool loaded instructions)"
)
# The same, less what a typed /command turns into.
_REMINDER = re.compile(r"^\s*<(system-reminder|environment_context|session_context|user_instructions)")


def text_of(content: Any) -> str:
    """A content value (text, block or list of blocks) as one text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, (text_of(part) for part in cast("list[Any]", content))))
    if isinstance(content, dict):
        block = cast("dict[str, Any]", content)
        for key in ("text", "content", "output"):
            if key in block:
                return text_of(block[key])
    return ""


def texts_of(content: Any) -> list[str]:
    """The texts of a content value, one a block."""
    if isinstance(content, list):
        return [text for text in (text_of(part) for part in cast("list[Any]", content)) if text]
    text = text_of(content)
    return [text] if text else []


def fields(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one where the value is something else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list; none where the value is something else."""
    return [fields(part) for part in cast("list[Any]", value)] if isinstance(value, list) else []


def parsed(value: Any) -> Any:
    """The JSON value of a text; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


@dataclass
class ToolSpec:
    """A tool offered to the model."""

    name: str
    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict[str, Any])
    kind: str = "function"
    """`function`, `custom` (free-form input) or another tool type of the Responses API."""
    group: str = ""
    """The namespace of the Responses API that it stands in."""


@dataclass
class Call:
    """A tool call that the model made earlier in the conversation."""

    id: str
    name: str
    input: Any


@dataclass
class Result:
    """What the client sent back for one call."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


@dataclass
class Message:
    """One message of the conversation; the role is system, user, assistant or tool."""

    role: str
    texts: list[str] = field(default_factory=list[str])
    calls: list[Call] = field(default_factory=list[Call])
    results: list[Result] = field(default_factory=list[Result])


@dataclass
class Request:
    """A request for one answer of the model."""

    api: Api
    model: str
    stream: bool
    system: str
    tools: list[ToolSpec]
    messages: list[Message]
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict[str, str])
    run: str = "default"
    number: int = 1
    """Which model request of its run this is, from 1."""

    def tool(self, name: str) -> ToolSpec | None:
        """The offered tool of this name, whatever its case."""
        return next((spec for spec in self.tools if spec.name.lower() == name.lower()), None)

    @property
    def prompt(self) -> str:
        """The last text that the user typed."""
        at = self._prompt_at
        return self.messages[at[0]].texts[at[1]] if at else ""

    @property
    def context(self) -> str:
        """All that the client says beside prompt, tool results and the model's own turns: where skill listings live."""
        at = self._prompt_at
        parts = [self.system]
        parts += [f"{tool.name}: {tool.description}" for tool in self.tools]
        for m, message in enumerate(self.messages):
            if message.role in ("system", "user"):
                parts += [text for t, text in enumerate(message.texts) if (m, t) != at]
        return "\n".join(part for part in parts if part)

    @property
    def text(self) -> str:
        """The whole conversation, for captures."""
        parts = [self.system]
        for message in self.messages:
            parts += message.texts
            parts += [result.text for result in message.results]
        return "\n".join(part for part in parts if part)

    @property
    def step(self) -> int:
        """Turns of the model since the last typed prompt; 0 for the first answer."""
        at = self._prompt_at
        later = self.messages[at[0] + 1 :] if at else self.messages
        return sum(1 for message in later if message.role == "assistant")

    @property
    def calls(self) -> list[Call]:
        """All tool calls of the conversation."""
        return [call for message in self.messages for call in message.calls]

    @property
    def last_results(self) -> list[Result]:
        """The results that came after the last turn of the model."""
        found: list[Result] = []
        for message in reversed(self.messages):
            if message.role == "assistant":
                break
            found = message.results + found
        return found

    @property
    def _prompt_at(self) -> tuple[int, int] | None:
        return self._last_text(_WRAPPED) or self._last_text(_REMINDER)

    def _last_text(self, skip: re.Pattern[str]) -> tuple[int, int] | None:
        for m in range(len(self.messages) - 1, -1, -1):
            message = self.messages[m]
            if message.role != "user" or message.results:
                continue
            for t in range(len(message.texts) - 1, -1, -1):
                if message.texts[t].strip() and not skip.match(message.texts[t]):
                    return m, t
        return None
