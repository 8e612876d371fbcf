"""A skill folder, an eval file or a folder of cases -> everything that is wrong or odd about it."""

from __future__ import annotations

import os
from pathlib import Path

from skilltrial.records.record import Record
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.records.trigger import TriggerSuite
from skilltrial.spec.findings import Findings, Invalid, Problem
from skilltrial.spec.front_matter import read_front_matter
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.lint.rules import advice, coded, of_repair
from skilltrial.spec.lint.skill_body import body_advice
from skilltrial.spec.lint.skill_description import description_advice
from skilltrial.spec.lint.skill_files import file_advice
from skilltrial.spec.skill import MAX_BYTES, SKILL_FILE, load_skill
from skilltrial.spec.skill_rules import broken_rules
from skilltrial.spec.suite import EVALS, SuiteReading, examine_suite, find_evals, nearest_skill
from skilltrial.spec.text_file import read_text

_LAST = 1 << 30
"""Behind all lines: what is said of a file as a whole."""


class Validation(Record):
    """What `validate` found, in the order of the files."""

    path: str
    skill: Skill | None
    """None where it cannot be read, or there is none."""
    suite: Suite | None
    triggers: TriggerSuite | None = None
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return all(problem.severity != "error" for problem in self.problems)


def validate(path: Path) -> Validation:
    """Examine a skill folder, a SKILL.md, an eval file or a folder of cases.

    Never raises for bad content: that becomes `problems`.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    if path.is_file() and path.name != SKILL_FILE:
        return _validate_evals(path)
    skill, problems = _examine_skill(path)
    if problems and problems[0].code == "no-skill-file" and _holds_cases(path):
        return _validate_evals(path)
    reading: SuiteReading | None = None
    folder = path.parent if path.name == SKILL_FILE else path
    if skill is not None:
        findings = Findings()
        with findings.collecting():
            reading = examine_suite(find_evals(skill, None), skill)
        problems += [error.model_copy(update={"severity": "warning"}) for error in findings.errors]
    elif (folder / EVALS).is_file():
        reading = examine_suite(folder / EVALS, None)
    return _validation(path, skill, problems, reading)


def _holds_cases(folder: Path) -> bool:
    """Whether a folder without a SKILL.md is one of cases that have a file each."""
    if (folder / EVALS).exists():
        return False
    reading = examine_suite(folder, None)
    return reading.suite is not None or any(Path(error.file) != folder for error in reading.errors)


def validate_skill(folder: Path) -> list[Problem]:
    """What there is to say about a skill without its evals. Never raises for bad content."""
    return coded(_examine_skill(folder)[1])


def _validate_evals(path: Path) -> Validation:
    """An eval file, or a folder of cases, alone; the skill above it is looked at as far as reading needs it."""
    folder = nearest_skill(path)
    skill: Skill | None = None
    problems: list[Problem] = []
    if folder is not None:
        try:
            skill = load_skill(folder)
        except Invalid as error:
            problems = [error.problem]
    return _validation(path, skill, problems, examine_suite(path, skill))


def _validation(path: Path, skill: Skill | None, problems: list[Problem], reading: SuiteReading | None) -> Validation:
    if reading is None:
        return Validation(path=str(path), skill=skill, suite=None, problems=tuple(coded(problems)))
    found = [*reading.errors, *map(of_repair, reading.repairs)]
    under = EvalsUnderLint(suite=reading.suite, triggers=reading.triggers, skill=skill, places=reading.places)
    found += advise(under)
    problems = [*problems, *sorted(found, key=lambda problem: problem.line or 0)]
    return Validation(
        path=str(path), skill=skill, suite=reading.suite, triggers=reading.triggers, problems=tuple(coded(problems))
    )


def _examine_skill(folder: Path) -> tuple[Skill | None, list[Problem]]:
    try:
        skill = load_skill(folder)
        file = str(Path(skill.folder) / SKILL_FILE)
        text = read_text(Path(file), Findings(), max_bytes=MAX_BYTES)
        front = read_front_matter(text, Findings(), file=file)
    except Invalid as error:
        return None, [error.problem]
    first_line = text.count("\n") - front.body.count("\n") + 1
    problems = [
        *map(of_repair, skill.repairs),
        *broken_rules(skill, front, file=file),
        *description_advice(skill, front, file=file),
        *_line_ends(text, file),
        *body_advice(skill, file=file, first_line=first_line),
        *file_advice(skill),
    ]
    return skill, sorted(problems, key=lambda problem: (problem.file != file, problem.file, problem.line or _LAST))


def _line_ends(text: str, file: str) -> list[Problem]:
    n_crlf = text.count("\r\n")
    if not n_crlf:
        return []
    message = f"{n_crlf} line{'s' * (n_crlf != 1)} end in CR LF."
    return [advice("crlf", message, file=file, line=1, hint="`skilltrial validate --fix` makes them LF.")]
