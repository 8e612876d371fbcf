"""Every planned trial, once: with its verdicts, or excluded with the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from skilltrial.aggregate.arms import ordered_arms
from skilltrial.errors import StoreError
from skilltrial.execute.failure_policy import policy
from skilltrial.records.benchmark import Excluded
from skilltrial.records.budget import Stop
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.suite import Assertion, Case
from skilltrial.records.trial import Trial, TrialKey

RecordT = TypeVar("RecordT", Trial, Grading)

NO_GRADING = "The trial has not been graded yet; run the same command again."
NO_VERDICT = "Its grading does not hold this assertion exactly once and in these words; grade the trial again."


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A trial in which the agent had its chance. Its grading has one result for each assertion of the case, in its order."""

    case: Case
    arm: Arm
    trial: Trial
    grading: Grading

    @property
    def key(self) -> TrialKey:
        """Names the trial."""
        return self.trial.key

    @cached_property
    def score(self) -> float | None:
        """Passed over passed and failed; None where nothing has a verdict."""
        return self.grading.pass_rate

    @property
    def tokens(self) -> int | None:
        """All tokens; None where unknown."""
        return self.trial.usage.total_tokens

    @property
    def seconds(self) -> float | None:
        """Wall clock; None where unknown."""
        return None if self.trial.duration_ms is None else self.trial.duration_ms / 1000

    @property
    def cost_usd(self) -> float | None:
        """Cost; None where unknown or no number."""
        cost = self.trial.cost_usd
        return cost if cost is not None and math.isfinite(cost) else None


@dataclass(frozen=True, kw_only=True)
class Census:
    """All tuples in order of cases in the suite, arms (treatment first), repeats."""

    arms: tuple[Arm, ...]
    planned: tuple[TrialKey, ...]
    trials: tuple[Trial, ...]
    """Planned trials that have a record, whatever came of them."""
    entries: tuple[Entry, ...]
    """Trials in which the agent had its chance, graded or not."""
    excluded: tuple[Excluded, ...]
    misgraded: tuple[TrialKey, ...]
    """Trials whose grading drops, repeats, invents or words otherwise the assertions."""
    unplanned: tuple[TrialKey, ...]
    """Trials that the plan does not know; they are nowhere else."""
    decided: int | None = None
    """After this round no more was needed (`--until-decided`)."""

    @cached_property
    def counted(self) -> tuple[Entry, ...]:
        """Entries with a verdict: planned trials that are not excluded."""
        return tuple(entry for entry in self.entries if entry.score is not None)


def eval_id(case: Case) -> str | int:
    """The id as its author wrote it."""
    return case.id if case.written_id is None else case.written_id


def take_census(
    plan: Plan, trials: Sequence[Trial], gradings: Sequence[Grading], *, stop: Stop | None = None
) -> Census:
    """Match trials and gradings to the plan by key; `stop` says why some were not run.

    Raises StoreError where two records claim the same trial.
    """
    decided = stop.decision.round if stop and stop.decision else None
    trial_of = _by_key(trials, "trial records")
    grading_of = _by_key(gradings, "gradings")
    cases = {case.id: case for case in plan.suite.cases}
    arms = {arm.name: arm for arm in ordered_arms(plan)}
    case_place = {case_id: place for place, case_id in enumerate(cases)}
    arm_place = {name: place for place, name in enumerate(arms)}
    planned = sorted(
        dict.fromkeys(planned.key for planned in plan.trials),
        key=lambda key: (case_place[key.case_id], arm_place[key.arm], key.repeat),
    )
    entries: list[Entry] = []
    excluded: list[Excluded] = []
    for key in planned:
        trial, grading = trial_of.get(key), grading_of.get(key)
        if trial is None:
            stopped = stop and (decided is None or key.repeat > decided)
            reason = stop.message if stop and stopped else "it has not been run, or not to its end"
            excluded.append(Excluded(key=key, outcome="not_run", reason=reason))
        elif not policy(trial.outcome, trial.reason).counts:
            excluded.append(Excluded(key=key, outcome=trial.outcome, reason=_tool_reason(trial)))
        else:
            case = cases[key.case_id]
            entry = Entry(case=case, arm=arms[key.arm], trial=trial, grading=_bind(case, key, grading))
            entries.append(entry)
            if entry.score is None:
                excluded.append(Excluded(key=key, outcome=trial.outcome, reason=_silent_reason(entry, grading)))
    return Census(
        arms=tuple(arms.values()),
        planned=tuple(planned),
        trials=tuple(trial_of[key] for key in planned if key in trial_of),
        entries=tuple(entries),
        excluded=tuple(excluded),
        misgraded=tuple(entry.key for entry in entries if _is_misgraded(entry.case, grading_of.get(entry.key))),
        unplanned=tuple(sorted(trial_of.keys() - set(planned), key=str)),
        decided=decided,
    )


def _by_key(records: Sequence[RecordT], what: str) -> Mapping[TrialKey, RecordT]:
    found: dict[TrialKey, RecordT] = {}
    for record in records:
        if record.key in found:
            raise StoreError(
                f"two {what} claim to be {str(record.key)!r}.",
                hint="Was a run folder copied? Remove the one whose folder name does not fit its key.",
            )
        found[record.key] = record
    return found


def _bind(case: Case, key: TrialKey, grading: Grading | None) -> Grading:
    """One result an assertion: what a grading drops, repeats or words otherwise has no verdict, what it invents is nothing."""
    bound = grading or Grading(key=key, results=(), digest="")
    results: list[AssertionResult] = []
    for assertion in case.assertions:
        own = [result for result in bound.results if result.id == assertion.id]
        if len(own) == 1 and _statement(own[0]) == _statement(assertion):
            results.append(own[0])
        else:
            results.append(
                AssertionResult(
                    id=assertion.id,
                    text=assertion.text,
                    type=assertion.type,
                    verdict="UNGRADED",
                    evidence=NO_VERDICT if grading else NO_GRADING,
                    grader="none",
                )
            )
    return bound.model_copy(update={"results": tuple(results)})


def _is_misgraded(case: Case, grading: Grading | None) -> bool:
    declared = sorted(_statement(assertion) for assertion in case.assertions)
    return grading is not None and sorted(_statement(result) for result in grading.results) != declared


def _statement(of: Assertion | AssertionResult) -> tuple[str, str, str]:
    """An author may change an assertion and keep its id; until it is graded again there is no verdict on it."""
    return of.id, of.type, of.text


def _tool_reason(trial: Trial) -> str:
    if trial.reason is None:
        return "an error outside the agent" if trial.outcome == "harness_error" else "cancelled"
    return f"{trial.reason.code}: {trial.reason.message}"


def _silent_reason(entry: Entry, grading: Grading | None) -> str:
    if not entry.case.assertions:
        return "nothing graded: the case has no assertions"
    if grading is None:
        return "nothing graded: there is no grading yet"
    return f"nothing graded: no verdict on any of {len(entry.grading.results)} assertions"
