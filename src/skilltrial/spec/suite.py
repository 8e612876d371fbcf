"""An eval file, whatever its dialect -> `Suite`."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, Codebase, Suite
from skilltrial.records.trigger import TriggerQuery, TriggerSuite
from skilltrial.spec.case_files import Roots
from skilltrial.spec.case_folder import CASE_FILES
from skilltrial.spec.cases import Surroundings, carried, read_cases
from skilltrial.spec.codebases import read_codebase
from skilltrial.spec.dialects.draft import Draft
from skilltrial.spec.dialects.registry import dialect_of
from skilltrial.spec.file_tree import is_utf8
from skilltrial.spec.findings import Findings, Invalid, Problem, invalid, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.lint.rule import Place, PlaceKey
from skilltrial.spec.skill import SKILL_FILE
from skilltrial.spec.source import read_source
from skilltrial.spec.triggers import digest_of_queries, read_queries

EVALS = "evals/evals.json"
_PROMOTED = "baseline.json"
"""What `skilltrial baseline promote` leaves beside an eval file."""
_EVAL_SUFFIXES = {".json", ".jsonl", ".yaml", ".yml", ".csv"}
_ELSEWHERE = {"__all__": {"source", "content"}}
"""Of files whose checksum says what is in them."""
_BLANKS = (b"", b"[]", b"{}")
_EXAMPLE = '{"skill_name": "…", "evals": [{"id": "basic", "prompt": "…", "assertions": ["…"]}]}'


class SuiteReading(NamedTuple):
    """What reading an eval file gave; where there are errors, both suites are None."""

    suite: Suite | None
    """None where the file has no cases."""
    triggers: TriggerSuite | None
    """None where the file has no queries."""
    errors: tuple[Problem, ...]
    repairs: tuple[Repair, ...]
    places: Mapping[PlaceKey, Place]
    """Where cases, assertions and queries stand."""


def load_suite(skill: Skill, evals: Path | None = None) -> Suite:
    """The suite of a skill, from its `evals/evals.json` or the file given.

    Raises `SpecError` with the first error, and how many more there are; for a file of queries alone, that it is one.
    """
    path = find_evals(skill, evals)
    reading = examine_suite(path, skill)
    if reading.suite is not None:
        return reading.suite
    _raise_first(reading)
    hint = "Give an eval file with cases: each has a prompt and what must hold afterwards."
    raise invalid("trigger-set", "this is a trigger set: it has queries, and no cases.", file=str(path), hint=hint)


def load_triggers(path: Path, skill: Skill | None = None) -> TriggerSuite:
    """The trigger set in a file. Raises `SpecError` with the first error, and for a file that has no queries."""
    reading = examine_suite(path, skill)
    if reading.triggers is not None:
        return reading.triggers
    hint = 'A trigger set is a list of {"query": "…", "should_trigger": true}.'
    if path.is_file() and path.read_bytes().strip() in _BLANKS:
        raise invalid("no-queries", "there are no queries in this file.", file=str(path), hint=hint)
    _raise_first(reading)
    raise invalid("no-queries", "this is an eval file: it has cases, and no queries.", file=str(path), hint=hint)


def find_evals(skill: Skill, evals: Path | None) -> Path:
    """The eval file of a skill. Raises `SpecError` where there is none."""
    if evals is not None:
        return evals
    path = Path(skill.folder) / EVALS
    if path.exists():
        return path
    message = f"the skill {skill.name!r} has no eval file."
    others = _other_evals(Path(skill.folder))
    hint = "`skilltrial init SKILL` writes a first one."
    if others:
        hint = f"There is {', '.join(others[:5])}: give that path (`skilltrial run` takes it as --evals)."
    raise invalid("no-evals", message, file=str(path), hint=hint)


def _other_evals(folder: Path) -> list[str]:
    """Files and folders in which tools keep evals, as paths in the skill."""
    beside = (folder / EVALS).parent
    if any((case / name).is_file() for case in beside.glob("*") for name in CASE_FILES):
        return [f"{beside.name}/"]
    beside_it = [path for path in beside.glob("*") if path.name != _PROMOTED]
    found = [*beside_it, *folder.glob("eval*.*"), *folder.glob("tests/eval*.*")]
    return sorted(path.relative_to(folder).as_posix() for path in found if path.suffix.lower() in _EVAL_SUFFIXES)


def nearest_skill(path: Path) -> Path | None:
    """The nearest folder above a file that holds a SKILL.md."""
    return next((folder for folder in path.absolute().parents if (folder / SKILL_FILE).is_file()), None)


def examine_suite(path: Path, skill: Skill | None) -> SuiteReading:
    """Read an eval file to its end and collect everything that is wrong with it. Raises nothing."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    findings = Findings()
    places: dict[PlaceKey, Place] = {}
    suite: Suite | None = None
    triggers: TriggerSuite | None = None
    with findings.collecting():
        if not is_utf8(str(path)):
            raise invalid("name-not-utf8", f"the path {shown(str(path))} is not UTF-8.", hint="Rename it.")
        suite, triggers = _read(path, skill, findings, places)
    if findings.errors:
        suite = triggers = None
    return SuiteReading(suite, triggers, tuple(findings.errors), tuple(findings.repairs), places)


