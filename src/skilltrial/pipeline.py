"""The stages in order: what `skilltrial run` does, as one function."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import anyio
from anyio import to_thread

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import SpecError
from skilltrial.execute.attempt import Means
from skilltrial.execute.pace import Pace
from skilltrial.execute.resume import read_trials
from skilltrial.execute.reuse import take_over
from skilltrial.execute.run import execute, read_stop
from skilltrial.execute.running import sweep
from skilltrial.execute.snapshot import snapshot
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.forecasting import check_ceilings, foresee
from skilltrial.grade.run import grade, read_gradings
from skilltrial.lineup import ArmsWanted, Surroundings, line_up
from skilltrial.plan.iteration import choose_iteration, freeze, iterations, read_plan
from skilltrial.plan.plan import make_plan
from skilltrial.plan.reuse import mark_reused
from skilltrial.ports import Confinement, LanguageModel, Store
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.budget import Ceilings, Forecast
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan
from skilltrial.records.settings import ArmSettings
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.report import html, markdown
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

_UNFINISHED = {"harness_error", "cancelled", "not_run"}
_NOT_JUDGED = "Text assertions were not judged: review them below."
_NO_PLAN = "`skilltrial run` makes one; `skilltrial import` does, from another tool's results."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A trial of a skill, as a person asks for it. The command line's options, under the same names."""

    skill: Path
    env: Mapping[str, str] = field(repr=False)
    """The person's environment: keys and PATH are taken from it by name."""
    evals: Path | None = None
    runs: int = 3
    harness: str | None = None
    model: str | None = None
    base_url: str | None = None
    harness_args: tuple[str, ...] = ()
    settings: Path | None = None
    """The skilltrial.toml that names `harness` or `model`; None where the person did."""
    sandbox: str = "none"
    """What the agent runs in: `none`, `bwrap`, `landlock`, or `auto` for the best that holds on this machine."""
    recordings: Path | None = None
    judge: str | None = None
    network: str = "all"
    """What an agent in a sandbox may reach: `all`, `model`, or `HOST:PORT` and more with commas."""
    arms: tuple[str, ...] | None = None
    """Names, or `NAME=FOLDER` for an arm with a skill of its own. None: `baseline`, `named_arms`, or with and without it."""
    baseline: str | None = None
    """What the skill is compared with: a folder, `git:REF`, `iteration:N` or `none`."""
    named_arms: Mapping[str, ArmSettings] = field(default_factory=dict[str, ArmSettings])
    """Of skilltrial.toml; `arms` and `baseline` come before them."""
    ablate: str | None = None
    """`sections`: besides, the skill without one section each."""
    reuse_baseline: bool = False
    """Take over trials of the baseline from earlier iterations where nothing that they depend on has changed."""
    only: tuple[str, ...] = ()
    workspace: Path | None = None
    iteration: int | str | None = None
    concurrency: int = 4
    timeout_s: float = 600.0
    seed: int = 1
    ceilings: Ceilings = field(default_factory=Ceilings)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What came out, and where it lies."""

    benchmark: Benchmark
    workspace: Path
    iteration: int
    report: Path
    """The static page."""

    judge_failed: bool = False
    """A judge was asked for and did not answer, so that prose is left open; the next run asks again."""
    forecast: Forecast
    """What was foreseen before the start."""
    judge_usd: float | None = None
    """What the judge cost over the whole iteration; None: no judge, or it does not tell. Under no ceiling."""
    judge_calls: int = 0

    @property
    def complete(self) -> bool:
        """Every planned trial has a result, and the judge answered: nothing was lost to an error of a tool."""
        return not self.judge_failed and not any(
            item.outcome in ({"harness_error", "cancelled"} if self.benchmark.stop else _UNFINISHED)
            for item in self.benchmark.excluded
        )

    @property
    def stopped(self) -> bool:
        """A ceiling kept a part of the plan from being run."""
        return self.benchmark.stop is not None


async def run(
    request: RunRequest, *, watcher: Watcher | None = None, agree: Callable[[Forecast], Awaitable[None]] | None = None
) -> RunResult:
    """Read, plan, execute, grade, aggregate, report; does only what is missing.

    `agree` is asked before anything is spent, and raises where it does not. Raises the errors of `skilltrial.errors`. What is
    finished stays in the workspace, and the same request goes on there.
    """
    watcher = watcher or Silent()
    skill = load_skill(request.skill)
    suite = load_suite(skill, request.evals)
    root = request.workspace or default_workspace(Path(skill.folder))
    async with AsyncExitStack() as stack:
        # Gone before any agent starts: what it holds are skills of other arms.
        scratch = TemporaryDirectory()
        stack.callback(scratch.cleanup)
        lineup = line_up(skill, _arms_wanted(request), _surroundings(request, root, scratch.name))
        # The judge first: a name that cannot be used is said before any agent starts.
        judge = await _open_judge(request, stack)
        confinement = await to_thread.run_sync(_open_sandbox, request, skill, lineup.arms)
        chosen = await wiring.choose_harness(_wanted(request, confinement))
        stack.push_async_callback(chosen.harness.aclose)
        capabilities = chosen.harness.capabilities
        check_ceilings(request.ceilings, chosen.harness.name, capabilities)
        plan = _plan(request, skill, suite, lineup.arms, chosen)
        store = wiring.open_store(root, write=True)
        stack.callback(store.close)
        workspace = wiring.make_workspace(request.env, confinement)
        await sweep(store, workspace, wiring.kill_marked)
        iteration = choose_iteration(store, plan, request.iteration)
        plan = mark_reused(plan, iteration, store, search=request.reuse_baseline, isolation=workspace.isolation)
        plan = freeze(store, plan, iteration)
        take_over(plan, iteration, store)
        skills = {arm: snapshot(of, arm, iteration, store) for arm, of in lineup.skills.items()}
        scratch.cleanup()
        means = Means(
            harnesses={arm.name: chosen.harness for arm in plan.arms},
            workspace=workspace,
            store=store,
            pace=_pace(),
            watcher=watcher,
            skills=skills,
        )
        foresight = foresee(
            store,
            plan,
            iteration,
            capabilities=capabilities,
            concurrency=request.concurrency,
            ceilings=request.ceilings,
        )
        watcher.begins(plan, finished=foresight.forecast.n_finished, iteration=iteration)
        watcher.forecasts(foresight.forecast)
        if agree is not None:
            await agree(foresight.forecast)
        await execute(
            plan,
            iteration,
            means=means,
            executor=wiring.make_executor(),
            concurrency=request.concurrency,
            ceilings=request.ceilings,
            largest=foresight.largest,
        )
        gradings, benchmark, page = await evaluate(
            plan, iteration, store, judge=judge, concurrency=request.concurrency, watcher=watcher, env=request.env
        )
    return RunResult(
        benchmark=benchmark,
        workspace=root.absolute(),
        iteration=iteration,
        report=page,
        judge_failed=request.judge is not None and _has_open_prose(gradings),
        forecast=foresight.forecast,
        judge_usd=_judge_usd(gradings),
        judge_calls=sum(grading.judge.calls for grading in gradings if grading.judge),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a run would do."""

    plan: Plan
    iteration: int
    workspace: Path
    forecast: Forecast


