"""What sets the four ways to write a case of an `evals` object apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skilltrial.spec.json_source import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One way to write a case."""

    name: str
    fits: Callable[[Node, Node], bool]
    """Whether a case (first) of a file (second) is written so."""
    keeps_paths: bool
    """Whether the agent finds input files at the path as written, or without a leading `evals/files/`."""


def assertions_of(case: Node) -> list[Node]:
    """The entries of `assertions`, where that is a list."""
    found = case.child("assertions")
    return list(found.elements()) if found is not None and isinstance(found.value, list) else []
