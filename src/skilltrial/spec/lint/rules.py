"""The table of all rules, and the one place where a finding gets its code and its severity.

Families keep to their numbers: 0xx any file, 1xx SKILL.md, 2xx the skill's other files, 300-350 reading an eval file, 351-379 what
it says, 380-399 reading other forms than the usual one, 4xx how assertions are written, 5xx trigger sets (from 581 on, reading
them). A code is never given to another rule. docs/lint.md lists them all, which a test holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.repair import Repair
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.evals_table import ASSERTION_RULES, CASE_RULES, TRIGGER_RULES
from skilltrial.spec.lint.reading_table import EVAL_FILE_RULES, FILE_RULES, FORM_RULES, TRIGGER_FILE_RULES
from skilltrial.spec.lint.rule import Rule
from skilltrial.spec.lint.skill_table import FOLDER_RULES, SKILL_RULES

_TABLES = (
    FILE_RULES,
    SKILL_RULES,
    FOLDER_RULES,
    EVAL_FILE_RULES,
    CASE_RULES,
    FORM_RULES,
    ASSERTION_RULES,
    TRIGGER_RULES,
    TRIGGER_FILE_RULES,
)

RULES: tuple[Rule, ...] = tuple(sorted((rule for table in _TABLES for rule in table), key=lambda rule: rule.code))
"""In the order of their codes."""

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}

_SLIP = "did you mean"


def advice(
    name: str,
    message: str,
    *,
    file: str,
    line: int | None = None,
    place: str = "",
    value: str = "",
    hint: str = "",
) -> Problem:
    """A finding of the rule with this name, with its code and severity. Raises `KeyError` for a name that is not in the table."""
    rule = BY_NAME[name]
    return Problem(
        severity=rule.severity,
        code=rule.name,
        rule=rule.code,
        message=message,
        file=file,
        line=line,
        place=place,
        value=value,
        hint=hint,
    )


def of_repair(repair: Repair) -> Problem:
    """What reading put right or carried along, as a finding. A key that looks like a slip of another one is a warning."""
    rule = BY_NAME.get(repair.code)
    severity = rule.severity if rule else "note"
    return Problem(
        severity="warning" if severity == "note" and _SLIP in repair.message else severity,
        code=repair.code,
        rule=rule.code if rule else "",
        message=f"{repair.message}.",
        file=repair.file,
        line=repair.line,
        place=repair.path,
        value=repair.value,
    )


def coded(problems: Iterable[Problem]) -> list[Problem]:
    """The findings, each with the code of its rule. An error that ended reading stays one, whatever the table says."""
    return [
        problem
        if problem.rule or problem.code not in BY_NAME
        else problem.model_copy(update={"rule": BY_NAME[problem.code].code})
        for problem in problems
    ]
