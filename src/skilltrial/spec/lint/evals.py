"""Advice on an eval file that could be read: what it asks, how it is worded, what its checks are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.bounds import about_bounds
from skilltrial.spec.lint.cases import about_cases, about_suite
from skilltrial.spec.lint.doubles import about_doubles
from skilltrial.spec.lint.gates import about_gates, exclusion
from skilltrial.spec.lint.giveaways import about_giveaways
from skilltrial.spec.lint.remark import Remark
from skilltrial.spec.lint.rule import EvalsUnderLint, Place
from skilltrial.spec.lint.rules import advice
from skilltrial.spec.lint.triggers import about_triggers
from skilltrial.spec.lint.vacuous import about_checks
from skilltrial.spec.lint.writing import about_writing


def advise(under: EvalsUnderLint) -> list[Problem]:
    """What could be better, in the order of the lines; never an error. Nothing is run."""
    problems: list[Problem] = []
    suite, triggers = under.suite, under.triggers
    if suite is not None:
        name = under.skill.name if under.skill else suite.skill_name
        description = under.skill.description if under.skill else None
        remarks = chain(
            about_suite(suite, has_triggers=triggers is not None, excluded=exclusion(description)),
            about_cases(suite, skill_name=name),
            about_writing(suite),
            about_checks(suite, skill_name=name),
            about_bounds(suite),
            about_gates(suite, skill_name=name),
            about_giveaways(suite),
            about_doubles(suite),
        )
        problems += _problems(remarks, under, file=suite.path)
    if triggers is not None:
        problems += _problems(about_triggers(triggers, skill=under.skill), under, file=triggers.path)
    return sorted(problems, key=lambda problem: problem.line or 0)


def _problems(remarks: Iterable[Remark], under: EvalsUnderLint, *, file: str) -> Iterator[Problem]:
    for remark in remarks:
        place = under.places.get(remark.key) if remark.key else None
        line, path, own_file = place or Place(None, "")
        yield advice(
            remark.rule,
            remark.message,
            file=own_file or file,
            line=line,
            place=path,
            value=remark.value,
            hint=remark.hint,
        )
