"""`baseline.json`: the figures of a version of a skill that later ones are held to. Small, and committed with the skill.

Figures and digests only: no outputs, no texts of cases, no paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from skilltrial.records.record import Record


class PromotedCase(Record):
    """One case in one arm. A case without a graded trial is not in the file."""

    passed: int
    """Trials in which nothing failed."""
    n: int
    """Graded trials."""
    score: float
    """Mean over them of the share of assertions that hold."""
    digest: str
    """Of the task and its assertions: a case that was changed since is compared with nothing."""
    answered: tuple[str, ...]
    """Ids of the assertions that have a verdict in these trials."""
    seconds: float | None = None
    """Mean of a trial; None: unknown of one of them. The same for the next two."""
    tokens: float | None = None
    cost_usd: float | None = None
    family: str | None = None
    """Cases of one family are one observation."""


class PromotedArm(Record):
    """One arm."""

    role: Literal["treatment", "baseline"]
    skill_fingerprint: str | None
    """None: without a skill."""
    harness: str
    harness_version: str | None
    models: tuple[str, ...]
    """That served; where none tells, the one that was asked for."""
    cases: Mapping[str, PromotedCase]
    """By id, in the order of the suite."""


class PromotedBaseline(Record):
    """The whole file."""

    schema_version: Literal[1] = 1
    kind: Literal["skilltrial baseline"] = "skilltrial baseline"
    skill: str
    skill_fingerprint: str
    suite_digest: str
    plan_digest: str
    iteration: int
    timestamp: str
    """When the plan of those trials was made, ISO 8601."""
    skilltrial_version: str
    judges: tuple[str, ...]
    arms: Mapping[str, PromotedArm]


CaseChange = Literal["better", "worse", "same", "not compared"]


class CaseDrift(Record):
    """A case then and now. The interval is of this case's two shares of passed trials, and is unknown where not compared."""

    case_id: str
    change: CaseChange
    """Of the scores; `why` says how sure that is."""
    then: float | None
    now: float | None
    n_then: int
    n_now: int
    passed_then: int
    passed_now: int
    low_then: float | None = None
    """Wilson's interval of the share of trials in which nothing failed, at 95 %."""
    high_then: float | None = None
    low_now: float | None = None
    high_now: float | None = None
    harm: float | None = None
    """The probability that a trial passes less often now, from this case alone."""
    why: str = ""


class Drift(Record):
    """A promoted baseline and what there is now, in the treatment arm of each."""

    skill: str
    arm_then: str
    arm_now: str
    estimate: float | None
    """Now minus then, mean over the compared cases."""
    low: float | None
    high: float | None
    half_width: float | None
    """Before the interval is clipped."""
    n_cases: int
    n_clusters: int
    """Families, and cases of none."""
    cases: tuple[CaseDrift, ...]
    notes: tuple[str, ...]
    """What else is other than it was: models, versions, cases, the judge."""
