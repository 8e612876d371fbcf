"""The search for a better description of a skill: what was tried, what it came to, and where it stands."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record

Part = Literal["train", "validation", "test"]

Step = Literal["probing", "rewriting", "testing", "finished", "stopped"]
"""What is being done; `stopped` where tools failed or a ceiling was reached: the same command goes on from there."""

OptimiseWord = Literal["better", "cannot tell", "worse", "kept"]
"""Of the best description against the skill's own, on the test queries. `kept`: no other one did better on validation."""


class PartedQuery(Record):
    """A query, and what it is used for."""

    id: str
    query: str
    should_trigger: bool
    part: Part


class QueryTally(Record):
    """The runs of a query with one description. Errors are no results."""

    id: str
    should_trigger: bool
    n_loaded: int = 0
    n_not_loaded: int = 0
    n_errors: int = 0

    def passes(self, threshold: float) -> bool | None:
        """On the right side; None without a result."""
        n = self.n_loaded + self.n_not_loaded
        return (self.n_loaded / n >= threshold) is self.should_trigger if n else None


class Score(Record):
    """Queries on the right side of the threshold, of those with a result: the one unit in which descriptions are scored."""

    n_passed: int
    n_decided: int
    n_queries: int

    @property
    def share(self) -> float | None:
        """None without a result."""
        return self.n_passed / self.n_decided if self.n_decided else None


class Spent(Record):
    """What runs or calls took. None: something was not told."""

    n_runs: int = 0
    cost_usd: float | None = 0.0
    tokens: int | None = 0


class Candidate(Record):
    """A description. Number 0 is the skill's own."""

    number: int
    round: int = 0
    """In which it was written; 0 for the skill's own."""
    description: str
    tallies: tuple[QueryTally, ...] = ()
    """Of train and validation; empty until all runs that it needs have ended."""
    train: Score | None = None
    validation: Score | None = None
    spent: Spent = Spent()


class RewriteCall(Record):
    """A question to the rewriting model and what became of it."""

    round: int
    again: bool = False
    """The second one in its round, with what was wrong with the first answer."""
    answer: str | None = None
    """None where the call failed."""
    refused: str = ""
    """Why the answer, or the call, gave no candidate; empty where it did."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class DescriptionTest(Record):
    """The best description and the skill's own on the test queries, each as often. Nothing else ever saw these."""

    best: tuple[QueryTally, ...]
    incumbent: tuple[QueryTally, ...]
    """The same as `best` where the skill's own is the best."""
    best_score: Score
    incumbent_score: Score
    best_low: float | None = None
    best_high: float | None = None
    """Wilson's interval of the share, over queries."""
    difference: float | None = None
    """Best minus incumbent, over the queries with a result for both; None without one, or where they are the same."""
    low: float | None = None
    high: float | None = None
    n_paired: int = 0

    @property
    def n_errors(self) -> int:
        """Runs without a result."""
        rows = self.best if self.best == self.incumbent else (*self.best, *self.incumbent)
        return sum(each.n_errors for each in rows)


class Optimisation(Record):
    """`optimise.json`: written after each step, so that nothing is paid for twice."""

    schema_version: Literal[1] = 1
    skill_name: str
    number: int
    """Of the search in its workspace, from 1."""
    created_at: str
    digest: str
    """`sha256:` over the skill, the queries and all that was asked for."""
    test_digest: str
    """`sha256:` over the test queries alone."""
    n_earlier_tests: int = 0
    """How often earlier searches in this workspace used the same test queries."""
    skill_file_digest: str
    """`sha256:` of the SKILL.md that the search began with."""
    queries_path: str
    queries: tuple[PartedQuery, ...]
    runs: int
    threshold: float
    rounds: int
    patience: int
    harness: str | None
    model: str | None
    rewriter: str
    step: Step = "probing"
    doing: str = ""
    """In a few words, for whoever looks on."""
    candidates: tuple[Candidate, ...]
    calls: tuple[RewriteCall, ...] = ()
    best: int = 0
    """The number of the candidate that is best on validation so far."""
    ended: str = ""
    """Why the search came to its end; empty before."""
    test: DescriptionTest | None = None
    word: OptimiseWord | None = None
    why: str = ""
    notices: tuple[str, ...] = ()
    test_spent: Spent = Spent()

    @property
    def spent(self) -> Spent:
        """By all runs of agents so far; the rewriting model is apart."""
        parts = [*(each.spent for each in self.candidates), self.test_spent]
        costs, tokens = [each.cost_usd for each in parts], [each.tokens for each in parts]
        return Spent(
            n_runs=sum(each.n_runs for each in parts),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            tokens=None if None in tokens else sum(n for n in tokens if n is not None),
        )

    def part(self, name: Part) -> frozenset[str]:
        """The ids of the queries of a part."""
        return frozenset(each.id for each in self.queries if each.part == name)
