"""All trials of a plan that are not finished yet."""

from __future__ import annotations

import json
from dataclasses import replace

from skilltrial.errors import AuthFailed, Crashed, HarnessError, NotInstalled
from skilltrial.execute.attempt import Means, run_trial
from skilltrial.execute.failure_policy import FAILED_IN_A_ROW, policy
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.execute.snapshot import snapshot
from skilltrial.ports import Executor
from skilltrial.records import layout
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial, TrialKey


async def execute(plan: Plan, iteration: int, *, means: Means, executor: Executor, concurrency: int) -> None:
    """Run what is missing, at most `concurrency` trials at a time (and no more than the harness takes).

    Raises `AuthFailed`, `NotInstalled` or another `HarnessError` where further trials make no sense; what is finished is kept.
    """
    before = {planned.key: read_trial(means.store, iteration, planned.key) for planned in plan.trials}
    planned = {item.key: item for item in plan.trials}
    skills = {arm: snapshot(skill, arm, iteration, means.store) for arm, skill in means.skills.items()}
    means = replace(means, skills=skills)
    missing = [key for key in planned if not is_finished(before[key], plan)]
    means.watcher.begins(plan, finished=len(planned) - len(missing), iteration=iteration)
    for case in plan.suite.cases:
        _write_metadata(plan, case, iteration, means)
    failed_in_a_row = 0

    async def work(key: TrialKey) -> None:
        nonlocal failed_in_a_row
        if is_finished(read_trial(means.store, iteration, key), plan):
            return
        means.watcher.trial_starts(key)
        trial = await run_trial(planned[key], plan, iteration, means=means, before=before[key])
        means.watcher.trial_ends(trial)
        row = policy(trial.outcome, trial.reason)
        failed_in_a_row = 0 if row.result else failed_in_a_row + 1
        if row.halt or failed_in_a_row >= FAILED_IN_A_ROW:
            raise _halt(trial, failed_in_a_row)

    own_limit = means.harness.capabilities.max_concurrency
    await executor.run(missing, work, limit=min(concurrency, own_limit or concurrency))


def _halt(trial: Trial, failed_in_a_row: int) -> HarnessError:
    reason = trial.reason
    message = reason.message if reason else "the agent program failed without a reason."
    hint = "Finished trials are kept; the same command goes on where this one stopped."
    name = trial.harness.name
    code = reason.code if reason else "crashed"
    if code == "auth_failed":
        return AuthFailed(
            f"{name} was refused: {message}", hint=f"See to the key or login (`skilltrial doctor`). {hint}"
        )
    if code == "not_installed":
        return NotInstalled(f"{name}: {message}", hint=hint)
    if code == "model_not_found":
        return HarnessError(f"{name}: {message}", hint=f"Give another --model. {hint}", code=code)
    return Crashed(f"{name} failed {failed_in_a_row} times in a row; the last time: {message}", hint=hint, code=code)


def _write_metadata(plan: Plan, case: Case, iteration: int, means: Means) -> None:
    metadata = {
        "eval_id": case.id if case.written_id is None else case.written_id,
        "eval_name": case.name or case.id,
        "prompt": case.prompt,
        "expected_output": case.expected_output,
        "assertions": [assertion.text for assertion in case.assertions],
        "plan_digest": plan.digest,
    }
    text = json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"
    means.store.write(f"{layout.case_dir(iteration, case.id)}/{layout.EVAL_METADATA}", text.encode())
