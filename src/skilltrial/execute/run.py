"""All trials of a plan that are not finished yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

import anyio
from anyio import to_thread

from skilltrial.errors import AuthFailed, Crashed, HarnessError, NotInstalled, RateLimited
from skilltrial.execute.agents import free_arms, most_at_a_time
from skilltrial.execute.attempt import Limits, Means, run_trial
from skilltrial.execute.codebases import code_files
from skilltrial.execute.failure_policy import FAILED_IN_A_ROW, policy
from skilltrial.execute.ledger import Ledger
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.execute.running import tidy
from skilltrial.execute.snapshot import snapshot, snapshot_beside
from skilltrial.execute.throttle import Place, Throttle
from skilltrial.ports import Executor, Store
from skilltrial.records import layout
from skilltrial.records.budget import Ceilings, Stop
from skilltrial.records.plan import Plan, PlannedTrial
from skilltrial.records.trial import Trial, TrialKey

_AHEAD = 2
"""Trials that are made ready, run or are put away, for each one that runs."""
_OF_THE_ACCOUNT = frozenset({"auth_failed", "not_installed"})
"""What stops an agent program whatever its model."""
_KEPT = "Finished trials are kept; the same command goes on where this one stopped."


@dataclass(kw_only=True)
class _Program:
    """What the trials of one agent program, at one address and with one model, share: its limits and its failures."""

    account: tuple[str, str | None]
    """Name and address: who is refused here is refused with every model."""
    model: str | None
    throttle: Throttle
    failed_in_a_row: int = 0
    error: HarnessError | None = None


@dataclass(kw_only=True)
class _Round:
    """What the workers of one `execute` share."""

    plan: Plan
    iteration: int
    means: Means
    ledger: Ledger
    programs: Mapping[str, _Program]
    """By arm."""
    planned: Mapping[TrialKey, PlannedTrial]
    before: Mapping[TrialKey, Trial | None]
    enough: Callable[[Trial], Stop | None] | None
    changed: anyio.Condition = field(default_factory=anyio.Condition)
    waiting: list[TrialKey] = field(default_factory=list[TrialKey])
    """For room below the ceilings; the first goes first, so that the plan's order, and with it its pairs, are kept."""
    stop: Stop | None = None


async def execute(
    plan: Plan,
    iteration: int,
    *,
    means: Means,
    executor: Executor,
    concurrency: int,
    ceilings: Ceilings | None = None,
    largest: tuple[float | None, float | None] = (None, None),
    only: Collection[TrialKey] | None = None,
    enough: Callable[[Trial], Stop | None] | None = None,
) -> Stop | None:
    """Run what is missing (of `only` these), at most `concurrency` trials at a time (and no more of a harness than it takes).

    At a ceiling, running trials finish, nothing more is started, and the `Stop` is returned and written beside the plan.
    `enough` hears of every trial that ends, and may stop the rest in the same way.
    `largest` are cost and tokens that one trial took at the most in other iterations. Raises `AuthFailed`, `NotInstalled` or
    another `HarnessError` where further trials of an agent program make no sense, after the running ones and those of other
    programs have finished; what is finished is kept.
    """
    before = {planned.key: read_trial(means.store, iteration, planned.key) for planned in plan.trials}
    planned = {item.key: item for item in plan.trials}
    skills = {arm: snapshot(skill, arm, iteration, means.store) for arm, skill in means.skills.items()}
    beside = {arm: snapshot_beside(kept, arm, iteration, means.store) for arm, kept in means.beside.items()}
    code = await to_thread.run_sync(code_files, plan, iteration, means.store)
    wanted = planned if only is None else only
    missing = [key for key in planned if key in wanted and not is_finished(before[key], plan)]
    means.store.path(f"{layout.iteration_dir(iteration)}/{layout.STOP}").unlink(missing_ok=True)
    write_metadata(plan, iteration, means.store)
    ledger = Ledger(
        ceilings or Ceilings(),
        earlier=[trial for trial in before.values() if trial is not None and _ran_here(trial, plan)],
        n_interrupted=len(means.store.find(f"{layout.iteration_dir(iteration)}/{layout.BEGUN}/*")),
        largest=largest,
        free=free_arms(means.harnesses),
    )
    programs = _programs(plan, means, concurrency)
    most = min(concurrency, sum({id(each): each.throttle.limit for each in programs.values()}.values()))
    work = _Round(
        plan=plan,
        iteration=iteration,
        means=replace(means, skills=skills, beside=beside, code=code),
        ledger=ledger,
        programs=programs,
        planned=planned,
        before=before,
        enough=enough,
    )
    try:
        await executor.run(missing, lambda key: _work(work, key), limit=_AHEAD * most)
    finally:
        tidy(means.store)
    if work.stop is not None:
        write_stop(means.store, iteration, work.stop)
    for program in programs.values():
        if program.error is not None:
            raise program.error
    return work.stop


def _programs(plan: Plan, means: Means, concurrency: int) -> dict[str, _Program]:
    within = anyio.Semaphore(max(1, concurrency))
    made: dict[tuple[str, str | None, str | None], _Program] = {}
    by_arm: dict[str, _Program] = {}
    for arm in plan.arms:
        choice, harness = plan.harness_of(arm.name), means.harnesses[arm.name]
        place = choice.name, choice.base_url, choice.model
        if place not in made:
            most = most_at_a_time({arm.name: harness}, concurrency)
            throttle = Throttle(most, within=within, on_change=means.watcher.concurrency_changes)
            made[place] = _Program(account=place[:2], model=choice.model, throttle=throttle)
        by_arm[arm.name] = made[place]
    return by_arm


