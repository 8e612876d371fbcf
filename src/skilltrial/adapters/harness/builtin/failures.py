"""From an exception of model access to the end of a trial."""

from __future__ import annotations

from typing import NamedTuple

from pydantic_ai import exceptions as known

from skilltrial.errors import AuthFailed, NotInstalled, SkilltrialError
from skilltrial.records.trial import Outcome, Reason, ReasonCode

MAX_MESSAGE = 1000

_CONTEXT_WORDS = ("exceed_context_size", "context_length_exceeded", "prompt is too long")


class Ending(NamedTuple):
    """How a trial ended, and why where it did not complete."""

    outcome: Outcome
    reason: Reason | None
    cut: bool = False
    """By us, once the skill was loaded."""


COMPLETED = Ending("completed", None)
CUT = Ending("completed", None, cut=True)


def agent_failed(code: ReasonCode, message: str) -> Ending:
    """The agent stopped by itself without finishing."""
    return Ending("agent_failed", Reason(code=code, message=message))


def harness_error(code: ReasonCode, message: str, retry_after_s: float | None = None) -> Ending:
    """The service or the machine failed; no statement about the agent follows."""
    return Ending("harness_error", Reason(code=code, message=message[:MAX_MESSAGE], retry_after_s=retry_after_s))


def ending_of(error: Exception) -> Ending:
    """The end of a trial that a request ended with this error."""
    said = str(error)
    if isinstance(error, known.ModelContextWindowExceededError) or any(word in said for word in _CONTEXT_WORDS):
        return agent_failed("context_limit", said[:MAX_MESSAGE])
    if isinstance(error, known.ContentFilterError):
        return agent_failed("refusal", said[:MAX_MESSAGE])
    if isinstance(error, known.OutputTokenLimitExceeded):
        return agent_failed("output_limit", said[:MAX_MESSAGE])
    if isinstance(error, known.UnexpectedModelBehavior):
        return harness_error("unparsable", said)
    if isinstance(error, known.ModelAPIError):
        return harness_error(_api_code(error), said, error.retry_after)
    if isinstance(error, SkilltrialError):
        return harness_error(_own_code(error), said)
    raise error


def _api_code(error: known.ModelAPIError) -> ReasonCode:
    if isinstance(error, known.ModelAuthenticationError | known.ModelQuotaExceededError):
        return "auth_failed"
    if isinstance(error, known.ModelRateLimitError | known.ModelOverloadedError):
        return "rate_limited"
    if isinstance(error, known.ModelNotFoundError):
        return "model_not_found"
    if isinstance(error, known.ModelConnectionError | known.ModelRequestTimeout):
        return "network_error"
    return "api_error"


def _own_code(error: SkilltrialError) -> ReasonCode:
    if isinstance(error, AuthFailed):
        return "auth_failed"
    return "not_installed" if isinstance(error, NotInstalled) else "setup_failed"
