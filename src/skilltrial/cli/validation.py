"""Checking files in front of a person."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, assert_never

from rich.console import Console
from rich.text import Text

from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.version import version
from skilltrial.errors import SpecError
from skilltrial.records.json_value import Json
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import line as one_line
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.fixes import Change, find_fixes, fix_skill
from skilltrial.spec.lint.rules import BY_NAME
from skilltrial.spec.lint.sarif import sarif
from skilltrial.spec.lint.skills_ref import reference_complaints
from skilltrial.spec.skill import SKILL_FILE
from skilltrial.spec.validate import Validation, validate

INVALID = 2
REFUSED = 1
Form = Literal["text", "json", "sarif"]
_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
_MOST = {"error": 10, "warning": 3, "note": 3}
"""Findings of a kind that are shown of a file."""
_INDENT = "    "


class _Fix(NamedTuple):
    file: str
    change: Change


def validate_and_print(paths: Sequence[Path], *, form: Form, fix: bool) -> int:
    """Print what is wrong and what was understood; returns the exit code. `fix` puts right what is mechanical first."""
    fixes = [done for path in paths for done in _fix(path)] if fix else []
    found = [validate(path) for path in paths]
    match form:
        case "text":
            _print(found, fixes, Screen())
        case "json":
            _put_json(_as_json(found, fixes))
        case "sarif":
            _put_json(sarif(_distinct(found), root=Path.cwd(), version=version()))
        case _:
            assert_never(form)
    return 0 if all(one.ok for one in found) else INVALID


def print_reference_verdict(paths: Sequence[Path], *, as_json: bool) -> int:
    """Print what skills-ref 0.1.1 would decide; returns its exit code. Raises `SpecError` for a path that is not there."""
    verdicts: dict[str, list[str]] = {}
    for path in paths:
        if not path.exists():
            raise SpecError("there is no such file or folder.", where=str(path))
        verdicts[str(path)] = reference_complaints(Path(os.path.abspath(path)))  # noqa: PTH100 - links stay
    ok = not any(verdicts.values())
    if as_json:
        listed = [{"path": path, "valid": not reasons, "reasons": reasons} for path, reasons in verdicts.items()]
        _put_json({"like": "skills-ref 0.1.1", "ok": ok, "paths": listed})
        return 0 if ok else REFUSED
    console = Screen()
    for path, reasons in verdicts.items():
        verdict = Text("not valid", "red") if reasons else Text("valid", "green")
        console.print(Text.assemble(one_line(path, 300), ": ", verdict), soft_wrap=True)
        for reason in reasons:
            _print_wrapped(f"- {reason}", console)
    return 0 if ok else REFUSED


def _put_json(value: Json) -> None:
    # In ASCII: names of files may hold bytes that no other encoding of JSON can carry, or act on a terminal.
    put(json.dumps(value, indent=2) + "\n")


def _fix(path: Path) -> list[_Fix]:
    folder = _skill_folder(path)
    return [_Fix(str(folder / SKILL_FILE), change) for change in fix_skill(folder)] if folder else []


def _skill_folder(path: Path) -> Path | None:
    folder = Path(os.path.abspath(path))  # noqa: PTH100 - links stay
    if not folder.is_file():
        return folder
    return folder.parent if folder.name == SKILL_FILE else None


def _distinct(found: Iterable[Validation]) -> list[Problem]:
    """All findings, each once, though a skill and its eval file may both have been given."""
    return list({problem: None for one in found for problem in one.problems})


def _as_json(found: Sequence[Validation], fixes: Sequence[_Fix]) -> dict[str, Json]:
    problems = _distinct(found)
    return {
        "schema_version": 1,
        "ok": all(one.ok for one in found),
        "counts": _counts(problems),
        "problems": [problem.model_dump(mode="json") for problem in problems],
        "fixed": [
            {"file": file, "rule": BY_NAME[change.rule].code, "code": change.rule, **_without_rule(change)}
            for file, change in fixes
        ],
        "paths": [_path_as_json(one) for one in found],
    }


def _without_rule(change: Change) -> dict[str, Json]:
    return {"line": change.line, "before": change.before, "after": change.after}


def _path_as_json(one: Validation) -> dict[str, Json]:
    skill, suite, triggers = one.skill, one.suite, one.triggers
    return {
        "path": one.path,
        "ok": one.ok,
        "skill": skill and {"name": skill.name, "fingerprint": skill.fingerprint, "n_files": len(skill.files)},
        "suite": suite and {"dialect": suite.dialect, "n_cases": len(suite.cases), "n_assertions": _n_assertions(one)},
        "triggers": triggers and {"dialect": triggers.dialect, "n_queries": len(triggers.queries)},
    }


def _n_assertions(one: Validation) -> int:
    return sum(len(case.assertions) for case in one.suite.cases) if one.suite else 0


def _counts(problems: Iterable[Problem]) -> dict[str, int]:
    counts = dict.fromkeys(_STYLES, 0)
    for problem in problems:
        counts[problem.severity] += 1
    return counts


def _print(found: Sequence[Validation], fixes: Sequence[_Fix], console: Console) -> None:
    problems = _distinct(found)
    for file, change in fixes:
        head = f"{_shown_path(file)}:{change.line}  "
        rule = BY_NAME[change.rule]
        console.print(Text.assemble(head, ("fixed", "green"), f"  {rule.code} {rule.name}"), soft_wrap=True)
        _print_wrapped(f"{change.before} -> {change.after}", console)
    if fixes:
        console.print()
    for group in _by_file(problems):
        _print_file(group, console)
        console.print()
    for one in found:
        _print_understood(one, console)
    counts = [plural(count, name) for name, count in _counts(problems).items()]
    console.print(Text(", ".join(counts)))
    folders = {folder for one in found if (folder := _skill_folder(Path(one.path)))}
    n_fixes = sum(len(find_fixes(folder).changes) for folder in folders)
    if n_fixes:
        console.print(Text(f"`skilltrial validate --fix` can put right {plural(n_fixes, 'thing')}."))
    if len(found) == 1 and _is_ready(found[0]):
        console.print(Text(f"Next: skilltrial run {_shown_path(found[0].path)}"), soft_wrap=True)


def _is_ready(one: Validation) -> bool:
    """Whether a skill was looked at whose cases can be run; those of the template first have to be written."""
    unwritten = any(problem.code == "not-filled-in" for problem in one.problems)
    return one.ok and one.suite is not None and (Path(one.path) / SKILL_FILE).is_file() and not unwritten


def _by_file(problems: Iterable[Problem]) -> Iterable[list[Problem]]:
    """The findings of each file together; files and findings in the order in which they came."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.file, []).append(problem)
    return groups.values()


