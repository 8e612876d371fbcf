"""Is a grading still the one that would be made now, and if not, what of it has changed?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case, LlmJudge
from skilltrial.records.trial import Trial

# Goes up when the same inputs may get other verdicts from a newer skilltrial.
_RULES = 4

_AROUND = {"written": True, "setup_files": {"__all__": {"source"}}, "golden_file": {"source"}}
"""Of an assertion: what decides nothing of its verdict."""

RULES, CASE, TRIAL, JUDGE, ASSERTION = "rules", "case", "trial", "judge", "assertion:"
"""Names of the parts; that of an assertion has its id behind it."""


def grading_parts(
    case: Case, trial: Trial, *, transcript_sha256: str, judge: str | None, no_judge_reason: str
) -> dict[str, str]:
    """What a grading is made from: our rules, and digests of the case, each assertion, the trial with its transcript, the judge.

    A copy of an earlier trial counts as that one, so that its grading holds on. Paths on this machine and what the author wrote
    around the assertions do not count. Without assertions in prose the judge does not count either.
    """
    prose = any(isinstance(assertion, LlmJudge) for assertion in case.assertions)
    about = case.model_dump(
        mode="json",
        exclude={
            "extra": True,
            "family": True,
            "reference": True,
            "runs": True,
            "files": {"__all__": {"source"}},
            "codebase": {"path"},
            "assertions": True,
        },
    )
    ran = _original(trial).model_dump(
        mode="json", exclude={"usage": {"told_total"}, "final_message_cut": True, "reused_from": True}
    )
    return {
        RULES: str(_RULES),
        CASE: _digest(about),
        TRIAL: _digest([ran, transcript_sha256]),
        JUDGE: _digest((judge or no_judge_reason) if prose else None),
        **{f"{ASSERTION}{each.id}": _digest(each.model_dump(mode="json", exclude=_AROUND)) for each in case.assertions},
    }


def grading_digest(parts: Mapping[str, str]) -> str:
    """Of all parts, the assertions in their order."""
    return _digest(list(parts.items()))


def _digest(data: Json) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _original(trial: Trial) -> Trial:
    origin = trial.reused_from
    if origin is None:
        return trial
    return trial.model_copy(update={"key": origin.key, "plan_digest": origin.plan_digest})
