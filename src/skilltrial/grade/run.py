"""An iteration's trials -> one `grading.json` each; what is graded already and not stale is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, cast

import anyio
from anyio import to_thread

from skilltrial.errors import AuthFailed, NotInstalled, SkilltrialError, StoreError
from skilltrial.execute.codebases import code_files
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.grade.digest import grading_digest, grading_parts
from skilltrial.grade.judge_answers import JudgeAnswers
from skilltrial.grade.material import Material
from skilltrial.grade.native import from_native, to_native
from skilltrial.grade.panel import JUDGE_UNUSABLE, Panel, identity, n_calls
from skilltrial.grade.trial import PLAIN_ENV, Earlier, grade_trial
from skilltrial.ports import Confinement, Store
from skilltrial.records import layout
from skilltrial.records.events import AssistantMessage, ToolCall
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Assertion, Case, CaseFile, LlmJudge
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.transcript.kept_events import read_events


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrade:
    """What is to be graded again."""

    only: frozenset[str] = frozenset()
    """Ids of cases and of assertions; empty: everything."""
    force: bool = False
    """Also what is not stale."""

    def covers(self, case: Case, assertion: Assertion) -> bool:
        """Whether this one is among them."""
        return not self.only or bool(self.only & {case.id, str(case.written_id), assertion.id})


@dataclass(slots=True, kw_only=True)
class _Round:
    """What the workers share; `judge` is taken away from all when it refuses one."""

    plan: Plan
    iteration: int
    store: Store
    judge: Panel | None
    asked: str | None
    """The judge's identity, also after it refused."""
    no_judge_reason: str
    env: Mapping[str, str]
    walls: Confinement | None
    code: Mapping[str, tuple[CaseFile, ...]]
    """The files of codebases, by the case's id."""
    wanted: Regrade
    now: Callable[[], datetime] | None
    gradings: dict[TrialKey, Grading] = field(default_factory=dict[TrialKey, Grading])
    error: SkilltrialError | None = None


async def grade(
    plan: Plan,
    iteration: int,
    store: Store,
    *,
    judge: Panel | None,
    no_judge_reason: str,
    concurrency: int,
    on_graded: Callable[[TrialKey, Grading], None],
    env: Mapping[str, str] = PLAIN_ENV,
    walls: Confinement | None = None,
    wanted: Regrade | None = None,
    now: Callable[[], datetime] | None = None,
) -> tuple[Grading, ...]:
    """Grade every finished trial that can say something about the agent; harness errors and cancelled trials cannot.

    Returns the gradings in the plan's order, those kept from before among them; `on_graded` hears of every one. `env` is
    the person's environment: command checks take PATH and LANG from it, and run in `walls` where they are given. A judge that
    refuses once (`AuthFailed`, `NotInstalled`) is not asked again: the prose assertions of this and all later trials are
    UNGRADED with a reason that begins with `JUDGE_UNUSABLE`, and the next run asks again. `wanted` narrows what is
    graded. With `now` (UTC, aware) the time of grading is noted in `grading.json` and `timing.json`.

    Raises `StoreError` where a transcript cannot be understood, a grading not written, or the disk fails otherwise.
    """
    work = _Round(
        plan=plan,
        iteration=iteration,
        store=store,
        judge=judge,
        asked=judge.identity if judge else None,
        wanted=wanted or Regrade(),
        now=now,
        no_judge_reason=no_judge_reason,
        env=env,
        walls=walls,
        code=await to_thread.run_sync(code_files, plan, iteration, store),
    )
    limit = anyio.Semaphore(max(1, concurrency))

    async def worker(key: TrialKey, scope: anyio.CancelScope) -> None:
        async with limit:
            try:
                graded = await _grade_one(work, key)
            except (SkilltrialError, OSError) as error:
                work.error = work.error or _told(error, key)
                scope.cancel()
                return
            if graded is not None:
                work.gradings[key] = graded
                on_graded(key, graded)

    async with anyio.create_task_group() as group:
        for planned in plan.trials:
            group.start_soon(worker, planned.key, group.cancel_scope)
    if work.error is not None:
        raise work.error
    return tuple(work.gradings[planned.key] for planned in plan.trials if planned.key in work.gradings)


def read_gradings(store: Store, plan: Plan, iteration: int) -> list[Grading]:
    """All gradings of a plan's trials, in its order; those that cannot be read are left out, and made again by `grade`."""
    found = (read_grading(store, iteration, planned.key) for planned in plan.trials)
    return [grading for grading in found if grading is not None]


