"""One table: what follows from how a trial ended."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.trial import Outcome, Reason, ReasonCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Retry it now? Is it a result, to be kept and graded? Does it stop all further trials?"""

    retry: bool = False
    result: bool = False
    halt: bool = False


_RESULT = Policy(result=True)
_RETRY = Policy(retry=True)
_HALT = Policy(halt=True)

_TABLE: dict[ReasonCode, Policy] = {
    "timeout": _RESULT,
    "refusal": _RESULT,
    "turn_limit": _RESULT,
    "output_limit": _RESULT,
    "context_limit": _RESULT,
    "budget": _RESULT,
    "rate_limited": _RETRY,
    "api_error": _RETRY,
    "network_error": _RETRY,
    "crashed": _RETRY,
    "unparsable": _RETRY,
    "setup_failed": _RETRY,
    "auth_failed": _HALT,
    "model_not_found": _HALT,
    "not_installed": _HALT,
    "interrupted": Policy(),
}

FAILED_IN_A_ROW = 4
"""So many trials in a row that end in errors of tools stop the rest: something is broken that waiting does not mend."""


def policy(outcome: Outcome, reason: Reason | None) -> Policy:
    """The row of the table. What completed is a result; a tool error without a reason is tried again."""
    if outcome in {"completed", "timed_out", "agent_failed"}:
        return _RESULT
    if outcome == "cancelled":
        return Policy()
    return _TABLE[reason.code] if reason else _RETRY
