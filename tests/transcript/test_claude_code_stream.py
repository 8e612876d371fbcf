"""The parser, on recorded streams of the real program and on hostile ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skilltrial.records.events import AssistantMessage, Notice, SessionStarted, ToolCall, ToolResult, UserMessage
from skilltrial.transcript.claude_code import ParsedStream, parse

GOLDEN = Path(__file__).parent.parent / "golden" / "claude_code"
TOTALS_PER_TURN_OF_SKILL_SCENARIO = (4500, 300, 16000, 4000)  # 5 × (900, 60), 4 × 4000 read, 1 × 4000 written


def golden(name: str) -> ParsedStream:
    """A recorded stream, parsed."""
    with (GOLDEN / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return parse(lines)


def stream(*rows: Any) -> ParsedStream:
    """Rows of a made-up stream, parsed; a text is a line as it is."""
    return parse(row if isinstance(row, str) else json.dumps(row) for row in rows)


def assistant(*content: Any, **more: Any) -> dict[str, Any]:
    """An assistant row."""
    return {"type": "assistant", "message": {"id": "m1", "model": "claude-x", "content": list(content)}, **more}


# name: (input, output, cache read, cache write), answered requests, cost, final message
FACTS: dict[str, tuple[Any, int | None, float | None, str | None]] = {
    "success_with_skill": (
        TOTALS_PER_TURN_OF_SKILL_SCENARIO,
        5,
        0.0236,
        "report.md is written; the CSV has 2 rows.",
    ),
    "baseline_leak_user_skill": (
        TOTALS_PER_TURN_OF_SKILL_SCENARIO,
        5,
        0.0236,
        "report.md is written; the CSV has 2 rows.",
    ),
    "permission_denied": (
        TOTALS_PER_TURN_OF_SKILL_SCENARIO,
        5,
        0.0236,
        "report.md is written; the CSV has 2 rows.",
    ),
    "success_without_skill": (
        (900, 60, 4000, 0),
        1,
        0.0028,
        "I have no skill for this; here is a guess: the file has some rows.",
    ),
    "baseline_isolated_user_skill": (
        (900, 60, 4000, 0),
        1,
        0.0028,
        "I have no skill for this; here is a guess: the file has some rows.",
    ),
    "skill_file_read_only": ((2700, 90, 0, 0), 3, 0.0063, "I have read the skill file without invoking the skill."),
    "tool_error": ((2700, 120, 0, 0), 3, 0.0066, "Both calls failed, so I stop here."),
    "api_401": ((None, None, None, None), None, None, None),
    "rate_limit_429_then_ok": ((300, 10, 0, 0), 1, 0.0007, "Third time lucky."),
    "server_500": ((None, None, None, None), None, None, None),
    "invalid_model_404": ((None, None, None, None), None, None, None),
    "connection_refused": ((None, None, None, None), None, None, None),
    "max_turns": ((1000, 40, 0, 0), 2, 0.0024, "Step 1."),
    "max_budget": ((2000, 80, 0, 0), 4, 0.0048, "Step 3."),
    # The last message of a foreground sub-agent is not in the stream: 3 of its 4 requests show.
    "subagent": ((2800, 120, 0, 0), 3, 0.0068, "The subagent answered."),
    "subagent_in_background": ((3500, 150, 0, 0), 5, 0.0085, "The subagent answered."),
    "structured_output": ((600, 25, 0, 0), 1, 0.00145, '{"verdict":"pass","score":0.9}'),
    "timeout_sigint": ((400, 20, 0, 0), 1, 0.001, "This takes a while."),
    "timeout_sigterm": ((None, None, None, None), 1, None, "This takes a while."),
    "timeout_sigkill": ((None, None, None, None), 1, None, "This takes a while."),
}

# name: (success, terminal_reason, api_error_status) of the last result, or None
ENDS: dict[str, tuple[bool, str, int | None] | None] = {
    "success_with_skill": (True, "completed", None),
    "baseline_leak_user_skill": (True, "completed", None),
    "permission_denied": (True, "completed", None),
    "success_without_skill": (True, "completed", None),
    "baseline_isolated_user_skill": (True, "completed", None),
    "skill_file_read_only": (True, "completed", None),
    "tool_error": (True, "completed", None),
    "api_401": (False, "api_error", 401),
    "rate_limit_429_then_ok": (True, "completed", None),
    "server_500": (False, "api_error", 500),
    "invalid_model_404": (False, "api_error", 404),
    "connection_refused": (False, "api_error", None),
    "max_turns": (False, "max_turns", None),
    "max_budget": (False, "budget_exhausted", None),
    "subagent": (True, "completed", None),
    "subagent_in_background": (True, "completed", None),
    "structured_output": (True, "completed", None),
    "timeout_sigint": (False, "aborted_tools", None),
    "timeout_sigterm": None,
    "timeout_sigkill": None,
}


def test_every_recording_has_its_facts() -> None:
    """No recording is left out of the tables above."""
    assert {path.stem for path in GOLDEN.iterdir()} == set(FACTS) == set(ENDS)


@pytest.mark.parametrize("name", sorted(FACTS))
def test_tokens_cost_and_final_message(name: str) -> None:
    """Totals are those of the last result; unknown stays unknown."""
    parsed = golden(name)
    tokens, requests, cost, final = FACTS[name]
    usage = parsed.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == tokens
    assert usage.requests == requests
    assert parsed.cost_usd == (None if cost is None else pytest.approx(cost))
    assert parsed.final_message == final
    assert parsed.version == "2.1.332"


@pytest.mark.parametrize("name", sorted(ENDS))
def test_the_last_result(name: str) -> None:
    """What classification needs is there, and a success with an error is no success."""
    result = golden(name).result
    assert (result and (result.success, result.terminal_reason, result.api_error_status)) == ENDS[name]


@pytest.mark.parametrize("name", sorted(FACTS))
def test_events_are_numbered_from_zero(name: str) -> None:
    """Ordinals have no gaps."""
    events = golden(name).events
    assert [event.ordinal for event in events] == list(range(len(events)))


def test_a_successful_run_event_by_event() -> None:
    """Kinds come in the order of the stream, with tool names as they are."""
    events = golden("success_with_skill").events
    assert [event.kind for event in events] == [
        "session_started",
        "assistant_message",
        "tool_call",
        "tool_result",
        "user_message",
        "tool_call",
        "tool_result",
        "tool_call",
        "tool_result",
        "tool_call",
        "tool_result",
        "assistant_message",
        "notice",
    ]
    calls = [event for event in events if isinstance(event, ToolCall)]
    assert [call.name for call in calls] == ["Skill", "Read", "Write", "Bash"]
    assert calls[3].input == {"command": "wc -l report.md"}
    body = events[4]
    assert isinstance(body, UserMessage)
    assert body.synthetic
    assert body.text.startswith("Base directory for this skill: ")


def test_a_result_says_whether_the_call_failed() -> None:
    """Failures, successes, and what the program does not say."""
    results = [event for event in golden("tool_error").events if isinstance(event, ToolResult)]
    assert [result.is_error for result in results] == [True, True]
    assert results[1].text == "Exit code 3\noops"
    results = [event for event in golden("success_with_skill").events if isinstance(event, ToolResult)]
    assert [result.is_error for result in results] == [False, None, None, False]


def test_sub_agents_events_name_their_call() -> None:
    """Inner events carry the id of the call that started them; the main agent's do not."""
    events = golden("subagent").events
    inner = [event for event in events if isinstance(event, ToolCall) and event.name == "Bash"]
    outer = [event for event in events if isinstance(event, ToolCall) and event.name != "Bash"]
    assert [event.agent for event in inner] == [outer[0].call_id]
    assert outer[0].agent is None


