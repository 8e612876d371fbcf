"""`skilltrial.toml`: what a person sets once for a skill or a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from skilltrial.records.record import Record


class RunSettings(Record):
    """`[run]`: defaults of `skilltrial run`. None: not said here."""

    runs: Annotated[int, Field(ge=1)] | None = None
    harness: Annotated[str, Field(min_length=1)] | None = None
    model: Annotated[str, Field(min_length=1)] | None = None
    judge: Annotated[str, Field(min_length=1)] | None = None
    """Once it is read: also what `judge.models` says, with commas."""
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Seconds that one trial may take."""
    concurrency: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None


class JudgeSettings(Record):
    """`[judge]`: who grades prose, of `run`, `grade` and `collect`. None: not said here."""

    models: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """As `--judge` names them; more than one is a panel. Empty: `run.judge`, if that is said."""
    samples: Annotated[int, Field(ge=1, le=99)] | None = None
    prompt: Annotated[str, Field(min_length=1)] | None = None
    """A file (absolute once it is read)."""

    @property
    def names(self) -> str | None:
        """All of `models`, with commas."""
        return ",".join(self.models) or None


class ArmSettings(Record):
    """`[arms.NAME]`."""

    role: Literal["treatment", "baseline"] | None = None
    """None: `without_skill` and `old_skill` are baselines, every other arm is a treatment."""
    skill: Annotated[str, Field(min_length=1)] | None = None
    """A folder (absolute once it is read), `git:REF`, `iteration:N` or `none`; None: the skill under trial."""
    model: Annotated[str, Field(min_length=1)] | None = None
    harness: Annotated[str, Field(min_length=1)] | None = None
    args: tuple[str, ...] | None = None
    """For the agent program; None: as in the other arms."""
    beside: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Folders of skills that lie beside the one under trial (absolute once read)."""
    prompt_prefix: str = ""
    env: Mapping[str, str] = Field(default_factory=dict)
    """See `plan.Arm.env`."""


Share = Annotated[float, Field(ge=0, le=1)]
Ceiling = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Primary = Literal["non-inferiority", "improvement", "none"]


class TriggerGate(Record):
    """`[gate.trigger]`: floors for how well agents load the skill by themselves. None: not looked at."""

    min_precision: Share | None = None
    min_recall: Share | None = None


class GateSettings(Record):
    """`[gate]`: what has to hold of a treatment arm. None: not looked at. Figures are those of the trials that were run."""

    primary: Primary = "non-inferiority"
    """What has to be shown of the lift, on cases like these."""
    margin: Annotated[float, Field(gt=0, lt=1)] = 0.10
    """Non-inferiority: a loss that would not matter."""
    min_pass_rate: Share | None = None
    """Mean over cases."""
    max_cost_usd: Ceiling | None = None
    """Mean of a trial."""
    max_seconds: Ceiling | None = None
    """The same."""
    max_cost_ratio: Ceiling | None = None
    """Treatment over baseline: 1.5 is half more."""
    max_seconds_ratio: Ceiling | None = None
    max_tokens_ratio: Ceiling | None = None
    golden: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Ids of cases of which every trial has to pass."""
    no_invalid_findings: bool = True
    max_ungraded: Share | None = None
    """Of all assertions of all trials."""
    trigger: TriggerGate | None = None


class Settings(Record):
    """The whole file."""

    run: RunSettings = RunSettings()
    judge: JudgeSettings = JudgeSettings()
    arms: Mapping[str, ArmSettings] = Field(default_factory=dict)
    """In the order in which they are written."""
    gate: GateSettings | None = None
    """None: the file says nothing of it."""
