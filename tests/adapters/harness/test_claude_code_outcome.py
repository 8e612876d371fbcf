"""Which outcome follows from how a run of Claude Code ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.harness.claude_code_outcome import Ending, ending
from skilltrial.processes.tree import Ended
from skilltrial.transcript.claude_code import ParsedStream, parse

GOLDEN = Path(__file__).parent.parent.parent / "golden" / "claude_code"

# recording: exit code as recorded, outcome, reason
ALONE = {
    "success_with_skill": (0, "completed", None),
    "success_without_skill": (0, "completed", None),
    "baseline_leak_user_skill": (0, "completed", None),
    "baseline_isolated_user_skill": (0, "completed", None),
    "skill_file_read_only": (0, "completed", None),
    "tool_error": (0, "completed", None),
    "permission_denied": (0, "completed", None),
    "rate_limit_429_then_ok": (0, "completed", None),
    "subagent": (0, "completed", None),
    "subagent_in_background": (0, "completed", None),
    "structured_output": (0, "completed", None),
    "api_401": (1, "harness_error", "auth_failed"),
    "server_500": (1, "harness_error", "api_error"),
    "invalid_model_404": (1, "harness_error", "model_not_found"),
    "connection_refused": (1, "harness_error", "network_error"),
    "max_turns": (1, "agent_failed", "turn_limit"),
    "max_budget": (1, "agent_failed", "budget"),
    # Somebody else sent the signal.
    "timeout_sigint": (0, "harness_error", "crashed"),
    "timeout_sigterm": (143, "harness_error", "crashed"),
    "timeout_sigkill": (-9, "harness_error", "crashed"),
}


def classify(parsed: ParsedStream, exit_code: int, *, refused: bool = False, stderr: str = "", **ended: Any) -> Ending:
    """The ending of a parsed stream."""
    how = Ended(exit_code=exit_code, stopped=ended.get("stopped"), n_strays=0)
    return ending(how, parsed, refused=refused, timeout_s=30.0, stderr=stderr)


def golden(name: str) -> ParsedStream:
    """A recorded stream, parsed."""
    with (GOLDEN / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return parse(lines)


def failed(error: str | None = None, **fields: Any) -> ParsedStream:
    """A stream that ends in a result with an error, made as the program makes it."""
    result = {"type": "result", "subtype": "success", "is_error": True, "terminal_reason": "api_error", **fields}
    said = {"type": "assistant", "error": error, "message": {"model": "<synthetic>", "content": []}}
    return parse([json.dumps(said), json.dumps(result)])


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.iterdir()))
def test_recorded_runs_that_ended_by_themselves(name: str) -> None:
    """The table of outcomes, on real streams with their exit codes."""
    exit_code, outcome, code = ALONE[name]
    found = classify(golden(name), exit_code)
    assert (found.outcome, found.reason and found.reason.code) == (outcome, code)


@pytest.mark.parametrize("name", ["timeout_sigint", "timeout_sigterm", "timeout_sigkill"])
def test_what_we_stopped_for_its_time_has_timed_out(name: str) -> None:
    """Whatever the exit code and the last result are."""
    found = classify(golden(name), ALONE[name][0], stopped="timeout")
    assert found.outcome == "timed_out"
    assert found.reason is not None
    assert (found.reason.code, found.reason.message) == ("timeout", "stopped after 30 s.")


def test_a_result_before_the_end_of_its_time_counts() -> None:
    """The program had finished its work and did not go; that is no time-out."""
    for stopped in ("asked", "timeout"):
        assert classify(golden("success_with_skill"), 143, stopped=stopped).outcome == "completed"


def test_a_success_with_another_exit_code_is_a_crash() -> None:
    """Exit code 0 and a successful result, both."""
    found = classify(golden("success_with_skill"), 139)
    assert found.outcome == "harness_error"
    assert found.reason is not None
    assert found.reason.code == "crashed"
    assert "after its result (exit code 139)" in found.reason.message


def test_no_result_is_a_crash_with_the_first_words_of_stderr() -> None:
    """A bad flag, for one."""
    found = classify(parse([]), 1, stderr="\nerror: unknown option '--x'\n\nTry --help\nmore\nand more\n")
    assert found.reason is not None
    assert found.reason.message == (
        "claude ended without a result (exit code 1): error: unknown option '--x' / Try --help / more."
    )


def test_a_refused_key_is_auth_failed() -> None:
    """We stopped it in the middle of its retries."""
    found = classify(parse([]), 0, refused=True, stopped="asked")
    assert (found.outcome, found.reason and found.reason.code) == ("harness_error", "auth_failed")


@pytest.mark.parametrize(
    ("stream", "outcome", "code"),
    [
        (failed("authentication_failed", api_error_status=None), "harness_error", "auth_failed"),  # not logged in
        (failed("authentication_failed", api_error_status=403), "harness_error", "auth_failed"),
        (failed("billing_error", api_error_status=400), "harness_error", "auth_failed"),
        (failed("rate_limit", api_error_status=429), "harness_error", "rate_limited"),
        (failed("server_error", api_error_status=529), "harness_error", "api_error"),
        (failed("invalid_request", api_error_status=400), "harness_error", "api_error"),
        (failed("brand_new_error", api_error_status=None), "harness_error", "network_error"),
        (failed("max_output_tokens", api_error_status=None), "agent_failed", "output_limit"),
        (failed("invalid_request", stop_reason="refusal"), "agent_failed", "refusal"),
        (failed("invalid_request", terminal_reason="prompt_too_long"), "agent_failed", "context_limit"),
        (failed(terminal_reason="brand_new_reason"), "harness_error", "crashed"),
        (failed(subtype="error_during_execution", terminal_reason=None), "harness_error", "crashed"),
    ],
)
def test_errors_are_told_apart(stream: ParsedStream, outcome: str, code: str) -> None:
    """By the result's fields and the program's own name for the error."""
    found = classify(stream, 1)
    assert (found.outcome, found.reason and found.reason.code) == (outcome, code)


@pytest.mark.parametrize(("delay_ms", "wait"), [(1159, None), (45_000, 45.0)])
def test_a_long_wait_was_asked_for(delay_ms: int, wait: float | None) -> None:
    """The program's own waits are short; a long one comes from the service."""
    retry = {"type": "system", "subtype": "api_retry", "error_status": 429, "retry_delay_ms": delay_ms}
    result = {"type": "result", "subtype": "success", "is_error": True, "terminal_reason": "api_error"}
    found = classify(parse([json.dumps(retry), json.dumps({**result, "api_error_status": 429})]), 1)
    assert found.reason is not None
    assert found.reason.retry_after_s == wait
