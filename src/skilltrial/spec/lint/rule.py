"""What a lint rule is, and what rules get to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.records.trigger import TriggerSuite

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that can be wrong. Both names are stable."""

    code: str
    """`ST` and three digits: 1xx the SKILL.md, 2xx the skill's other files, 3xx the eval file, 4xx how assertions are written,
    5xx trigger sets."""
    name: str
    """Kebab-case."""
    severity: Severity
    summary: str
    """One sentence for the list of rules: what it means and why it matters."""
    fixable: bool = False


class Place(NamedTuple):
    """Where something stands."""

    line: int | None
    path: str
    """Like `evals[2].assertions[0]`."""
    file: str = ""
    """Where cases have files of their own."""


PlaceKey = tuple[str, str | None]
"""A case's (or query's) id and an assertion's, or None for the case itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalsUnderLint:
    """An eval file that could be read, with its skill where there is one."""

    suite: Suite | None
    triggers: TriggerSuite | None
    skill: Skill | None
    places: Mapping[PlaceKey, Place] = field(default_factory=dict[PlaceKey, Place])