def test_two_results_are_counted() -> None:
    """A run with a background task has two inits and two results."""
    parsed = golden("subagent_in_background")
    assert parsed.n_results == 2
    assert sum(isinstance(event, SessionStarted) for event in parsed.events) == 2


def test_retries_are_kept() -> None:
    """Each with status, kind and delay, and as a notice."""
    parsed = golden("rate_limit_429_then_ok")
    assert [(retry.status, retry.error, retry.delay_s) for retry in parsed.retries] == [
        (429, "rate_limit", 1.159),
        (429, "rate_limit", 1.097),
    ]
    assert [event.code for event in parsed.events if isinstance(event, Notice)] == ["api_retry", "api_retry", "result"]


def test_a_refused_permission_is_a_notice() -> None:
    """The run is a success all the same."""
    codes = [event.code for event in golden("permission_denied").events if isinstance(event, Notice)]
    assert codes == ["permission_denied", "result"]


def test_the_programs_own_texts_are_not_the_agents() -> None:
    """An error text by the program is a notice, no assistant message."""
    events = golden("server_500").events
    assert not [event for event in events if isinstance(event, AssistantMessage)]
    assert [event.code for event in events if isinstance(event, Notice)] == ["api_retry", "synthetic_message", "result"]


def test_the_program_names_its_error() -> None:
    """Not every error shows in the result's fields."""
    names = ("api_401", "server_500", "invalid_model_404", "connection_refused", "success_with_skill")
    kinds = [golden(name).error_kind for name in names]
    assert kinds == ["authentication_failed", "server_error", "model_not_found", "server_error", None]


