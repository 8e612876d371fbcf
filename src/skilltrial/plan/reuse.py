"""Which trials of the baseline need not run, since an earlier iteration has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from skilltrial.errors import StoreError
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.plan.plan import arm_facts, case_facts, harness_facts
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Arm, Plan, PlannedTrial
from skilltrial.records.trial import Trial, TrialKey, TrialOrigin

_ENDS = frozenset({"completed", "timed_out", "agent_failed"})
"""Of an agent that had its chance; anything else is run."""


@dataclass(frozen=True, slots=True)
class _Earlier:
    number: int
    plan: Plan
    cases: Mapping[str, Json]


def mark_reused(plan: Plan, iteration: int, store: Store, *, search: bool, isolation: str) -> Plan:
    """The plan with `reused_from` at the trials that are copies of earlier ones.

    Those of this iteration stay what they are. With `search`, trials of the baseline that have no folder here yet are looked
    for in earlier iterations, newest first. One fits where the case, the repeat, its seed, the arm's skill and settings, the agent
    program with its version, model and arguments, the time limit, the isolation and the version of skilltrial are the same;
    the arm's name may be another, since agents never see it.
    """
    earlier = list(_comparable(plan, iteration, store)) if search else []
    baselines = {arm.name: arm for arm in plan.arms if arm.role == "baseline"}

    def marked(planned: PlannedTrial) -> PlannedTrial:
        if store.path(layout.trial_dir(iteration, planned.key)).exists():
            own = _read(store, iteration, planned.key)
            origin = own.reused_from if own and own.plan_digest == plan.digest else None
        elif planned.key.arm in baselines:
            origin = _found(planned, plan, baselines[planned.key.arm], earlier, store, isolation=isolation)
        else:
            origin = None
        return planned.model_copy(update={"reused_from": origin})

    return plan.model_copy(update={"trials": tuple(marked(planned) for planned in plan.trials)})


def _comparable(plan: Plan, iteration: int, store: Store) -> Iterator[_Earlier]:
    for number in reversed(iterations(store)):
        if number >= iteration:
            continue
        try:
            earlier = read_plan(store, number)
        except StoreError:
            continue
        if _conditions(earlier) == _conditions(plan):
            yield _Earlier(number, earlier, {case.id: _facts(earlier, case.id) for case in earlier.suite.cases})


def _conditions(plan: Plan) -> tuple[object, ...]:
    return plan.timeout_s, plan.skilltrial_version, plan.responder


def _found(
    planned: PlannedTrial, plan: Plan, arm: Arm, earlier: list[_Earlier], store: Store, *, isolation: str
) -> TrialOrigin | None:
    key = planned.key
    facts = _facts(plan, key.case_id)
    if any(value.startswith("$") for value in arm.env.values()):
        return None  # the person's variable may have been another
    for before in earlier:
        if before.cases.get(key.case_id) != facts:
            continue
        for other in before.plan.arms:
            if _content(other, before.plan) != _content(arm, plan):
                continue
            trial = _read(store, before.number, key.model_copy(update={"arm": other.name}))
            if trial and trial.plan_digest == before.plan.digest and _fits(trial, planned, plan, isolation):
                return trial.reused_from or TrialOrigin(
                    iteration=before.number, key=trial.key, plan_digest=trial.plan_digest
                )
    return None


def _facts(plan: Plan, case_id: str) -> Json:
    codebase = plan.codebase(case_id)
    return case_facts(plan.case(case_id), codebase.digest if codebase else None)


def _content(arm: Arm, plan: Plan) -> tuple[object, ...]:
    """What the agent was and got; without a skill also which one was looked for in its transcript."""
    bare = arm.model_copy(update={"harness": None})
    return (arm.skill or plan.skill).name, arm_facts(bare), harness_facts(plan.harness_of(arm.name))


def _fits(trial: Trial, planned: PlannedTrial, plan: Plan, isolation: str) -> bool:
    versions = {trial.harness.version, plan.harness_of(planned.key.arm).version} - {None}
    return trial.outcome in _ENDS and trial.seed == planned.seed and trial.isolation == isolation and len(versions) <= 1


def _read(store: Store, iteration: int, key: TrialKey) -> Trial | None:
    data = store.read(f"{layout.trial_dir(iteration, key)}/{layout.TRIAL}")
    try:
        return None if data is None else Trial.model_validate_json(data)
    except ValidationError:
        return None
