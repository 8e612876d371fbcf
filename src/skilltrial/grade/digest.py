"""Is a grading still the one that would be made now?"""

from __future__ import annotations

import hashlib
import json

from skilltrial.records.suite import Case, LlmJudge
from skilltrial.records.trial import Trial

# Goes up when the same inputs may get other verdicts from a newer skilltrial.
_RULES = 1


def grading_digest(case: Case, trial: Trial, *, transcript_sha256: str, judge: str | None, no_judge_reason: str) -> str:
    """Of what a grading is made from: the case with its assertions, the trial and its files, the transcript, the judge.

    A copy of an earlier trial counts as that one, so that its grading holds on. Paths on this machine and what the author wrote
    around the assertions do not count. Without assertions in prose the judge does not count either.
    """
    prose = any(isinstance(assertion, LlmJudge) for assertion in case.assertions)
    parts = {
        "rules": _RULES,
        "case": case.model_dump(
            mode="json",
            exclude={
                "extra": True,
                "runs": True,
                "files": {"__all__": {"source"}},
                "codebase": {"path"},
                "assertions": {"__all__": {"written"}},
            },
        ),
        "trial": _original(trial).model_dump(mode="json", exclude={"usage": {"told_total"}, "reused_from": True}),
        "transcript": transcript_sha256,
        "judge": (judge or no_judge_reason) if prose else None,
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _original(trial: Trial) -> Trial:
    origin = trial.reused_from
    if origin is None:
        return trial
    return trial.model_copy(update={"key": origin.key, "plan_digest": origin.plan_digest})
