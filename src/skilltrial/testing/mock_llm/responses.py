"""The Responses API of OpenAI, over HTTP."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

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
from skilltrial.testing.mock_llm.turn import Event, ScriptedCall, Turn, chunks, new_id


def parse(body: dict[str, Any]) -> Request:
    """The request of a body."""
    conversation = _Conversation(system=text_of(body.get("instructions")))
    items = body.get("input")
    if isinstance(items, str):
        items = [{"type": "message", "role": "user", "content": items}]
    for item in objects(items):
        conversation.take(item)
    return Request(
        api="openai-responses",
        model=str(body.get("model", "")),
        stream=bool(body.get("stream")),
        system="\n".join(text for text in conversation.system if text),
        tools=[tool for raw in objects(body.get("tools")) for tool in _offered(raw)],
        messages=conversation.messages,
        body=body,
    )


def _offered(raw: dict[str, Any]) -> list[ToolSpec]:
    # A namespace groups function tools under one name.
    if raw.get("type") != "namespace":
        return [_tool(raw)]
    return [replace(_tool(member), group=str(raw.get("name") or "")) for member in objects(raw.get("tools"))]


def _tool(raw: dict[str, Any]) -> ToolSpec:
    kind = raw.get("type", "function")
    return ToolSpec(raw.get("name") or kind, raw.get("description") or "", fields(raw.get("parameters")), kind)


class _Conversation:
    """Input items, put together to messages."""

    def __init__(self, *, system: str) -> None:
        self.system = [system]
        self.messages: list[Message] = []
        self._names: dict[str, str] = {}

    def take(self, item: dict[str, Any]) -> None:
        kind = str(item.get("type", "message"))
        if kind == "message":
            self._text(item)
        elif kind.endswith("_call_output"):
            self.messages.append(Message("tool", results=[self._result(item)]))
        elif kind.endswith("_call"):
            name = item.get("name") or kind
            call_id = item.get("call_id") or item.get("id", "")
            self._names[call_id] = name
            given = item.get("arguments", item.get("input", item.get("action")))
            self._assistant().calls.append(Call(call_id, name, parsed(given)))
        elif kind == "reasoning":
            self._assistant()

    def _text(self, item: dict[str, Any]) -> None:
        match item.get("role", "user"):
            case "system" | "developer":
                self.system.append(text_of(item.get("content")))
            case "assistant":
                self._assistant().texts += texts_of(item.get("content"))
            case _:
                self.messages.append(Message("user", texts=texts_of(item.get("content"))))

    def _assistant(self) -> Message:
        # Items of one turn of the model follow each other; they count as one message.
        if not self.messages or self.messages[-1].role != "assistant":
            self.messages.append(Message("assistant"))
        return self.messages[-1]

    def _result(self, item: dict[str, Any]) -> Result:
        call_id = item.get("call_id", "")
        output = parsed(item.get("output"))
        failed = fields(output).get("success") is False
        text = str(output) if isinstance(output, int | float) else text_of(output)
        return Result(call_id, self._names.get(call_id, ""), text or str(item.get("output")), failed)


def whole(turn: Turn, request: Request) -> dict[str, Any]:
    """The body of an answer that is not a stream."""
    usage = turn.usage_for(request)
    given = usage["input"] + usage["cache_read"] + usage["cache_write"]
    cut = turn.stop == "max_tokens"
    return {
        "id": new_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "model": request.model,
        "output": _items(turn),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": given,
            "input_tokens_details": {"cached_tokens": usage["cache_read"]},
            "output_tokens": usage["output"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": given + usage["output"],
        },
    }


def events(turn: Turn, request: Request) -> Iterator[Event]:
    """The events of a streamed answer."""
    numbers = itertools.count()
    for kind, rest in _numberless(turn, request):
        yield kind, {"type": kind, "sequence_number": next(numbers), **rest}


def _numberless(turn: Turn, request: Request) -> Iterator[tuple[str, dict[str, Any]]]:
    answer = whole(turn, request)
    started: dict[str, Any] = {
        **answer,
        "status": "in_progress",
        "output": [],
        "usage": None,
        "incomplete_details": None,
    }
    yield "response.created", {"response": started}
    yield "response.in_progress", {"response": started}
    for index, item in enumerate(answer["output"]):
        match item["type"]:
            case "message":
                yield from _message_events(item, index)
            case "reasoning":
                yield from _reasoning_events(item, index)
            case "function_call" | "custom_tool_call":
                yield from _call_events(item, index)
            case _:
                yield "response.output_item.added", {"output_index": index, "item": {**item, "status": "in_progress"}}
        yield "response.output_item.done", {"output_index": index, "item": item}
    if turn.fault == "stream_error":
        error = turn.error or {}
        code, message = error.get("code", "server_is_overloaded"), error.get("message", "Overloaded")
        failed: dict[str, Any] = {**started, "status": "failed", "error": {"code": code, "message": message}}
        yield "response.failed", {"response": failed}
        return
    yield f"response.{'incomplete' if turn.stop == 'max_tokens' else 'completed'}", {"response": answer}


def _message_events(item: dict[str, Any], index: int) -> Iterator[tuple[str, dict[str, Any]]]:
    part = item["content"][0]
    spot = {"item_id": item["id"], "output_index": index, "content_index": 0}
    opened: dict[str, Any] = {**item, "status": "in_progress", "content": []}
    yield "response.output_item.added", {"output_index": index, "item": opened}
    yield "response.content_part.added", {**spot, "part": {**part, "text": ""}}
    for piece in chunks(part["text"]):
        yield "response.output_text.delta", {**spot, "delta": piece}
    yield "response.output_text.done", {**spot, "text": part["text"]}
    yield "response.content_part.done", {**spot, "part": part}


def _reasoning_events(item: dict[str, Any], index: int) -> Iterator[tuple[str, dict[str, Any]]]:
    part = item["summary"][0]
    spot = {"item_id": item["id"], "output_index": index, "summary_index": 0}
    yield "response.output_item.added", {"output_index": index, "item": {**item, "summary": []}}
    yield "response.reasoning_summary_part.added", {**spot, "part": {**part, "text": ""}}
    for piece in chunks(part["text"]):
        yield "response.reasoning_summary_text.delta", {**spot, "delta": piece}
    yield "response.reasoning_summary_text.done", {**spot, "text": part["text"]}
    yield "response.reasoning_summary_part.done", {**spot, "part": part}


def _call_events(item: dict[str, Any], index: int) -> Iterator[tuple[str, dict[str, Any]]]:
    custom = item["type"] == "custom_tool_call"
    key, name = ("input", "custom_tool_call_input") if custom else ("arguments", "function_call_arguments")
    place = {"item_id": item["id"], "output_index": index}
    opened: dict[str, Any] = {**item, "status": "in_progress", key: ""}
    yield "response.output_item.added", {"output_index": index, "item": opened}
    for piece in chunks(item[key]):
        yield f"response.{name}.delta", {**place, "delta": piece}
    yield f"response.{name}.done", {**place, key: item[key]}


def _items(turn: Turn) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if turn.thinking:
        summary = [{"type": "summary_text", "text": turn.thinking}]
        items.append({"id": new_id("rs_"), "type": "reasoning", "summary": summary})
    if turn.text or not (turn.calls or turn.thinking):
        content: list[dict[str, Any]] = [{"type": "output_text", "text": turn.text, "annotations": []}]
        message = {"id": new_id("msg_"), "type": "message", "status": "completed", "role": "assistant"}
        items.append({**message, "content": content})
    items += [_call_item(call) for call in turn.calls]
    return items


def _call_item(call: ScriptedCall) -> dict[str, Any]:
    head: dict[str, Any] = {"status": "completed", "call_id": new_id("call_")}
    given = call.input
    if call.kind == "custom":
        text = given if isinstance(given, str) else str(given.get("input", call.arguments))
        return {"id": new_id("ctc_"), "type": "custom_tool_call", **head, "name": call.name, "input": text}
    if call.kind == "local_shell":
        command = given.get("command", "")
        argv = cast("list[str]", command) if isinstance(command, list) else ["bash", "-lc", command]
        action: dict[str, Any] = {"type": "exec", "command": argv, "env": {}}
        return {"id": new_id("lsh_"), "type": "local_shell_call", **head, "action": action}
    head |= {"namespace": call.group} if call.group else {}
    return {"id": new_id("fc_"), "type": "function_call", **head, "name": call.name, "arguments": call.arguments}