def _print_file(problems: Sequence[Problem], console: Console) -> None:
    """A hint is not said twice in a row; of many findings of a kind the first ones are shown, and the others counted."""
    n_left = Counter(map(_kind, problems))
    n_hidden = {kind: n - _MOST[kind[0]] for kind, n in n_left.items() if n > _MOST[kind[0]] + 1}
    hint = ""
    for problem in problems:
        kind = _kind(problem)
        n_left[kind] -= 1
        if n_left[kind] >= n_hidden.get(kind, 0):
            _print_problem(problem, console, shown_hint=hint)
            hint = problem.hint
    for (severity, name), n in n_hidden.items():
        more = Text.assemble(f"and {n:,} more ", (severity, _STYLES[severity]), f"  {name}  (--json lists all)")
        console.print(more, soft_wrap=True)


def _kind(problem: Problem) -> tuple[str, str]:
    return problem.severity, f"{problem.rule} {problem.code}".lstrip()


def _print_understood(one: Validation, console: Console) -> None:
    if one.skill:
        files = plural(len(one.skill.files), "file")
        console.print(Text(one_line(f"skill {one.skill.name}: {files}", 300)), soft_wrap=True)
    if one.suite:
        counts = f"{plural(len(one.suite.cases), 'case')}, {plural(_n_assertions(one), 'assertion')}"
        console.print(Text(f"eval file ({one.suite.dialect}): {counts}"), soft_wrap=True)
    if one.triggers:
        queries = plural(len(one.triggers.queries), "query", "queries")
        console.print(Text(f"trigger set ({one.triggers.dialect}): {queries}"), soft_wrap=True)


def _print_problem(problem: Problem, console: Console, *, shown_hint: str) -> None:
    place = _shown_path(problem.file) + (f":{problem.line}" if problem.line else "")
    rule = f"  {problem.rule} {problem.code}" if problem.rule else f"  {problem.code}"
    where = f"  {one_line(problem.place, 120)}" if problem.place and problem.place not in problem.message else ""
    text = Text.assemble(f"{place}  ", (problem.severity, _STYLES[problem.severity]), rule, (where, "dim"))
    console.print(text, soft_wrap=True)
    _print_wrapped(problem.message, console)
    if problem.hint and problem.hint != shown_hint:
        _print_wrapped(problem.hint, console)


def _print_wrapped(text: str, console: Console) -> None:
    width = max(40, console.width)
    console.print(Text(paragraph(text, width, indent=_INDENT)), soft_wrap=True)


def _shown_path(file: str) -> str:
    """Relative to where the person is, if it is below."""
    path = Path(file)
    here = Path.cwd()
    return one_line(str(path.relative_to(here)) if path.is_relative_to(here) else file, 300)
