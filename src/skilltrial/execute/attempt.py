"""One trial, from fresh folders to its place in the workspace."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from anyio import CancelScope, to_thread

from skilltrial.errors import StoreError
from skilltrial.execute import running
from skilltrial.execute.conversation import converse
from skilltrial.execute.failure_policy import policy
from skilltrial.execute.ledger import Ledger
from skilltrial.execute.observation import conduct_of
from skilltrial.execute.pace import Pace
from skilltrial.execute.stand_ins import keep_calls, reaching, stand_in
from skilltrial.execute.throttle import Place, Throttle
from skilltrial.execute.trial_folder import encodable, keep_attempt, publish_trial, write_trial
from skilltrial.execute.unanswered import unanswered
from skilltrial.execute.watcher import Watcher
from skilltrial.ports import (
    Boundary,
    Harness,
    LanguageModel,
    SkillSource,
    StandIns,
    Store,
    TrialFolders,
    TrialRequest,
    Workspace,
)
from skilltrial.records import layout
from skilltrial.records.conversation import Conversation
from skilltrial.records.plan import Plan, PlannedTrial
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, CaseFile
from skilltrial.records.tool_calls import calls_by_name, failed_calls
from skilltrial.records.trial import Attempt, HarnessFacts, HarnessResult, OutputFile, Reason, Trial, TrialKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a trial is run with."""

    harnesses: Mapping[str, Harness]
    """By arm; arms that chose the same share one."""
    workspace: Workspace
    store: Store
    pace: Pace
    watcher: Watcher
    skills: Mapping[str, Skill]
    """The skill of each arm that has one, by arm."""
    beside: Mapping[str, tuple[Skill, ...]] = field(default_factory=dict[str, tuple[Skill, ...]])
    """The skills that lie beside it, by arm."""
    code: Mapping[str, tuple[CaseFile, ...]] = field(default_factory=dict[str, tuple[CaseFile, ...]])
    """The files of codebases, by the case's id."""
    env: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]], repr=False)
    """The variables of each arm, with the person's values."""
    boundary: Boundary | None = None
    """Puts up the doubles of cases that have some."""
    player: LanguageModel | None = None
    """Plays the user of cases with a responder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What all trials of a run share: places and money."""

    throttle: Throttle
    ledger: Ledger