def test_the_prompt_comes_first_where_it_is_given() -> None:
    """The stream does not have it."""
    events = parse(['{"type":"system","subtype":"init"}'], prompt="Do it.").events
    assert [(event.ordinal, event.kind) for event in events] == [(0, "user_message"), (1, "session_started")]


def test_skills_are_none_where_the_program_does_not_list_them() -> None:
    """Unknown is not empty."""
    assert stream({"type": "system", "subtype": "init"}).skills is None
    assert stream({"type": "system", "subtype": "init", "skills": []}).skills == ()


@pytest.mark.parametrize(
    "line",
    ["{", "[1]", "null", '"text"', "\x00\x01", "[" * 100_000, '{"a":' * 150 + "1" + "}" * 150, "9" * 5000],
    ids=["cut", "list", "null", "text", "control", "deep list", "deep object", "long number"],
)
def test_a_broken_line_is_a_notice(line: str) -> None:
    """Reading goes on behind it."""
    events = stream(line, assistant({"type": "text", "text": "after"})).events
    assert isinstance(events[0], Notice)
    assert events[0].code == "unparsable_line"
    assert isinstance(events[1], AssistantMessage)


@pytest.mark.parametrize(
    "row",
    [
        {"type": "new_kind", "x": 1},
        {"type": 7},
        {"no": "type"},
        {"type": "system", "subtype": "brand_new"},
        {"type": "assistant", "message": None},
        {"type": "assistant", "message": {"content": [{"type": "hologram"}, 5, None]}},
        {"type": "user", "message": {"content": 5}},
        {"type": "user", "message": "x"},
        {"type": "user", "tool_use_result": [], "message": {"content": [{"type": "tool_result"}]}},
        {"type": "result", "modelUsage": {"m": None}, "errors": 3, "is_error": "no"},
        {"type": "system", "subtype": "init", "skills": [1, None], "tools": "x"},
    ],
    ids=str,
)
def test_unknown_shapes_never_raise(row: Any) -> None:
    """Whatever comes is kept as events that can be written."""
    for event in stream(row).events:
        event.model_dump_json()


def test_half_characters_can_be_written() -> None:
    """A lone surrogate, which JSON can spell, does not break the transcript file."""
    line = '{"type":"assistant","message":{"id":"1","model":"m","content":[{"type":"text","text":"a\\ud800b"}]}}'
    events = parse([line]).events
    assert isinstance(events[0], AssistantMessage)
    assert events[0].text == "a?b"
    events[0].model_dump_json()


def test_a_model_without_a_price_has_no_cost() -> None:
    """`costBasis` unknown means that the number means nothing."""
    usage = {"m": {"inputTokens": 1, "outputTokens": 2, "costBasis": "unknown"}}
    parsed = stream({"type": "result", "subtype": "success", "total_cost_usd": 5.0, "modelUsage": usage})
    assert (parsed.cost_usd, parsed.usage.input_tokens) == (None, 1)
    assert parsed.usage.cache_read_tokens is None


def test_a_result_that_does_not_say_so_is_no_success() -> None:
    """`is_error` has to be false, not missing."""
    result = stream({"type": "result", "subtype": "success"}).result
    assert result is not None
    assert not result.success


def test_blocks_of_no_type_at_all_are_noticed() -> None:
    """Whatever stands where a type should be."""
    rows = [{"type": ["text"]}, {"type": {"a": 1}}, {}, None, 5]
    parsed = parse([json.dumps({"type": "assistant", "message": {"id": "1", "content": rows}})])
    assert [getattr(event, "code", "") for event in parsed.events] == ["unknown_block"] * 5
