"""The trials of a workspace, graded again without running any agent: only what is stale, and what has changed by it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from anyio import to_thread

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.execute.resume import is_finished, read_trials
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.grade.digest import ASSERTION, CASE, JUDGE, RULES, TRIAL
from skilltrial.grade.panel import Panel
from skilltrial.grade.run import Regrade, calls_due, read_gradings
from skilltrial.pipeline import Evaluation, evaluate, judge_cost, newest_iteration, no_judge_reason
from skilltrial.plan.iteration import freeze, read_plan
from skilltrial.plan.plan import case_facts
from skilltrial.ports import Confinement, Store
from skilltrial.preparing.judging import (
    JudgesWanted,
    open_panel,
    planned_judges,
    price_of_calls,
    settings_told,
    wanted_again,
)
from skilltrial.records.grading import Grading, Verdict
from skilltrial.records.plan import Plan
from skilltrial.records.trial import TrialKey
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

Why = Literal["first", "rules", "assertion", "case", "output", "judge", "evidence", "unknown"]
"""What differs: there was no grading, the rules of this program, the assertion, the task or its notes, the trial, who judges,
nothing (the same was decided anew), or nobody can tell (an older version graded)."""
NO_JUDGE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradeRequest:
    """What a person asks for."""

    workspace: Path
    env: Mapping[str, str] = field(repr=False)
    iteration: int | None = None
    evals: Path | None = None
    """The eval file as it is now; None: the assertions of the plan."""
    only: tuple[str, ...] = ()
    """Ids of cases and assertions."""
    judge: str | None = None
    """None: the judges of before; `none`: no one is asked."""
    judge_samples: int | None = None
    judge_prompt: Path | None = None
    base_url: str | None = None
    sandbox: str | None = None
    """What command checks and judging agents run in; None: what the agents ran in."""
    force: bool = False
    concurrency: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is about to be done."""

    n_trials: int
    """That have a result and will have a grading."""
    judge: str | None
    notice: str
    """What is taken from a skilltrial.toml."""
    n_to_judge: int = 0
    n_calls: int = 0
    """Of judges; answers that do not count at once take one more each."""
    usd: float | None = 0.0
    """At the mean price of a call so far; None: unknown."""


class Change(NamedTuple):
    """An assertion of one trial whose verdict is another one now."""

    key: TrialKey
    id: str
    text: str
    before: Verdict | None
    after: Verdict
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Regraded:
    """What came out."""

    evaluation: Evaluation
    workspace: Path
    iteration: int
    changes: tuple[Change, ...]
    n_renewed: int
    """Trials whose grading was made anew."""
    judge_failed: bool
    """There is a judge, and it did not answer, so that prose is left open; the next call asks again."""
    judge_usd: float | None
    """What the judge has cost in this iteration so far; None: no judge, or it does not tell."""


async def regrade(
    request: RegradeRequest,
    *,
    watcher: Watcher | None = None,
    agree: Callable[[Outlook], Awaitable[None]] | None = None,
) -> Regraded:
    """Grade what is stale (all of it with `force`), aggregate, report; no agent runs.

    `agree` is asked before anything is spent or written, and raises where it does not. Raises `SpecError` for what is no workspace,
    unknown ids, and an eval file with other tasks than those that were run, and the errors of stores and judges.
    """
    if not request.workspace.is_dir():
        raise SpecError("there is no such workspace.", where=str(request.workspace))
    # Looked at before anything is locked: a folder that is no workspace is left as it is.
    iteration = newest_iteration(wiring.open_store(request.workspace, write=False), request.iteration)
    async with AsyncExitStack() as stack:
        store = wiring.open_store(request.workspace, write=True)
        stack.callback(store.close)
        plan = _with_evals(read_plan(store, iteration), request.evals)
        _require_known(plan, request.only)
        confinement = await to_thread.run_sync(_confinement, request, plan)
        asked = _judges(request, confinement)
        wanted = asked if request.judge == NO_JUDGE else wanted_again(plan, asked)
        panel = await open_panel(wanted, plan.suite.cases, stack=stack)
        if not request.only and wanted.names is not None:
            told = planned_judges(wanted.names, samples=wanted.samples, prompt=wanted.prompt)
            plan = plan.model_copy(update=told)
        before = {str(each.key): each for each in read_gradings(store, plan, iteration)}
        chosen = Regrade(only=frozenset(request.only), force=request.force)
        if agree is not None:
            outlook = await _outlook(plan, iteration, store, panel=panel, chosen=chosen, gradings=before.values())
            await agree(replace(outlook, notice=settings_told(asked, wanted)))
        plan = freeze(store, plan, iteration)
        evaluation = await evaluate(
            plan,
            iteration,
            store,
            judge=panel,
            concurrency=request.concurrency,
            watcher=watcher or Silent(),
            env=request.env,
            confinement=confinement,
            wanted=chosen,
        )
    pairs = [(before.get(str(each.key)), each) for each in evaluation.gradings]
    return Regraded(
        evaluation=evaluation,
        workspace=request.workspace.absolute(),
        iteration=iteration,
        changes=tuple(change for old, new in pairs for change in changes(old, new)),
        n_renewed=sum(old != new for old, new in pairs),
        judge_failed=panel is not None and evaluation.has_open_prose,
        judge_usd=judge_cost(evaluation.gradings),
    )


