"""Checking files in front of a person."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from skilltrial.cli.screen import Screen, put
from skilltrial.report.plain_text import line as one_line
from skilltrial.spec.validate import Problem, Validation, validate

INVALID = 2
_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


def validate_and_print(path: Path, *, as_json: bool) -> int:
    """Print what is wrong and what was understood; returns the exit code."""
    found = validate(path)
    if as_json:
        put(found.model_dump_json(indent=2) + "\n")
    else:
        _print(found, Screen())
    return 0 if found.ok else INVALID


def _print(found: Validation, console: Console) -> None:
    for problem in found.problems:
        _print_problem(problem, console)
    if found.skill:
        console.print(Text(one_line(f"skill {found.skill.name}: {len(found.skill.files)} files", 300)), soft_wrap=True)
    if found.suite:
        cases = found.suite.cases
        n = sum(len(case.assertions) for case in cases)
        console.print(Text(f"eval file ({found.suite.dialect}): {len(cases)} cases, {n} assertions"), soft_wrap=True)
    counts = {name: sum(problem.severity == name for problem in found.problems) for name in _STYLES}
    console.print(Text(", ".join(f"{count} {name}s" for name, count in counts.items())))


def _print_problem(problem: Problem, console: Console) -> None:
    place = problem.file + (f":{problem.line}" if problem.line else "")
    where = f" {problem.place}" if problem.place else ""
    text = Text.assemble(
        (problem.severity, _STYLES[problem.severity]), f" {problem.code} ", one_line(f"{place}{where}", 300)
    )
    console.print(text, soft_wrap=True)
    console.print(Text("  " + one_line(f"{problem.message} {problem.hint}", 600)), soft_wrap=True)
