"""What is finished already."""

from __future__ import annotations

from pydantic import ValidationError

from skilltrial.execute.failure_policy import policy
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial, TrialKey


def read_trial(store: Store, iteration: int, key: TrialKey) -> Trial | None:
    """The record of a trial; None where there is none that can be read."""
    data = store.read(f"{layout.trial_dir(iteration, key)}/{layout.TRIAL}")
    if data is None:
        return None
    try:
        return Trial.model_validate_json(data)
    except ValidationError:
        # Only a hand that edited it can do this, since files appear whole; the trial is done again and the old one kept.
        return None


def read_trials(store: Store, plan: Plan, iteration: int) -> list[Trial]:
    """All recorded trials of a plan, in its order: results and errors."""
    found = (read_trial(store, iteration, planned.key) for planned in plan.trials)
    return [trial for trial in found if trial is not None and trial.plan_digest == plan.digest]


def is_finished(trial: Trial | None, plan: Plan) -> bool:
    """True for a result under this plan; errors of tools are done again."""
    return trial is not None and trial.plan_digest == plan.digest and policy(trial.outcome, trial.reason).grade
