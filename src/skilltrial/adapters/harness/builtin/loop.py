"""The loop: ask the model, do what it asks for, tell it what came of that, until it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings, merge_model_settings

from skilltrial.adapters.harness.builtin.failures import COMPLETED, CUT, Ending, agent_failed
from skilltrial.adapters.harness.builtin.offered_skill import OfferedSkill
from skilltrial.adapters.harness.builtin.recording import Recording
from skilltrial.adapters.harness.builtin.styles import Call, Style, Turn
from skilltrial.adapters.harness.builtin.toolbox import Tool, Toolbox, ToolOutcome
from skilltrial.records.events import AssistantMessage, Thinking, ToolCall, ToolResult
from skilltrial.records.usage import Usage

_SEEDED = ("openai", "embedded", "openai-compatible")


class AgentLoop:
    """One trial's conversation. Errors of the service come out of `run` as pydantic-ai raises them."""

    def __init__(
        self,
        model: Model[Any],
        style: Style,
        *,
        toolbox: Toolbox,
        skill: OfferedSkill | None,
        recording: Recording,
        until_loaded: bool = False,
    ) -> None:
        self._model = model
        self._style = style
        self._toolbox = toolbox
        self._recording = recording
        self._until_loaded = until_loaded
        self._system = style.system(skill)
        self._tools: Mapping[str, Tool] = style.tools(skill)
        self._n_calls = 0

    async def run(self, prompt: str, *, seed: int, earlier: Sequence[ModelMessage] = ()) -> Ending:
        """Until the model answers without a call, or the turns are used up. `earlier` is what the session has so far."""
        parameters, settings = self._style.asked(self._tools)
        if self._model.system in _SEEDED:
            settings = merge_model_settings(settings, ModelSettings(seed=seed % 2**31)) or settings
        self._recording.raw("start", settings=settings, tools=list(self._tools), seed=seed)
        history: list[ModelMessage] = list(earlier)
        self._n_calls = sum(len(message.parts) for message in earlier)  # made ids begin where no earlier one can be
        asked = UserPromptPart(prompt)
        said = ModelRequest(parts=[asked] if earlier else [SystemPromptPart(self._system), asked])
        for number in range(1, self._style.max_turns + 1):
            history.append(said)
            self._recording.raw("request", n=number, message=_dumped(said))
            self._recording.asks()
            response = await model_request(
                self._model, history, model_settings=settings, model_request_parameters=parameters
            )
            history.append(response)
            self._keep(response, number)
            turn = self._style.turn(response)
            ending = self._read(turn, response)
            if ending is not None:
                return ending
            said = self._style.results([(call, await self._do(call)) for call in self._numbered(turn)])
            if self._until_loaded and (self._toolbox.loaded or self._toolbox.read_as_file):
                return CUT
        return agent_failed("turn_limit", f"The agent did not finish within {self._style.max_turns} turns.")

    def _keep(self, response: ModelResponse, number: int) -> None:
        self._recording.raw("response", n=number, message=_dumped(response))
        self._recording.count(_usage(response), _cost_usd(response))
        if response.model_name:
            self._recording.model = response.model_name

    def _read(self, turn: Turn, response: ModelResponse) -> Ending | None:
        """Adds what was said; an ending where the turn is the last."""
        if turn.thinking:
            self._recording.add(Thinking, text=turn.thinking)
        if turn.text:
            self._recording.add(AssistantMessage, text=turn.text)
            self._recording.final_message = self._recording.masked(turn.text)
        if response.finish_reason == "content_filter":
            return agent_failed("refusal", "The model refused to answer.")
        if response.finish_reason == "length":
            return agent_failed("output_limit", "The model's answer was cut at its length limit.")
        if turn.unreadable:
            return agent_failed("unparsable", "The model's answer is no action.")
        return None if turn.calls else COMPLETED

    def _numbered(self, turn: Turn) -> list[Call]:
        """The calls, with ids for models that give none."""
        calls: list[Call] = []
        for call in turn.calls:
            self._n_calls += 1
            calls.append(
                call if call.id else Call(id=f"call-{self._n_calls}", name=call.name, arguments=call.arguments)
            )
        return calls

    async def _do(self, call: Call) -> ToolOutcome:
        self._recording.add(ToolCall, call_id=call.id, name=call.name, input=call.arguments)
        if call.arguments is None:
            outcome = ToolOutcome(text="The arguments are no JSON object.", is_error=True)
        else:
            outcome = await self._toolbox.call(call.name, call.arguments, allowed=self._tools)
        self._recording.add(ToolResult, call_id=call.id, text=outcome.text, is_error=outcome.is_error)
        return outcome


def _dumped(message: ModelMessage) -> Any:
    return ModelMessagesTypeAdapter.dump_python([message], mode="json", exclude_none=True)[0]


def _usage(response: ModelResponse) -> Usage:
    """pydantic-ai's input counts what came from or went to a cache too; ours does not."""
    usage = response.usage
    if not (usage.input_tokens or usage.output_tokens):
        return Usage()
    return Usage(
        input_tokens=usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )


def _cost_usd(response: ModelResponse) -> float | None:
    """The list price; None where the model is in no price list or the usage is unknown."""
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None
