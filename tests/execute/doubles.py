"""A harness whose ends are scripted, for tests of what surrounds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import anyio

from skilltrial.adapters.executor.local import LocalExecutor
from skilltrial.adapters.store.folder import FolderStore
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.execute.attempt import Means
from skilltrial.execute.pace import Pace
from skilltrial.execute.run import execute
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.plan.arms import make_arms
from skilltrial.plan.iteration import freeze
from skilltrial.plan.plan import make_plan
from skilltrial.ports import Capabilities, HarnessStatus, TrialRequest
from skilltrial.records.budget import Ceilings, Stop
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult, UserMessage
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, CaseFile, Suite
from skilltrial.records.trial import HarnessResult, Reason, ReasonCode, SkillEvidence
from skilltrial.records.usage import Usage

Script = Callable[[TrialRequest, int], HarnessResult]


def completes(request: TrialRequest, _number: int) -> HarnessResult:
    """An agent that writes a file, stumbles over one tool call and says what it did."""
    (request.work / "answer.txt").write_text("42\n")
    (request.capture / "stream.jsonl").write_text("{}\n")
    return HarnessResult(
        outcome="completed",
        events=(
            UserMessage(ordinal=0, text=request.prompt),
            ToolCall(ordinal=1, call_id="1", name="Read", input={"path": "none"}),
            ToolResult(ordinal=2, call_id="1", text="no such file", is_error=True),
            ToolCall(ordinal=3, call_id="2", name="Write", input={"path": "answer.txt"}),
            ToolResult(ordinal=4, call_id="2", text="ok", is_error=False),
            AssistantMessage(ordinal=5, text="done"),
        ),
        final_message="done",
        usage=Usage(input_tokens=100, output_tokens=20, requests=3),
        cost_usd=0.25,
        model="served",
        version="9",
        evidence=SkillEvidence(loaded=request.skill is not None),
        exit_code=0,
    )


def fails(code: ReasonCode, *, retry_after_s: float | None = None) -> HarnessResult:
    """An error of a tool."""
    reason = Reason(code=code, message=f"it was {code}.", retry_after_s=retry_after_s)
    return HarnessResult(outcome="harness_error", reason=reason)


@dataclass
class ScriptedHarness:
    """Satisfies `ports.Harness`; `script` gets the request and its number, from 1."""

    script: Script = completes
    max_concurrency: int | None = None
    requests: list[TrialRequest] = field(default_factory=list[TrialRequest])
    gate: int = 1
    """Nobody ends before so many have run at once (or 20 seconds have passed)."""
    running: int = 0
    most_running: int = 0
    name: str = "scripted"

    @property
    def capabilities(self) -> Capabilities:
        """Skills are found in `.agents/skills`."""
        return Capabilities(skill_root=".agents/skills", max_concurrency=self.max_concurrency)

    async def probe(self) -> HarnessStatus:
        """Always ready."""
        return HarnessStatus(name=self.name, installed=True, ready=True)

    async def run(self, request: TrialRequest) -> HarnessResult:
        """The next scripted end."""
        self.requests.append(request)
        number = len(self.requests)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        with anyio.move_on_after(60):
            while self.most_running < self.gate:  # noqa: ASYNC110 - a test double may look again
                await anyio.sleep(0.01)
        self.running -= 1
        return self.script(request, number)

    async def aclose(self) -> None:
        """Nothing to close."""


def a_plan(
    skill: Skill, *, n_cases: int = 1, runs: int = 1, arms: tuple[str, ...] = ("with_skill", "without_skill")
) -> Plan:
    """Cases that begin with one file each."""
    digest = "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    files = (CaseFile(path="data/start.txt", content="hello", sha256=digest),)
    cases = tuple(Case(id=f"c{n}", prompt=f"task {n}", files=files, written_id=n) for n in range(n_cases))
    return make_plan(
        skill,
        Suite(dialect="skill-creator", path="/e", digest="d", cases=cases),
        arms=make_arms(arms, skill, {}),
        harness=HarnessChoice(name="scripted", model="asked"),
        runs=runs,
        seed=3,
        timeout_s=30,
        now="2026-01-01T00:00:00Z",
        version="0",
    )


def run_plan(
    plan: Plan,
    store: FolderStore,
    harness: ScriptedHarness,
    skill: Skill,
    *,
    waits: list[float] | None = None,
    concurrency: int = 1,
    ceilings: Ceilings | None = None,
    watcher: Watcher | None = None,
    others: Mapping[str, ScriptedHarness] | None = None,
) -> Stop | None:
    """Freeze and execute, with a clock that stands still and sleeps that only count. `others` are of arms with their own."""

    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    means = Means(
        harnesses={arm.name: harness for arm in plan.arms} | dict(others or {}),
        workspace=FolderWorkspace(),
        store=store,
        pace=Pace(now=lambda: datetime(2026, 1, 2, tzinfo=UTC), monotonic=lambda: 0.0, sleep=sleep),
        watcher=watcher or Silent(),
        skills={arm.name: skill for arm in plan.arms if arm.skill},
    )
    frozen = freeze(store, plan, 1)

    async def run() -> Stop | None:
        return await execute(
            frozen, 1, means=means, executor=LocalExecutor(), concurrency=concurrency, ceilings=ceilings
        )

    return anyio.run(run)
