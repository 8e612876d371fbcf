"""How a run of Claude Code ended, from its exit code and its stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skilltrial.processes.tree import Ended
from skilltrial.records.trial import Outcome, Reason, ReasonCode
from skilltrial.transcript.claude_code import ParsedStream, StreamResult

_LONGEST_BACKOFF_S = 10.0
"""The program's own waits stay below this in its first tries; a longer one was asked for by the service."""
_AGENT_FAILURES: Mapping[str | None, ReasonCode] = {
    "prompt_too_long": "context_limit",
    "max_turns": "turn_limit",
    "budget_exhausted": "budget",
}
_ERROR_KINDS: Mapping[str | None, ReasonCode] = {
    "authentication_failed": "auth_failed",
    "billing_error": "auth_failed",  # nothing will be answered until somebody sees to the account
    "rate_limit": "rate_limited",
    "model_not_found": "model_not_found",
}
_STATUSES: Mapping[int, ReasonCode] = {
    401: "auth_failed",
    403: "auth_failed",
    404: "model_not_found",
    429: "rate_limited",
}


class Ending(NamedTuple):
    """The outcome, and why it is no completion."""

    outcome: Outcome
    reason: Reason | None


def ending(ended: Ended, parsed: ParsedStream, *, refused: bool, timeout_s: float, stderr: str) -> Ending:
    """Classify a run. `refused`: we stopped it because the service refuses the key.

    Completed is only what ended with exit code 0, or was stopped in its grace after the result, and whose last result
    is a success. Everything else is told apart by the result's fields, never by its words.
    """
    result = parsed.result
    if refused:
        return _tool("auth_failed", "the service refuses the key or login (401).")
    if result and result.success and (ended.exit_code == 0 or ended.stopped):
        return Ending("completed", None)
    if ended.stopped == "timeout":
        return Ending("timed_out", Reason(code="timeout", message=f"stopped after {timeout_s:g} s."))
    if result is None or result.success:
        return _tool("crashed", _crash(ended, stderr, has_result=result is not None))
    return _failure(result, parsed)


def _failure(result: StreamResult, parsed: ParsedStream) -> Ending:
    message = (result.text or "; ".join(result.errors) or result.subtype)[:500]
    if result.stop_reason == "refusal":
        return Ending("agent_failed", Reason(code="refusal", message=message))
    if parsed.error_kind == "max_output_tokens":
        return Ending("agent_failed", Reason(code="output_limit", message=message))
    if result.terminal_reason in _AGENT_FAILURES:
        return Ending("agent_failed", Reason(code=_AGENT_FAILURES[result.terminal_reason], message=message))
    if result.terminal_reason != "api_error":
        return _tool("crashed", f"it ended with {result.subtype!r} ({result.terminal_reason!r}): {message}")
    code = _ERROR_KINDS.get(parsed.error_kind)
    status = result.api_error_status
    if code is None:
        code = "network_error" if status is None else _STATUSES.get(status, "api_error")
    if code == "rate_limited":
        return _tool(code, message, retry_after_s=_asked_wait(parsed))
    return _tool(code, message)


def _tool(code: ReasonCode, message: str, *, retry_after_s: float | None = None) -> Ending:
    return Ending("harness_error", Reason(code=code, message=message, retry_after_s=retry_after_s))


def _asked_wait(parsed: ParsedStream) -> float | None:
    delays = [retry.delay_s for retry in parsed.retries if retry.status == 429 and retry.delay_s is not None]  # noqa: PLR2004 - an HTTP status
    return delays[-1] if delays and delays[-1] >= _LONGEST_BACKOFF_S else None


def _crash(ended: Ended, stderr: str, *, has_result: bool) -> str:
    how = f"signal {-ended.exit_code}" if ended.exit_code < 0 else f"exit code {ended.exit_code}"
    what = "after its result" if has_result else "without a result"
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    said = " / ".join(lines[:3])[:500]
    return f"claude ended {what} ({how}){': ' + said if said else '; it wrote nothing on stderr'}."
