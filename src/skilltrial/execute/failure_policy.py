"""One table: what follows from how a trial ended."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.trial import Outcome, Reason, ReasonCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What follows for the trial (first three) and for all others of its agent program (the rest)."""

    retry: bool = False
    """Try it again now, after a wait."""
    grade: bool = False
    """It is finished: its files are kept and graded, and it is never run again under this plan."""
    counts: bool = False
    """The agent had its chance: its verdicts enter the rates."""
    slow: bool = False
    """Fewer trials at a time from now on."""
    halt: bool = False
    """Nothing more of that agent program is started: every other trial would end in the same way."""


_RESULT = Policy(grade=True, counts=True)
_RETRY = Policy(retry=True)
_HALT = Policy(halt=True)
_NOTHING = Policy()

TABLE: dict[tuple[Outcome, ReasonCode | None], Policy] = {
    ("completed", None): _RESULT,
    ("timed_out", "timeout"): _RESULT,
    ("agent_failed", "refusal"): _RESULT,
    ("agent_failed", "turn_limit"): _RESULT,
    ("agent_failed", "output_limit"): _RESULT,
    ("agent_failed", "context_limit"): _RESULT,
    ("agent_failed", "budget"): _RESULT,
    ("harness_error", "rate_limited"): Policy(retry=True, slow=True),
    ("harness_error", "api_error"): _RETRY,
    ("harness_error", "network_error"): _RETRY,
    ("harness_error", "no_answer"): _NOTHING,  # each try takes the whole time limit
    ("harness_error", "crashed"): _RETRY,
    ("harness_error", "unparsable"): _RETRY,
    ("harness_error", "setup_failed"): _RETRY,
    ("harness_error", "auth_failed"): _HALT,
    ("harness_error", "model_not_found"): _HALT,
    ("harness_error", "not_installed"): _HALT,
    ("cancelled", "interrupted"): _NOTHING,
}
"""By outcome and reason; `docs/budget.md` shows it, and a test holds the two together."""

_OTHERWISE: dict[Outcome, Policy] = {
    "completed": _RESULT,
    "timed_out": _RESULT,
    "agent_failed": _RESULT,
    "harness_error": _RETRY,
    "cancelled": _NOTHING,
}

FAILED_IN_A_ROW = 4
"""So many trials in a row that end in errors of tools stop the rest of that agent program: waiting does not mend it."""


def policy(outcome: Outcome, reason: Reason | None) -> Policy:
    """The row of the table; where there is no such row, or no reason, what is usual after this outcome."""
    return TABLE.get((outcome, reason.code if reason else None), _OTHERWISE[outcome])
