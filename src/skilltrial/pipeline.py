"""The stages in order: what `skilltrial run` does, as one function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from anyio import to_thread

from skilltrial import wiring
from skilltrial.deciding import overruled, run_rounds
from skilltrial.errors import SpecError
from skilltrial.execute.resume import read_trials
from skilltrial.execute.run import read_stop
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.grade.panel import Panel
from skilltrial.grade.run import Regrade, grade, read_gradings
from skilltrial.iterations import note_iteration
from skilltrial.journal import read_journal
from skilltrial.plan.iteration import choose_iteration, iterations, read_plan
from skilltrial.plan.reuse import mark_reused
from skilltrial.ports import Confinement, Store
from skilltrial.preparing.forecasting import foresee
from skilltrial.preparing.planning import is_embedded, passed_on, plan_request
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.budget import Forecast
from skilltrial.records.document_checks import PythonCheck
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.prose import Prose
from skilltrial.records.self_check import SelfCheck
from skilltrial.records.suite import CommandCheck
from skilltrial.records.trial import TrialKey
from skilltrial.request import RunRequest
from skilltrial.trials import Trials, open_trials, real_pace

_UNFINISHED = {"harness_error", "cancelled", "not_run"}
_SOON_S = 0.5
"""By then the first trials wait for their agents."""
_AFTERWARDS = ("skilltrial.aggregate.benchmark", "skilltrial.report.html")
_NO_PLAN = "`skilltrial run` makes one; `skilltrial import` does, from another tool's results."


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
        return self.benchmark.stop is not None and self.benchmark.stop.ceiling is not None


async def run(
    request: RunRequest, *, watcher: Watcher | None = None, agree: Callable[[Forecast], Awaitable[None]] | None = None
) -> RunResult:
    """Read, plan, execute, grade, aggregate, report; does only what is missing.

    `agree` is asked before anything is spent, and raises where it does not. Raises the errors of `skilltrial.errors`. What is
    finished stays in the workspace, and the same request goes on there.
    """
    watcher = watcher or Silent()
    async with open_trials(request, watcher=watcher, agree=agree) as trials:
        soon = Timer(_SOON_S, _load_what_follows)
        soon.start()
        try:
            await _run_trials(trials)
            evaluation = await evaluate(
                trials.plan,
                trials.iteration,
                trials.store,
                judge=trials.planned.judge,
                concurrency=request.concurrency,
                watcher=watcher,
                env=request.env,
                confinement=trials.planned.confinement,
            )
        finally:
            soon.cancel()
    return _result(request, trials.planned.workspace, trials.iteration, evaluation, trials.foresight.forecast)


def _result(
    request: RunRequest, workspace: Path, iteration: int, evaluation: Evaluation, forecast: Forecast
) -> RunResult:
    return RunResult(
        benchmark=evaluation.benchmark,
        workspace=workspace.absolute(),
        iteration=iteration,
        report=evaluation.page,
        judge_failed=request.judge is not None and evaluation.has_open_prose,
        forecast=forecast,
        judge_usd=judge_cost(evaluation.gradings),
        judge_calls=sum(grading.judge.calls for grading in evaluation.gradings if grading.judge),
    )


async def _run_trials(trials: Trials) -> None:
    """All that are missing, or with `until_decided` round by round."""
    request, planned, means = trials.request, trials.planned, trials.means
    if not request.until_decided:
        if early := overruled(means.store, trials.iteration):
            means.watcher.say(early)
        await trials.run_missing()
        return
    # Silent, since every grading is told of when all is over.
    grade_finished = partial(
        _grade_finished,
        trials.plan,
        trials.iteration,
        means.store,
        judge=planned.judge,
        concurrency=request.concurrency,
        watcher=Silent(),
        env=request.env,
        confinement=planned.confinement,
    )
    await run_rounds(
        trials.plan,
        trials.iteration,
        means.store,
        execute=lambda keys: trials.run_missing(frozenset(keys)),
        grade=grade_finished,
        watcher=means.watcher,
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
    async with AsyncExitStack() as stack:
        scratch = wiring.make_scratch()
        stack.callback(scratch.remove)
        planned = await plan_request(request, scratch=scratch.folder, stack=stack)
        plan, root, iteration = planned.plan, planned.workspace, 1
        store = wiring.open_store(root, write=False) if root.exists() else None
        if store is not None:
            iteration = choose_iteration(store, plan, request.iteration)
            isolation = wiring.make_workspace(request.env, planned.confinement).isolation
            plan = mark_reused(plan, iteration, store, search=request.reuse_baseline, isolation=isolation)
        foresight = foresee(
            store,
            plan,
            iteration,
            harnesses=planned.agents.harnesses,
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

    @property
    def has_open_prose(self) -> bool:
        """Whether a statement in prose waits for a judge."""
        results = (result for grading in self.gradings for result in grading.results)
        return any(result.type == "llm_judge" and result.grader == "none" for result in results)


async def evaluate(
    plan: Plan,
    iteration: int,
    store: Store,
    *,
    judge: Panel | None,
    concurrency: int,
    watcher: Watcher,
    env: Mapping[str, str],
    confinement: Confinement | None = None,
    wanted: Regrade | None = None,
) -> Evaluation:
    """Grade what is not graded yet, aggregate, and write the reports. Command checks run in the agent's `confinement`.

    `wanted` narrows what is graded, or has all of it graded again.
    """
    gradings = await _grade_finished(
        plan,
        iteration,
        store,
        judge=judge,
        concurrency=concurrency,
        watcher=watcher,
        env=env,
        confinement=confinement,
        wanted=wanted,
    )
    benchmark = summarise(store, iteration)
    return Evaluation(gradings, benchmark, _write(store, iteration, benchmark))


async def _grade_finished(
    plan: Plan,
    iteration: int,
    store: Store,
    *,
    judge: Panel | None,
    concurrency: int,
    watcher: Watcher,
    env: Mapping[str, str],
    confinement: Confinement | None = None,
    wanted: Regrade | None = None,
) -> Sequence[Grading]:
    lines = (plan.harness_of(arm.name).args for arm in plan.arms)
    env = {**env, **passed_on(plan.arms, lines, env)}
    own = (CommandCheck, PythonCheck)
    has_commands = any(isinstance(each, own) for case in plan.suite.cases for each in case.assertions)
    walls = await to_thread.run_sync(wiring.walls_of_checks, confinement, env) if has_commands else None
    return await grade(
        plan,
        iteration,
        store,
        judge=judge,
        no_judge_reason=no_judge_reason(plan),
        concurrency=concurrency,
        on_graded=watcher.trial_graded,
        env=env,
        walls=walls,
        wanted=wanted,
        now=real_pace().now,
    )


def summarise(store: Store, iteration: int, *, without: Collection[TrialKey] = ()) -> Benchmark:
    """The benchmark of an iteration from its files, as if trials `without` had never been planned; nothing is run or written."""
    from skilltrial.aggregate.benchmark import aggregate  # noqa: PLC0415 - numpy, which no trial waits for

    plan = read_plan(store, iteration)
    if without:
        kept = tuple(planned for planned in plan.trials if planned.key not in without)
        plan = plan.model_copy(update={"trials": kept})
    trials = read_trials(store, plan, iteration)
    gradings = read_gradings(store, plan, iteration)
    benchmark = aggregate(
        plan,
        iteration,
        trials,
        gradings,
        now=plan.created_at,
        stop=read_stop(store, iteration),
        said=read_journal(store).verdicts,
        noise=_self_check(store),
    )
    prose = read_prose(store, iteration)
    return benchmark if prose is None else benchmark.model_copy(update={"prose": prose})


def read_prose(store: Store, iteration: int) -> Prose | None:
    """What a model said of the figures; None where none was asked, or its file cannot be read."""
    data = store.read(layout.prose_path(iteration))
    try:
        return None if data is None else Prose.model_validate_json(data)
    except ValueError:
        return None


def _self_check(store: Store) -> SelfCheck | None:
    """The newest check of the baseline against itself; None where there is none that can be read."""
    data = store.read(f"{layout.SELF_CHECKS}/{layout.SELF_CHECK}")
    try:
        return None if data is None else SelfCheck.model_validate_json(data)
    except ValueError:
        return None


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
    if any(is_embedded(arm.harness or plan.harness) for arm in plan.arms):
        return f"No judge was given, and the embedded model is none: it judges at chance. {way}"
    return f"No judge was given. {way}"


def judge_cost(gradings: Sequence[Grading]) -> float | None:
    """US dollars of all gradings; None where no judge was asked, or one does not tell."""
    costs = [grading.judge.cost_usd for grading in gradings if grading.judge]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _write(store: Store, iteration: int, benchmark: Benchmark) -> Path:
    from skilltrial.report import html, markdown  # noqa: PLC0415 - as above

    folder = layout.iteration_dir(iteration)
    store.write(f"{folder}/{layout.BENCHMARK}", benchmark.model_dump_json(indent=2).encode() + b"\n")
    store.write(f"{folder}/{layout.BENCHMARK_MD}", markdown.render(benchmark).encode())
    store.write(f"{folder}/{layout.REPORT}", html.render(benchmark).encode())
    note_iteration(store, benchmark)
    return store.path(f"{folder}/{layout.REPORT}")


def _load_what_follows() -> None:
    """Import it while the trials run, so that nobody waits for it before or after."""
    for name in _AFTERWARDS:
        import_module(name)
