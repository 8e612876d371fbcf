"""The API of Gemini: `generateContent` and `streamGenerateContent`. Model and streaming are said by the path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skilltrial.testing.mock_llm.request import Call, Message, Request, Result, ToolSpec, fields, objects, text_of
from skilltrial.testing.mock_llm.turn import Event, Turn, chunks, new_id

PATH = re.compile(r"/models/(?P<model>[^/:]+):(?P<stream>stream)?[gG]enerateContent$")


def parse(body: dict[str, Any]) -> Request:
    """The request of a body; model and stream are for the caller to set."""
    return Request(
        api="gemini",
        model="",
        stream=False,
        system=_text(objects(fields(body.get("systemInstruction")).get("parts"))),
        tools=[
            _tool(raw) for group in objects(body.get("tools")) for raw in objects(group.get("functionDeclarations"))
        ],
        messages=[_message(raw) for raw in objects(body.get("contents"))],
        body=body,
    )


def _tool(raw: dict[str, Any]) -> ToolSpec:
    schema = fields(raw.get("parametersJsonSchema")) or fields(raw.get("parameters"))
    return ToolSpec(raw.get("name", ""), raw.get("description") or "", schema)


def _text(parts: list[dict[str, Any]]) -> str:
    return "\n".join(text_of(part) for part in parts if "text" in part)


def _message(raw: dict[str, Any]) -> Message:
    parts = objects(raw.get("parts"))
    message = Message("assistant" if raw.get("role") == "model" else "user")
    for part in parts:
        call, result = fields(part.get("functionCall")), fields(part.get("functionResponse"))
        if call:
            message.calls.append(Call(call.get("id") or call.get("name", ""), call.get("name", ""), call.get("args")))
        elif result:
            response = fields(result.get("response"))
            text = text_of(response.get("output")) or text_of(response.get("error"))
            name = result.get("name", "")
            message.results.append(Result(result.get("id") or name, name, text, is_error="error" in response))
        elif text_of(part) and not part.get("thought"):
            message.texts.append(text_of(part))
    if message.results:
        message.role = "tool"
    return message


def whole(turn: Turn, request: Request) -> dict[str, Any]:
    """The body of an answer that is not a stream."""
    return _answer(_parts(turn), turn, request, last=True)


def events(turn: Turn, request: Request) -> Iterator[Event]:
    """The events of a streamed answer: one for each piece, the last with the reason and the tokens."""
    parts = _parts(turn) or [{"text": ""}]
    for part in parts[:-1]:
        yield None, _answer([part], turn, request, last=False)
    if turn.fault == "stream_error":
        error = turn.error or {"status": 529, "message": "Overloaded"}
        yield None, {"error": {"code": error.get("status"), "message": error.get("message"), "status": "UNAVAILABLE"}}
        return
    yield None, _answer(parts[-1:], turn, request, last=True)


def _parts(turn: Turn) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in chunks(turn.thinking)]
    parts += [{"text": piece} for piece in chunks(turn.text)]
    parts += [{"functionCall": {"id": new_id("call_"), "name": call.name, "args": call.input}} for call in turn.calls]
    return parts


def _answer(parts: list[dict[str, Any]], turn: Turn, request: Request, *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    answer: dict[str, Any] = {"candidates": [candidate], "modelVersion": request.model, "responseId": new_id("resp_")}
    if last:
        candidate["finishReason"] = _stop(turn)
        answer["usageMetadata"] = _usage(turn, request)
    return answer


def _usage(turn: Turn, request: Request) -> dict[str, int]:
    usage = turn.usage_for(request)
    prompt = usage["input"] + usage["cache_read"] + usage["cache_write"]
    return {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": usage["cache_read"],
        "candidatesTokenCount": usage["output"],
        "totalTokenCount": prompt + usage["output"],
    }


def _stop(turn: Turn) -> str:
    stops = {"max_tokens": "MAX_TOKENS", "refusal": "SAFETY", "end_turn": "STOP"}
    return stops.get(turn.stop, turn.stop) if turn.stop else "STOP"
