"""`run --until-decided`: round by round, until the pairs of trials decide.

A round is a repeat of every case in every arm, in the plan's order. Nothing is remembered but trials and gradings, so that a run
that was killed comes to the same decision when it goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from skilltrial.errors import PlanError
from skilltrial.execute.resume import read_trials
from skilltrial.execute.run import read_stop, write_stop
from skilltrial.execute.watcher import Watcher
from skilltrial.grade.run import read_gradings
from skilltrial.ports import Store
from skilltrial.records.budget import Decision, Stop
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.trial import TrialKey

FEWEST_ROUNDS = 2
"""The first look is after the second round."""


def check_decidable(plan: Plan) -> None:
    """Raise `PlanError` where no rounds of this plan could decide anything."""
    if not {"treatment", "baseline"} <= {arm.role for arm in plan.arms}:
        raise PlanError("--until-decided compares two arms.", hint="Name a treatment and a baseline.")
    if n_rounds(plan) < FEWEST_ROUNDS:
        raise PlanError(
            "--until-decided needs at least two rounds: nothing is decided before each case has run twice.",
            hint="Give --max-rounds 2 or more.",
        )
    kinds = {assertion.type for case in plan.suite.cases for assertion in case.assertions}
    if kinds <= {"llm_judge"} and plan.judge is None:
        raise PlanError(
            "--until-decided needs verdicts, and no assertion of these cases has one without a judge.",
            hint="Name one with --judge, or add an assertion that code checks.",
        )


def n_rounds(plan: Plan) -> int:
    """How many rounds the plan has at the most."""
    return max(planned.key.repeat for planned in plan.trials)


def overruled(store: Store, iteration: int) -> str:
    """What to say where rounds that were stopped early are now filled up; empty where there were none."""
    stop = read_stop(store, iteration)
    if stop is None or stop.decision is None:
        return ""
    return (
        f"these rounds had been {stop.message.rstrip('.')}; now the rest is run, and that early decision no longer applies "
        "(--until-decided keeps it)"
    )


async def run_rounds(
    plan: Plan,
    iteration: int,
    store: Store,
    *,
    execute: Callable[[Collection[TrialKey]], Awaitable[Stop | None]],
    grade: Callable[[], Awaitable[Collection[Grading]]],
    watcher: Watcher,
) -> Stop | None:
    """Run and grade round after round until one decides, or all are over; the `Stop`, also that of a ceiling, else None.

    A decision is written beside the plan where it leaves something out. Where a judge was asked and could not answer, no
    further round is begun: nothing could be decided by it, and the next run goes on. Raises what `execute` and `grade` raise.
    """
    last = n_rounds(plan)
    for number in range(1, last + 1):
        stop = await execute([planned.key for planned in plan.trials if planned.key.repeat == number])
        if stop is not None:
            return stop
        if not FEWEST_ROUNDS <= number < last:
            continue
        gradings = await grade()
        if plan.judge is not None and any(map(_is_open, gradings)):
            return None
        decision = _decision(plan, iteration, store, number)
        if decision is not None:
            stop = Stop(message=_message(decision), decision=decision)
            write_stop(store, iteration, stop)
            watcher.halts(stop.message)
            return stop
        watcher.say(f"round {number} of at most {last} is over, and nothing is decided yet")
    return None


def _decision(plan: Plan, iteration: int, store: Store, number: int) -> Decision | None:
    from skilltrial.aggregate.arms import contest  # noqa: PLC0415 - as below
    from skilltrial.aggregate.census import take_census  # noqa: PLC0415 - as below
    from skilltrial.aggregate.deciding import decide  # noqa: PLC0415 - numpy, which no trial waits for

    census = take_census(plan, read_trials(store, plan, iteration), read_gradings(store, plan, iteration))
    return decide(census, contest(plan), n_rounds=number)


def _message(decision: Decision) -> str:
    return f"decided after round {decision.round} of {decision.max_rounds} ({decision.why})."


def _is_open(grading: Grading) -> bool:
    return any(result.type == "llm_judge" and result.grader == "none" for result in grading.results)
