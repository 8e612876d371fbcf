"""Criteria of a case, as lists of them stand in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skilltrial.spec.dialects.draft import CriterionDraft
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node


def native_criteria(case: Node, keys: Iterable[str], findings: Findings) -> Iterator[CriterionDraft]:
    """Those of our own form (texts and typed objects), from the lists at some keys, in that order."""
    for key in keys:
        with findings.collecting():
            for node in items(case.child(key), findings):
                yield CriterionDraft(node=node, means=node.value)


def items(node: Node | None, findings: Findings) -> Iterable[Node]:
    """The entries of a list; a text counts as a list of one. Raises `Invalid` for anything else."""
    if node is None:
        return []
    if isinstance(node.value, list):
        return node.elements()
    if isinstance(node.value, str):
        findings.repair(node.repair("list-missing", "is a text; it was read as a list with that one entry"))
        return [node] if node.value.strip() else []
    raise node.error("bad-assertions", f"must be a list, not {shown(node.value)}.")
