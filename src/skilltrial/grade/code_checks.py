"""Which code decides which assertion."""

from __future__ import annotations

from typing import assert_never

from skilltrial.grade.checks.answer import check_answer
from skilltrial.grade.checks.doubles import check_double_called
from skilltrial.grade.checks.files import check_file_absent, check_file_exists, check_file_matches
from skilltrial.grade.checks.json_document import check_json
from skilltrial.grade.checks.limits import check_limit, check_scope
from skilltrial.grade.checks.similar import check_similar
from skilltrial.grade.checks.skill import check_skill_invoked, check_skill_not_invoked
from skilltrial.grade.checks.transcript import check_transcript
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableMatches
from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    CommandCheck,
    DiffScope,
    DoubleCalled,
    FileAbsent,
    FileExists,
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


def check(assertion: Assertion, material: Material) -> CheckResult:  # noqa: C901, PLR0911, PLR0912 - one line for each kind
    """The verdict of code on one assertion that needs neither judge nor command; `Undecided` where there is none."""
    match assertion:
        case TranscriptCheck():
            return check_transcript(assertion, material)
        case SkillInvoked():
            return check_skill_invoked(assertion, material)
        case SkillNotInvoked():
            return check_skill_not_invoked(assertion, material)
        case FileExists():
            return check_file_exists(assertion, material)
        case FileAbsent():
            return check_file_absent(assertion, material)
        case FileMatches():
            return check_file_matches(assertion, material)
        case AnswerMatches():
            return check_answer(assertion, material)
        case JsonMatches():
            return check_json(assertion, material)
        case DiffScope():
            return check_scope(assertion, material)
        case Limit():
            return check_limit(assertion, material)
        case Similar():
            return check_similar(assertion, material)
        case DoubleCalled():
            return check_double_called(assertion, material)
        case Foreign():
            raise Undecided(assertion.reason)
        case LlmJudge() | CommandCheck() | PythonCheck() | TableMatches() | DocumentMatches() | ImageMatches():
            raise Undecided("it is decided elsewhere.")
        case _:
            assert_never(assertion)
