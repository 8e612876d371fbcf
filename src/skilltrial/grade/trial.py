"""One trial -> its `Grading`: what code can decide first, then one call of the judge for the rest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from anyio import to_thread

from skilltrial.grade.checks.apart import check_apart
from skilltrial.grade.code_checks import check
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.digest import grading_digest, grading_parts
from skilltrial.grade.judge_answers import JudgeAnswers
from skilltrial.grade.material import Material
from skilltrial.grade.panel import Judged, Panel, judge_trial
from skilltrial.ports import Confinement
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.suite import Assertion, Foreign, LlmJudge, SkillNotInvoked

NOT_INVOKED = "__skill_not_invoked"
"""The id of a meta result."""
PLAIN_ENV: Mapping[str, str] = MappingProxyType({"PATH": os.defpath})
"""What commands of checks get where no environment is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What an earlier grading of the same trial leaves to be done."""

    carried: Mapping[str, AssertionResult] = field(default_factory=dict[str, AssertionResult])
    """Results that stay as they are, by the assertion's id."""
    grading: Grading | None = None
    """Whose results those are."""
    holds: bool = True
    """Those results are the ones that would come out now."""
    answers: JudgeAnswers | None = None
    """What judges said before."""


async def grade_trial(
    material: Material,
    *,
    judge: Panel | None,
    no_judge_reason: str,
    env: Mapping[str, str] = PLAIN_ENV,
    walls: Confinement | None = None,
    earlier: Earlier | None = None,
) -> Grading:
    """Every assertion of the case exactly once, in its order.

    `env` is the person's; command checks take PATH and LANG from it, and run in `walls` where they are given. The digest of a
    grading whose judge could not be reached is not that of a judged one, so that the next run asks again; nor is that of one with
    results carried over that do not hold. Raises `AuthFailed` and `NotInstalled` of the judge.
    """
    case, earlier = material.case, earlier or Earlier()
    open_ones = [each for each in case.assertions if each.id not in earlier.carried]
    results = dict(earlier.carried) | {
        each.id: await _checked(each, material, env=env, walls=walls)
        for each in open_ones
        if not isinstance(each, LlmJudge)
    }
    prose = [each for each in open_ones if isinstance(each, LlmJudge)]
    judged: Judged | None = None
    if prose and judge is not None:
        judged = await judge_trial(material, prose, panel=judge, answers=earlier.answers)
        results |= judged.results
    elif prose:
        results |= {each.id: _result(each, CheckResult("UNGRADED", no_judge_reason)) for each in prose}
    by_judge = judge.identity if judge is not None and (judged is None or judged.complete) else None
    parts = grading_parts(
        case,
        material.trial,
        transcript_sha256=material.transcript_sha256,
        judge=by_judge,
        no_judge_reason=no_judge_reason if judge is None else "the judge could not be reached",
    )
    return _grading(material, [results[each.id] for each in case.assertions], judged, earlier, parts)


def _grading(
    material: Material,
    results: Sequence[AssertionResult],
    judged: Judged | None,
    earlier: Earlier,
    parts: Mapping[str, str],
) -> Grading:
    standing = zip(material.case.assertions, results, strict=True)
    grading = Grading(
        key=material.trial.key,
        results=tuple(
            result.model_copy(update={"weight": assertion.weight, "required": assertion.required})
            for assertion, result in standing
        ),
        meta_results=_meta_results(material),
        digest=grading_digest(parts) if earlier.holds else "sha256:of parts",
        parts=parts,
    )
    words = judged or earlier.grading
    if words is None:
        return grading
    return grading.model_copy(
        update={
            "claims": words.claims,
            "eval_feedback": words.eval_feedback,
            "user_notes": words.user_notes,
            "judge": words.facts if isinstance(words, Judged) else words.judge,
        }
    )


def _meta_results(material: Material) -> tuple[AssertionResult, ...]:
    """Of a task that the skill should stay out of, in an arm that was offered the skill: whether it did."""
    if material.case.skill_should_trigger or not material.arm_has_skill:
        return ()
    asked = SkillNotInvoked(id=NOT_INVOKED, text="The agent does not load the skill")
    try:
        return (_result(asked, check(asked, material)),)
    except Undecided as gap:
        return (_result(asked, CheckResult("UNGRADED", str(gap))),)


async def _checked(
    assertion: Assertion, material: Material, *, env: Mapping[str, str], walls: Confinement | None
) -> AssertionResult:
    try:
        result = await check_apart(assertion, material, env=env, walls=walls)
        return _result(assertion, result or await to_thread.run_sync(check, assertion, material))
    except Undecided as gap:
        return _result(assertion, CheckResult("UNGRADED", str(gap)))


def _result(assertion: Assertion, result: CheckResult) -> AssertionResult:
    return AssertionResult(
        id=assertion.id,
        text=assertion.text,
        type=assertion.type,
        verdict=result.verdict,
        evidence=result.evidence,
        grader="none" if isinstance(assertion, LlmJudge | Foreign) else "code",
    )
