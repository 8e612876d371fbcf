"""The stream of Qwen Code (`qwen --output-format stream-json`), of Claude Code's family.

It differs in: no cost; input tokens that count the cache; errors of the service that are also a text of the assistant; no
`result` after a limit, where the tokens of the single answers are added up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from skilltrial.records.events import SessionStarted
from skilltrial.transcript.agent_stream import AgentStream, Failure, Tokens
from skilltrial.transcript.claude_code import parse
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, objects_of, read_row, text_of

_ERROR = "[API Error: "


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:  # noqa: ARG001 - all readers are called alike
    """Read a stream; see `transcript.formats`."""
    facts = _Facts()
    parsed = parse((facts.seen(line) for line in lines), prompt=prompt)
    result = facts.result
    finished = result.get("subtype") == "success" and result.get("is_error") is False
    events = tuple(
        event.model_copy(update={"version": facts.version}) if isinstance(event, SessionStarted) else event
        for event in parsed.events
    )
    return AgentStream(
        events=events,
        finished=finished,
        failure=facts.failure(),
        waiting=None,
        final_message=parsed.final_message,
        usage=facts.usage(result).usage(requests=len(facts.answers) or None),
        cost_usd=None,
        model=parsed.model,
        version=facts.version,
    )


class _Facts:
    """What Claude Code's reader does not know of."""

    def __init__(self) -> None:
        self.result: Fields = {}
        self.answers: list[Fields] = []
        self.version: str | None = None

    def seen(self, line: str) -> str:
        row = read_row(line)
        match row and row.get("type"):
            case "system":
                self.version = text_of(fields_of(row).get("qwen_code_version")) or self.version
            case "result":
                self.result = fields_of(row)
            case "assistant":
                return self._answer(fields_of(row)) or line
            case _:
                pass
        return line

    def failure(self) -> Failure | None:
        if self.result.get("is_error") is not True:
            return None
        message = text_of(fields_of(self.result.get("error")).get("message")) or str(self.result.get("subtype"))
        return Failure(message=message)

    def usage(self, result: Fields) -> Tokens:
        tokens = Tokens(input_has_cache=True)
        whole = fields_of(result.get("usage"))
        for counts in [whole] if whole.get("output_tokens") else self.answers:
            read = int_of(counts.get("cache_read_input_tokens"))
            tokens.add(int_of(counts.get("input_tokens")), int_of(counts.get("output_tokens")), read=read)
        return tokens

    def _answer(self, row: Fields) -> str | None:
        message = fields_of(row.get("message"))
        usage = fields_of(message.get("usage"))
        if usage.get("output_tokens"):  # on the last block of an answer; the others have zeros
            self.answers.append(usage)
        blocks = objects_of(message.get("content"))
        if len(blocks) == 1 and (text_of(blocks[0].get("text")) or "").startswith(_ERROR):
            return json.dumps({**row, "message": {**message, "model": "<synthetic>"}})
        return None
