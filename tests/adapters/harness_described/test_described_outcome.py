"""How runs of described programs are classified."""

from __future__ import annotations

from typing import Literal

import pytest

from skilltrial.adapters.harness.described.descriptor import Run
from skilltrial.adapters.harness.described.outcome import ending
from skilltrial.processes.tree import Ended
from skilltrial.records.events import ToolCall
from skilltrial.records.usage import Usage
from skilltrial.transcript.agent_stream import AgentStream, Failure


def stream(
    *,
    finished: bool = False,
    failure: Failure | None = None,
    waiting: Failure | None = None,
    running: bool = False,
) -> AgentStream:
    """A stream with these facts."""
    events = (ToolCall(ordinal=0, call_id="a", name="bash"),) if running else ()
    return AgentStream(
        events=events,
        finished=finished,
        failure=failure,
        waiting=waiting,
        final_message=None,
        usage=Usage(),
        cost_usd=None,
        model=None,
        version=None,
    )


def classify(
    said: AgentStream,
    *,
    exit_code: int = 0,
    stopped: Literal["timeout", "asked"] | None = None,
    stderr: str = "",
    run: Run | None = None,
) -> tuple[str, str | None]:
    """Outcome and reason's code."""
    ended = Ended(exit_code=exit_code, stopped=stopped, n_strays=0)
    outcome, reason = ending(ended, said, run=run or Run(), program="agent", timeout_s=9, stderr=stderr)
    return outcome, reason.code if reason else None


def test_finished_and_exit_code_0_is_completed() -> None:
    """Both are needed."""
    assert classify(stream(finished=True)) == ("completed", None)
    assert classify(stream(finished=True), exit_code=1) == ("harness_error", "crashed")
    assert classify(stream()) == ("harness_error", "crashed")


def test_stopped_after_its_end_is_completed() -> None:
    """A program that hangs after its last event did its work."""
    assert classify(stream(finished=True), exit_code=-9, stopped="asked") == ("completed", None)


def test_exit_code_0_after_an_error_is_an_error() -> None:
    """Pi ends so."""
    failed = stream(finished=True, failure=Failure(message="401: no"))
    assert classify(failed) == ("harness_error", "auth_failed")


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Failure(message="no", status=401), "auth_failed"),
        (Failure(message="no", status=403), "auth_failed"),
        (Failure(message="no", status=404), "model_not_found"),
        (Failure(message="no", status=429), "rate_limited"),
        (Failure(message="no", status=500), "api_error"),
        (Failure(message="no"), "api_error"),
        (Failure(message="unexpected status 401 Unauthorized, url: http://127.0.0.1:4290/v1"), "auth_failed"),
        (Failure(message="exceeded retry limit, last status: 429 Too Many Requests"), "rate_limited"),
        (Failure(message="The service sees high demand"), "api_error"),
        (Failure(message='{"error":{"code":500,"status":"INTERNAL"}}'), "api_error"),
        (Failure(message="Could not connect to local model provider at http://127.0.0.1:4290/v1."), "network_error"),
        (Failure(message="connect ECONNREFUSED 127.0.0.1:9"), "network_error"),
        (Failure(message="All connection attempts failed"), "network_error"),
        (Failure(message="model `x` does not exist"), "model_not_found"),
    ],
)
def test_errors_of_the_service_are_tool_errors(failure: Failure, code: str) -> None:
    """By status, else by the program's words."""
    assert classify(stream(failure=failure), exit_code=1) == ("harness_error", code)


@pytest.mark.parametrize("code", ["turn_limit", "output_limit", "context_limit", "refusal", "budget"])
def test_limits_are_the_agents_own_end(code: str) -> None:
    """They say something about the agent and are graded."""
    failure = Failure(message="enough", code=code)  # pyright: ignore[reportArgumentType] - one of the codes
    assert classify(stream(failure=failure), exit_code=1) == ("agent_failed", code)


def test_a_time_out_is_the_agents_unless_the_service_fails() -> None:
    """While the program tries again after a 429, the time is not the agent's."""
    waiting = stream(waiting=Failure(message="slow down", status=429))
    assert classify(stream(), exit_code=-15, stopped="timeout") == ("timed_out", "timeout")
    assert classify(waiting, exit_code=-15, stopped="timeout") == ("harness_error", "rate_limited")


def test_retries_on_stderr_count_where_no_tool_runs() -> None:
    """A tool that runs too long is the agent's time, whatever was tried again before."""
    run, stderr = Run(stderr_retry="^Attempt .*$"), "Attempt 1 failed with status 429. Retrying\n"
    assert classify(stream(), stopped="timeout", run=run, stderr=stderr) == ("harness_error", "rate_limited")
    assert classify(stream(running=True), stopped="timeout", run=run, stderr=stderr) == ("timed_out", "timeout")


def test_exit_codes_that_mean_something() -> None:
    """Qwen ends without a result after a limit."""
    run = Run(exit_codes={53: "turn_limit"})
    assert classify(stream(), exit_code=53, run=run) == ("agent_failed", "turn_limit")


def test_an_error_that_only_stderr_tells() -> None:
    """Kimi's last error."""
    run = Run(stderr_error="^error: (.*)")
    assert classify(stream(), exit_code=1, run=run, stderr="error: 401 no\n") == ("harness_error", "auth_failed")


def test_a_status_that_only_stderr_tells() -> None:
    """Gemini's message for an unknown model is its name."""
    run, failed = Run(stderr_status=r"^\s*code: (\d{3})$"), stream(failure=Failure(message="[API Error: model: x]"))
    assert classify(failed, run=run, stderr="  code: 404\n") == ("harness_error", "model_not_found")
    assert classify(failed, run=run) == ("harness_error", "api_error")
