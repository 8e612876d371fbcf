"""Results of a comparison that lie where eval files do: outcomes of both arms, and nothing to run."""

from __future__ import annotations

from skilltrial.spec.dialects.draft import Draft, FileDialect
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_ARMS = ("with_skill", "without_skill")
_LISTS = ("evals", "cases", "results")


def _fits(root: Node) -> bool:
    return any(_is_outcomes(root.child(key)) for key in _LISTS) if isinstance(root.value, dict) else False


def _is_outcomes(found: Node | None) -> bool:
    if found is None or not isinstance(found.value, list) or not found.children:
        return False
    return all(_is_outcome(entry) for entry in found.elements())


def _is_outcome(entry: Node) -> bool:
    arms = [entry.child(arm) for arm in _ARMS]
    return entry.child("prompt") is None and all(arm is not None and isinstance(arm.value, dict) for arm in arms)


def _read(root: Node, _findings: Findings) -> Draft:
    what = "holds results of a comparison (`with_skill`, `without_skill`), and no tasks."
    raise root.error("result-file", what, hint="Give the eval file that they were made from.")


RESULTS = FileDialect(name="results", fits=_fits, read=_read)
