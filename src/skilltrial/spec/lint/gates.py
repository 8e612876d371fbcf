"""What a suite leaves unasked: the result of a task, the skill's own limits, the right to load the skill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    Case,
    DoubleCalled,
    Limit,
    SkillInvoked,
    SkillNotInvoked,
    Suite,
    TranscriptCheck,
)
from skilltrial.spec.lint.remark import Remark, finds, matches_anything
from skilltrial.spec.lint.vacuous import load_calls

_EDITS = re.compile(
    r"(?i)(?:\A|[.!?:;,\n]\s*|\b(?:please|and|then|to|must|should|can you|could you)\s+)"
    r"(?:fix|edit|update|change|rename|refactor|rewrite|add|remove|delete|replace|insert|convert|migrate|"
    r"implement|correct|reformat|sort|split|merge|translate)\b"
)
_NO_RESULT = (TranscriptCheck, SkillInvoked, SkillNotInvoked, AnswerMatches, Limit, DoubleCalled)
"""Kinds that hold whatever is in the files."""
_EXCLUDES = re.compile(
    r"(?i)\b(?:do(?:es)? not|don['\u2019]t|never|not to be) (?:use|invoke|trigger|activate|apply|load|used)\b|"
    r"\b(?:is|are)? ?not (?:for|meant|intended|suitable)\b|\bskip (?:this|it) (?:for|when|if)\b"
)
_CLAUSE = 80


def about_gates(suite: Suite, *, skill_name: str | None) -> Iterator[Remark]:
    """Remarks on tasks whose result nothing looks at, and on denials that loading the skill breaks."""
    for case in suite.cases:
        if _is_edit(case) and case.assertions and all(isinstance(each, _NO_RESULT) for each in case.assertions):
            message = f"{case.id!r} asks for a change of files, and no assertion looks at them."
            hint = "Add a check of the result: `command_check`, `file_matches`, or a statement about the files."
            yield Remark("no-result-check", message, key=(case.id, None), hint=hint)
        for assertion in case.assertions:
            if skill_name and case.skill_should_trigger and _denies_loading(assertion, skill_name):
                message = (
                    "the call that loads the skill breaks it; the arm with the skill cannot pass once it loads it."
                )
                hint = "Look for the call that must not be, with `arg` or a narrower pattern."
                yield Remark("load-fails", message, key=(case.id, assertion.id), hint=hint)


def exclusion(description: str | None) -> str:
    """The clause of a skill's description that says what it is not for; empty where there is none."""
    found = _EXCLUDES.search(description or "")
    if found is None or description is None:
        return ""
    clause = re.split(r"[.;\n]", description[found.start() :], maxsplit=1)[0].strip()
    return clause if len(clause) <= _CLAUSE else f"{clause[:_CLAUSE]}…"


def _is_edit(case: Case) -> bool:
    return bool(case.files or case.codebase) and _EDITS.search(case.prompt) is not None


def _denies_loading(assertion: Assertion, name: str) -> bool:
    if not isinstance(assertion, TranscriptCheck) or assertion.check != "tool_invocation_matches":
        return False
    pattern = assertion.pattern
    if pattern is None or assertion.arg is not None or not (assertion.negate or assertion.max_count == 0):
        return False
    return not matches_anything(pattern) and any(finds(pattern, call) for call in load_calls(name))
