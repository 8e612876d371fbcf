"""The list that a file holds its cases in."""

from __future__ import annotations

from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node

MAX_CASES = 10_000


def entries(root: Node, key: str | None = None) -> list[Node]:
    """The elements of the list at a key (None: of the file itself). Raises `Invalid` for no list, none, or too many."""
    node = root if key is None else root.child(key) or root
    if not isinstance(node.value, list):
        raise node.error("bad-evals", f"must be a list of cases, not {shown(node.value)}.")
    if not node.children:
        raise node.error("empty-evals", "is an empty list.", hint="Write at least one case with a prompt.")
    if len(node.children) > MAX_CASES:
        what = f"has {len(node.children):,} cases, more than the {MAX_CASES:,} that one file may have."
        raise node.error("too-many-cases", what, hint="Split it into several files, and give each with --evals.")
    return list(node.elements())


def objects(found: list[Node], findings: Findings) -> list[Node]:
    """Those that are objects; an error for each that is none."""
    cases: list[Node] = []
    for entry in found:
        with findings.collecting():
            if not isinstance(entry.value, dict):
                raise entry.error("bad-case", f"must be an object with a prompt, not {shown(entry.value)}.")
            cases.append(entry)
    return cases
