"""A skill folder or an eval file -> everything that is wrong or odd about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from skilltrial.records.record import Record, Repair
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.spec.findings import Findings, Invalid, Problem
from skilltrial.spec.front_matter import read_front_matter
from skilltrial.spec.skill import MAX_BYTES, SKILL_FILE, load_skill
from skilltrial.spec.skill_rules import broken_rules
from skilltrial.spec.suite import EVALS, examine_suite, find_evals, nearest_skill
from skilltrial.spec.text_file import read_text

_ERRORS = {"description-missing"}
_WARNINGS = {
    "bare-colon",
    "file-configures-agent",
    "file-of-evals",
    "file-of-skill",
    "folder-empty",
    "foreign-assertion",
    "key-not-used",
    "link-broken",
    "link-hidden",
    "link-loop",
    "link-outside",
    "name-differs",
    "name-missing",
    "name-not-utf8",
    "not-a-file",
    "rubric-missing",
    "skill-name-differs",
    "skill-name-not-text",
    "text-made",
}


class Validation(Record):
    """What `validate` found, in the order of the files."""

    path: str
    skill: Skill | None
    """None where it cannot be read, or there is none."""
    suite: Suite | None
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return all(problem.severity != "error" for problem in self.problems)


def validate(path: Path) -> Validation:
    """Examine a skill folder, a SKILL.md or an eval file. Never raises for bad content: that becomes `problems`."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    if path.is_file() and path.name != SKILL_FILE:
        return _validate_evals(path)
    skill, problems = _examine_skill(path)
    suite: Suite | None = None
    folder = path.parent if path.name == SKILL_FILE else path
    if skill is not None:
        findings = Findings()
        with findings.collecting():
            suite, found = _examine_evals(find_evals(skill, None), skill)
            problems += found
        problems += [error.model_copy(update={"severity": "warning"}) for error in findings.errors]
    elif (folder / EVALS).is_file():
        suite, found = _examine_evals(folder / EVALS, None)
        problems += found
    return Validation(path=str(path), skill=skill, suite=suite, problems=tuple(problems))


def _validate_evals(path: Path) -> Validation:
    """An eval file alone; the skill above it is looked at as far as reading needs it."""
    folder = nearest_skill(path)
    skill: Skill | None = None
    problems: list[Problem] = []
    if folder is not None:
        skill, found = _examine_skill(folder)
        problems += [problem for problem in found if problem.severity == "error"]
    suite, found = _examine_evals(path, skill)
    return Validation(path=str(path), skill=skill, suite=suite, problems=(*problems, *found))


def _examine_skill(folder: Path) -> tuple[Skill | None, list[Problem]]:
    try:
        skill = load_skill(folder)
        file = Path(skill.folder) / SKILL_FILE
        findings = Findings()
        front = read_front_matter(read_text(file, findings, max_bytes=MAX_BYTES), findings, file=str(file))
    except Invalid as error:
        return None, [error.problem]
    return skill, [*map(_problem, skill.repairs), *broken_rules(skill, front, file=str(file))]


def _examine_evals(path: Path, skill: Skill | None) -> tuple[Suite | None, list[Problem]]:
    reading = examine_suite(path, skill)
    problems = [*reading.errors, *map(_problem, reading.repairs)]
    if reading.suite is not None:
        problems += _advice(reading.suite)
    return reading.suite, sorted(problems, key=lambda problem: problem.line or 0)


def _problem(repair: Repair) -> Problem:
    warns = repair.code in _WARNINGS or "did you mean" in repair.message
    severity = "error" if repair.code in _ERRORS else "warning" if warns else "note"
    return Problem(
        severity=severity,
        code=repair.code,
        message=f"{repair.message}.",
        file=repair.file,
        line=repair.line,
        place=repair.path,
        value=repair.value,
    )


def _advice(suite: Suite) -> Iterator[Problem]:
    for case in suite.cases:
        if not case.assertions:
            message = f"the case {case.id!r} has no assertions; its trials are run, and nothing is graded."
            hint = "Write down what must hold, as `assertions`."
            yield Problem(severity="warning", code="no-assertions", message=message, file=suite.path, hint=hint)
