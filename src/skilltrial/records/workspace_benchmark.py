"""`benchmark.json` at the root of a workspace: a row for each iteration, and the newest in skill-builder's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.benchmark import Comparison, ConfigSummary
from skilltrial.records.estimate import Lift
from skilltrial.records.record import Record


class IterationRow(Record):
    """What one iteration came to."""

    iteration: int
    benchmark: str
    """Path of its whole benchmark, below the workspace."""
    timestamp: str
    skill_name: str
    skill_fingerprint: str
    suite_digest: str
    arms: Mapping[str, str | None]
    """By name the fingerprint of the skill of each; None: it has none."""
    lift: Lift | None
    pass_rates: Mapping[str, float | None]
    """By arm; cases weigh equally."""
    n_cases: int
    n_graded: int
    """Trials."""
    n_planned: int
    cost_usd: float | None
    """Of the graded trials; None where one of them does not tell."""
    judge_usd: float | None
    models: str | None
    """That served."""
    harness: str
    harness_version: str | None = None
    judge: str | None = None
    seconds: Mapping[str, float | None] = Field(default_factory=dict)
    """By arm, the mean over trials."""
    invalid: tuple[str, ...] = ()
    """Codes of the findings by which the comparison answers no question."""


class WorkspaceBenchmark(Record):
    """See the module. `iteration`, `timestamp`, `configs` and `comparison` are those of the newest iteration."""

    schema_version: Literal[1] = 1
    iteration: int
    timestamp: str
    benchmark: str
    """Path of the newest iteration's whole benchmark, below the workspace."""
    configs: Mapping[str, ConfigSummary]
    comparison: Comparison | None
    iterations: tuple[IterationRow, ...]
    """In their order."""
