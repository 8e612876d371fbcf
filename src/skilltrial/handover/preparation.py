"""A request -> a frozen plan, as for a run, and one folder a trial for somebody else to run."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from anyio import to_thread

from skilltrial import wiring
from skilltrial.errors import PlanError
from skilltrial.execute.attempt import source_of
from skilltrial.execute.codebases import code_files, keep_codebases
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.execute.run import write_metadata
from skilltrial.execute.snapshot import snapshot
from skilltrial.handover.instructions import instructions
from skilltrial.handover.key import remember, write_key
from skilltrial.plan.iteration import choose_iteration, freeze
from skilltrial.plan.plan import make_plan, only_cases
from skilltrial.ports import HandoverFolder
from skilltrial.preparing.codebases import Codebases, find_codebases
from skilltrial.preparing.lineup import ArmsWanted, LineUp, Surroundings, line_up
from skilltrial.records.handover import (
    FINAL,
    INSTRUCTIONS,
    MANIFEST,
    NOT_ISOLATED,
    PROMPT,
    STREAM,
    TIMING,
    WORK,
    Handover,
    HandoverAgent,
    Manifest,
    Task,
    Ticket,
)
from skilltrial.records.plan import Arm, HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import CaseFile, Suite
from skilltrial.records.trial import TrialKey
from skilltrial.request import RunRequest, default_workspace
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What lies where."""

    folder: Path
    workspace: Path
    iteration: int
    n_tasks: int
    n_finished: int
    """Trials of the plan that have a result already."""
    agent: HandoverAgent


