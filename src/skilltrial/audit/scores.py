"""The verdicts of one iteration, counted from the criteria and from nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from skilltrial.records.foreign import ForeignArm, ForeignCase, ForeignIteration, ForeignRun, Role, Statement
from skilltrial.records.json_value import Json, is_object

_ABSURD = 1e15
"""Tokens, characters or seconds."""


@dataclass(frozen=True, slots=True)
class Score:
    """A run with its counts. A criterion without a readable verdict is in neither."""

    run: ForeignRun
    passed: int
    failed: int

    @property
    def rate(self) -> float | None:
        """Fraction of 1; None where nothing was graded."""
        total = self.passed + self.failed
        return self.passed / total if total else None

    @property
    def n_criteria(self) -> int:
        """Those without a readable verdict too: a total may count them."""
        statements = self.run.grading.statements if self.run.grading else None
        return len(statements or ())

    @property
    def is_uncountable(self) -> bool:
        """Whether it was graded in a way that cannot be counted here: on a scale, or with counts alone."""
        grading = self.run.grading
        return grading is not None and not grading.fault and self.rate is None

    @property
    def tokens(self) -> int | None:
        """All tokens; None where nobody recorded them, and no run takes 0."""
        tokens = self.run.timing.total_tokens if self.run.timing else None
        return tokens if tokens and _is_possible(tokens) else None

    @property
    def seconds(self) -> float | None:
        """Of the agent."""
        seconds = self.run.timing.duration_s if self.run.timing else None
        return seconds if seconds and _is_possible(seconds) else None

    @property
    def seconds_with_grader(self) -> float | None:
        """Of the agent and its grader together, where both are known."""
        seconds, grader = self.seconds, self.run.timing.grader_s if self.run.timing else None
        return None if seconds is None or grader is None else seconds + grader

    @property
    def characters(self) -> float | None:
        """What the run's metrics say of the size of its outputs."""
        sources = (self.run.grading.execution_metrics if self.run.grading else None, self.run.metrics)
        return next((size for source in sources if (size := _number(source, "output_chars")) is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """An iteration, ready to be looked at."""

    iteration: ForeignIteration
    family: str
    scores: tuple[Score, ...]
    """Of all runs; leftovers and copies are no runs."""
    leftovers: tuple[ForeignRun, ...]
    copies: tuple[ForeignRun, ...] = ()
    by_arm: Mapping[str, Sequence[Score]]
    cases: Mapping[str, ForeignCase]
    treatment: ForeignArm | None
    baseline: ForeignArm | None


def make_round(iteration: ForeignIteration, family: str) -> Round:
    """Count the verdicts of an iteration. The first arm of each role is compared."""
    copies = tuple(run for run in iteration.runs if run.copy_of is not None)
    leftovers = tuple(run for run in iteration.runs if _is_leftover(run))
    scores = tuple(_score(run) for run in iteration.runs if run.copy_of is None and not _is_leftover(run))
    if family == "native":
        scores = tuple(score if score.rate is not None else _without_figures(score) for score in scores)
    by_arm: defaultdict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_arm[score.run.arm].append(score)
    return Round(
        iteration=iteration,
        family=family,
        scores=scores,
        leftovers=leftovers,
        copies=copies,
        by_arm=dict(by_arm),
        cases={case.key: case for case in iteration.cases},
        treatment=_first(iteration.arms, "treatment"),
        baseline=_first(iteration.arms, "baseline"),
    )


def count(statements: Sequence[Statement]) -> tuple[int, int]:
    """How many passed, how many failed."""
    verdicts = [statement.passed for statement in statements]
    return verdicts.count(True), verdicts.count(False)


def _score(run: ForeignRun) -> Score:
    statements = run.grading.statements if run.grading else None
    return Score(run, *count(statements or ()))


def _without_figures(score: Score) -> Score:
    """Times and tokens of our own benchmarks are over graded trials."""
    return Score(replace(score.run, timing=None), score.passed, score.failed)


def _is_leftover(run: ForeignRun) -> bool:
    """A folder like `run-retry` in which nothing was measured."""
    return run.written_as is not None and run.grading is None and run.timing is None


def _first(arms: Sequence[ForeignArm], role: Role) -> ForeignArm | None:
    return next((arm for arm in arms if arm.role == role), None)


def _number(source: Json, key: str) -> float | None:
    value = source.get(key) if is_object(source) else None
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_possible(value):
        return value
    return None


def _is_possible(value: float | None) -> bool:
    """Whether a time or a count can be meant; what is absurd is as good as unknown, and would swamp every mean."""
    return value is not None and 0 <= value < _ABSURD
