"""How a run of a described program ended. Exit codes alone are never believed: some programs end with 0 after an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from skilltrial.adapters.harness.described.descriptor import Run
from skilltrial.processes.tree import Ended
from skilltrial.records.events import ToolCall, ToolResult
from skilltrial.records.trial import Outcome, Reason, ReasonCode
from skilltrial.transcript.agent_stream import AgentStream, Failure

_MESSAGE_CHARS = 500
_OF_THE_AGENT: frozenset[ReasonCode] = frozenset({"refusal", "turn_limit", "output_limit", "context_limit", "budget"})
_STATUSES: Mapping[int, ReasonCode] = {
    401: "auth_failed",
    402: "auth_failed",  # nothing will be answered until somebody sees to the account
    403: "auth_failed",
    404: "model_not_found",
    429: "rate_limited",
}
_WORDS: Mapping[ReasonCode, str] = {
    "context_limit": r"context (?:window|length)|maximum context|ran out of room|prompt is too long",
    "auth_failed": (
        r"\b40[123]\b|unauthori[sz]ed|unauthenticated|(?:invalid|incorrect|missing|no) api.?key|"
        r"authentication|missing environment variable"
    ),
    "rate_limited": r"\b429\b|rate.?limit|too many requests|resource_exhausted|quota",
    "api_error": r"\b5\d\d\b|high demand|overloaded",
    "model_not_found": r"\b404\b|model\b.*\b(?:not found|does not exist)|unknown model",
    "network_error": (
        r"econnrefused|econnreset|enotfound|etimedout|getaddrinfo|connection (?:attempts )?(?:failed|error|refused|reset)|"
        r"network|fetch failed|socket|stream disconnected|error sending request|(?:unable to|not|failed to) connect"
    ),
}
"""Looked through in this order, in words of the agent program, never of the agent."""


class Ending(NamedTuple):
    """The outcome, and why it is no completion."""

    outcome: Outcome
    reason: Reason | None


def ending(ended: Ended, stream: AgentStream, *, run: Run, program: str, timeout_s: float, stderr: str) -> Ending:
    """Classify a run.

    Completed is only what told its end in its stream, without an error that stayed, and ended with exit code 0 or was
    stopped after that. A time-out while the program tries again after an error of the service is that error.
    """
    if stream.finished and stream.failure is None and (ended.exit_code == 0 or ended.stopped):
        return Ending("completed", None)
    if stream.failure:
        return classified(_with_status(stream.failure, run, stderr))
    if ended.stopped == "timeout":
        trouble = stream.waiting or _retry_on_stderr(run, stream, stderr)
        late = Ending("timed_out", Reason(code="timeout", message=f"stopped after {timeout_s:g} s."))
        return classified(trouble) if trouble else late
    return _without_end(ended, stream, run=run, program=program, stderr=stderr)


def _without_end(ended: Ended, stream: AgentStream, *, run: Run, program: str, stderr: str) -> Ending:
    code = run.exit_codes.get(ended.exit_code)
    if code:
        return _ending(code, _first_lines(stderr) or f"{program} ended with exit code {ended.exit_code}.")
    told = _found(run.stderr_error, stderr)
    trouble = Failure(message=told) if told else stream.waiting
    if trouble:
        return classified(trouble)
    return _ending("crashed", _crash(ended, program, stderr, finished=stream.finished))


def classified(failure: Failure) -> Ending:
    """What an error of the program's is: by its own name, by the status, by words."""
    code = failure.code
    if code is None and failure.status is not None:
        code = _STATUSES.get(failure.status)
    if code is None:
        code = _code_of(failure.message)
    return _ending(code, failure.message)


def _with_status(failure: Failure, run: Run, stderr: str) -> Failure:
    """With the status that only stderr tells, where the program's words tell nothing."""
    status = _found(run.stderr_status, stderr)
    if failure.code or failure.status or _code_of(failure.message) != "api_error" or not status:
        return failure
    return replace(failure, status=int(status) if status.isdecimal() else None)


def _code_of(message: str) -> ReasonCode:
    for code, words in _WORDS.items():
        if re.search(words, message, re.IGNORECASE):
            return code
    return "api_error"


def _ending(code: ReasonCode, message: str) -> Ending:
    outcome: Outcome = "agent_failed" if code in _OF_THE_AGENT else "harness_error"
    return Ending(outcome, Reason(code=code, message=message[:_MESSAGE_CHARS]))


def _retry_on_stderr(run: Run, stream: AgentStream, stderr: str) -> Failure | None:
    """An error that the program waits out, where only stderr tells; while a tool runs it is not the service that is slow."""
    ended = {event.call_id for event in stream.events if isinstance(event, ToolResult)}
    if any(isinstance(event, ToolCall) and event.call_id not in ended for event in stream.events):
        return None
    told = _found(run.stderr_retry, stderr)
    return Failure(message=told) if told else None


def _found(pattern: str | None, stderr: str) -> str | None:
    """What the last line that fits tells."""
    matches = list(re.finditer(pattern, stderr, re.MULTILINE)) if pattern else []
    if not matches:
        return None
    last = matches[-1]
    return (last.group(1) if last.re.groups else None) or last.group()


def _crash(ended: Ended, program: str, stderr: str, *, finished: bool) -> str:
    how = f"signal {-ended.exit_code}" if ended.exit_code < 0 else f"exit code {ended.exit_code}"
    what = "after its end" if finished else "without telling its end"
    said = _first_lines(stderr)
    return f"{program} ended {what} ({how}){': ' + said if said else '; it wrote nothing on stderr'}."


def _first_lines(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return " / ".join(lines[:3])[:_MESSAGE_CHARS]
