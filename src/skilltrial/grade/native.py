"""`grading.json` on disk: skill-creator's and skill-builder's keys at once, and ours.

`expectations` holds only assertions with a verdict, because the other readers count everything in it; the rest is in `ungraded`.
`order` keeps the order of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic import ValidationError

from skilltrial.errors import StoreError
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.json_value import Json
from skilltrial.records.trial import Trial

_COPIED = ("schema_version", "key", "claims", "eval_feedback", "judge", "digest")


def to_native(
    grading: Grading,
    trial: Trial,
    *,
    eval_id: str | int | None = None,
    n_steps: int | None = None,
    transcript_chars: int | None = None,
    grader_ms: int | None = None,
) -> dict[str, Json]:
    """The JSON object of a grading. `eval_id` is the case's id as its author wrote it; unknown figures are left out."""
    return {
        "schema_version": grading.schema_version,
        "key": grading.key.model_dump(),
        "eval_id": grading.key.case_id if eval_id is None else eval_id,
        "config": grading.key.arm,
        "expectations": [
            native_expectation(each) | _votes(each) for each in grading.results if each.verdict != "UNGRADED"
        ],
        "ungraded": [_ungraded(each) | _votes(each) for each in grading.results if each.verdict == "UNGRADED"],
        "order": [each.id for each in grading.results],
        "summary": {
            "passed": grading.n_passed,
            "failed": grading.n_failed,
            "total": grading.n_passed + grading.n_failed,
            "pass_rate": grading.pass_rate,
            "ungraded": grading.n_ungraded,
            "weighted_score": grading.weighted_score,
            "required_failed": list(grading.required_failed),
        },
        "meta_results": [_meta(each) for each in grading.meta_results],
        "pass_count": grading.n_passed,
        "fail_count": grading.n_failed,
        "pass_rate": grading.pass_rate,
        "execution_metrics": _metrics(trial, n_steps=n_steps, transcript_chars=transcript_chars),
        "timing": _timing(grading, trial, grader_ms),
        "claims": [claim.model_dump() for claim in grading.claims],
        "eval_feedback": dict(grading.eval_feedback),
        "user_notes_summary": grading.user_notes.model_dump(mode="json"),
        "judge": grading.judge.model_dump() if grading.judge else None,
        "digest": grading.digest,
        "parts": dict(grading.parts),
    }


def native_expectation(result: AssertionResult) -> dict[str, Json]:
    """One entry of `expectations`, also in benchmark.json; only for PASS and FAIL."""
    return {
        "id": result.id,
        "text": result.text,
        "assertion": result.text,
        "passed": result.verdict == "PASS",
        "verdict": result.verdict,
        "evidence": result.evidence,
        "confidence": result.confidence,
        "grader": result.grader,
        "type": result.type,
    } | _standing(result)


def _standing(result: AssertionResult) -> dict[str, Json]:
    """Only where it is not the usual: a weight of 1, and not required."""
    weight: dict[str, Json] = {} if result.weight == 1 else {"weight": result.weight}
    return weight | ({"required": True} if result.required else {})


def _meta(result: AssertionResult) -> dict[str, Json]:
    passed = None if result.verdict == "UNGRADED" else result.verdict == "PASS"
    return {**native_expectation(result), "passed": passed}


def from_native(data: Json, *, where: str = "grading.json") -> Grading:
    """The grading of such an object. Raises `StoreError` where it is none, or contradicts itself.

    Summaries are not read: they follow from the verdicts.
    """
    try:
        fields = _object(data)
        results = [*map(_from_expectation, fields["expectations"]), *map(_from_ungraded, fields["ungraded"])]
        return Grading.model_validate(
            {
                **{name: fields[name] for name in _COPIED},
                "parts": fields.get("parts") or {},
                "meta_results": [_from_meta(each) for each in fields.get("meta_results") or ()],
                "user_notes": fields.get("user_notes_summary") or {},
                "results": _ordered(results, fields["order"]),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        what = f"the key {error} is missing" if isinstance(error, KeyError) else _what(error)
        raise StoreError(f"is no grading: {what}.", where=where, hint="Remove the file and grade again.") from error


def _ordered(results: list[AssertionResult], order: list[str]) -> list[AssertionResult]:
    by_id = {result.id: result for result in results}
    if len(by_id) != len(results) or sorted(by_id) != sorted(order):
        raise ValueError("'order' does not name every assertion exactly once")
    return [by_id[id_] for id_ in order]


def _what(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(error)


def _object(data: Json) -> Mapping[str, Json]:
    if not isinstance(data, Mapping):
        raise TypeError(f"an object is needed, not {type(data).__name__}")
    return cast("Mapping[str, Json]", data)


def _ungraded(result: AssertionResult) -> dict[str, Json]:
    return {
        "id": result.id,
        "text": result.text,
        "verdict": "UNGRADED",
        "reason": result.evidence,
        "confidence": result.confidence,
        "grader": result.grader,
        "type": result.type,
    } | _standing(result)


def _votes(result: AssertionResult) -> dict[str, Json]:
    """Only where there are some, so that what code decided stays short."""
    if not result.votes:
        return {}
    return {"votes": [vote.model_dump() for vote in result.votes], "agreement": result.agreement}


def _from_expectation(data: Json) -> AssertionResult:
    fields = dict(_object(data))
    if fields.pop("passed") is not (fields["verdict"] == "PASS") or fields["verdict"] not in {"PASS", "FAIL"}:
        raise ValueError(f"'passed' and 'verdict' of {fields['id']!r} contradict each other")
    del fields["assertion"]
    fields.pop("agreement", None)
    return AssertionResult.model_validate(fields)


def _from_meta(data: Json) -> AssertionResult:
    fields = {name: value for name, value in _object(data).items() if name not in {"passed", "assertion"}}
    return AssertionResult.model_validate(fields)


def _from_ungraded(data: Json) -> AssertionResult:
    fields = dict(_object(data))
    evidence = fields.pop("reason")
    fields.pop("agreement", None)
    return AssertionResult.model_validate({**fields, "evidence": evidence})


def _metrics(trial: Trial, *, n_steps: int | None, transcript_chars: int | None) -> dict[str, Json]:
    sizes = [file.size for file in trial.files if file.kept and file.change != "deleted"]
    calls = {} if trial.tool_calls is None else {"tool_calls": dict(trial.tool_calls)}
    figures = {
        "total_tool_calls": None if trial.tool_calls is None else sum(trial.tool_calls.values()),
        "errors_encountered": trial.n_tool_errors,
        "total_steps": n_steps,
        "output_chars": None if None in sizes else sum(size for size in sizes if size is not None),
        "transcript_chars": transcript_chars,
    }
    return {
        **calls,
        **{name: figure for name, figure in figures.items() if figure is not None},
    }


def _timing(grading: Grading, trial: Trial, grader_ms: int | None) -> dict[str, Json]:
    """Seconds. The grader's are of everything that the verdicts took; where nobody looked at a clock, those of the judge."""
    executor = None if trial.duration_ms is None else round(trial.duration_ms / 1000, 3)
    judge_ms = grading.judge.duration_ms if grading.judge else None
    took_ms = judge_ms if grader_ms is None else grader_ms
    grader = None if took_ms is None else round(took_ms / 1000, 3)
    return {
        "executor_duration_seconds": executor,
        "grader_duration_seconds": grader,
        "total_duration_seconds": None if executor is None else round(executor + (grader or 0), 3),
    }