async def dry_run(request: RunRequest) -> DryRun:
    """Read, plan and forecast as `run` does, with the same errors; nothing is started, asked or written."""
    skill = load_skill(request.skill)
    suite = load_suite(skill, request.evals)
    root = request.workspace or default_workspace(Path(skill.folder))
    async with AsyncExitStack() as stack:
        scratch = stack.enter_context(TemporaryDirectory())
        lineup = line_up(skill, _arms_wanted(request), _surroundings(request, root, scratch))
        await _open_judge(request, stack)
        confinement = await to_thread.run_sync(_open_sandbox, request, skill, lineup.arms)
        chosen = await wiring.choose_harness(_wanted(request, confinement))
        stack.push_async_callback(chosen.harness.aclose)
        capabilities = chosen.harness.capabilities
        check_ceilings(request.ceilings, chosen.harness.name, capabilities)
        plan = _plan(request, skill, suite, lineup.arms, chosen)
        store = wiring.open_store(root, write=False) if root.exists() else None
        iteration = 1
        if store is not None:
            iteration = choose_iteration(store, plan, request.iteration)
            isolation = wiring.make_workspace(request.env, confinement).isolation
            plan = mark_reused(plan, iteration, store, search=request.reuse_baseline, isolation=isolation)
        foresight = foresee(
            store,
            plan,
            iteration,
            capabilities=capabilities,
            concurrency=request.concurrency,
            ceilings=request.ceilings,
        )
    return DryRun(plan=plan, iteration=iteration, workspace=root.absolute(), forecast=foresight.forecast)


class Evaluation(NamedTuple):
    """What the trials of an iteration say."""

    gradings: Sequence[Grading]
    benchmark: Benchmark
    page: Path
    """The static page."""


async def evaluate(
    plan: Plan,
    iteration: int,
    store: Store,
    *,
    judge: LanguageModel | None,
    concurrency: int,
    watcher: Watcher,
    env: Mapping[str, str],
) -> Evaluation:
    """Grade what is not graded yet, aggregate, and write the reports."""
    gradings = await grade(
        plan,
        iteration,
        store,
        judge=judge,
        no_judge_reason=no_judge_reason(plan),
        concurrency=concurrency,
        on_graded=watcher.trial_graded,
        env=env,
    )
    benchmark = summarise(store, iteration)
    return Evaluation(gradings, benchmark, _write(store, iteration, benchmark))


