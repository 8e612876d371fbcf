"""One imported grading -> a result for every assertion of its case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import cast

from skilltrial.importing.values import plain
from skilltrial.records.foreign import ForeignGrading, Statement
from skilltrial.records.grading import AssertionResult, Claim, Confidence, Grading
from skilltrial.records.json_value import Json
from skilltrial.records.suite import Assertion
from skilltrial.records.trial import TrialKey

NO_GRADING = "The imported run has no grading."
COUNTS_ALONE = "The imported grading has counts alone, and no verdict on a single criterion."
LEFT_OUT = "The imported grading leaves this criterion out."
NEITHER = "The imported grading says neither yes nor no."
_CODE = frozenset(
    {"code", "script", "transcript_check", "command_check", "diff_scope", "deterministic", "programmatic"}
)
_HIGH, _MEDIUM = 0.85, 0.6
"""Least numbers of the two words; the lower one of a pair of words takes what lies between."""


def make_grading(
    key: TrialKey,
    grading: ForeignGrading | None,
    *,
    assertions: Sequence[Assertion],
    bound: Mapping[str, Statement],
) -> Grading:
    """The verdicts as the other tool gave them; whatever has none is UNGRADED, with the reason."""
    reason = _reason(grading)
    results = tuple(_result(assertion, bound.get(assertion.id), reason) for assertion in assertions)
    return Grading(
        key=key,
        results=results,
        claims=tuple(claim for value in (grading.claims if grading else ()) if (claim := _claim(value)) is not None),
        eval_feedback=_feedback(grading.eval_feedback if grading else None),
        digest=_digest(results),
    )


def _confidence_word(value: Json) -> Confidence | None:
    """HIGH, MEDIUM or LOW of a word or of a number from 0 to 1; None where it is neither."""
    if isinstance(value, str):
        word = value.strip().upper()
        return cast("Confidence", word) if word in {"HIGH", "MEDIUM", "LOW"} else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return "HIGH" if value >= _HIGH else "MEDIUM" if value >= _MEDIUM else "LOW"


def _reason(grading: ForeignGrading | None) -> str:
    if grading is None:
        return NO_GRADING
    if grading.fault:
        return f"The imported grading cannot be read: {grading.fault}"
    return COUNTS_ALONE if grading.statements is None else LEFT_OUT


def _result(assertion: Assertion, statement: Statement | None, reason: str) -> AssertionResult:
    if statement is None or statement.passed is None:
        said = f" It says: {statement.evidence}" if statement and statement.evidence else ""
        return AssertionResult(
            id=assertion.id,
            text=assertion.text,
            type=assertion.type,
            verdict="UNGRADED",
            evidence=f"{NEITHER}{said}" if statement else reason,
            grader="none",
        )
    return AssertionResult(
        id=assertion.id,
        text=assertion.text,
        type=assertion.type,
        verdict="PASS" if statement.passed else "FAIL",
        evidence=statement.evidence,
        confidence=_confidence_word(statement.confidence),
        grader="code" if statement.grader in _CODE else "judge",
    )


def _claim(value: Json) -> Claim | None:
    if isinstance(value, str):
        return Claim(claim=value)
    if not isinstance(value, Mapping):
        return None
    fields = cast("Mapping[str, Json]", value)
    text = fields.get("claim") or fields.get("text")
    if not isinstance(text, str):
        return None
    kind, verified, evidence = fields.get("type"), fields.get("verified"), fields.get("evidence")
    return Claim(
        claim=text,
        type=kind if isinstance(kind, str) else "factual",
        verified=verified if isinstance(verified, bool) else None,
        evidence=evidence if isinstance(evidence, str) else "",
    )


def _feedback(value: Json) -> Mapping[str, Json]:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", plain(value))
    return {} if value is None else {"overall": plain(value)}


def _digest(results: Sequence[AssertionResult]) -> str:
    text = json.dumps([result.model_dump() for result in results], sort_keys=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
