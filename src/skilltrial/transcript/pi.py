"""The stream of pi (`pi --mode json`).

pi has no tool for skills: their files are read. It ends with exit code 0 also after an error; the last answer's `stopReason`
tells. The input tokens do not count the cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from skilltrial.records.events import UserMessage
from skilltrial.transcript.agent_stream import AgentStream, Failure, Recorder, Tokens, rows
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, number_of, objects_of, text_of, time_of_ms

_KNOWN = {
    "session",
    "agent_start",
    "agent_end",
    "turn_start",
    "turn_end",
    "message_start",
    "message_update",
    "tool_execution_update",
    "auto_retry_end",
    "entry_appended",
}
"""Events that say nothing that others do not say too."""
_NAME = re.compile(r"<name>\s*([^<]+?)\s*</name>")


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:  # noqa: ARG001 - all readers are called alike
    """Read a stream; see `transcript.formats`."""
    reader = _Reader(prompt)
    for row in rows(lines, reader.recorder):
        reader.take(row)
    return reader.recorder.stream(reader.tokens.usage(requests=reader.n_answers or None))


class _Reader:
    def __init__(self, prompt: str | None) -> None:
        self.recorder = Recorder(prompt=prompt)
        self.tokens = Tokens(input_has_cache=False)
        self.n_answers = 0
        self._stopped = False

    def take(self, row: Fields) -> None:
        match row.get("type"):
            case "message_end":
                self._message(fields_of(row.get("message")))
            case "tool_execution_start":
                self.recorder.call(text_of(row.get("toolCallId")), text_of(row.get("toolName")), row.get("args"))
            case "tool_execution_end":
                text = _text(fields_of(row.get("result")))
                is_error = row.get("isError")
                self.recorder.answer(
                    text_of(row.get("toolCallId")), text, is_error=is_error if isinstance(is_error, bool) else None
                )
            case "auto_retry_start":
                self.recorder.failure = None
                self.recorder.retrying(Failure(message=text_of(row.get("errorMessage")) or ""))
            case "agent_settled":
                self.recorder.finished = self._stopped and row.get("aborted") is False
            case str() as kind if kind in _KNOWN:
                pass
            case _:
                self.recorder.note("unknown_event", row)

    def _message(self, message: Fields) -> None:
        self.recorder.at = time_of_ms(message.get("timestamp"))
        match message.get("role"):
            case "assistant":
                self._answer(message)
            case "system":
                sections = message.get("sections")
                listing = text_of(fields_of(sections).get("skills")) or ""
                names = tuple(_NAME.findall(listing)) if isinstance(sections, dict) else None
                if names is not None and listing and not names:
                    names = None  # another way of listing
                self.recorder.session(skills=names, listing=listing or None)
            case "user":
                text = _text(message)
                if text != self.recorder.prompt:
                    self.recorder.add(UserMessage(ordinal=0, text=text, synthetic=self.recorder.prompt is not None))
            case _:
                pass  # results of tools, which have events of their own

    def _answer(self, message: Fields) -> None:
        recorder, reason = self.recorder, message.get("stopReason")
        recorder.model = text_of(message.get("model")) or recorder.model
        for block in objects_of(message.get("content")):
            if block.get("type") == "text":
                recorder.say(text_of(block.get("text")) or "")
            elif block.get("type") == "thinking":
                recorder.think(text_of(block.get("thinking")) or "")
        self._stopped, recorder.finished = reason == "stop", False
        if reason == "error":
            recorder.fail(Failure(message=text_of(message.get("errorMessage")) or "it does not say why."))
            return
        self.n_answers += 1
        recorder.failure = recorder.waiting = None
        self._count(fields_of(message.get("usage")))
        if reason == "length":
            recorder.fail(Failure(message="the model's answer ended with 'length'.", code="output_limit"))

    def _count(self, usage: Fields) -> None:
        self.tokens.add(
            int_of(usage.get("input")),
            int_of(usage.get("output")),
            read=int_of(usage.get("cacheRead")),
            write=int_of(usage.get("cacheWrite")),
        )
        cost = number_of(fields_of(usage.get("cost")).get("total"))
        if cost:  # 0 is what it says of models without a price
            self.recorder.cost_usd = (self.recorder.cost_usd or 0.0) + cost


def _text(holder: Fields) -> str:
    content = holder.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text_of(block.get("text")) or f"[{block.get('type')}]" for block in objects_of(content))
