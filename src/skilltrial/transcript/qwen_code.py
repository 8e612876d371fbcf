"""The stream of Qwen Code (`qwen --output-format stream-json`), of Claude Code's family, with its session file (`session`).

It differs in: no cost; input tokens that count the cache; errors of the service that are also a text of the assistant; no
`result` after a limit. Its `result` counts the tokens of a whole session, so that the answers in the session file come
first; without it those of the `result`, else of the single answers in the stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from skilltrial.records.events import SessionStarted
from skilltrial.records.trial import Usage
from skilltrial.transcript.agent_stream import AgentStream, Failure, Tokens
from skilltrial.transcript.claude_code import parse
from skilltrial.transcript.foreign_json import Fields, fields_of, int_of, objects_of, read_row, text_of

_ERROR = "[API Error: "
_ANSWERED = "qwen-code.api_response"


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:
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
        usage=_of_session(beside.get("session", "")) or facts.usage(result).usage(requests=len(facts.answers) or None),
        cost_usd=None,
        model=parsed.model,
        version=facts.version,
    )


def _of_session(text: str) -> Usage | None:
    """Of all answers that a session file tells of, those in the background too; None where it tells of none."""
    tokens, n_requests = Tokens(input_has_cache=True), 0
    for line in text.splitlines():
        row = read_row(line) if f'"{_ANSWERED}"' in line else None
        event = fields_of(fields_of((row or {}).get("systemPayload")).get("uiEvent"))
        if event.get("event.name") == _ANSWERED:
            n_requests += 1
            read = int_of(event.get("cached_content_token_count"))
            tokens.add(int_of(event.get("input_token_count")), int_of(event.get("output_token_count")), read=read)
    return tokens.usage(requests=n_requests) if n_requests else None


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
