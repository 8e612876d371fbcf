"""An eval file, whatever its dialect -> `Suite`."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from skilltrial.records.record import Repair
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, Suite
from skilltrial.spec.case_files import Roots
from skilltrial.spec.cases import CaseIds, read_case, reserve_written_ids, unknown_key_message
from skilltrial.spec.dialects.agentskills import AGENTSKILLS
from skilltrial.spec.dialects.dialect import Dialect, DialectName
from skilltrial.spec.dialects.skill_builder import SKILL_BUILDER
from skilltrial.spec.dialects.skill_creator import SKILL_CREATOR
from skilltrial.spec.dialects.slow_powers import SLOW_POWERS
from skilltrial.spec.file_tree import is_utf8
from skilltrial.spec.findings import Findings, Invalid, Problem, invalid, shown
from skilltrial.spec.json_source import Node, read_json
from skilltrial.spec.skill import SKILL_FILE

DIALECTS: tuple[Dialect, ...] = (SKILL_CREATOR, SKILL_BUILDER, SLOW_POWERS, AGENTSKILLS)
"""In the order in which they are tried; the last takes every case with `assertions`."""

EVALS = "evals/evals.json"
_TOP_KEYS = ("skill_name", "evals")
_MAX_CASES = 10_000
_OTHER_FORMATS = {".yaml", ".yml", ".jsonl", ".csv", ".toml", ".md"}
_EXAMPLE = '{"skill_name": "…", "evals": [{"id": "basic", "prompt": "…", "assertions": ["…"]}]}'


class SuiteReading(NamedTuple):
    """What reading an eval file gave; `suite` is None where there are errors."""

    suite: Suite | None
    errors: tuple[Problem, ...]
    repairs: tuple[Repair, ...]


def load_suite(skill: Skill, evals: Path | None = None) -> Suite:
    """The suite of a skill, from its `evals/evals.json` or the file given.

    Raises `SpecError` with the first error, and how many more there are.
    """
    return _suite_or_error(examine_suite(find_evals(skill, evals), skill))


def find_evals(skill: Skill, evals: Path | None) -> Path:
    """The eval file of a skill. Raises `SpecError` where there is none."""
    if evals is not None:
        return evals
    path = Path(skill.folder) / EVALS
    if path.exists():
        return path
    message = f"the skill {skill.name!r} has no eval file; tried: {path}."
    others = sorted(other.name for other in path.parent.glob("*.json")) if path.parent.is_dir() else []
    hint = f"There is {', '.join(others[:5])} beside it: give it with --evals." if others else f"Write one: {_EXAMPLE}"
    raise invalid("no-evals", message, file=str(path), hint=hint)


def nearest_skill(path: Path) -> Path | None:
    """The nearest folder above a file that holds a SKILL.md."""
    return next((folder for folder in path.absolute().parents if (folder / SKILL_FILE).is_file()), None)


def examine_suite(path: Path, skill: Skill | None) -> SuiteReading:
    """Read an eval file to its end and collect everything that is wrong with it. Raises nothing."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    findings = Findings()
    suite: Suite | None = None
    with findings.collecting():
        if not is_utf8(str(path)):
            raise invalid("name-not-utf8", f"the path {shown(str(path))} is not UTF-8.", hint="Rename it.")
        suite = _read(path, skill, findings)
    if findings.errors:
        suite = None
    return SuiteReading(suite, tuple(findings.errors), tuple(findings.repairs))


def _suite_or_error(reading: SuiteReading) -> Suite:
    if reading.suite is not None:
        return reading.suite
    first = reading.errors[0]
    n_more = len(reading.errors) - 1
    if n_more:
        more = f"({n_more} more {'error' if n_more == 1 else 'errors'}: `skilltrial validate` lists all.)"
        first = first.model_copy(update={"hint": f"{first.hint} {more}".lstrip()})
    raise Invalid(first)


def _read(path: Path, skill: Skill | None, findings: Findings) -> Suite:
    if path.suffix.lower() in _OTHER_FORMATS and path.is_file():
        message = f"eval files that end in {path.suffix!r} are not read yet."
        raise invalid("not-json", message, file=str(path), hint=f"Write JSON: {_EXAMPLE}")
    root = read_json(path, findings)
    entries = _entries(root)
    names = [_dialect(entry, root) for entry in entries]
    skill_name = _skill_name(root, skill, findings)
    roots = Roots(
        path,
        Path(skill.folder) if skill else None,
        frozenset(file.path for file in skill.files) if skill else frozenset(),
    )
    cases = _cases(entries, names, roots, findings)
    return Suite(
        skill_name=skill_name,
        dialect=_label(names),
        path=str(path),
        digest=digest_of(cases),
        cases=tuple(cases),
        extra=_extra(root, findings),
        repairs=tuple(findings.repairs),
    )


