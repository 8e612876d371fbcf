"""A request -> its plan, and what carries it out: arms, agent programs, judge, sandbox, codebases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from anyio import to_thread

from skilltrial import wiring
from skilltrial.deciding import check_decidable
from skilltrial.grade.panel import Panel
from skilltrial.plan.plan import make_plan, only_cases
from skilltrial.ports import Confinement, LanguageModel
from skilltrial.preparing.agents import Agents, choose_agents
from skilltrial.preparing.codebases import Codebases, find_codebases
from skilltrial.preparing.conversing import check_conversations, open_player, responder_of
from skilltrial.preparing.judging import JudgesWanted, open_panel, planned_judges
from skilltrial.preparing.lineup import ArmsWanted, LineUp, Surroundings, line_up
from skilltrial.preparing.stand_ins import check_asked, check_doubles
from skilltrial.preparing.twins import twins
from skilltrial.records.plan import Arm, HarnessChoice, Plan
from skilltrial.records.self_check import SAME_ARMS
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.request import RunRequest, default_workspace
from skilltrial.spec.arm_variables import REFERENCE
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

_NOT_JUDGED = "Text assertions were not judged: review them below."


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan that is not frozen yet, and what its trials need."""

    plan: Plan
    env: Mapping[str, str] = field(repr=False)
    """The person's, and under names of secrets what arms pass on of it, so that it is masked in all that agents leave."""
    workspace: Path
    lineup: LineUp
    agents: Agents
    judge: Panel | None
    player: LanguageModel | None
    confinement: Confinement | None
    codebases: Codebases


async def plan_request(request: RunRequest, *, scratch: Path, stack: AsyncExitStack) -> Planned:
    """Read and plan; nothing is started but probes, nothing is written but what goes into `scratch`, an empty folder.

    The stack closes what was opened. Raises the errors of `skilltrial.errors`.
    """
    skill = load_skill(request.skill)
    suite = request.suite or load_suite(skill, request.evals)
    cases = only_cases(suite, request.only).cases
    check_asked(cases, where=suite.path)
    root = request.workspace or default_workspace(Path(skill.folder))
    lineup = line_up(skill, _arms_wanted(request), _surroundings(request, root, str(scratch)))
    lineup = lineup if request.against_itself is None else twins(lineup)
    lines = (request.harness_args, *(said.args or () for said in lineup.settings.values()))
    request = replace(request, env={**request.env, **passed_on(lineup.arms, lines, request.env)})
    confinement = await to_thread.run_sync(_open_sandbox, request, skill, lineup)
    # The judge first: a name that cannot be used is said before any agent starts.
    judge = await open_panel(_judges(request, confinement), cases, stack=stack)
    agents = await choose_agents(
        _wanted(request, confinement), lineup, settings=request.arms_file, ceilings=request.ceilings, stack=stack
    )
    names = {skill.name, Path(skill.folder).name, *(each.name for each in lineup.skills.values())}
    await to_thread.run_sync(wiring.refuse_copies, agents.harnesses.values(), names)
    responder = responder_of(cases, request)
    check_conversations(cases, agents.harnesses, request.env)
    check_doubles(cases, agents.harnesses, request.env)
    player = await open_player(responder, request, judge=judge, stack=stack)
    codebases = await to_thread.run_sync(_codebases, request, skill, suite, lineup, scratch)
    plan = _make(request, skill, suite, agents, codebases, responder=responder)
    if request.until_decided:
        check_decidable(plan)
    return Planned(
        plan=plan,
        env=request.env,
        workspace=root,
        lineup=lineup,
        agents=agents,
        judge=judge,
        player=player,
        confinement=confinement,
        codebases=codebases,
    )


def passed_on(arms: Iterable[Arm], lines: Iterable[Sequence[str]], env: Mapping[str, str]) -> dict[str, str]:
    """The person's values that agents get by name, under names by which they are known as secrets and masked.

    `lines` are the arguments of agent programs.
    """
    found = (REFERENCE.fullmatch(value) for arm in arms for value in arm.env.values())
    values = [env[reference[1]] for reference in found if reference and env.get(reference[1])]
    for args in lines:
        values += wiring.carried_values(args, env)
    return {f"SKILLTRIAL_PASSED_{number}_SECRET": value for number, value in enumerate(dict.fromkeys(values))}


