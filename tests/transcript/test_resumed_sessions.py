"""What streams of sessions that went on say: their id, and what the last message alone took."""

from __future__ import annotations

import json

import pytest

from skilltrial.transcript import codex, copilot_cli, qwen_code
from skilltrial.transcript.claude_code import parse
from skilltrial.transcript.session import session_in

MODEL = "claude-x"


def result(total: int, added: int | None) -> str:
    """A result after which the session has taken so many tokens, and this process so many more than at its last result."""

    def used(tokens: int) -> dict[str, object]:
        return {MODEL: {"inputTokens": tokens, "outputTokens": tokens, "costUSD": tokens / 4, "costBasis": "list"}}

    row: dict[str, object] = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "modelUsage": used(total),
        "total_cost_usd": total / 4,
    }
    return json.dumps(row if added is None else {**row, "model_usage_since_last_result": used(added)})


def test_a_resumed_session_counts_its_own_share() -> None:
    """Totals begin with what the session took before; two results of one process add up."""
    parsed = parse([result(110, 10), result(113, 3)], resumed=True)
    assert (parsed.usage.input_tokens, parsed.cost_usd) == (13, 3.25)
    parsed = parse([result(110, 10), result(113, 3)])
    assert (parsed.usage.input_tokens, parsed.cost_usd) == (113, 28.25)


def test_a_share_that_is_not_told_is_unknown() -> None:
    """Never the total of the session."""
    parsed = parse([result(110, 10), result(113, None)], resumed=True)
    assert (parsed.usage.input_tokens, parsed.cost_usd) == (None, None)


def test_codex_counts_by_its_session_file() -> None:
    """Its stream counts the whole session, the part of the file that is new has the requests of this message."""
    usage = {"input_tokens": 2400, "output_tokens": 24}
    lines = [json.dumps({"type": "turn.completed", "usage": usage})]
    request = {"input_tokens": 1200, "output_tokens": 12, "cached_input_tokens": 200}
    row = json.dumps({"type": "token_usage_record", "payload": {"usage": request}})
    told = codex.read(lines, prompt=None, beside={"session": row}).usage
    assert (told.input_tokens, told.output_tokens, told.cache_read_tokens, told.requests) == (1000, 12, 200, 1)


def test_qwen_counts_by_its_session_file() -> None:
    """Its result counts the whole session; without the file that is all that is known."""
    usage = {"input_tokens": 3600, "output_tokens": 36, "cache_read_input_tokens": 0}
    lines = [json.dumps({"type": "result", "subtype": "success", "is_error": False, "usage": usage})]
    counts = {"input_token_count": 1200, "output_token_count": 12, "cached_content_token_count": 200}
    event = {"event.name": "qwen-code.api_response", **counts}
    row = json.dumps({"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": event}})
    told = qwen_code.read(lines, prompt=None, beside={"session": f"{row}\n{row}\n"}).usage
    assert (told.input_tokens, told.output_tokens, told.cache_read_tokens, told.requests) == (2000, 24, 400, 2)
    told = qwen_code.read(lines, prompt=None, beside={"session": "{}\n"}).usage
    assert (told.input_tokens, told.output_tokens) == (3600, 36)


def test_copilot_counts_from_where_its_usage_file_was() -> None:
    """The file is written anew with the counts of the whole session; what was unknown before makes the share unknown."""

    def told(n: int, **more: int) -> str:
        usage = {"inputTokens": 1000 * n, "outputTokens": 10 * n, **more}
        return json.dumps({"modelMetrics": {"m": {"requests": {"count": n}, "usage": usage}}})

    beside = {"usage": told(3, cacheReadTokens=500), "usage:before": told(1)}
    usage = copilot_cli.read([], prompt=None, beside=beside).usage
    assert (usage.input_tokens, usage.output_tokens, usage.requests) == (1500, 20, 2)
    assert usage.cache_read_tokens is None


@pytest.mark.parametrize(
    ("place", "rows", "found"),
    [
        ("id", [{"type": "x"}, {"id": "a-1"}, {"id": "b"}], "a-1"),
        ("thread.id", [{"id": "no"}, {"thread": {"id": "t_1"}}], "t_1"),
        ("thread.id", [{"thread": "id"}, {"thread": {"id": 5}}], None),
        ("id", [{"id": "--dangerous"}, {"id": "a b"}, {"id": "../x"}, {"id": "ok"}], "ok"),
        ("id", [], None),
    ],
)
def test_the_sessions_id_is_found_in_the_stream(place: str, rows: list[object], found: str | None) -> None:
    """The first text at its place that can be no option and no path."""
    assert session_in([*map(json.dumps, rows), "no JSON with id"], place) == found