def _entries(root: Node) -> list[Node]:
    if not isinstance(root.value, dict):
        what = f"must hold an object with a list 'evals', not {shown(root.value)}."
        raise root.error("no-evals-key", what, hint=f"Write {_EXAMPLE}")
    evals = root.child("evals")
    if evals is None:
        keys = ", ".join(repr(key)[:40] for key in list(root.children)[:8]) or "nothing"
        what = f"has no list 'evals'; it has {keys}."
        raise root.error("no-evals-key", what, hint=f"Write {_EXAMPLE}")
    if not isinstance(evals.value, list):
        raise evals.error("bad-evals", f"must be a list of cases, not {shown(evals.value)}.")
    if not evals.children:
        raise evals.error("empty-evals", "is an empty list.", hint="Write at least one case with a prompt.")
    if len(evals.children) > _MAX_CASES:
        what = f"has {len(evals.children):,} cases, more than the {_MAX_CASES:,} that one file may have."
        raise evals.error("too-many-cases", what, hint="Split it into several files, and give each with --evals.")
    return list(evals.elements())


def _dialect(case: Node, root: Node) -> Dialect | None:
    return next((dialect for dialect in DIALECTS if dialect.fits(case, root)), None)


def _majority(dialects: Iterable[Dialect | None]) -> Dialect:
    votes = [dialect.name for dialect in dialects if dialect]
    best = max(DIALECTS, key=lambda dialect: votes.count(dialect.name))
    return best if votes else AGENTSKILLS


def _label(dialects: list[Dialect | None]) -> DialectName | Literal["mixed"]:
    found = {dialect.name for dialect in dialects if dialect}
    return "mixed" if len(found) > 1 else _majority(dialects).name


def _cases(entries: list[Node], dialects: list[Dialect | None], roots: Roots, findings: Findings) -> list[Case]:
    ids = CaseIds()
    objects = [entry for entry in entries if isinstance(entry.value, dict)]
    reserve_written_ids(objects, ids, findings)
    usual = _majority(dialects)
    unused: Mapping[str, str] = {key: text for dialect in DIALECTS for key, text in dialect.unused.items()}
    cases: list[Case] = []
    for position, (entry, dialect) in enumerate(zip(entries, dialects, strict=True), start=1):
        with findings.collecting():
            if not isinstance(entry.value, dict):
                raise entry.error("bad-case", f"must be an object with a prompt, not {shown(entry.value)}.")
            case = read_case(
                entry, dialect or usual, position=position, ids=ids, roots=roots, unused=unused, findings=findings
            )
            if case is not None:
                cases.append(case)
    return cases


def _skill_name(root: Node, skill: Skill | None, findings: Findings) -> str | None:
    node = root.child("skill_name")
    if node is None:
        return None
    if not isinstance(node.value, str):
        findings.repair(node.repair("skill-name-not-text", f"should be a text, not {shown(node.value)}; it is ignored"))
        return None
    if skill is not None and node.value not in {skill.name, Path(skill.folder).name}:
        what = f"is {node.value!r}, but the skill on trial is {skill.name!r}"
        findings.repair(node.repair("skill-name-differs", what))
    return node.value


def _extra(root: Node, findings: Findings) -> dict[str, object]:
    extra: dict[str, object] = {}
    for key, node in root.children.items():
        if isinstance(key, str) and key not in _TOP_KEYS:
            extra[key] = node.value
            if key != "$schema":
                findings.repair(node.repair("unknown-key", unknown_key_message(key, _TOP_KEYS)))
    return extra


def digest_of(cases: Iterable[Case]) -> str:
    """`sha256:` over what trials and gradings depend on; where the files lie and what authors wrote beside do not count."""
    left_out = {
        "written_id": True,
        "extra": True,
        "files": {"__all__": {"source", "content"}},
        "assertions": {"__all__": {"written"}},
    }
    plain = [case.model_dump(mode="json", by_alias=True, exclude=left_out) for case in cases]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
