"""Objects with a list `evals`, whose cases are told apart by their keys; what their four families share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skilltrial.spec.dialects.agentskills import AGENTSKILLS
from skilltrial.spec.dialects.criteria import native_criteria
from skilltrial.spec.dialects.draft import CaseDraft, Draft
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.family import Family
from skilltrial.spec.dialects.skill_builder import SKILL_BUILDER
from skilltrial.spec.dialects.skill_creator import SKILL_CREATOR
from skilltrial.spec.dialects.slow_powers import SLOW_POWERS
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

KEYS = (
    "id",
    "name",
    "prompt",
    "expected_output",
    "files",
    "runs",
    "skill_should_trigger",
    "assertions",
    "expectations",
)
TOP_KEYS = ("skill_name", "evals")
_OTHER_NAMES = {
    "id": "eval_id",
    "name": "eval_name",
    "expected_output": "expected_behavior",
    "skill_should_trigger": "should_trigger",
}
_UNUSED: Mapping[str, str] = {
    "expectations_notes": "remarks on the expectations",
    "turns": "later messages of the user; the case runs as its first prompt alone",
    "responder": "a model that answers the agent; the case runs as its first prompt alone",
    "codebase": "a repository to work in; the case runs with its `files` alone",
    "isolation": "whether cases share a folder; every trial gets its own",
}


FAMILIES: tuple[Family, ...] = (SKILL_CREATOR, SKILL_BUILDER, SLOW_POWERS, AGENTSKILLS)
"""In the order in which they are tried; the last takes every case with `assertions`, and is the one where none fits."""


def label(root: Node) -> str:
    """The family of all cases of a file, or `mixed`; empty where it is no object with `evals`."""
    evals = root.child("evals") if isinstance(root.value, dict) else None
    if evals is None:
        return ""
    found = {family.name for family in map(_family(root), evals.elements()) if family}
    if len(found) > 1:
        return "mixed"
    return found.pop() if found else FAMILIES[-1].name


def _family(root: Node) -> Callable[[Node], Family | None]:
    return lambda case: next((family for family in FAMILIES if family.fits(case, root)), None)


def read_evals(root: Node, findings: Findings) -> Draft:
    """The cases of a file, each by its own family; one that fits none is read as most of the others are."""
    cases = objects(entries(root, "evals"), findings)
    families = list(map(_family(root), cases))
    votes = [family.name for family in families if family]
    usual = max(FAMILIES, key=lambda family: votes.count(family.name)) if votes else FAMILIES[-1]
    return Draft(
        root=root,
        skill_name=root.child("skill_name"),
        cases=tuple(_case(case, family or usual, findings) for case, family in zip(cases, families, strict=True)),
        used=frozenset(TOP_KEYS),
    )


def _case(case: Node, family: Family, findings: Findings) -> CaseDraft:
    return CaseDraft(
        node=case,
        prompt=case.child("prompt"),
        id=_field(case, "id"),
        name=_field(case, "name"),
        expected_output=_field(case, "expected_output"),
        files=case.child("files"),
        files_root=case.child("files_root"),
        keeps_paths=family.keeps_paths,
        runs=case.child("runs"),
        should_trigger=_field(case, "skill_should_trigger"),
        criteria=tuple(native_criteria(case, ("expectations", "assertions"), findings)),
        used=frozenset(KEYS),
        unused=_UNUSED,
    )


def _field(case: Node, key: str) -> Node | None:
    return case.child(key) or case.child(_OTHER_NAMES[key])