def changes(before: Grading | None, after: Grading) -> list[Change]:
    """The assertions of one trial with another verdict than before, in their order."""
    old = {} if before is None else {each.id: each for each in before.results}
    found: list[Change] = []
    for each in after.results:
        was = old[each.id].verdict if each.id in old else None
        if was != each.verdict:
            why = _why(before, after, each.id, is_prose=each.type == "llm_judge")
            found.append(Change(after.key, each.id, each.text, was, each.verdict, why))
    return found


def _why(before: Grading | None, after: Grading, id_: str, *, is_prose: bool) -> Why:
    if before is None:
        return "first"
    old, new = before.parts, after.parts
    if not old:
        return "unknown"
    # Other rules first: they may make the other digests anew.
    names: list[tuple[str, Why]] = [
        (RULES, "rules"),
        (f"{ASSERTION}{id_}", "assertion"),
        (CASE, "case"),
        (TRIAL, "output"),
    ]
    if is_prose:
        names.append((JUDGE, "judge"))
    for name, why in names:
        if old.get(name) != new.get(name):
            return why
    return "evidence"


def _with_evals(plan: Plan, evals: Path | None) -> Plan:
    if evals is None:
        return plan
    suite = load_suite(load_skill(Path(plan.skill.folder)), evals)
    there = {case.id: case for case in suite.cases}
    for case in plan.suite.cases:
        if case.id not in there:
            raise SpecError(f"the case {case.id!r}, which was run, is not in it.", where=str(evals))
        if case_facts(there[case.id]) != case_facts(case):
            raise SpecError(
                f"the task of the case {case.id!r} is not the one that was run.",
                where=str(evals),
                hint="Only assertions and notes may differ; `skilltrial run` runs what is new.",
            )
    cases = tuple(there[case.id] for case in plan.suite.cases)
    return plan.model_copy(update={"suite": suite.model_copy(update={"cases": cases})})


def _require_known(plan: Plan, only: tuple[str, ...]) -> None:
    cases = plan.suite.cases
    known = {case.id for case in cases} | {str(case.written_id) for case in cases}
    known |= {each.id for case in cases for each in case.assertions}
    unknown = [name for name in only if name not in known]
    if unknown:
        ids = ", ".join(case.id for case in cases[:10])
        raise SpecError(f"no case and no assertion is called {unknown[0]!r}.", hint=f"Cases: {ids}.")


def _confinement(request: RegradeRequest, plan: Plan) -> Confinement | None:
    hidden = (request.workspace.absolute(), Path(plan.skill.folder))
    level = request.sandbox or plan.harness.sandbox or "none"
    return wiring.open_sandbox(level, request.env, hidden=hidden, base_url=request.base_url)


def _judges(request: RegradeRequest, confinement: Confinement | None) -> JudgesWanted:
    if request.judge == NO_JUDGE:
        return JudgesWanted(names=None, env=request.env)
    return JudgesWanted(
        names=request.judge,
        samples=request.judge_samples,
        prompt=request.judge_prompt,
        base_url=request.base_url,
        env=request.env,
        confinement=confinement,
    )


async def _outlook(
    plan: Plan,
    iteration: int,
    store: Store,
    *,
    panel: Panel | None,
    chosen: Regrade,
    gradings: Collection[Grading],
) -> Outlook:
    trials = await to_thread.run_sync(read_trials, store, plan, iteration)
    n_trials = sum(is_finished(trial, plan) for trial in trials)
    if panel is None:
        return Outlook(n_trials=n_trials, judge=None, notice="")
    calls = await calls_due(plan, iteration, store, judge=panel, no_judge_reason=no_judge_reason(plan), wanted=chosen)
    n_calls = sum(calls.values())
    return Outlook(
        n_trials=n_trials,
        judge=panel.name,
        notice="",
        n_to_judge=len(calls),
        n_calls=n_calls,
        usd=price_of_calls(n_calls, judges=panel.name, gradings=gradings),
    )
