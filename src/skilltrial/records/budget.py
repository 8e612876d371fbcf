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


class Decision(Record):
    """Of `--until-decided`: what the pairs of trials said after a round, so that the rest of the rounds was not needed.

    A pair is the same case and repeat in both arms, with a verdict on the same assertions. It is won by the arm in which more of
    them hold; pairs in which as many hold say nothing.
    """

    verdict: Literal["effect", "futile"]
    """One-sided: treatment is better on these cases; or an effect would hardly be found in the rounds that are left."""
    round: int
    """After this one, counted from 1."""
    max_rounds: int
    treatment: str
    baseline: str
    wins: int
    """Pairs that treatment won in all rounds so far."""
    losses: int
    ties: int
    alpha: float
    """The chance to find an effect where there is none, over all rounds together."""

    @property
    def why(self) -> str:
        """In a few words, with the figures."""
        n = self.wins + self.losses
        pairs = f"{self.treatment} won {self.wins} of the {n} pairs that differ"
        if self.verdict == "effect":
            return pairs
        pairs = pairs if n else f"no pair of {self.ties} differs"
        return f"futile: {pairs}, so that the rest would hardly show {self.treatment} to be better"

    @property
    def bias(self) -> Literal["overstate", "understate"]:
        """What a stop at this moment does to the interval: it was seen while the figures were high, or low."""
        return "overstate" if self.verdict == "effect" else "understate"


class Stop(Record):
    """`stop.json`: why the rest of the plan was not run: a ceiling, or a decision."""

    schema_version: Literal[1] = 1
    ceiling: CeilingName | None = None
    message: str
    """One sentence with the figures."""
    decision: Decision | None = None


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