def _raise_first(reading: SuiteReading) -> None:
    if not reading.errors:
        return
    first = reading.errors[0]
    n_more = len(reading.errors) - 1
    if n_more:
        more = f"({n_more} more {'error' if n_more == 1 else 'errors'}: `skilltrial validate` lists all.)"
        first = first.model_copy(update={"hint": f"{first.hint} {more}".lstrip()})
    raise Invalid(first)


def _read(
    path: Path, skill: Skill | None, findings: Findings, places: dict[PlaceKey, Place]
) -> tuple[Suite | None, TriggerSuite | None]:
    root = read_source(path, findings)
    if root.value == [] and findings.errors:
        return None, None  # of all that is there, nothing could be read
    dialect = dialect_of(root)
    if dialect is None:
        raise _unknown_form(root)
    draft = dialect.read(root, findings)
    skill_name = _skill_name(draft, skill, findings)
    roots = Roots(
        path,
        Path(skill.folder) if skill else None,
        frozenset(file.path for file in skill.files) if skill else frozenset(),
    )
    codebase: Codebase | None = None
    with findings.collecting():
        if draft.codebase is not None and draft.codebase.value is not None:
            codebase = read_codebase(draft.codebase, path, findings)
    cases = read_cases(draft.cases, Surroundings(roots, draft.keeps_paths, findings, places, codebase))
    queries = read_queries(draft.queries, findings, places)
    extra = carried(root, draft.used, findings, unused=draft.unused) if isinstance(root.value, dict) else {}
    extra |= _unread(draft, skill_name)
    if not draft.cases and not draft.queries and not findings.errors:
        raise root.error("no-cases", "has neither cases nor queries.", hint=f"Write {_EXAMPLE}")
    about = _About(skill_name, dialect.name, str(path), extra, tuple(findings.repairs))
    suite = _suite(about, cases) if draft.cases else None
    triggers = _trigger_suite(about, queries) if draft.queries else None
    return suite, triggers


def _unread(draft: Draft, skill_name: str | None) -> dict[str, Json]:
    """What nothing else keeps: a name that is no text, cases that cannot be run, criteria of the file for all of its cases."""
    extra: dict[str, Json] = {}
    if draft.skill_name is not None and skill_name is None:
        extra[str(draft.skill_name.path[-1])] = draft.skill_name.value
    if draft.left_out:
        extra["cases_left_out"] = [node.value for node in draft.left_out]
    for case in draft.cases:
        at = len(case.node.path)
        shared = {str(one.node.path[0]) for one in case.criteria if one.node.path[:at] != case.node.path}
        extra |= {
            f"written_{key}": draft.root.children[key].value for key in shared & draft.used & draft.root.children.keys()
        }
    return extra


class _About(NamedTuple):
    """What a suite and a trigger set from one file have in common."""

    skill_name: str | None
    dialect: str
    path: str
    extra: dict[str, Json]
    repairs: tuple[Repair, ...]


def _suite(about: _About, cases: list[Case]) -> Suite:
    return Suite(
        skill_name=about.skill_name,
        dialect=about.dialect,
        path=about.path,
        digest=digest_of(cases),
        cases=tuple(cases),
        extra=about.extra,
        repairs=about.repairs,
    )


def _trigger_suite(about: _About, queries: list[TriggerQuery]) -> TriggerSuite:
    return TriggerSuite(
        skill_name=about.skill_name,
        dialect=about.dialect,
        path=about.path,
        digest=digest_of_queries(queries),
        queries=tuple(queries),
        extra=about.extra,
        repairs=about.repairs,
    )


def _unknown_form(root: Node) -> Invalid:
    if isinstance(root.value, dict):
        keys = ", ".join(repr(key)[:40] for key in list(root.children)[:8]) or "nothing"
        what = f"is no eval file of a form that is known here; it has {keys}."
    else:
        what = f"is no eval file of a form that is known here: {shown(root.value)}."
    return root.error("unknown-form", what, hint=f"The usual form is {_EXAMPLE}")


def _skill_name(draft: Draft, skill: Skill | None, findings: Findings) -> str | None:
    node = draft.skill_name
    if node is None:
        return None
    if not isinstance(node.value, str):
        findings.repair(node.repair("skill-name-not-text", f"should be a text, not {shown(node.value)}; it is ignored"))
        return None
    if skill is not None and node.value not in {skill.name, Path(skill.folder).name}:
        what = f"is {node.value!r}, but the skill on trial is {skill.name!r}"
        findings.repair(node.repair("skill-name-differs", what))
    return node.value


def digest_of(cases: Iterable[Case]) -> str:
    """`sha256:` over what trials and gradings depend on; where the files lie and what authors wrote beside do not count."""
    left_out = {
        "written_id": True,
        "written_files": True,
        "extra": True,
        "files": _ELSEWHERE,
        "codebase": {"path", "written"},
        "doubles": {"written"},
        "family": True,
        "reference": True,
        "assertions": {"__all__": {"written": True, "setup_files": _ELSEWHERE, "golden_file": {"source", "content"}}},
    }
    plain = [case.model_dump(mode="json", by_alias=True, exclude=left_out) for case in cases]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