def summarise(store: Store, iteration: int) -> Benchmark:
    """The benchmark of an iteration from its files; nothing is run or written."""
    plan = read_plan(store, iteration)
    trials = read_trials(store, plan, iteration)
    gradings = read_gradings(store, plan, iteration)
    return aggregate(plan, iteration, trials, gradings, now=plan.created_at, stop=read_stop(store, iteration))


def newest_iteration(store: Store, wanted: int | None = None) -> int:
    """The iteration asked for, or the newest; SpecError where the folder is no workspace of ours."""
    found = iterations(store)
    if wanted is None and found:
        return found[-1]
    if wanted is not None and wanted in found:
        return wanted
    have = f"It has: {', '.join(map(str, found))}." if found else _NO_PLAN
    asked = f"no iteration {wanted}" if wanted is not None and found else "no iteration with a plan.json"
    raise SpecError(f"there is {asked} here.", where=str(store.path("")), hint=have)


def no_judge_reason(plan: Plan) -> str:
    """Why prose is UNGRADED without a judge, and what to do about it."""
    way = "Grade it with --judge anthropic:MODEL or --judge openai:MODEL (the same command; finished trials are kept)."
    if _is_embedded(plan.harness):
        return f"No judge was given, and the embedded model is none: it judges at chance. {way}"
    return f"No judge was given. {way}"


def _is_embedded(harness: HarnessChoice) -> bool:
    return harness.model == wiring.EMBEDDED


def default_workspace(skill: Path) -> Path:
    """`<skill>-workspace` beside the skill, but out of folders in which agents look for skills."""
    name = f"{skill.name}-workspace"
    parents = list(skill.parents)
    inside = [parent for parent in parents if parent.name == "skills" or parent.name.startswith(".")]
    if not inside:
        return skill.parent / name
    project = next((parent for parent in parents if (parent / ".git").exists()), inside[-1].parent)
    return project / ".skilltrial" / name


def _arms_wanted(request: RunRequest) -> ArmsWanted:
    return ArmsWanted(names=request.arms, baseline=request.baseline, named=request.named_arms, ablate=request.ablate)


def _surroundings(request: RunRequest, root: Path, scratch: str) -> Surroundings:
    return Surroundings(workspace=root.absolute(), scratch=Path(scratch), env=request.env)


def _open_sandbox(request: RunRequest, skill: Skill, arms: Sequence[Arm]) -> Confinement | None:
    folder = Path(skill.folder)
    workspace = request.workspace or default_workspace(folder)
    others = {Path(arm.skill.folder) for arm in arms if arm.skill} - {folder}
    hidden = (folder, workspace, *sorted(others), *([request.evals] if request.evals else []))
    reach = wiring.network_reach(request.network, _harness_names(request), request.env, base_url=request.base_url)
    return wiring.open_sandbox(request.sandbox, request.env, hidden=hidden, base_url=request.base_url, reach=reach)


def _harness_names(request: RunRequest) -> list[str | None]:
    return [
        request.harness or wiring.implied_harness(_wanted(request, None)),
        *(arm.harness for arm in request.named_arms.values() if arm.harness),
    ]


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


def _plan(request: RunRequest, skill: Skill, suite: Suite, arms: Sequence[Arm], chosen: wiring.Chosen) -> Plan:
    return make_plan(
        skill,
        suite,
        arms=arms,
        harness=chosen.choice,
        runs=request.runs,
        seed=request.seed,
        timeout_s=request.timeout_s,
        now=_now(),
        version=version("skilltrial"),
        only=request.only,
        judge=request.judge,
        notices=(*chosen.notices, *([_NOT_JUDGED] if _is_embedded(chosen.choice) and request.judge is None else [])),
    )


def _has_open_prose(gradings: Sequence[Grading]) -> bool:
    results = (result for grading in gradings for result in grading.results)
    return any(result.type == "llm_judge" and result.grader == "none" for result in results)


def _judge_usd(gradings: Sequence[Grading]) -> float | None:
    costs = [grading.judge.cost_usd for grading in gradings if grading.judge]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


async def _open_judge(request: RunRequest, stack: AsyncExitStack) -> LanguageModel | None:
    if request.judge is None:
        return None
    return await stack.enter_async_context(wiring.open_judge(request.judge, base_url=request.base_url, env=request.env))


def _write(store: Store, iteration: int, benchmark: Benchmark) -> Path:
    folder = layout.iteration_dir(iteration)
    store.write(f"{folder}/{layout.BENCHMARK}", benchmark.model_dump_json(indent=2).encode() + b"\n")
    store.write(f"{folder}/{layout.BENCHMARK_MD}", markdown.render(benchmark).encode())
    store.write(f"{folder}/{layout.REPORT}", html.render(benchmark).encode())
    return store.path(f"{folder}/{layout.REPORT}")


def _pace() -> Pace:
    return Pace(now=lambda: datetime.now(UTC), monotonic=time.monotonic, sleep=anyio.sleep)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
