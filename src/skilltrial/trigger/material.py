"""What the rewriting model may know: train, and nothing of validation and test."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.optimisation import Candidate, Optimisation, QueryTally


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A train query on the wrong side."""

    query: str
    should_trigger: bool
    n_loaded: int
    n_runs: int
    """With a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A description, and how many train queries were on the right side."""

    description: str
    n_passed: int
    n_decided: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """For one request."""

    current: str
    failures: tuple[Failure, ...]
    passes: tuple[tuple[str, bool], ...]
    """Train queries on the right side, and whether they should load the skill."""
    tried: tuple[Tried, ...]
    """All descriptions with a result, the current one too."""


def material_of(state: Optimisation) -> Material:
    """Of the best description so far, with the train results of all."""
    best = next(each for each in state.candidates if each.number == state.best)
    train = {each.id: each for each in state.queries if each.part == "train"}
    tallies = [each for each in best.tallies if each.id in train]
    failed = [each for each in tallies if each.passes(state.threshold) is False]
    return Material(
        current=best.description,
        failures=tuple(_failure(each, train[each.id].query) for each in failed),
        passes=tuple(
            (train[each.id].query, each.should_trigger) for each in tallies if each.passes(state.threshold) is True
        ),
        tried=tuple(_tried(each) for each in state.candidates if each.tallies),
    )


def _failure(tally: QueryTally, query: str) -> Failure:
    n = tally.n_loaded + tally.n_not_loaded
    return Failure(query=query, should_trigger=tally.should_trigger, n_loaded=tally.n_loaded, n_runs=n)


def _tried(candidate: Candidate) -> Tried:
    score = candidate.train
    return Tried(
        description=candidate.description,
        n_passed=score.n_passed if score else 0,
        n_decided=score.n_decided if score else 0,
    )
