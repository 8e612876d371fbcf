"""What recomputing another tool's workspace shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from skilltrial.records.estimate import Lift, Stat
from skilltrial.records.foreign import ForeignArm
from skilltrial.records.json_value import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """Something that the files or the tool's own benchmark got wrong.

    An `error` changes a number that somebody reads; a `warning` hides or loses something; a `note` is a trap for the tool
    that wrote the files, and harmless here.
    """

    code: str
    """Stable: `SA` and three digits."""
    name: str
    """Stable, kebab-case."""
    severity: Literal["error", "warning", "note"]
    place: str
    """File, and place in it, like `iteration-1/benchmark.json#run_summary.delta.pass_rate`."""
    message: str
    """What is wrong and why, in one sentence."""
    old: Json = None
    """The value found; None where there is none."""
    right: Json = None
    """The value that it should be; None where it cannot be known."""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigures:
    """One arm of an iteration, recomputed from the verdicts. Rates are fractions of 1."""

    arm: ForeignArm
    n_runs: int
    n_graded: int
    """Runs with at least one verdict."""
    pass_rate: Stat
    """Over graded runs."""
    pass_rate_if_ungraded_is_zero: Stat
    """What the rate would be, were every ungraded run a failure: shown, never used."""
    time_seconds: Stat
    tokens: Stat


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditIteration:
    """One round."""

    number: int | None
    place: str
    arms: tuple[ArmFigures, ...]
    delta: Mapping[str, float | None] | None
    """Treatment minus baseline of the means over runs, by the same names as the figures; None without both roles."""
    lift: Lift | None
    """Paired by case, with its interval; None without both roles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """`skilltrial audit`."""

    schema_version: Literal[1] = 1
    path: str
    family: str
    n_runs: int
    iterations: tuple[AuditIteration, ...]
    findings: tuple[AuditFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found, notes included."""
        return not self.findings
