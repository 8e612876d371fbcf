"""The stages in order: what `skilltrial run` does, as one function."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import anyio

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import SpecError
from skilltrial.execute.attempt import Means
from skilltrial.execute.pace import Pace
from skilltrial.execute.resume import read_trials
from skilltrial.execute.run import execute
from skilltrial.execute.running import sweep
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.grade.run import grade, read_gradings
from skilltrial.plan.arms import DEFAULT_ARMS, make_arms
from skilltrial.plan.iteration import choose_iteration, freeze, iterations, read_plan
from skilltrial.plan.plan import make_plan
from skilltrial.ports import LanguageModel, Store
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.report import html, markdown
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

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
    recordings: Path | None = None
    judge: str | None = None
    arms: tuple[str, ...] = DEFAULT_ARMS
    """Names, or `NAME=FOLDER` for an arm with a skill of its own."""
    only: tuple[str, ...] = ()
    workspace: Path | None = None
    iteration: int | str | None = None
    concurrency: int = 4
    timeout_s: float = 600.0
    seed: int = 1


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

    @property
    def complete(self) -> bool:
        """Every planned trial has a result, and the judge answered: nothing was lost to an error of a tool."""
        return not self.judge_failed and not any(
            item.outcome in {"harness_error", "cancelled", "not_run"} for item in self.benchmark.excluded
        )


async def run(request: RunRequest, *, watcher: Watcher | None = None) -> RunResult:
    """Read, plan, execute, grade, aggregate, report; does only what is missing.

    Raises the errors of `skilltrial.errors`. What is finished stays in the workspace, and the same request goes on there.
    """
    watcher = watcher or Silent()
    skill = load_skill(request.skill)
    suite = load_suite(skill, request.evals)
    names, others = _arm_skills(request.arms)
    arms = make_arms(names, skill, others)
    async with AsyncExitStack() as stack:
        # The judge first: a name that cannot be used is said before any agent starts.
        judge = await _open_judge(request, stack)
        chosen = await wiring.choose_harness(_wanted(request))
        stack.push_async_callback(chosen.harness.aclose)
        plan = _plan(request, skill, suite, arms, chosen)
        root = request.workspace or default_workspace(Path(skill.folder))
        store = wiring.open_store(root, write=True)
        stack.callback(store.close)
        workspace = wiring.make_workspace(request.env)
        await sweep(store, workspace, wiring.kill_marked)
        iteration = choose_iteration(store, plan, request.iteration)
        plan = freeze(store, plan, iteration)
        means = Means(
            harness=chosen.harness,
            workspace=workspace,
            store=store,
            pace=_pace(),
            watcher=watcher,
            skills={arm.name: others.get(arm.name, skill) for arm in arms if arm.skill},
        )
        await execute(plan, iteration, means=means, executor=wiring.make_executor(), concurrency=request.concurrency)
        gradings = await _grade(plan, iteration, store, judge=judge, request=request, watcher=watcher)
        benchmark = summarise(store, iteration)
        page = _write(store, iteration, benchmark)
    return RunResult(
        benchmark=benchmark,
        workspace=root.absolute(),
        iteration=iteration,
        report=page,
        judge_failed=request.judge is not None and _has_open_prose(gradings),
    )


async def _grade(
    plan: Plan, iteration: int, store: Store, *, judge: LanguageModel | None, request: RunRequest, watcher: Watcher
) -> Sequence[Grading]:
    return await grade(
        plan,
        iteration,
        store,
        judge=judge,
        no_judge_reason=no_judge_reason(plan),
        concurrency=request.concurrency,
        on_graded=watcher.trial_graded,
        env=request.env,
    )


def summarise(store: Store, iteration: int) -> Benchmark:
    """The benchmark of an iteration from its files; nothing is run or written."""
    plan = read_plan(store, iteration)
    trials = read_trials(store, plan, iteration)
    gradings = read_gradings(store, plan, iteration)
    return aggregate(plan, iteration, trials, gradings, now=plan.created_at)


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


def _arm_skills(arms: tuple[str, ...]) -> tuple[list[str], dict[str, Skill]]:
    names: list[str] = []
    others: dict[str, Skill] = {}
    for text in arms:
        name, given, folder = text.partition("=")
        if not name.strip():
            raise SpecError(f"--arms has an empty name in {text!r}.", hint="Write names, or NAME=FOLDER.")
        names.append(name.strip())
        if given:
            others[name.strip()] = load_skill(Path(folder))
    return names, others


def _wanted(request: RunRequest) -> wiring.Wanted:
    return wiring.Wanted(
        harness=request.harness,
        model=request.model,
        base_url=request.base_url,
        args=request.harness_args,
        recordings=request.recordings,
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
