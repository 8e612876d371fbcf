"""Objects with a list `evals`, whose cases are told apart by their keys; what their four families share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from skilltrial.spec.dialects.agentskills import AGENTSKILLS
from skilltrial.spec.dialects.criteria import other_keys
from skilltrial.spec.dialects.draft import CaseDraft, Draft
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.family import Family
from skilltrial.spec.dialects.skill_builder import SKILL_BUILDER
from skilltrial.spec.dialects.skill_creator import SKILL_CREATOR
from skilltrial.spec.dialects.slow_powers import SLOW_POWERS
from skilltrial.spec.dialects.vocabulary import draft_case
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
    "family",
    "codebase",
    "doubles",
    "turns",
    "responder",
    "reference",
    "assertions",
    "expectations",
)
TOP_KEYS = ("skill_name", "evals")
FAMILIES: tuple[Family, ...] = (SKILL_CREATOR, SKILL_BUILDER, SLOW_POWERS, AGENTSKILLS)
"""In the order in which they are tried; the last takes every case with `assertions`, and is the one where none fits."""


OTHER = "evals"
"""The name of a file of which a case has its criteria under other names than `expectations` and `assertions`."""


def label(root: Node) -> str:
    """The family of all cases of a file, `mixed`, or `OTHER`; empty where it is no object with `evals`."""
    evals = root.child("evals") if isinstance(root.value, dict) else None
    if evals is None:
        return ""
    cases = list(evals.elements())
    if any(map(other_keys, cases)):
        return OTHER
    found = {family.name for family in map(_family(root), cases) if family}
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
        codebase=root.child("codebase"),
        cases=tuple(_case(case, root, family or usual, findings) for case, family in zip(cases, families, strict=True)),
        used=frozenset(TOP_KEYS),
        unused={"codebase": "", "doubles": ""},  # each case has it; that it stood here is kept for writing it back
    )


def _case(case: Node, root: Node, family: Family, findings: Findings) -> CaseDraft:
    draft = draft_case(case, findings, keeps_paths=family.keeps_paths)
    ours = {key: case.child(key) for key in ("family", "codebase", "turns", "responder", "reference")}
    doubles = case.child("doubles") or root.child("doubles")
    return replace(draft, **ours, doubles=doubles, used=frozenset((*KEYS, *other_keys(case))))