def read_material(
    plan: Plan, iteration: int, store: Store, *, trial: Trial, transcript: bytes, code: tuple[CaseFile, ...] = ()
) -> Material:
    """What a trial left, for checks and judges. Raises `StoreError` where its transcript cannot be understood."""
    folder = layout.trial_dir(iteration, trial.key)
    return Material(
        case=plan.case(trial.key.case_id),
        trial=trial,
        events=read_events(transcript, where=f"{folder}/{layout.TRANSCRIPT}"),
        outputs=store.path(f"{folder}/{layout.OUTPUTS}"),
        code=code,
        arm_has_skill=plan.arm(trial.key.arm).skill is not None,
        skill_names=_skill_names(plan),
        transcript_sha256=_sha256(transcript),
    )


def _told(error: SkilltrialError | OSError, key: TrialKey) -> SkilltrialError:
    if isinstance(error, SkilltrialError):
        return error
    message = f"the trial {key} cannot be graded ({error.strerror or error})."
    hint = "The same command goes on where this one stopped."
    return StoreError(message, where=str(error.filename or ""), hint=hint)


class _Due(NamedTuple):
    """A trial that has a result, and what an earlier grading leaves to be done."""

    trial: Trial
    kept: Grading | None
    chosen: Sequence[str]
    """Ids of the assertions that are asked for."""
    transcript: bytes
    holds: bool
    """The kept grading is what would come out now."""
    to_do: bool


def _due(work: _Round, key: TrialKey) -> _Due | None:
    trial = read_trial(work.store, work.iteration, key)
    if trial is None or not is_finished(trial, work.plan):
        return None
    case = work.plan.case(key.case_id)
    kept = read_grading(work.store, work.iteration, key)
    chosen = [each.id for each in case.assertions if work.wanted.covers(case, each)]
    if not chosen and case.assertions:
        return _Due(trial, kept, chosen, b"", holds=False, to_do=False)
    transcript = work.store.read(f"{layout.trial_dir(work.iteration, key)}/{layout.TRANSCRIPT}") or b""
    holds = kept is not None and _is_fresh(work, kept, trial, _sha256(transcript))
    return _Due(trial, kept, chosen, transcript, holds=holds, to_do=not holds or work.wanted.force)


async def _material(work: _Round, due: _Due) -> Material:
    return await to_thread.run_sync(
        partial(
            read_material,
            work.plan,
            work.iteration,
            work.store,
            trial=due.trial,
            transcript=due.transcript,
            code=work.code.get(due.trial.key.case_id, ()),
        )
    )


def _answers(work: _Round, key: TrialKey) -> JudgeAnswers:
    path = f"{layout.trial_dir(work.iteration, key)}/{layout.JUDGE_ANSWERS}"
    return JudgeAnswers(work.store.read(path), fresh=work.wanted.force)


async def calls_due(
    plan: Plan, iteration: int, store: Store, *, judge: Panel, no_judge_reason: str, wanted: Regrade
) -> dict[TrialKey, int]:
    """How often `grade` will ask judges about each trial, for the first time; without trials that need none.

    Raises `StoreError` where a transcript cannot be understood.
    """
    work = _Round(
        plan=plan,
        iteration=iteration,
        store=store,
        judge=judge,
        asked=judge.identity,
        wanted=wanted,
        now=None,
        no_judge_reason=no_judge_reason,
        env=PLAIN_ENV,
        walls=None,
        code=await to_thread.run_sync(code_files, plan, iteration, store),
    )
    found: dict[TrialKey, int] = {}
    for key in (planned.key for planned in plan.trials):
        due = await to_thread.run_sync(_due, work, key)
        if due is None or not due.to_do:
            continue
        case = plan.case(key.case_id)
        carried = _carried(work, case, due.kept, due.chosen, holds=due.holds)
        prose = [each for each in case.assertions if isinstance(each, LlmJudge) and each.id not in carried]
        if prose:
            found[key] = await n_calls(await _material(work, due), prose, panel=judge, answers=_answers(work, key))
    return {key: n for key, n in found.items() if n}


