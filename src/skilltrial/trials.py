"""The trials of a request: planned, frozen, agreed to, and ready to be run."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import anyio
from anyio import to_thread

from skilltrial import wiring
from skilltrial.execute.attempt import Means
from skilltrial.execute.codebases import keep_codebases
from skilltrial.execute.pace import Pace
from skilltrial.execute.reuse import take_over
from skilltrial.execute.run import execute
from skilltrial.execute.running import sweep
from skilltrial.execute.snapshot import snapshot, snapshot_beside
from skilltrial.execute.watcher import Watcher
from skilltrial.plan.iteration import choose_iteration, freeze
from skilltrial.plan.reuse import mark_reused
from skilltrial.ports import Store
from skilltrial.preparing.forecasting import Foresight, foresee
from skilltrial.preparing.planning import Planned, plan_request
from skilltrial.records.budget import Forecast, Stop
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.request import RunRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """What is to be run, in a workspace that is held for writing."""

    request: RunRequest
    planned: Planned
    plan: Plan
    """Frozen in the workspace."""
    iteration: int
    store: Store
    means: Means
    foresight: Foresight

    async def run_missing(
        self,
        only: frozenset[TrialKey] | None = None,
        *,
        enough: Callable[[Trial], Stop | None] | None = None,
    ) -> Stop | None:
        """Run all that have no result yet, or those of them in `only`. See `execute` for the rest."""
        return await execute(
            self.plan,
            self.iteration,
            means=self.means,
            executor=wiring.make_executor(),
            concurrency=self.request.concurrency,
            ceilings=self.request.ceilings,
            largest=self.foresight.largest,
            only=only,
            enough=enough,
        )


@asynccontextmanager
async def open_trials(
    request: RunRequest, *, watcher: Watcher, agree: Callable[[Forecast], Awaitable[None]] | None
) -> AsyncGenerator[Trials]:
    """Read, plan, freeze and forecast; `agree` is asked before anything is spent, and raises where it does not.

    On leaving, agents and judges are closed and the workspace is free. Raises the errors of `skilltrial.errors`.
    """
    async with AsyncExitStack() as stack:
        # Gone before any agent starts: what it holds are skills of other arms.
        scratch = wiring.make_scratch()
        stack.callback(scratch.remove)
        planned = await plan_request(request, scratch=scratch.folder, stack=stack)
        lineup, agents = planned.lineup, planned.agents
        store = wiring.open_store(planned.workspace, write=True)
        stack.callback(store.close)
        workspace = wiring.make_workspace(planned.env, planned.confinement)
        await sweep(store, workspace, wiring.kill_marked)
        iteration = choose_iteration(store, planned.plan, request.iteration)
        plan = mark_reused(planned.plan, iteration, store, search=request.reuse_baseline, isolation=workspace.isolation)
        plan = freeze(store, plan, iteration)
        take_over(plan, iteration, store)
        skills = {arm: snapshot(of, arm, iteration, store) for arm, of in lineup.skills.items()}
        beside = {arm: snapshot_beside(of, arm, iteration, store) for arm, of in lineup.beside.items()}
        await to_thread.run_sync(keep_codebases, plan, iteration, store, planned.codebases.folders)
        scratch.remove()
        means = Means(
            harnesses=agents.harnesses,
            workspace=workspace,
            store=store,
            pace=real_pace(),
            watcher=watcher,
            skills=skills,
            beside=beside,
            env=lineup.env,
            player=planned.player,
            boundary=wiring.make_boundary(planned.env),
        )
        foresight = foresee(
            store,
            plan,
            iteration,
            harnesses=agents.harnesses,
            concurrency=request.concurrency,
            ceilings=request.ceilings,
        )
        watcher.begins(plan, finished=foresight.forecast.n_finished, iteration=iteration)
        watcher.forecasts(foresight.forecast)
        if agree is not None:
            await agree(foresight.forecast)
        yield Trials(
            request=request,
            planned=planned,
            plan=plan,
            iteration=iteration,
            store=store,
            means=means,
            foresight=foresight,
        )


def real_pace() -> Pace:
    """The clocks of this machine."""
    return Pace(now=lambda: datetime.now(UTC), monotonic=time.monotonic, sleep=anyio.sleep)
