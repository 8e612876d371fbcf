"""How a model acts: by native tool calls, by one JSON action a turn, or by its answer alone.

A style says what the model is told and asked for, and reads its answers into turns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from pydantic_ai.messages import (
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from skilltrial.adapters.harness.builtin.offered_skill import OfferedSkill
from skilltrial.adapters.harness.builtin.toolbox import (
    EDIT,
    LIST,
    READ,
    SHELL,
    WRITE,
    Tool,
    ToolOutcome,
    load_skill_tool,
)

FINISH = "finish"

_TOOLS_SYSTEM = (
    "You are an agent that does the user's task in a working folder. Use the tools to look at files, to change them and to "
    "run commands. When the task is done, answer the user in a short message without a tool call."
)
_TOOLS_SKILLS = (
    "Skills hold instructions for certain kinds of tasks. When the description of a skill fits the task, load it with "
    "load_skill before anything else and follow it.\n\nSkills:\n"
)
_SCHEMA_SYSTEM = "You are an agent that does the user's task. Every reply is one JSON action:\n"
_SCHEMA_ACTIONS = {
    "load_skill": '{"action": "load_skill", "name": NAME} shows the instructions of a skill.\n',
    "write_file": '{"action": "write_file", "path": PATH, "content": TEXT} writes a file.\n',
    FINISH: '{"action": "finish", "answer": TEXT} answers the user and ends the task.\n',
}
_SCHEMA_SKILLS = "First load the skill whose description fits the task, then follow it.\n\nSkills:\n"
_PLAIN_SYSTEM = "Do the user's task and answer with the result."

_MAX_LENGTHS = {"path": 80, "content": 1200, "answer": 1200}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An action that the model asks for. `arguments` is None where they are no JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer of the model, read. Without calls it is the last."""

    thinking: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    unreadable: bool = False


class Style(Protocol):
    """See the module. `system` and `tools` depend on the skill and on nothing else."""

    @property
    def max_turns(self) -> int: ...

    def system(self, skill: OfferedSkill | None) -> str: ...

    def tools(self, skill: OfferedSkill | None) -> dict[str, Tool]: ...

    def asked(self, tools: Mapping[str, Tool]) -> tuple[ModelRequestParameters, ModelSettings]: ...

    def turn(self, response: ModelResponse) -> Turn: ...

    def results(self, outcomes: Sequence[tuple[Call, ToolOutcome]]) -> ModelRequest: ...


class NativeTools:
    """Tool calls of the model's own API."""

    max_turns = 40

    def system(self, skill: OfferedSkill | None) -> str:
        """The same words with and without a skill, but for the listing."""
        return _TOOLS_SYSTEM if skill is None else f"{_TOOLS_SYSTEM}\n\n{_TOOLS_SKILLS}{skill.listing}"

    def tools(self, skill: OfferedSkill | None) -> dict[str, Tool]:
        """All actions."""
        offered = [READ, WRITE, EDIT, LIST, SHELL] + ([] if skill is None else [load_skill_tool(skill)])
        return {tool.name: tool for tool in offered}

    def asked(self, tools: Mapping[str, Tool]) -> tuple[ModelRequestParameters, ModelSettings]:
        """Tool definitions."""
        definitions = [
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=_object(tool.parameters)
            )
            for tool in tools.values()
        ]
        return ModelRequestParameters(function_tools=definitions), ModelSettings(max_tokens=8192)

    def turn(self, response: ModelResponse) -> Turn:
        """Text and calls in the order of the parts."""
        calls = tuple(_call(part) for part in response.parts if isinstance(part, ToolCallPart))
        return Turn(thinking=_thinking(response), text=_text(response), calls=calls)

    def results(self, outcomes: Sequence[tuple[Call, ToolOutcome]]) -> ModelRequest:
        """One tool result a call."""
        parts: list[ModelRequestPart] = [
            ToolReturnPart(
                tool_name=call.name,
                content=outcome.text,
                tool_call_id=call.id,
                outcome="failed" if outcome.is_error else "success",
            )
            for call, outcome in outcomes
        ]
        return ModelRequest(parts=parts)


