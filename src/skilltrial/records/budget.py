"""What a run may take, what it will probably take, and where it stopped."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record

CeilingName = Literal["--max-cost", "--max-tokens", "--max-trials"]


class Ceilings(Record):
    """What the trials of an iteration may take together, earlier runs and retries included. None: no ceiling."""

    max_cost_usd: float | None = None
    max_tokens: int | None = None
    max_trials: int | None = None


class Stop(Record):
    """`stop.json`: why the rest of the plan was not run."""

    schema_version: Literal[1] = 1
    ceiling: CeilingName
    message: str
    """One sentence with the figures."""


class Estimate(Record):
    """A figure that is to come. The range holds it about 95 times in 100 where trials are as they were; None: unknown."""

    mean: float
    low: float | None = None
    high: float | None = None


class Forecast(Record):
    """What the trials that are missing will probably take, from earlier trials. None is unknown, never zero."""

    n_planned: int
    n_finished: int
    n_to_run: int
    n_beyond: int = 0
    """Missing ones that `--max-trials` leaves out; they are in no figure."""
    tokens: Estimate | None = None
    cost_usd: Estimate | None = None
    """Of the agents and of the model that plays their user; the judge is apart."""
    seconds: Estimate | None = None
    """Wall clock, with so many trials at a time as asked for."""
    judge_usd: Estimate | None = None
    """None also where there is no judge."""
    judge: str | None = None
    n_to_judge: int = 0
    """Trials that the judge is to grade: those to run, and finished ones that it has not graded."""
    n_judge_calls: int = 0
    """Of all judges and samples; answers that do not count at once take one more each."""
    basis: int = 0
    """Earlier trials with the same agent program and model that it is made from."""
    free: bool = False
    """No trial costs money here: recorded, or on a model of this machine."""
