"""Whether a skill was loaded for the queries that it is for, and left alone for the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from skilltrial.records.record import Record
from skilltrial.records.trial import HarnessFacts

QueryKind = Literal["query", "canary"]
"""A canary shows whether anything can be measured at all: it counts in no figure of the skill."""

TriggerWord = Literal["all pass", "some fail", "cannot tell"]


class Share(Record):
    """A share of 1, with its interval at 95 %. None is unknown: nothing was counted, or too little for an interval."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    n: int
    """How many units it is over: runs of a query, or queries."""


class QueryResult(Record):
    """What came of the runs of one query in one arm. `n_loaded` and `n_not_loaded` are results; errors are neither."""

    id: str
    query: str
    should_trigger: bool
    kind: QueryKind = "query"
    n_planned: int
    n_loaded: int
    """The skill's text got to the agent, by its tool or by reading the file."""
    n_not_loaded: int
    """The agent came to its end without it."""
    n_attempted: int = 0
    """It asked for the skill, whether it got it or not."""
    n_read: int = 0
    """It read the file without the tool for skills."""
    errors: Mapping[str, int] = Field(default_factory=dict)
    """Runs without a result by reason, time-outs too."""
    others: Mapping[str, int] = Field(default_factory=dict)
    """Other skills that lay beside it and were loaded, by name: in how many runs."""
    rate: Share
    """Runs that loaded it over runs with a result, with Wilson's interval."""
    passes: bool | None
    """On the right side of the threshold; None without a result."""

    @property
    def n_errors(self) -> int:
        """Runs without a result."""
        return sum(self.errors.values())


class Taken(Record):
    """A row of the confusion matrix: the runs of all queries that should load the same skill, and which they loaded.

    Canaries are left out. A run may load several. One that was ended when it loaded the skill on trial shows only what came before.
    """

    expected: str | None
    """None: no skill that lay there, or the file does not say which."""
    n_runs: int
    """With a result."""
    loaded: Mapping[str, int]
    """Runs by the name of the skill that was loaded, the skill on trial first where it was."""
    n_nothing: int
    """Runs in which none of the skills that lay there was loaded."""
    n_errors: int


class TriggerFigures(Record):
    """Over queries, each with its rate; canaries are left out.

    With R the mean rate of the queries that should load the skill, and F that of the others: recall is R; precision is the share
    of loads that were right, accuracy that of runs, both as if each query was run equally often. Intervals are for queries like
    these.
    """

    recall: Share
    false_positives: Share
    precision: Share
    f1: Share
    accuracy: Share
    n_passed: int
    """Queries on the right side of the threshold."""
    n_decided: int
    """Queries with a result."""


class Listing(Record):
    """The listing of skills that the model got, over the runs of an arm."""

    n_told: int = 0
    """Runs that show its text."""
    chars: int | None = None
    """Its length at the most; None where no run shows it."""
    n_skills: int | None = None
    """How many skills the agent program said it knows at the most, its own too; None where it does not say."""
    undescribed: Mapping[str, int] = Field(default_factory=dict)
    """Skills that lay there and whose whole description did not stand in it, by name: in how many of these runs."""


class TriggerArm(Record):
    """One description under one agent and model."""

    name: str
    description: str
    skill_fingerprint: str
    harness: HarnessFacts | None = None
    """None before the first result."""
    queries: tuple[QueryResult, ...]
    figures: TriggerFigures
    confusion: tuple[Taken, ...] = ()
    """Which skill was taken; empty where nothing lay beside it."""
    n_listed: int = 0
    """Runs in which the agent's listing had the skill's name, of those that tell."""
    n_listing_told: int = 0
    n_described: int = 0
    """Runs in which its whole description stood there, of those that tell; elsewhere it was cut or left out."""
    n_described_told: int = 0
    listing: Listing = Listing()
    cost_usd: float | None = None
    """Of all tries that told; None where none did."""
    n_cost_untold: int = 0
    """Tries that did not tell: the cost is more then."""
    tokens: float | None = None


class TriggerResults(Record):
    """`triggers.json` of an iteration of a trigger workspace."""

    schema_version: Literal[1] = 1
    skill_name: str
    iteration: int
    created_at: str
    plan_digest: str
    queries_path: str | None = None
    """The file of the queries; None where they are a suite's own."""
    runs: int
    threshold: float
    siblings: tuple[str, ...] = ()
    arms: tuple[TriggerArm, ...]
    notices: tuple[str, ...] = ()
    """What makes the figures doubtful, in sentences."""
    word: TriggerWord
    why: str


class TriggerCell(Record):
    """One agent program and model of a matrix."""

    name: str
    harness: str | None
    model: str | None
    """As asked for; None: the program's own."""
    workspace: str
    results: TriggerResults | None = None
    """None where nothing was run."""
    stopped: str = ""
    """The ceiling that it was not run for."""
    error: str = ""
    """Why there is no result, or not all of it."""
    exit_code: int = 0


class TriggerMatrix(Record):
    """`matrix.json` of a trigger workspace: the same queries under several agent programs and models."""

    schema_version: Literal[1] = 1
    skill: str
    cells: tuple[TriggerCell, ...]