async def prepare(request: RunRequest, *, out: Path | None = None, skill_root: str | None = None) -> Prepared:
    """Plan as a run does and hand out what has no result yet; nothing is started.

    Raises the errors of `skilltrial.errors`; `PlanError` also for what nobody can be asked to do in an agent's place, and
    where every trial has a result.
    """
    skill = load_skill(request.skill)
    agent = wiring.handover_agent(request.harness, request.env, skill_root=skill_root)
    root = request.workspace or default_workspace(Path(skill.folder))
    async with AsyncExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        plan, lineup, codebases = await _planned(request, skill, agent, workspace=root.absolute(), scratch=scratch)
        store = wiring.open_store(root, write=True)
        stack.callback(store.close)
        iteration = choose_iteration(store, plan, request.iteration)
        keys = [planned.key for planned in plan.trials]
        due = [key for key in keys if not is_finished(read_trial(store, iteration, key), plan)]
        if not due:
            raise PlanError(f"every trial of iteration {iteration} has a result.", hint="Use --iteration new.")
        token = secrets.token_hex(6)
        folder = wiring.open_handover(wiring.make_handover_root(out, name=f"tasks-{token}"), request.env)
        plan = freeze(store, plan, iteration)
        write_metadata(plan, iteration, store)
        skills = {arm: snapshot(of, arm, iteration, store) for arm, of in lineup.skills.items()}
        keep_codebases(plan, iteration, store, codebases.folders)
        code = code_files(plan, iteration, store)
        tickets = [await _hand_out(folder, key, plan, skills, agent, code.get(key.case_id, ())) for key in due]
        handover = Handover(
            id=token,
            folder=str(folder.root),
            created_at=plan.created_at,
            plan_digest=plan.digest,
            agent=agent,
            tickets=tuple(tickets),
        )
        write_key(store, iteration, handover)
        remember(token, root, request.env)
        manifest = _manifest(handover, plan)
        folder.write(INSTRUCTIONS, instructions(manifest))
        folder.write(MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    return Prepared(
        folder=folder.root,
        workspace=root.absolute(),
        iteration=iteration,
        n_tasks=len(due),
        n_finished=len(keys) - len(due),
        agent=agent,
    )


def prompt_of(plan: Plan, key: TrialKey) -> str:
    """What the agent of a trial is told, word for word."""
    prefix, prompt = plan.arm(key.arm).prompt_prefix, plan.case(key.case_id).prompt
    return f"{prefix}\n\n{prompt}" if prefix else prompt


class _Planned(NamedTuple):
    plan: Plan
    lineup: LineUp
    codebases: Codebases


async def _planned(
    request: RunRequest, skill: Skill, agent: HandoverAgent, *, workspace: Path, scratch: Path
) -> _Planned:
    wanted = ArmsWanted(
        names=request.arms,
        baseline=request.baseline,
        named=request.named_arms,
        file=request.arms_file,
        ablate=request.ablate,
    )
    lineup = line_up(skill, wanted, Surroundings(workspace=workspace, scratch=scratch, env=request.env))
    _refuse_arms(lineup, request.arms_file)
    suite = load_suite(skill, request.evals)
    chosen = only_cases(suite, request.only)
    find = partial(find_codebases, workspace=workspace, scratch=scratch, env=request.env)
    codebases = await to_thread.run_sync(find, chosen, skill, lineup.arms)
    return _Planned(_plan(request, skill, suite, lineup.arms, agent, codebases), lineup, codebases)


def _plan(
    request: RunRequest,
    skill: Skill,
    suite: Suite,
    arms: Sequence[Arm],
    agent: HandoverAgent,
    codebases: Codebases,
) -> Plan:
    choice = HarnessChoice(
        name=agent.name,
        model=request.model,
        discovery=agent.discovery,
        args=request.harness_args,
        why="dispatched by somebody else's hand",
    )
    plan = make_plan(
        skill,
        suite,
        arms=arms,
        harness=choice,
        runs=request.runs,
        seed=request.seed,
        timeout_s=request.timeout_s,
        now=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        version=version("skilltrial"),
        only=request.only,
        codebases=codebases.planned,
        notices=(NOT_ISOLATED, *codebases.notices, *wiring.personal_copies({skill.name}, request.env)),
    )
    for case in plan.suite.cases:
        wants = [name for name in ("turns", "responder", "doubles") if getattr(case, name)]
        if wants:
            raise PlanError(
                f"the case {case.id!r} has {wants[0]}, which cannot be handed out.",
                where=plan.suite.path,
                hint="Name the others with --only, and use `skilltrial run` for it.",
            )
    return plan


def _refuse_arms(lineup: LineUp, file: Path | None) -> None:
    """What an arm says beside its skill and the words before the prompt, nobody would be told."""
    for arm in lineup.arms:
        said = lineup.settings.get(arm.name)
        own = {
            "harness": said and said.harness,
            "model": said and said.model,
            "args": said and said.args is not None,
            "beside": arm.beside,
            "env": arm.env,
        }
        found = next((name for name, value in own.items() if value), None)
        if found:
            raise PlanError(
                f"the arm {arm.name!r} has {found} of its own, which cannot be handed out: it would give the arm away.",
                where=str(file or ""),
                hint="Use `skilltrial run` for it, or leave it out of the arm.",
            )


async def _hand_out(
    folder: HandoverFolder,
    key: TrialKey,
    plan: Plan,
    skills: Mapping[str, Skill],
    agent: HandoverAgent,
    code: Sequence[CaseFile],
) -> Ticket:
    arm = plan.arm(key.arm)
    ticket = await folder.place(
        secrets.token_hex(6),
        key,
        files=plan.case(key.case_id).files,
        skill=source_of(skills[arm.name], agent.skill_root) if arm.skill else None,
        skill_root=agent.skill_root,
        code=code,
    )
    folder.write(f"{ticket.id}/{PROMPT}", prompt_of(plan, key))
    return ticket


def _manifest(handover: Handover, plan: Plan) -> Manifest:
    form = handover.agent.stream_format
    tasks = [
        Task(
            id=ticket.id,
            work=f"{ticket.id}/{WORK}",
            prompt=f"{ticket.id}/{PROMPT}",
            final_message=f"{ticket.id}/{FINAL}",
            stream=f"{ticket.id}/{STREAM}" if form else None,
            timing=f"{ticket.id}/{TIMING}",
        )
        for ticket in handover.tickets
    ]
    return Manifest(id=handover.id, time_limit_s=plan.timeout_s, stream_format=form, tasks=tuple(tasks))