def is_embedded(harness: HarnessChoice) -> bool:
    """Whether the model is the one inside this program, which no one should judge with."""
    return harness.model == wiring.EMBEDDED


def _arms_wanted(request: RunRequest) -> ArmsWanted:
    return ArmsWanted(
        names=request.arms,
        baseline=request.baseline,
        named=request.named_arms,
        file=request.arms_file,
        ablate=request.ablate,
        beside=request.beside,
    )


def _surroundings(request: RunRequest, root: Path, scratch: str) -> Surroundings:
    return Surroundings(workspace=(request.against_itself or root).absolute(), scratch=Path(scratch), env=request.env)


def _open_sandbox(request: RunRequest, skill: Skill, lineup: LineUp) -> Confinement | None:
    folder = Path(skill.folder)
    workspace = request.against_itself or request.workspace or default_workspace(folder)
    used = [ref for arm in lineup.arms for ref in (arm.skill, *arm.beside) if ref]
    others = {Path(ref.folder) for ref in used} - {folder}
    hidden = (folder, workspace, *sorted(others), *([request.evals] if request.evals else []))
    reach = wiring.network_reach(request.network, _programs(request, lineup), request.env)
    return wiring.open_sandbox(request.sandbox, request.env, hidden=hidden, base_url=request.base_url, reach=reach)


def _programs(request: RunRequest, lineup: LineUp) -> list[tuple[str | None, str | None]]:
    """The harness of each arm, and its base URL: the run's belongs to the run's program."""
    own = request.harness or wiring.implied_harness(_wanted(request, None))
    said = [lineup.settings.get(arm.name) for arm in lineup.arms]
    names = [(each.harness if each else None) or own for each in said]
    return [(name, request.base_url if name == own else None) for name in names]


def _wanted(request: RunRequest, confinement: Confinement | None) -> wiring.Wanted:
    return wiring.Wanted(
        confinement=confinement,
        harness=request.harness,
        model=request.model,
        base_url=request.base_url,
        args=request.harness_args,
        recordings=request.recordings,
        settings=request.settings,
        env=request.env,
    )


def _codebases(request: RunRequest, skill: Skill, suite: Suite, lineup: LineUp, scratch: Path) -> Codebases:
    root = request.workspace or default_workspace(Path(skill.folder))
    chosen = only_cases(suite, request.only)
    return find_codebases(chosen, skill, lineup.arms, workspace=root, scratch=scratch, env=request.env)


def _make(
    request: RunRequest,
    skill: Skill,
    suite: Suite,
    agents: Agents,
    codebases: Codebases,
    *,
    responder: str | None,
) -> Plan:
    unjudged = request.judge is None and any(is_embedded(choice) for choice in agents.choices)
    plan = make_plan(
        skill,
        suite,
        arms=agents.arms,
        harness=agents.choice,
        runs=request.runs,
        seed=request.seed,
        timeout_s=request.timeout_s,
        now=_now(),
        version=version("skilltrial"),
        only=request.only,
        responder=responder,
        codebases=codebases.planned,
        notices=(
            *([SAME_ARMS] if request.against_itself else []),
            *agents.notices,
            *([_NOT_JUDGED] if unjudged else []),
            *codebases.notices,
        ),
        alike=request.against_itself is not None,
        until_loaded=request.until_loaded,
    )
    return plan.model_copy(
        update=planned_judges(request.judge, samples=request.judge_samples, prompt=request.judge_prompt)
    )


def _judges(request: RunRequest, confinement: Confinement | None) -> JudgesWanted:
    return JudgesWanted(
        names=request.judge,
        samples=request.judge_samples,
        prompt=request.judge_prompt,
        base_url=request.base_url,
        settings=request.judge_settings,
        env=request.env,
        confinement=confinement,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
