"""The Chat Completions API of OpenAI."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from skilltrial.testing.mock_llm.request import (
    Call,
    Message,
    Request,
    Result,
    ToolSpec,
    fields,
    objects,
    parsed,
    text_of,
    texts_of,
)
from skilltrial.testing.mock_llm.turn import Event, Turn, chunks, error_body, new_id


def parse(body: dict[str, Any]) -> Request:
    """The request of a body."""
    names: dict[str, str] = {}
    system: list[str] = []
    messages: list[Message] = []
    for raw in objects(body.get("messages")):
        if raw.get("role") in ("system", "developer"):
            system.append(text_of(raw.get("content")))
        else:
            messages.append(_message(raw, names))
    return Request(
        api="openai-chat",
        model=str(body.get("model", "")),
        stream=bool(body.get("stream")),
        system="\n".join(system),
        tools=[_tool(fields(raw.get("function")) or raw) for raw in objects(body.get("tools"))],
        messages=messages,
        body=body,
    )


def _tool(function: dict[str, Any]) -> ToolSpec:
    return ToolSpec(function.get("name", ""), function.get("description") or "", fields(function.get("parameters")))


def _message(raw: dict[str, Any], names: dict[str, str]) -> Message:
    role = raw.get("role", "user")
    if role == "tool":
        call_id = raw.get("tool_call_id", "")
        return Message("tool", results=[Result(call_id, names.get(call_id, ""), text_of(raw.get("content")))])
    message = Message(role, texts=texts_of(raw.get("content")))
    for call in objects(raw.get("tool_calls")):
        function = fields(call.get("function"))
        call_id, name = call.get("id", ""), function.get("name", "")
        names[call_id] = name
        message.calls.append(Call(call_id, name, parsed(function.get("arguments"))))
    return message


def whole(turn: Turn, request: Request) -> dict[str, Any]:
    """The body of an answer that is not a stream."""
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.thinking:
        message["reasoning_content"] = turn.thinking
    if turn.calls:
        message["tool_calls"] = _calls(turn)
    return {
        "id": new_id("chatcmpl-"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": _stop(turn)}],
        "usage": _usage(turn, request),
    }


def events(turn: Turn, request: Request) -> Iterator[Event]:
    """The events of a streamed answer."""
    head = {
        "id": new_id("chatcmpl-"),
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": request.model,
    }

    def chunk(delta: dict[str, Any], stop: str | None = None) -> Event:
        return None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in chunks(turn.thinking):
        yield chunk({"reasoning_content": piece})
    for piece in chunks(turn.text):
        yield chunk({"content": piece})
    for index, call in enumerate(_calls(turn)):
        arguments = call["function"]["arguments"]
        first = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        yield chunk({"tool_calls": [first]})
        for piece in chunks(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    if turn.fault == "stream_error":
        yield None, error_body("openai-chat", turn.error or {"status": 529, "message": "Overloaded"})
        return
    yield chunk({}, _stop(turn))
    if fields(request.body.get("stream_options")).get("include_usage"):
        yield None, {**head, "choices": [], "usage": _usage(turn, request)}
    yield None, "[DONE]"


def _usage(turn: Turn, request: Request) -> dict[str, Any]:
    usage = turn.usage_for(request)
    prompt = usage["input"] + usage["cache_read"] + usage["cache_write"]
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage["output"],
        "total_tokens": prompt + usage["output"],
        "prompt_tokens_details": {"cached_tokens": usage["cache_read"]},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _calls(turn: Turn) -> list[dict[str, Any]]:
    return [
        {"id": new_id("call_"), "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in turn.calls
    ]


def _stop(turn: Turn) -> str:
    stops = {"max_tokens": "length", "refusal": "content_filter", "end_turn": "stop"}
    if turn.stop:
        return stops.get(turn.stop, turn.stop)
    return "tool_calls" if turn.calls else "stop"