def write_stop(store: Store, iteration: int, stop: Stop) -> None:
    """Say why the rest of the plan is not run; the next `execute` takes it back."""
    text = stop.model_dump_json(indent=2) + "\n"
    store.write(f"{layout.iteration_dir(iteration)}/{layout.STOP}", text.encode())


def read_stop(store: Store, iteration: int) -> Stop | None:
    """Why the last run of an iteration left a part of its plan; None where it did not, or nobody can tell."""
    data = store.read(f"{layout.iteration_dir(iteration)}/{layout.STOP}")
    try:
        return None if data is None else Stop.model_validate_json(data)
    except ValueError:
        return None


async def _work(work: _Round, key: TrialKey) -> None:
    if is_finished(read_trial(work.means.store, work.iteration, key), work.plan) or not await _admitted(work, key):
        return
    async with work.programs[key.arm].throttle.place() as place:
        await _finish(work, key, place)
    async with work.changed:
        work.changed.notify_all()


async def _finish(work: _Round, key: TrialKey, place: Place) -> None:
    try:
        trial = await run_trial(
            work.planned[key],
            work.plan,
            work.iteration,
            means=work.means,
            limits=Limits(throttle=work.programs[key.arm].throttle, ledger=work.ledger),
            place=place,
            before=work.before[key],
        )
    finally:
        work.ledger.end(key)
    if trial is None:
        work.means.watcher.trial_drops(key)
    else:
        work.means.watcher.trial_ends(trial)
        await _follow(work, trial)
        if (stop := work.enough(trial) if work.enough else None) is not None:
            await _stop(work, stop)


async def _stop(work: _Round, stop: Stop) -> None:
    """What runs comes to its end, and nothing more is started."""
    if work.stop is None:
        work.stop = stop
        work.means.watcher.halts(stop.message)
    for program in {id(each): each for each in work.programs.values()}.values():
        await program.throttle.close()


async def _admitted(work: _Round, key: TrialKey) -> bool:
    work.waiting.append(key)
    try:
        async with work.changed:
            while not work.programs[key.arm].throttle.is_closed:
                decided = _decided(work, key) if work.waiting[0] == key else None
                if decided is not None:
                    return decided
                await work.changed.wait()
    finally:
        work.waiting.remove(key)
        with anyio.CancelScope(shield=True):
            async with work.changed:
                work.changed.notify_all()
    return False


def _decided(work: _Round, key: TrialKey) -> bool | None:
    """Whether the first in line may start; None where that depends on those that run."""
    ledger = work.ledger
    if ledger.admits(key):
        ledger.begin(key)
        return True
    stop = ledger.stop(key)
    if stop is None:
        return None
    if work.stop is None:
        work.stop = stop
        work.means.watcher.halts(stop.message)
    return False


async def _follow(work: _Round, trial: Trial) -> None:
    """Stop the rest of its agent program's where a trial showed that it makes no sense."""
    row, program = policy(trial.outcome, trial.reason), work.programs[trial.key.arm]
    program.failed_in_a_row = 0 if row.grade else program.failed_in_a_row + 1
    asked = trial.reason.retry_after_s if trial.reason and row.slow else None
    too_long = asked is not None and asked > work.means.pace.longest_wait_s
    if program.error is None and (row.halt or too_long or program.failed_in_a_row >= FAILED_IN_A_ROW):
        program.error = _halt(trial, program.failed_in_a_row, asked_s=asked if too_long else None)
        every = list({id(each): each for each in work.programs.values()}.values())
        own = [each for each in every if each.account == program.account]
        held = own if trial.reason and trial.reason.code in _OF_THE_ACCOUNT else [program]
        name = trial.harness.name if held == own else f"{trial.harness.name} with {program.model or 'its own model'}"
        work.means.watcher.halts(program.error.message, program=None if held == every else name)
        for each in held:
            await each.throttle.close()


def _ran_here(trial: Trial, plan: Plan) -> bool:
    return trial.plan_digest == plan.digest and trial.reused_from is None


def _halt(trial: Trial, failed_in_a_row: int, *, asked_s: float | None) -> HarnessError:
    reason = trial.reason
    message = f"{reason.message.rstrip('.')}." if reason else "the agent program failed without a reason."
    name = trial.harness.name
    code = reason.code if reason else "crashed"
    if code == "auth_failed":
        return AuthFailed(
            f"{name} was refused: {message}", hint=f"See to the key or login (`skilltrial doctor`). {_KEPT}"
        )
    if code == "not_installed":
        return NotInstalled(f"{name}: {message}", hint=_KEPT)
    if code == "model_not_found":
        return HarnessError(f"{name}: {message}", hint=f"Give another --model. {_KEPT}", code=code)
    if asked_s is not None:
        return RateLimited(f"{name} was asked to wait {asked_s / 60:.0f} min: {message}", hint=_KEPT)
    text = f"{name} failed {failed_in_a_row} times in a row; the last time: {message}"
    if code == "rate_limited":
        return RateLimited(text, hint=f"Wait, or lower --concurrency. {_KEPT}")
    return Crashed(text, hint=_KEPT, code=code)


def write_metadata(plan: Plan, iteration: int, store: Store) -> None:
    """Write each case's eval_metadata.json, which skill-creator's viewer reads."""
    for case in plan.suite.cases:
        metadata = {
            "eval_id": case.id if case.written_id is None else case.written_id,
            "eval_name": case.name or case.id,
            "prompt": case.prompt,
            "expected_output": case.expected_output,
            "assertions": [assertion.text for assertion in case.assertions],
            "plan_digest": plan.digest,
        }
        text = json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"
        store.write(f"{layout.case_dir(iteration, case.id)}/{layout.EVAL_METADATA}", text.encode())
