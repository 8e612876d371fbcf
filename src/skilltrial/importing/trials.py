"""One imported run -> a `Trial` with what its files tell of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import cast

from skilltrial.importing.arms import UNKNOWN
from skilltrial.importing.events import events_of
from skilltrial.importing.outcomes import end_of
from skilltrial.records.events import ToolCall
from skilltrial.records.foreign import ForeignRun
from skilltrial.records.json_value import Json
from skilltrial.records.plan import HarnessChoice
from skilltrial.records.trial import HarnessFacts, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

HARNESS = "imported"
_INVOKED = "__skill_invoked"
_PLACEHOLDER = re.compile(r"(<.*>|\{.*\}|unknown|unspecified|n/?a|most-capable-model|)", re.IGNORECASE)
_ALL_TOOLS = "(all tools together)"
_MOST = 1e12
"""Of seconds, tokens, calls and dollars: more is no measurement of one run, and overflows sums."""


def make_trial(
    key: TrialKey, run: ForeignRun, *, harness: HarnessChoice, facts: Mapping[str, str], plan_digest: str
) -> Trial:
    """The record of a run, without its output files. What the run does not tell is None."""
    outcome, reason = end_of(run)
    timing = run.timing
    seconds = (_measured(timing.duration_s) or None) if timing else None
    metrics = _metrics(run)
    served = real_model(run.model)
    return Trial(
        key=key,
        outcome=outcome,
        reason=reason,
        final_message=run.final_message,
        started_at=timing.started_at if timing else None,
        duration_ms=None if seconds is None else round(seconds * 1000),
        usage=_usage(run),
        cost_usd=_measured(timing.cost_usd) if timing else None,
        harness=HarnessFacts(
            name=HARNESS, model_asked=harness.model, model_served=served, discovery="unknown", facts=facts
        ),
        evidence=_evidence(run),
        attempts=(),
        tool_calls=_tool_calls(metrics, run),
        n_tool_errors=_count(metrics.get("errors_encountered")),
        isolation=UNKNOWN,
        seed=0,
        plan_digest=plan_digest,
    )


def real_model(name: str | None) -> str | None:
    """A model's name; None for the placeholders that tools write where they do not know it."""
    return None if name is None or _PLACEHOLDER.fullmatch(name.strip()) else name


def _usage(run: ForeignRun) -> Usage:
    timing = run.timing
    if timing is None:
        return Usage()
    # No run takes 0 tokens: some tools write it for what they do not know.
    total, given, made = (_count(n) or None for n in (timing.total_tokens, timing.input_tokens, timing.output_tokens))
    adds_up = given is not None and made is not None and given + made == total
    return Usage(input_tokens=given, output_tokens=made, told_total=None if adds_up else total)


def _evidence(run: ForeignRun) -> SkillEvidence:
    """slow-powers' verdict on whether the skill was loaded; nobody else's files tell."""
    for statement in run.grading.meta if run.grading else ():
        if _INVOKED in {statement.id, statement.text}:
            return SkillEvidence(attempted=statement.passed, loaded=statement.passed)
    return SkillEvidence()


def _metrics(run: ForeignRun) -> Mapping[str, Json]:
    """The grading's copy is in use where the run has no `metrics.json` of its own."""
    for value in (run.metrics, run.grading.execution_metrics if run.grading else None):
        if isinstance(value, Mapping) and value:
            return cast("Mapping[str, Json]", value)
    return {}


def _tool_calls(metrics: Mapping[str, Json], run: ForeignRun) -> Mapping[str, int] | None:
    events = events_of(run)
    if events:
        return dict(sorted(Counter(event.name for event in events if isinstance(event, ToolCall)).items()))
    value = metrics.get("tool_calls")
    if isinstance(value, Mapping):
        calls = {str(name): n for name, n in cast("Mapping[Json, Json]", value).items() if _count(n) is not None}
        if calls:
            return calls
    total = _count(metrics.get("total_tool_calls"))
    return None if total is None else {_ALL_TOOLS: total} if total else {}


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def _measured(value: float | None) -> float | None:
    return value if value is not None and 0 <= value <= _MOST else None
