"""One trial, from fresh folders to its place in the workspace."""

from __future__ import annotations

import json
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import cast

from anyio import CancelScope, to_thread
from pydantic_core import PydanticSerializationError

from skilltrial.errors import StoreError
from skilltrial.execute import running
from skilltrial.execute.conversation import converse
from skilltrial.execute.failure_policy import policy
from skilltrial.execute.ledger import Ledger
from skilltrial.execute.observation import conduct_of
from skilltrial.execute.pace import Pace
from skilltrial.execute.stand_ins import keep_calls, reaching, stand_in
from skilltrial.execute.throttle import Place, Throttle
from skilltrial.execute.watcher import Watcher
from skilltrial.ports import Boundary, Harness, LanguageModel, SkillSource, Store, TrialFolders, TrialRequest, Workspace
from skilltrial.records import layout
from skilltrial.records.conversation import Conversation
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult
from skilltrial.records.plan import Plan, PlannedTrial
from skilltrial.records.record import Json
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, CaseFile
from skilltrial.records.trial import Attempt, HarnessFacts, HarnessResult, OutputFile, Reason, Trial, TrialKey

_DEEPEST = 100
"""Levels of lists and objects that are kept."""
_METRICS = "metrics.json"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One execution and what it left."""

    result: HarnessResult
    files: tuple[OutputFile, ...]
    attempt: Attempt
    folders: TrialFolders | None
    """Gone by now; what they were called."""
    double_calls: Mapping[str, int] | None
    conversation: Conversation | None


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
        trial = await _try(
            planned,
            plan,
            staged,
            means=means,
            limits=limits,
            place=place,
            earlier=before.attempts if before else (),
            begins=partial(_begin, begun, planned.key, means.watcher),
        )
        if trial is not None:
            # Bringing files to the disk takes its time, in which others go on.
            await to_thread.run_sync(publish_trial, means.store, iteration, planned.key, staged)
        _remove(begun)
    except OSError as error:
        raise StoreError(
            f"the trial {planned.key} cannot be written ({error.strerror}).",
            where=str(error.filename or staged),
            hint="Finished trials are kept; the same command goes on where this one stopped.",
        ) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return trial


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
) -> Trial | None:
    attempts = list(earlier)
    run: _Run | None = None
    failed = 0
    while True:
        begin = begins if run is None else partial(_keep_attempt, staged, len(attempts))
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
    trial = _record(planned, plan, run, attempts, means=means)
    await to_thread.run_sync(write_trial, trial, run.result, plan.case(planned.key.case_id), staged)
    return trial


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
    case, arm = plan.case(planned.key.case_id), plan.arm(planned.key.arm)
    harness, choice = means.harnesses[arm.name], plan.harness_of(arm.name)
    root = harness.capabilities.skill_root
    source = source_of(means.skills[arm.name], root) if arm.skill else None
    beside = [source_of(skill, root) for skill in means.beside.get(arm.name, ())]
    started, begun = means.pace.now(), means.pace.monotonic()
    files: tuple[OutputFile, ...] = ()
    made: TrialFolders | None = None
    double_calls: Mapping[str, int] | None = None
    conversation: Conversation | None = None
    mark = secrets.token_hex(16)
    try:
        announce = partial(running.note, means.store, mark)
        async with (
            means.workspace.open(
                case.files,
                source,
                skill_root=root,
                beside=beside,
                code=means.code.get(case.id, ()),
                announce=announce,
            ) as folders,
            stand_in(means.boundary, case, folders=folders, harness=harness) as doubles,
        ):
            made = folders
            request = TrialRequest(
                prompt=f"{arm.prompt_prefix}\n\n{case.prompt}" if arm.prompt_prefix else case.prompt,
                work=folders.work,
                home=folders.home,
                tmp=folders.tmp,
                capture=staged,
                skill=folders.skill,
                model=choice.model,
                timeout_s=plan.timeout_s,
                seed=planned.seed,
                mark=mark,
                under_trial=(arm.skill or plan.skill).name,
                env=means.env.get(arm.name, {}),
            )
            if not await place.take():
                return None
            begins()
            started, begun = means.pace.now(), means.pace.monotonic()
            result, conversation = await converse(
                harness, reaching(request, doubles), case, player=means.player, monotonic=means.pace.monotonic
            )
            duration = means.pace.monotonic() - begun
            row = policy(result.outcome, result.reason)
            if row.halt:
                # Now, not when the record is written: a trial that ends meanwhile would make room for another.
                await limits.throttle.close()
            await place.ended(refused=row.slow)
            result = encodable(result)
            double_calls = keep_calls(doubles, staged)
            if row.grade:
                await place.leave()
                files = await means.workspace.collect(folders, staged)
    except OSError as error:
        duration = means.pace.monotonic() - begun
        message = f"the trial's folders failed: {error.strerror or error} ({error.filename!r})."
        result = HarnessResult(outcome="harness_error", reason=Reason(code="setup_failed", message=message))
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(running.forget, means.store, mark)
    attempt = Attempt(
        outcome=result.outcome,
        reason=result.reason,
        started_at=_iso(started),
        duration_ms=round(duration * 1000) if result.duration_ms is None else result.duration_ms,
        usage=result.usage,
        cost_usd=result.cost_usd,
    )
    return _Run(
        result=result, files=files, attempt=attempt, folders=made, double_calls=double_calls, conversation=conversation
    )


def encodable(result: HarnessResult) -> HarnessResult:
    """An agent's stream may hold half characters (lone surrogates), which no file can; they become U+FFFD.

    What is nested too deeply for a writer of JSON is cut off.
    """
    try:
        result.model_dump_json()
    except PydanticSerializationError:
        return HarnessResult.model_validate(_writable(result.model_dump(), _DEEPEST))
    return result


def _writable(value: Json, left: int) -> Json:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict | list | tuple) and left == 0:
        return "…"
    if isinstance(value, dict):
        items = cast("dict[Json, Json]", value).items()
        return {_writable(key, left): _writable(item, left - 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [_writable(item, left - 1) for item in cast("list[Json]", value)]
    return value


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
    result, choice = run.result, plan.harness_of(planned.key.arm)
    calls = Counter(event.name for event in result.events if isinstance(event, ToolCall))
    return Trial(
        key=planned.key,
        outcome=result.outcome,
        reason=result.reason,
        final_message=result.final_message,
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
        files=run.files,
        tool_calls=dict(sorted(calls.items())),
        n_tool_errors=sum(isinstance(event, ToolResult) and event.is_error is True for event in result.events),
        n_turns=result.usage.requests,
        exit_code=result.exit_code,
        n_strays=result.n_strays,
        conversation=run.conversation,
        double_calls=run.double_calls,
        conduct=conduct_of(
            result,
            run.folders,
            plan,
            workspace=means.store.path("."),
            isolation=means.workspace.isolation,
            tells_denials=means.harnesses[planned.key.arm].capabilities.tells_denials,
        ),
        isolation=means.workspace.isolation,
        seed=planned.seed,
        plan_digest=plan.digest,
    )


def write_trial(trial: Trial, result: HarnessResult, case: Case, staged: Path) -> None:
    """Write all files of a trial that are made from its records into its staging folder, run.json last."""
    lines = "".join(event.model_dump_json(exclude_none=True) + "\n" for event in result.events)
    (staged / layout.TRANSCRIPT).write_text(lines, encoding="utf-8")
    outputs = staged / layout.OUTPUTS
    outputs.mkdir(exist_ok=True)
    kept = [file for file in trial.files if file.kept and file.change != "deleted"]
    # The agent may have a file, or a folder, of that name; on some disks whatever its capitals.
    if not any(file.path.partition("/")[0].casefold() == _METRICS for file in trial.files):
        _write_json(outputs / _METRICS, _metrics(trial, result, kept, len(lines)))
    _write_json(staged / layout.TIMING, _timing(trial, case))
    (staged / layout.TRIAL).write_text(trial.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _metrics(trial: Trial, result: HarnessResult, kept: Sequence[OutputFile], transcript_chars: int) -> Json:
    """skill-creator's outputs/metrics.json; null where there is no transcript that could tell."""
    calls = trial.tool_calls
    steps = [event for event in result.events if isinstance(event, AssistantMessage | ToolCall)]
    return {
        "tool_calls": calls,
        "total_tool_calls": None if calls is None else sum(calls.values()),
        "total_steps": None if calls is None else len(steps),
        "files_created": [file.path for file in kept],
        "errors_encountered": trial.n_tool_errors,
        "output_chars": sum(file.size or 0 for file in kept),
        "transcript_chars": None if calls is None else transcript_chars,
    }


