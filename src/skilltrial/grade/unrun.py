"""Trials in which no agent worked: the untouched start, and a reference solution; and what checks on these two mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skilltrial.records.document_checks import DocumentMatches
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.oracle import CheckedAssertion, CheckedCase, OracleCode, OracleFinding, Seen
from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    Case,
    DiffScope,
    DoubleCalled,
    FileAbsent,
    FileMatches,
    Foreign,
    JsonMatches,
    Limit,
    LlmJudge,
    Similar,
    SkillInvoked,
    SkillNotInvoked,
    TranscriptCheck,
)
from skilltrial.records.trial import HarnessFacts, OutputFile, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

_BY_JUDGE = "it is a statement for the judge"
_BY_CONDUCT = "it looks at what an agent does, and none worked on the reference"
_BY_ANSWER = "it looks at the final message, and the reference has none (answer.md)"


def unrun_trial(case: Case, name: str, *, files: Sequence[OutputFile], answer: str | None) -> Trial:
    """The record of a trial in which nothing was asked, spent or called; `name` stands in the place of the arm."""
    return Trial(
        key=TrialKey(case_id=case.id, arm=name, repeat=1),
        outcome="completed",
        final_message=answer,
        started_at=None,
        duration_ms=0,
        usage=Usage(input_tokens=0, output_tokens=0, requests=0),
        cost_usd=0.0,
        harness=HarnessFacts(name="none"),
        evidence=SkillEvidence(offered=True, attempted=False, loaded=False, read=False, described=True),
        attempts=(),
        files=tuple(files),
        n_turns=0,
        double_calls={} if case.doubles else None,
        isolation="folder",
        seed=0,
        plan_digest="",
    )


def checked(case: Case, untouched: Grading, reference: Grading | None) -> CheckedCase:
    """What the checks of a case say of both states; what code or a reference cannot decide has the reason instead."""
    after = {each.id: each for each in reference.results} if reference else {}
    before = {each.id: each for each in untouched.results}
    rows: list[CheckedAssertion] = []
    for each in case.assertions:
        row = CheckedAssertion(id=each.id, text=each.text, type=each.type, undecided=_undecided_by_code(each))
        if not row.undecided:
            why = "" if case.reference is None else _undecided_on_reference(each, case.reference.answer)
            found = after.get(each.id) if not why else None
            row = row.model_copy(
                update={"untouched": _seen(before[each.id]), "reference": _seen(found), "undecided": why}
            )
        rows.append(row)
    return CheckedCase(id=case.id, has_reference=reference is not None, assertions=tuple(rows))


def findings(case: Case, rows: CheckedCase) -> Iterator[OracleFinding]:
    """Checks that pass before any work, checks that a right solution does not pass, and a case where doing nothing passes all."""
    for assertion, row in zip(case.assertions, rows.assertions, strict=True):
        if row.untouched is not None and row.untouched.verdict == "PASS" and not passes_by_nature(assertion):
            message = f"it holds before any work: {row.untouched.evidence}"
            hint = "Check what the task makes, or what has to change in what is there."
            yield _finding("passes-untouched", message, hint, case, assertion)
        if row.reference is not None and row.reference.verdict != "PASS":
            word = "fails" if row.reference.verdict == "FAIL" else "cannot be decided"
            message = f"it {word} on the reference solution: {row.reference.evidence}"
            yield _finding("fails-reference", message, "One of the two is wrong: mend it.", case, assertion)
    if case.assertions and case.skill_should_trigger and all(map(_passes_idle, case.assertions, rows.assertions)):
        yield OracleFinding(
            code="only-negative",
            severity="info",
            message=f"all checks of {case.id!r} say what must not be; an agent that does nothing passes.",
            hint="Add one that says what must be there.",
            case_id=case.id,
        )


def passes_by_nature(assertion: Assertion) -> bool:
    """Whether a check only says what must not be, so that it has to hold where nothing was done."""
    match assertion:
        case FileAbsent() | DiffScope() | Limit() | SkillNotInvoked():
            return True
        case AnswerMatches(negate=negate) | FileMatches(negate=negate) | DocumentMatches(negate=negate):
            return negate
        case TranscriptCheck():
            return assertion.negate or (assertion.min_count is None and assertion.max_count is not None)
        case DoubleCalled():
            return assertion.min_count == 0 or assertion.max_count == 0
        case _:
            return False


def _passes_idle(assertion: Assertion, row: CheckedAssertion) -> bool:
    return passes_by_nature(assertion) and row.untouched is not None and row.untouched.verdict == "PASS"


def _undecided_by_code(assertion: Assertion) -> str:
    match assertion:
        case LlmJudge():
            return _BY_JUDGE
        case Foreign():
            return assertion.reason
        case _:
            return ""


def _undecided_on_reference(assertion: Assertion, answer: str | None) -> str:
    match assertion:
        case TranscriptCheck() | SkillInvoked() | SkillNotInvoked() | Limit() | DoubleCalled():
            return _BY_CONDUCT
        case AnswerMatches() | JsonMatches(path=None) | Similar(path=None) if answer is None:
            return _BY_ANSWER
        case _:
            return ""


def _seen(result: AssertionResult | None) -> Seen | None:
    return None if result is None else Seen(verdict=result.verdict, evidence=result.evidence)


def _finding(code: OracleCode, message: str, hint: str, case: Case, assertion: Assertion) -> OracleFinding:
    return OracleFinding(
        code=code, severity="warning", message=message, hint=hint, case_id=case.id, assertion_id=assertion.id
    )