class SchemaActions:
    """One JSON action a turn, bound by the engine to a schema; few actions, for small models."""

    max_turns = 6

    def system(self, skill: OfferedSkill | None) -> str:
        """The same words with and without a skill, but for the skill's action and the listing."""
        known = [text for name, text in _SCHEMA_ACTIONS.items() if name in self.tools(skill) or name == FINISH]
        listing = "" if skill is None else f"{_SCHEMA_SKILLS}{skill.listing}"
        return _SCHEMA_SYSTEM + "".join(known) + listing

    def tools(self, skill: OfferedSkill | None) -> dict[str, Tool]:
        """Loading the skill, and writing files."""
        offered = ([] if skill is None else [load_skill_tool(skill)]) + [WRITE]
        return {tool.name: tool for tool in offered}

    def asked(self, tools: Mapping[str, Tool]) -> tuple[ModelRequestParameters, ModelSettings]:
        """A response format; the schema knows no action that is not offered."""
        actions = [_action(tool.name, tool.parameters) for tool in tools.values()]
        actions.append(_action(FINISH, {"answer": {"type": "string"}}))
        wanted = {
            "type": "json_schema",
            "json_schema": {"name": "action", "strict": True, "schema": {"oneOf": actions}},
        }
        return ModelRequestParameters(), ModelSettings(extra_body={"response_format": wanted})

    def turn(self, response: ModelResponse) -> Turn:
        """The action; what is no whole JSON object is unreadable."""
        try:
            action = json.loads(_text(response))
            name = str(action.pop("action"))
        except (ValueError, KeyError, AttributeError, TypeError):
            return Turn(text=_text(response), unreadable=True)
        if name == FINISH:
            return Turn(text=str(action.get("answer", "")))
        return Turn(calls=(Call(id="", name=name, arguments=action),))

    def results(self, outcomes: Sequence[tuple[Call, ToolOutcome]]) -> ModelRequest:
        """The result in the user's place, as the model knows no tools."""
        return ModelRequest(parts=[UserPromptPart(_spoken(call, outcome)) for call, outcome in outcomes])


class PlainAnswer:
    """No actions: one answer, with the skill's text in the system text where there is one."""

    max_turns = 1

    def system(self, skill: OfferedSkill | None) -> str:
        """The skill's body from the start."""
        return _PLAIN_SYSTEM if skill is None else f"{_PLAIN_SYSTEM} Follow these instructions.\n\n{skill.text}"

    def tools(self, skill: OfferedSkill | None) -> dict[str, Tool]:  # noqa: ARG002 - the protocol's
        """None."""
        return {}

    def asked(self, tools: Mapping[str, Tool]) -> tuple[ModelRequestParameters, ModelSettings]:  # noqa: ARG002 - likewise
        """Nothing but text."""
        return ModelRequestParameters(), ModelSettings(max_tokens=4096)

    def turn(self, response: ModelResponse) -> Turn:
        """The answer."""
        return Turn(thinking=_thinking(response), text=_text(response))

    def results(self, outcomes: Sequence[tuple[Call, ToolOutcome]]) -> ModelRequest:
        """Never asked for, as there are no calls."""
        raise NotImplementedError(outcomes)


def style_of(mode: str) -> Style:
    """The style of a `ChatModel.mode`."""
    if mode == "schema":
        return SchemaActions()
    return PlainAnswer() if mode == "injected" else NativeTools()


def _spoken(call: Call, outcome: ToolOutcome) -> str:
    if call.name == "load_skill" and not outcome.is_error:
        return f"Skill instructions:\n{outcome.text}\n\nNow do the user's task, following them."
    return f"{outcome.text} Finish now." if call.name == "write_file" and not outcome.is_error else outcome.text


def _action(name: str, parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    bounded: dict[str, Any] = {"action": {"const": name}}
    for key, schema in parameters.items():
        bounded[key] = {k: v for k, v in schema.items() if k != "description"}
        if key in _MAX_LENGTHS:
            bounded[key]["maxLength"] = _MAX_LENGTHS[key]
    return _object(bounded)


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _call(part: ToolCallPart) -> Call:
    arguments: Any = part.args or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = None
    known = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None
    return Call(id=part.tool_call_id, name=part.tool_name, arguments=known)


def _text(response: ModelResponse) -> str:
    return "".join(part.content for part in response.parts if isinstance(part, TextPart)).strip()


def _thinking(response: ModelResponse) -> str:
    return "\n".join(part.content for part in response.parts if isinstance(part, ThinkingPart) and part.content)
