"""The trajectory of mini-swe-agent (`mini -o FILE`): one JSON file, written at the end; nothing is streamed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.trial import ReasonCode
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens
from skilltrial.transcript.foreign_json import (
    Fields,
    fields_of,
    int_of,
    json_of,
    number_of,
    objects_of,
    read_row,
    text_of,
)

_NOT_RUN = "action was not executed"
"""Said of the command that ends the run."""
_STATUSES: Mapping[str, ReasonCode] = {
    "LimitsExceeded": "budget",
    "AuthenticationError": "auth_failed",
    "PermissionDeniedError": "auth_failed",
    "NotFoundError": "model_not_found",
    "RateLimitError": "rate_limited",
    "ContextWindowExceededError": "context_limit",
}
_INTERRUPTED = frozenset({"EOFError", "KeyboardInterrupt", "Abort"})
"""It was told to stop, and asked a person who is not there: no error of its own."""


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:  # noqa: ARG001 - all readers are called alike
    """Read a trajectory; see `transcript.formats`."""
    recorder, tokens = Recorder(prompt=prompt), Tokens(input_has_cache=True)
    text = "".join(lines)
    whole = read_row(text)
    if whole is None and text.strip():
        recorder.note("unparsable_file", text.strip())
    info = fields_of((whole or {}).get("info"))
    recorder.version = text_of(info.get("mini_version"))
    stats = fields_of(info.get("model_stats"))
    recorder.cost_usd = number_of(stats.get("instance_cost")) or None  # 0 is what it says of models without a price
    if whole is not None:
        recorder.session()
    for message in objects_of((whole or {}).get("messages")):
        _message(message, recorder, tokens)
    return recorder.stream(tokens.usage(requests=int_of(stats.get("api_calls"))))


def _message(message: Fields, recorder: Recorder, tokens: Tokens) -> None:
    extra = fields_of(message.get("extra"))
    match message.get("role"):
        case "assistant":
            _answer(message, recorder)
            _count(fields_of(extra.get("response")), recorder, tokens)
        case "tool":
            text = text_of(extra.get("raw_output")) or text_of(message.get("content")) or ""
            code = int_of(extra.get("returncode"))
            is_error = None if code is None or extra.get("exception_info") == _NOT_RUN else code != 0
            recorder.answer(text_of(message.get("tool_call_id")), text, is_error=is_error)
        case "exit":
            _end(text_of(extra.get("exit_status")) or "", message, recorder)
        case "system" | "user":
            pass  # the program's own words, with the prompt inside
        case _:
            recorder.note("unknown_message", message)


def _answer(message: Fields, recorder: Recorder) -> None:
    text = text_of(message.get("content"))
    if text:
        recorder.say(text)
    for call in objects_of(message.get("tool_calls")):
        function = fields_of(call.get("function"))
        recorder.call(text_of(call.get("id")), text_of(function.get("name")), json_of(function.get("arguments")))


def _count(response: Fields, recorder: Recorder, tokens: Tokens) -> None:
    usage = fields_of(response.get("usage"))
    recorder.model = text_of(response.get("model")) or recorder.model
    if usage:
        read = int_of(fields_of(usage.get("prompt_tokens_details")).get("cached_tokens"))
        tokens.add(int_of(usage.get("prompt_tokens")), int_of(usage.get("completion_tokens")), read=read)


def _end(status: str, message: Fields, recorder: Recorder) -> None:
    if status == "Submitted":
        recorder.finished = True
    if status == "Submitted" or status in _INTERRUPTED:
        return
    said = text_of(message.get("content")) or ""
    recorder.fail(Failure(message=f"{status}: {said}".rstrip(": "), code=_STATUSES.get(status)))