@dataclass(slots=True, kw_only=True)
class _Left:
    """What an execution has left so far."""

    folders: TrialFolders | None = None
    """Gone at the end; what they were called."""
    files: tuple[OutputFile, ...] = ()
    double_calls: Mapping[str, int] | None = None
    conversation: Conversation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One execution."""

    result: HarnessResult
    attempt: Attempt
    left: _Left


class _Tried(NamedTuple):
    """A trial with its end, not written yet."""

    trial: Trial
    result: HarnessResult


async def run_trial(
    planned: PlannedTrial,
    plan: Plan,
    iteration: int,
    *,
    means: Means,
    limits: Limits,
    place: Place,
    before: Trial | None,
) -> Trial | None:
    """Run a trial until it has a result or its retries are used up, and put its folder into place.

    `place` is taken for each try, and left as soon as there is a result.

    `before` is an earlier record of the same trial that was no result: its attempts are kept, its folder is moved aside.
    None where the run was stopped before the trial could begin. While it runs, a file in `begun/` says so: where that is
    left, a trial was interrupted, and what it took is unknown.
    """
    staged = means.store.stage()
    begun = means.store.path(f"{layout.iteration_dir(iteration)}/{layout.BEGUN}/{staged.name}")
    try:
        tried = await _try(
            planned,
            plan,
            staged,
            means=means,
            limits=limits,
            place=place,
            earlier=before.attempts if before else (),
            begins=partial(_begin, begun, planned.key, means.watcher),
        )
        if tried is not None:
            case = plan.case(planned.key.case_id)
            # Bringing files to the disk takes its time, in which others go on.
            away = partial(_put_away, tried, case, staged=staged, store=means.store, iteration=iteration)
            await to_thread.run_sync(away)
        _remove(begun)
    except OSError as error:
        raise StoreError(
            f"the trial {planned.key} cannot be written ({error.strerror}).",
            where=str(error.filename or staged),
            hint="Finished trials are kept; the same command goes on where this one stopped.",
        ) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return tried.trial if tried else None


def _put_away(tried: _Tried, case: Case, *, staged: Path, store: Store, iteration: int) -> None:
    write_trial(tried.trial, tried.result, case, staged)
    publish_trial(store, iteration, tried.trial.key, staged)


async def _try(
    planned: PlannedTrial,
    plan: Plan,
    staged: Path,
    *,
    means: Means,
    limits: Limits,
    place: Place,
    earlier: Sequence[Attempt],
    begins: Callable[[], None],
) -> _Tried | None:
    attempts = list(earlier)
    run: _Run | None = None
    failed = 0
    while True:
        begin = begins if run is None else partial(keep_attempt, staged, len(attempts))
        tried = await _execute(planned, plan, staged, means=means, limits=limits, place=place, begins=begin)
        if tried is None:
            break
        run = tried
        attempts.append(run.attempt)
        limits.ledger.charge(run.attempt, planned.key.arm)
        failed += 1
        retry = policy(run.result.outcome, run.result.reason).retry
        if not retry or not await _rest(planned, plan, run, failed, means=means, limits=limits, place=place):
            break
    if run is None:
        return None
    return _Tried(_record(planned, plan, run, attempts, means=means), run.result)


async def _rest(
    planned: PlannedTrial, plan: Plan, run: _Run, failed: int, *, means: Means, limits: Limits, place: Place
) -> bool:
    """Wait before a retry; False where there is none."""
    pace, reason = means.pace, run.result.reason
    wait = pace.wait_s(failed, reason, seed=f"{plan.seed}\0{planned.key}")
    if failed > pace.retries or wait is None or limits.throttle.is_closed or not limits.ledger.may_retry():
        return False
    await place.leave()
    means.watcher.trial_retries(planned.key, reason, wait)
    told = reason is not None and reason.retry_after_s is not None
    return await limits.throttle.rest(lambda: pace.sleep(wait), all_wait=told)


async def _execute(
    planned: PlannedTrial,
    plan: Plan,
    staged: Path,
    *,
    means: Means,
    limits: Limits,
    place: Place,
    begins: Callable[[], None],
) -> _Run | None:
    """One try; None where the run was stopped before it could begin.

    Folders are made before its place is taken. A result gives that back before it is collected, so that others need not wait;
    after an end that is none nobody starts before it is known what follows.
    """
    case, harness = plan.case(planned.key.case_id), means.harnesses[planned.key.arm]
    started, begun = means.pace.now(), means.pace.monotonic()
    left, mark = _Left(), secrets.token_hex(16)
    try:
        announce = partial(running.note, means.store, mark)
        async with _set_up(planned, plan, means=means, announce=announce) as (folders, doubles):
            left.folders = folders
            request = _request(planned, plan, folders, means=means, capture=staged, mark=mark)
            if not await place.take():
                return None
            begins()
            await to_thread.run_sync(running.begun, means.store, mark, planned.key)
            started, begun = means.pace.now(), means.pace.monotonic()
            result, left.conversation = await converse(
                harness, reaching(request, doubles), case, player=means.player, monotonic=means.pace.monotonic
            )
            duration = means.pace.monotonic() - begun
            result = unanswered(result, harness.capabilities)
            row = policy(result.outcome, result.reason)
            if row.halt:
                # Now, not when the record is written: a trial that ends meanwhile would make room for another.
                await limits.throttle.close()
            await place.ended(refused=row.slow)
            result = encodable(result)
            left.double_calls = keep_calls(doubles, staged)
            if row.grade:
                await place.leave()
                left.files = await means.workspace.collect(folders, staged)
    except OSError as error:
        duration = means.pace.monotonic() - begun
        message = f"the trial's folders failed: {error.strerror or error} ({error.filename!r})."
        result = HarnessResult(outcome="harness_error", reason=Reason(code="setup_failed", message=message))
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(running.forget, means.store, mark)
    return _Run(result=result, attempt=_attempt(result, left.conversation, started, duration), left=left)


@asynccontextmanager
async def _set_up(
    planned: PlannedTrial, plan: Plan, *, means: Means, announce: Callable[[Path], None]
) -> AsyncGenerator[tuple[TrialFolders, StandIns | None]]:
    case, arm = plan.case(planned.key.case_id), plan.arm(planned.key.arm)
    harness = means.harnesses[arm.name]
    root = harness.capabilities.skill_root
    async with (
        means.workspace.open(
            case.files,
            source_of(means.skills[arm.name], root) if arm.skill else None,
            skill_root=root,
            beside=[source_of(skill, root) for skill in means.beside.get(arm.name, ())],
            code=means.code.get(case.id, ()),
            announce=announce,
        ) as folders,
        stand_in(means.boundary, case, folders=folders, harness=harness) as doubles,
    ):
        yield folders, doubles


def _request(
    planned: PlannedTrial, plan: Plan, folders: TrialFolders, *, means: Means, capture: Path, mark: str
) -> TrialRequest:
    case, arm = plan.case(planned.key.case_id), plan.arm(planned.key.arm)
    return TrialRequest(
        prompt=f"{arm.prompt_prefix}\n\n{case.prompt}" if arm.prompt_prefix else case.prompt,
        work=folders.work,
        home=folders.home,
        tmp=folders.tmp,
        capture=capture,
        skill=folders.skill,
        model=plan.harness_of(arm.name).model,
        timeout_s=plan.timeout_s,
        seed=planned.seed,
        mark=mark,
        under_trial=(arm.skill or plan.skill).name,
        env=means.env.get(arm.name, {}),
        until_loaded=plan.until_loaded,
    )


def _attempt(result: HarnessResult, conversation: Conversation | None, started: datetime, duration_s: float) -> Attempt:
    played = conversation if conversation and conversation.responder_usage.requests else None
    return Attempt(
        outcome=result.outcome,
        reason=result.reason,
        started_at=_iso(started),
        duration_ms=round(duration_s * 1000) if result.duration_ms is None else result.duration_ms,
        usage=result.usage,
        cost_usd=result.cost_usd,
        responder_usage=played.responder_usage if played else None,
        responder_usd=played.responder_usd if played else None,
        cut=result.cut,
    )


def source_of(skill: Skill, root: str) -> SkillSource:
    """A skill as a workspace takes it; `root` is where the agent discovers skills."""
    return SkillSource(
        name=skill.name,
        description=skill.description or "",
        folder=Path(skill.folder),
        root=root,
        files=tuple(file.path for file in skill.files),
    )


def _record(planned: PlannedTrial, plan: Plan, run: _Run, attempts: Sequence[Attempt], *, means: Means) -> Trial:
    result, left, choice = run.result, run.left, plan.harness_of(planned.key.arm)
    return Trial(
        key=planned.key,
        outcome=result.outcome,
        reason=result.reason,
        final_message=result.final_message,
        final_message_cut=result.final_message_cut,
        started_at=run.attempt.started_at,
        duration_ms=run.attempt.duration_ms,
        usage=result.usage,
        cost_usd=result.cost_usd,
        harness=HarnessFacts(
            name=choice.name,
            version=result.version or choice.version,
            model_asked=choice.model,
            model_served=result.model,
            discovery=result.discovery,
            args=choice.args,
            facts=result.facts,
        ),
        evidence=result.evidence,
        attempts=tuple(attempts),
        files=left.files,
        tool_calls=calls_by_name(result.events),
        n_tool_errors=failed_calls(result.events),
        n_turns=result.usage.requests,
        exit_code=result.exit_code,
        n_strays=result.n_strays,
        conversation=left.conversation,
        double_calls=left.double_calls,
        conduct=conduct_of(
            result,
            left.folders,
            plan,
            workspace=means.store.path("."),
            isolation=means.workspace.isolation,
            tells_denials=means.harnesses[planned.key.arm].capabilities.tells_denials,
        ),
        isolation=means.workspace.isolation,
        seed=planned.seed,
        plan_digest=plan.digest,
    )


def _begin(begun: Path, key: TrialKey, watcher: Watcher) -> None:
    begun.parent.mkdir(parents=True, exist_ok=True)
    begun.touch()
    watcher.trial_starts(key)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    with suppress(OSError):  # others are running still, or were interrupted
        path.parent.rmdir()


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
