"""The Messages API of Anthropic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from skilltrial.testing.mock_llm.request import Call, Message, Request, Result, ToolSpec, fields, objects, text_of
from skilltrial.testing.mock_llm.turn import Event, Turn, chunks, error_body, new_id


def parse(body: dict[str, Any]) -> Request:
    """The request of a body."""
    names: dict[str, str] = {}
    return Request(
        api="anthropic",
        model=str(body.get("model", "")),
        stream=bool(body.get("stream")),
        system=text_of(body.get("system")),
        tools=[
            ToolSpec(tool.get("name", ""), tool.get("description", ""), fields(tool.get("input_schema")))
            for tool in objects(body.get("tools"))
        ],
        messages=[_message(raw, names) for raw in objects(body.get("messages"))],
        body=body,
    )


def _message(raw: dict[str, Any], names: dict[str, str]) -> Message:
    content = raw.get("content")
    message = Message(role=raw.get("role", "user"))
    for block in cast("list[Any]", content) if isinstance(content, list) else [content]:
        part = fields(block) or {"text": block}
        match part.get("type", "text"):
            case "tool_use":
                names[part["id"]] = part["name"]
                message.calls.append(Call(part["id"], part["name"], part.get("input")))
            case "tool_result":
                call_id = part.get("tool_use_id", "")
                text, failed = text_of(part.get("content")), bool(part.get("is_error"))
                message.results.append(Result(call_id, names.get(call_id, ""), text, failed))
            case "text":
                message.texts += filter(None, [text_of(part)])
            case _:
                pass
    return message


def whole(turn: Turn, request: Request) -> dict[str, Any]:
    """The body of an answer that is not a stream."""
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": _blocks(turn),
        "stop_reason": turn.stop or ("tool_use" if turn.calls else "end_turn"),
        "stop_sequence": None,
        "usage": _usage(turn, request),
    }


def events(turn: Turn, request: Request) -> Iterator[Event]:
    """The events of a streamed answer."""
    answer = whole(turn, request)
    head: dict[str, Any] = {
        **answer,
        "content": [],
        "stop_reason": None,
        "usage": {**answer["usage"], "output_tokens": 1},
    }
    yield _event("message_start", message=head)
    yield _event("ping")
    for index, block in enumerate(answer["content"]):
        start, deltas = _pieces(block)
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    if turn.fault == "stream_error":
        yield "error", error_body("anthropic", turn.error or {"status": 529, "message": "Overloaded"})
        return
    delta = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=answer["usage"])
    yield _event("message_stop")


def _event(kind: str, **fields: Any) -> Event:
    return kind, {"type": kind, **fields}


def _usage(turn: Turn, request: Request) -> dict[str, Any]:
    usage = turn.usage_for(request)
    return {
        "input_tokens": usage["input"],
        "cache_creation_input_tokens": usage["cache_write"],
        "cache_read_input_tokens": usage["cache_read"],
        "cache_creation": {"ephemeral_5m_input_tokens": usage["cache_write"], "ephemeral_1h_input_tokens": 0},
        "output_tokens": usage["output"],
        "service_tier": "standard",
    }


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if turn.thinking:
        blocks.append({"type": "thinking", "thinking": turn.thinking, "signature": "bW9jaw=="})
    if turn.text or not (turn.calls or turn.thinking):
        blocks.append({"type": "text", "text": turn.text})
    blocks += [
        {"type": "tool_use", "id": new_id("toolu_"), "name": call.name, "input": call.input} for call in turn.calls
    ]
    return blocks


def _pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in chunks(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in chunks(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {"type": "thinking", "thinking": "", "signature": ""}, deltas
    text = json.dumps(block["input"], ensure_ascii=False)
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *chunks(text)]]
    return {**block, "input": {}}, deltas
