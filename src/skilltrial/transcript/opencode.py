"""The stream of OpenCode (`opencode run --format json`).

It has no first and no last event: the end is a step that finished with `stop`. A tool call is shown only when it has ended. The
output tokens do not count the reasoning, the input tokens not the cache. Nothing is shown of what sub-agents do, so that with one
tokens and cost of the run are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.trial import ReasonCode
from skilltrial.records.usage import Usage
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, number_of, text_of, time_of_ms

_ENDINGS: Mapping[str, ReasonCode] = {"length": "output_limit", "content-filter": "refusal"}
_ERRORS: Mapping[str | None, ReasonCode] = {
    "ProviderAuthError": "auth_failed",
    "MessageOutputLengthError": "output_limit",
    "ContextOverflowError": "context_limit",
    "ProviderModelNotFoundError": "model_not_found",
}
_SUB_AGENT = "task"
_REFUSALS = ("rejected permission to use this", "specified a rule which prevents you from using this")


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:  # noqa: ARG001 - all readers are called alike
    """Read a stream; see `transcript.formats`."""
    recorder, tokens, n_steps = Recorder(prompt=prompt), Tokens(input_has_cache=False), 0
    sub_agents = False
    for row in rows(lines, recorder):
        recorder.at = time_of_ms(row.get("timestamp"))
        part = fields_of(row.get("part"))
        match row.get("type"):
            case "step_start":
                recorder.finished = False
            case "text":
                recorder.say(text_of(part.get("text")) or "")
            case "reasoning":
                recorder.think(text_of(part.get("text")) or "")
            case "tool_use":
                sub_agents = sub_agents or part.get("tool") == _SUB_AGENT
                _tool(part, recorder)
            case "step_finish":
                n_steps += 1
                _step(part, recorder, tokens)
            case "error":
                _error(fields_of(row.get("error")), recorder)
            case _:
                recorder.note("unknown_event", row)
    if sub_agents:
        recorder.cost_usd = None
        return recorder.stream(Usage())
    return recorder.stream(tokens.usage(requests=n_steps or None))


def _tool(part: Fields, recorder: Recorder) -> None:
    call_id, state = text_of(part.get("callID")), fields_of(part.get("state"))
    recorder.call(call_id, text_of(part.get("tool")), state.get("input"))
    exit_code = int_of(fields_of(state.get("metadata")).get("exit"))
    if any(words in (text_of(state.get("error")) or "") for words in _REFUSALS):
        recorder.note("permission_denied", text_of(part.get("tool")) or "")
    text = text_of(state.get("output")) or text_of(state.get("error")) or ""
    recorder.answer(call_id, text, is_error=state.get("status") != "completed" or exit_code not in (0, None))


def _step(part: Fields, recorder: Recorder, tokens: Tokens) -> None:
    counts, cost = fields_of(part.get("tokens")), number_of(part.get("cost"))
    cache, output = fields_of(counts.get("cache")), int_of(counts.get("output"))
    tokens.add(
        int_of(counts.get("input")),
        None if output is None else output + (int_of(counts.get("reasoning")) or 0),
        read=int_of(cache.get("read")),
        write=int_of(cache.get("write")),
    )
    if cost:  # 0 is what it says of models without a price
        recorder.cost_usd = (recorder.cost_usd or 0.0) + cost
    reason = text_of(part.get("reason")) or ""
    recorder.finished = reason == "stop"
    if reason in _ENDINGS:
        recorder.fail(Failure(message=f"the model's answer ended with {reason!r}.", code=_ENDINGS[reason]))


def _error(error: Fields, recorder: Recorder) -> None:
    data, name = fields_of(error.get("data")), text_of(error.get("name"))
    message = text_of(data.get("message")) or name or "it does not say why."
    recorder.fail(Failure(message=message, status=int_of(data.get("statusCode")), code=_ERRORS.get(name)))
