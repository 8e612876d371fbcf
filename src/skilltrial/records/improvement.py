"""The improvement of a skill, version by version: what was proposed, tried and accepted, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.json_value import Json
from skilltrial.records.optimisation import Spent
from skilltrial.records.record import Record

CasePart = Literal["train", "select", "holdout"]

VersionResult = Literal["baseline", "won", "lost", "tie"]
"""Against the parent, in skill-creator's words."""

ImproveStep = Literal["training", "proposing", "proposed", "selecting", "testing", "finished", "stopped"]
"""What is being done. `proposed`: --propose-only ended here. `stopped`: tools failed or a ceiling was reached. The same
command goes on from both."""


class PartedCase(Record):
    """A case, and what it is used for."""

    id: str
    part: CasePart


class ScorePair(Record):
    """The mean scores of a case with a version and with the incumbent, each in [0, 1]."""

    case_id: str
    family: str | None = None
    version: float
    incumbent: float


class Standing(Record):
    """A version against the incumbent on the cases of a part. None is unknown."""

    version: str
    incumbent: str
    iteration: int
    repeats: int
    """Of each case in each arm, at the most."""
    pairs: tuple[ScorePair, ...]
    """Cases with a score in both arms."""
    estimate: float | None
    """Mean over cases of version minus incumbent; families count once."""
    low: float | None
    high: float | None
    rate: float | None
    """The version's mean score over the same cases."""
    incumbent_rate: float | None
    doubt: str = ""
    """Why the comparison answers no question about the versions; empty where it does."""


class Training(Record):
    """A version on the train cases, by itself."""

    iteration: int
    rate: float | None
    n_failed: int
    """Assertions that did not hold, over all trials."""
    n_graded: int


class Version(Record):
    """A version of the skill, kept as a folder below `versions/`."""

    name: str
    """`v0`, `v1`, …"""
    parent: str | None
    origin: Literal["own", "model", "hand"]
    round: int = 0
    """In which it was proposed; 0 for the skill's own."""
    summary: str = ""
    """What is different, in the words of whoever wrote it."""
    fingerprint: str
    changed: tuple[str, ...] = ()
    """Paths that differ from the parent's."""
    warnings: tuple[str, ...] = ()
    """Of lint, where the parent has them not."""
    select: Standing | None = None
    """The newest on select; of a version that was dropped, what it was dropped for."""
    holdout: Standing | None = None
    result: VersionResult | None = None
    """None: not tried to its end."""


class ProposalCall(Record):
    """A question to the proposing model and what became of it. Kept before anything is done with the answer."""

    round: int
    slot: int
    """Which of the round's candidates, from 1."""
    again: bool = False
    answer: Mapping[str, Json] | None = None
    refused: str = ""
    """Why there is no version of it; empty where there is."""
    version: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Improvement(Record):
    """`improve.json`: written after each step, so that nothing is paid for twice."""

    schema_version: Literal[1] = 1
    skill_name: str
    number: int
    """Of the improvement in its workspace, from 1."""
    created_at: str
    digest: str
    """`sha256:` over the skill, the cases and all that was asked for."""
    holdout_digest: str
    """`sha256:` over the hold-out cases alone."""
    n_earlier_looks: int = 0
    """How often earlier improvements in this workspace looked at the same hold-out cases."""
    cases: tuple[PartedCase, ...]
    runs: int
    rounds: int
    candidates: int
    """Proposed in a round."""
    patience: int
    """Rounds without an accepted version after which it ends."""
    harness: str | None
    model: str | None
    proposer: str
    step: ImproveStep = "training"
    doing: str = ""
    """In a few words, for whoever looks on."""
    versions: tuple[Version, ...]
    """The first is the one that was there at the beginning."""
    incumbent: str
    """The best version that was accepted so far."""
    trainings: Mapping[str, Training] = Field(default_factory=dict)
    """By version."""
    calls: tuple[ProposalCall, ...] = ()
    round: int = 1
    """The one that goes on."""
    alive: tuple[str, ...] = ()
    """Candidates of this round that are still in it."""
    rung: int = 0
    """How many steps of the halving of this round are done."""
    n_looks: int = 0
    """At the hold-out cases, in this improvement."""
    n_without: int = 0
    """Rounds since a version was accepted."""
    spent_on: Mapping[str, Spent] = Field(default_factory=dict)
    """By step: what the agents' trials took."""
    ended: str = ""
    """Why it came to its end; empty before."""
    notices: tuple[str, ...] = ()

    def version(self, name: str) -> Version:
        """The one of this name. Raises StopIteration where there is none."""
        return next(each for each in self.versions if each.name == name)

    def part(self, part: CasePart) -> frozenset[str]:
        """The ids of the cases of a part."""
        return frozenset(each.id for each in self.cases if each.part == part)

    @property
    def spent(self) -> Spent:
        """By all trials so far; the proposing model and judges are apart."""
        costs = [each.cost_usd for each in self.spent_on.values()]
        tokens = [each.tokens for each in self.spent_on.values()]
        return Spent(
            n_runs=sum(each.n_runs for each in self.spent_on.values()),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            tokens=None if None in tokens else sum(n for n in tokens if n is not None),
        )