def _timing(trial: Trial, case: Case) -> Json:
    """skill-creator's, skill-builder's and eval-magic's timing.json at once."""
    seconds = None if trial.duration_ms is None else round(trial.duration_ms / 1000, 3)
    return {
        "eval_id": case.id if case.written_id is None else case.written_id,
        "config": trial.key.arm,
        "total_tokens": trial.usage.total_tokens,
        "duration_ms": trial.duration_ms,
        "total_duration_seconds": seconds,
        "timestamp": trial.started_at,
        "executor_start": trial.started_at,
        "executor_duration_seconds": seconds,
        "source": "transcript",
        "usage": trial.usage.model_dump(),
        "cost_usd": trial.cost_usd,
    }


def _write_json(path: Path, data: Json) -> None:
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _begin(begun: Path, key: TrialKey, watcher: Watcher) -> None:
    begun.parent.mkdir(parents=True, exist_ok=True)
    begun.touch()
    watcher.trial_starts(key)


def _keep_attempt(staged: Path, number: int) -> None:
    """What a failed try left goes into `attempts/<k>`, so that the next one starts with an empty folder."""
    kept = staged / "attempts" / str(number)
    kept.mkdir(parents=True)
    for item in list(staged.iterdir()):
        if item.name != "attempts":
            item.rename(kept / item.name)


def publish_trial(store: Store, iteration: int, key: TrialKey, staged: Path) -> None:
    """Put a trial's folder into its place; what was there is kept aside."""
    place = layout.trial_dir(iteration, key)
    _move_aside(store, iteration, place)
    store.publish(staged, place)


def _move_aside(store: Store, iteration: int, place: str) -> None:
    if not store.path(place).exists():
        return
    name = place.partition("/")[2].replace("/", "--")
    folder = f"{layout.iteration_dir(iteration)}/superseded"
    store.publish(store.path(place), f"{folder}/{name}--{len(store.find(f'{folder}/{name}--*')) + 1}")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    with suppress(OSError):  # others are running still, or were interrupted
        path.parent.rmdir()


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
