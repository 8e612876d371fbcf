"""What a run will take, from the files of a workspace, and whether its ceilings can be held at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skilltrial.errors import PlanError, StoreError
from skilltrial.execute.agents import free_arms, most_at_a_time
from skilltrial.execute.resume import is_finished, read_trial, read_trials
from skilltrial.grade.judge_prompt import own_prompt
from skilltrial.grade.panel import identity
from skilltrial.grade.run import read_gradings
from skilltrial.plan.forecast import Past, is_alike, make_forecast, tells
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.ports import Capabilities, Harness, Store
from skilltrial.records.budget import Ceilings, Forecast
from skilltrial.records.plan import Plan
from skilltrial.records.trial import TrialKey

_NEWEST = 3
"""So many iterations of the same agent program and model are read: older ones say less, and reading takes time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """A forecast, and the most that one trial cost and took in tokens before."""

    forecast: Forecast
    largest: tuple[float | None, float | None]


def foresee(
    store: Store | None,
    plan: Plan,
    iteration: int,
    *,
    harnesses: Mapping[str, Harness],
    concurrency: int,
    ceilings: Ceilings,
) -> Foresight:
    """Forecast the trials of a plan that are missing in its iteration. `harnesses` by arm.

    Without a workspace there are no earlier ones.
    """
    missing = [planned.key for planned in plan.trials if planned.reused_from is None]
    past: Past = Past()
    begun: list[TrialKey] = []
    unjudged: list[TrialKey] = []
    if store is not None:
        recorded = {key: read_trial(store, iteration, key) for key in missing}
        begun = [key for key, trial in recorded.items() if trial is not None and trial.plan_digest == plan.digest]
        missing = [key for key in missing if not is_finished(recorded[key], plan)]
        past = read_past(store, plan)
        unjudged = _unjudged(store, plan, iteration, missing)
    admitted = _below(ceilings.max_trials, missing, begun)
    forecast = make_forecast(
        plan,
        admitted,
        past,
        concurrency=most_at_a_time(harnesses, concurrency),
        free=free_arms(harnesses),
        n_finished=len(plan.trials) - len(missing),
        n_beyond=len(missing) - len(admitted),
        unjudged=unjudged,
    )
    return Foresight(forecast=forecast, largest=past.largest)


def read_past(store: Store, plan: Plan) -> Past:
    """The trials of the newest iterations that were run with an agent program and model of this one."""
    trials, gradings, n_read = Past().trials, Past().gradings, 0
    for number in reversed(iterations(store)):
        try:
            earlier = read_plan(store, number)
        except StoreError:
            continue  # of another version: it tells nothing here, and is no reason to stop
        if not is_alike(earlier, plan):
            continue
        counted = [trial for trial in read_trials(store, earlier, number) if tells(trial, earlier, plan)]
        keys = {str(trial.key) for trial in counted}
        trials += tuple(counted)
        if plan.judge:
            gradings += tuple(item for item in read_gradings(store, earlier, number) if str(item.key) in keys)
        n_read += 1
        if n_read == _NEWEST:
            break
    return Past(trials=trials, gradings=gradings)


def check_ceilings(ceilings: Ceilings, name: str, capabilities: Capabilities) -> None:
    """Raise `PlanError` for a ceiling that is no amount, or that this agent program gives no means to hold."""
    amounts = {
        "--max-cost": ceilings.max_cost_usd,
        "--max-tokens": ceilings.max_tokens,
        "--max-trials": ceilings.max_trials,
    }
    for option, amount in amounts.items():
        if amount is not None and not 0 < amount < float("inf"):
            raise PlanError(f"{option} is {amount:g}.", hint="Give an amount above 0, or leave it out.")
    if ceilings.max_cost_usd is not None and capabilities.paid and not capabilities.tells_cost:
        others = "--max-tokens or --max-trials" if capabilities.tells_tokens else "--max-trials"
        raise PlanError(
            f"{name} does not tell what its trials cost, so --max-cost cannot be held.", hint=f"Use {others} instead."
        )
    if ceilings.max_tokens is not None and not capabilities.tells_tokens:
        raise PlanError(
            f"{name} does not tell how many tokens its trials take, so --max-tokens cannot be held.",
            hint="Use --max-trials instead.",
        )


def _unjudged(store: Store, plan: Plan, iteration: int, missing: list[TrialKey]) -> list[TrialKey]:
    """Finished trials without a grading by the judge asked for, as often and with the prompt asked for."""
    judged = read_gradings(store, plan, iteration) if plan.judge else []
    asked = identity(plan.judge or "", plan.judge_samples, plan.judge_prompt or own_prompt().digest)
    done = {
        str(item.key)
        for item in judged
        if item.judge and identity(item.judge.model, item.judge.samples, item.judge.prompt) == asked
    }
    done |= {str(key) for key in missing}
    return [planned.key for planned in plan.trials if plan.judge and str(planned.key) not in done]


def _below(most: int | None, missing: list[TrialKey], begun: list[TrialKey]) -> list[TrialKey]:
    """Those that `--max-trials` lets start, as the ledger does it: what was begun before may go on."""
    if most is None:
        return missing
    known = set(begun)
    new = [key for key in missing if key not in known]
    beyond = set(new[max(0, most - len(begun)) :])
    return [key for key in missing if key not in beyond]
