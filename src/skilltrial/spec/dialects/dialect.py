"""What sets the four kinds of eval files apart; everything else is read alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from skilltrial.spec.json_source import Node

DialectName = Literal["skill-creator", "skill-builder", "slow-powers", "agentskills"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One kind of eval file."""

    name: DialectName
    fits: Callable[[Node, Node], bool]
    """Whether a case (first) of a file (second) is written in this dialect."""
    keeps_paths: bool
    """Whether the agent finds input files at the path as written, or without a leading `evals/files/`."""
    unused: Mapping[str, str] = field(default_factory=dict[str, str])
    """Keys of a case that this dialect gives a meaning which we do not use yet, each with that meaning."""


def criteria(case: Node) -> list[Node]:
    """The entries of `assertions`, where that is a list."""
    found = case.child("assertions")
    return list(found.elements()) if found is not None and isinstance(found.value, list) else []