async def _grade_one(work: _Round, key: TrialKey) -> Grading | None:
    due = await to_thread.run_sync(_due, work, key)
    if due is None or not due.to_do:
        return due and due.kept
    folder, case = layout.trial_dir(work.iteration, key), work.plan.case(key.case_id)
    trial, kept, holds = due.trial, due.kept, due.holds
    material, answers = await _material(work, due), _answers(work, key)
    carried = _carried(work, case, kept, due.chosen, holds=holds)
    earlier = Earlier(carried=carried, grading=kept if carried else None, holds=holds or not carried, answers=answers)
    begun = work.now() if work.now else None
    grading = await _graded(work, material, earlier)
    ended = work.now() if work.now else None
    grader_ms = round((ended - begun) / timedelta(milliseconds=1)) if begun and ended else None
    if answers.changed:
        await to_thread.run_sync(work.store.write, f"{folder}/{layout.JUDGE_ANSWERS}", answers.dumped())
    native = to_native(
        grading,
        trial,
        eval_id=_written_id(work.plan, key),
        n_steps=sum(isinstance(event, AssistantMessage | ToolCall) for event in material.events),
        transcript_chars=len(due.transcript.decode("utf-8", errors="replace")),
        grader_ms=grader_ms,
    )
    text = json.dumps(native, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    data = text.encode("utf-8", "backslashreplace")
    times = (begun, ended) if begun and ended else None
    await to_thread.run_sync(_put_away, work.store, folder, data, times)
    return grading


def _put_away(store: Store, folder: str, data: bytes, times: tuple[datetime, datetime] | None) -> None:
    if times:
        _note_grader(store, f"{folder}/{layout.TIMING}", *times)
    store.write(f"{folder}/{layout.GRADING}", data)


def _note_grader(store: Store, path: str, begun: datetime, ended: datetime) -> None:
    """Put the grader's part beside the agent's in timing.json; where there is none that can be read it is left alone."""
    try:
        timing: Json = json.loads(store.read(path) or b"")
    except (ValueError, RecursionError):
        return
    if isinstance(timing, dict):
        part: dict[str, Json] = {
            "grader_start": _iso(begun),
            "grader_end": _iso(ended),
            "grader_duration_seconds": round((ended - begun).total_seconds(), 3),
        }
        text = json.dumps({**cast("dict[str, Json]", timing), **part}, indent=2, ensure_ascii=False) + "\n"
        store.write(path, text.encode("utf-8", "backslashreplace"))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _carried(
    work: _Round, case: Case, kept: Grading | None, chosen: Sequence[str], *, holds: bool
) -> dict[str, AssertionResult]:
    """Results of before that stay: of what was not asked for, and of prose where there is nobody to ask."""
    if kept is None:
        return {}
    same = {each.id: each for each in case.assertions}
    return {
        result.id: result
        for result in kept.results
        if result.id in same
        and result.text == same[result.id].text
        and (
            result.id not in chosen
            or (holds and work.judge is None and isinstance(same[result.id], LlmJudge) and result.grader == "judge")
        )
    }


async def _graded(work: _Round, material: Material, earlier: Earlier) -> Grading:
    try:
        return await grade_trial(
            material,
            judge=work.judge,
            no_judge_reason=work.no_judge_reason,
            env=work.env,
            walls=work.walls,
            earlier=earlier,
        )
    except (AuthFailed, NotInstalled) as error:
        if work.judge is not None:
            work.no_judge_reason = f"{JUDGE_UNUSABLE}: {error}"
            work.judge = None
        return await grade_trial(
            material,
            judge=None,
            no_judge_reason=work.no_judge_reason,
            env=work.env,
            walls=work.walls,
            earlier=earlier,
        )


def _is_fresh(work: _Round, kept: Grading, trial: Trial, transcript_sha256: str) -> bool:
    """Made from the same things by the judge asked for; where there is none to ask, verdicts of any judge stay."""
    facts = kept.judge
    before = identity(facts.model, facts.samples, facts.prompt) if facts else None
    names = [work.asked, before if work.judge is None and before else work.asked]
    case = work.plan.case(trial.key.case_id)
    return kept.digest in {
        grading_digest(
            grading_parts(
                case, trial, transcript_sha256=transcript_sha256, judge=name, no_judge_reason=work.no_judge_reason
            )
        )
        for name in names
    }


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _skill_names(plan: Plan) -> tuple[str, ...]:
    return tuple(sorted({plan.skill.name, *(arm.skill.name for arm in plan.arms if arm.skill is not None)}))


def _written_id(plan: Plan, key: TrialKey) -> str | int:
    written = plan.case(key.case_id).written_id
    return key.case_id if written is None else written


def read_grading(store: Store, iteration: int, key: TrialKey) -> Grading | None:
    """None where there is none, or none that can be read: it is made again."""
    path = f"{layout.trial_dir(iteration, key)}/{layout.GRADING}"
    data = store.read(path)
    try:
        grading = None if data is None else from_native(json.loads(data), where=path)
    except (StoreError, ValueError, RecursionError):
        return None
    return grading if grading is not None and grading.key == key else None
