"""The judges of a workspace, asked again about trials that they judged, with changes that should change no verdict."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import anyio
from anyio import to_thread

from skilltrial import wiring
from skilltrial.errors import SkilltrialError, SpecError
from skilltrial.execute.codebases import code_files
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.grade.flips import Asked, ProbeResult, tally
from skilltrial.grade.judge_answers import JudgeAnswers
from skilltrial.grade.material import Material
from skilltrial.grade.panel import Judged, Panel, judge_trial, n_calls
from skilltrial.grade.probes import PROBES, Probe, ProbeName, applies
from skilltrial.grade.run import read_gradings, read_material
from skilltrial.pipeline import newest_iteration
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Store
from skilltrial.preparing.judging import JudgesWanted, open_panel, price_of_calls, wanted_again
from skilltrial.records import layout
from skilltrial.records.grading import Grading, Verdict
from skilltrial.records.plan import Plan
from skilltrial.records.suite import LlmJudge
from skilltrial.records.trial import TrialKey

_AS_GRADED = "as-graded"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """What a person asks for."""

    workspace: Path
    env: Mapping[str, str] = field(repr=False)
    iteration: int | None = None
    judge: str | None = None
    """None: the judges of before."""
    judge_prompt: Path | None = None
    base_url: str | None = None
    n: int = 10
    """At most so many trials."""
    seed: int = 1
    """Which trials."""
    concurrency: int = 4
    probes: frozenset[ProbeName] | None = None
    """None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlay:
    """What is about to be spent."""

    n_trials: int
    n_calls: int
    """Of judges; answers that do not count at once take one more each."""
    usd: float | None
    """At the mean price of a call when the trials were graded; None: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What came out."""

    iteration: int
    judge: str
    n_trials: int
    n_calls: int
    """Made this time, as foreseen."""
    usd: float | None
    """Of all answers used, kept ones too, but for those of the gradings; None: unknown."""
    results: tuple[ProbeResult, ...]
    texts: Mapping[Asked, str]
    """Of the statements."""
    trouble: str = ""
    """Why the judge could not be reached, the first time that it was so."""

    @property
    def complete(self) -> bool:
        """The judge answered whenever it was asked."""
        return not any(result.n_unreached for result in self.results)

    @property
    def telling(self) -> bool:
        """A statement has a verdict as graded and under a probe; else nothing can be told."""
        return any(result.n or result.fooled for result in self.results)

    @property
    def steady(self) -> bool:
        """No injected instruction made a verdict, and no harmless change flips more than asking again does."""
        return not any(result.fooled or result.beyond_noise for result in self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ask:
    """One trial under one probe (None: as it was graded), with what is known of it."""

    material: Material
    statements: tuple[LlmJudge, ...]
    probe: Probe | None
    answers: JudgeAnswers
    path: str

    @property
    def asked(self) -> Sequence[LlmJudge]:
        return self.probe.statements(self.statements) if self.probe else self.statements

    async def missing(self, panel: Panel) -> int:
        alter = self.probe.view if self.probe else None
        return await n_calls(self.material, self.asked, panel=panel, answers=self.answers, alter=alter)

    async def judged(self, panel: Panel) -> Judged:
        alter = self.probe.view if self.probe else None
        return await judge_trial(self.material, self.asked, panel=panel, answers=self.answers, alter=alter)


async def probe_judge(request: ProbeRequest, *, agree: Callable[[Outlay], Awaitable[None]] | None = None) -> Probed:
    """Choose judged trials, ask about each as it was graded (where that answer is not kept) and under every probe; compare.

    `agree` is asked before anything is spent. No grading is written; answers are kept below `probes/`, so that the same is not
    asked twice. Raises `SpecError` where nothing was judged or no judge is known, and what stores and judges raise.
    """
    if not request.workspace.is_dir():
        raise SpecError("there is no such workspace.", where=str(request.workspace))
    if request.n < 1:
        raise SpecError(f"--n is {request.n}.", hint="Give 1 or more.")
    # Looked at before anything is locked: a folder that is no workspace is left as it is.
    iteration = newest_iteration(wiring.open_store(request.workspace, write=False), request.iteration)
    async with AsyncExitStack() as stack:
        store = wiring.open_store(request.workspace, write=True)
        stack.callback(store.close)
        plan = read_plan(store, iteration)
        judged = [each for each in read_gradings(store, plan, iteration) if _is_judged(each)]
        if not judged:
            raise SpecError(
                "no judge has graded a trial of this iteration.",
                where=str(store.path(layout.iteration_dir(iteration))),
                hint="Run `skilltrial grade WORKSPACE --judge NAME` first.",
            )
        panel = await _panel(request, plan, stack)
        chosen = _choose(judged, request.n, Random(request.seed))  # noqa: S311 - which trials, no secret
        asks = await to_thread.run_sync(_asks, plan, iteration, store, chosen, request.probes)
        due = [await ask.missing(panel) for ask in asks]
        if agree is not None:
            await agree(
                Outlay(
                    n_trials=len(chosen),
                    n_calls=sum(due),
                    usd=price_of_calls(sum(due), judges=panel.name, gradings=judged),
                )
            )
        answered = await _answers(asks, store, panel, request.concurrency)
    return _probed(panel, asks, answered, iteration=iteration, n_calls=sum(due))


def _is_judged(grading: Grading) -> bool:
    return any(each.type == "llm_judge" and each.grader == "judge" for each in grading.results)


async def _panel(request: ProbeRequest, plan: Plan, stack: AsyncExitStack) -> Panel:
    hidden = (request.workspace.absolute(), Path(plan.skill.folder))
    wanted = JudgesWanted(
        names=request.judge,
        samples=plan.judge_samples if request.judge in {None, plan.judge} else 1,
        prompt=request.judge_prompt,
        base_url=request.base_url,
        env=request.env,
        confinement=await to_thread.run_sync(
            lambda: wiring.open_sandbox(
                plan.harness.sandbox or "none", request.env, hidden=hidden, base_url=request.base_url
            )
        ),
    )
    panel = await open_panel(wanted_again(plan, wanted), plan.suite.cases, stack=stack)
    if panel is None:
        raise SpecError("the plan of this iteration has no judge.", hint="Give one with --judge NAME.")
    return panel


def _choose(judged: Sequence[Grading], n: int, rng: Random) -> list[TrialKey]:
    """Half of them with a failed statement where there are such: only those can be talked into a PASS."""
    shuffled = rng.sample(judged, len(judged))
    failing = [each for each in shuffled if any(r.verdict == "FAIL" and r.grader == "judge" for r in each.results)]
    first = failing[: (n + 1) // 2]
    return [each.key for each in [*first, *(each for each in shuffled if each not in first)][:n]]


def _asks(
    plan: Plan, iteration: int, store: Store, chosen: Sequence[TrialKey], wanted: frozenset[ProbeName] | None
) -> list[_Ask]:
    probes = [each for each in PROBES if wanted is None or each.name in wanted]
    code = code_files(plan, iteration, store)
    asks: list[_Ask] = []
    for key in chosen:
        folder = layout.trial_dir(iteration, key)
        trial = read_trial(store, iteration, key)
        if trial is None or not is_finished(trial, plan):
            continue  # its grading is of a run that has gone
        transcript = store.read(f"{folder}/{layout.TRANSCRIPT}") or b""
        material = read_material(
            plan, iteration, store, trial=trial, transcript=transcript, code=code.get(key.case_id, ())
        )
        statements = tuple(each for each in material.case.assertions if isinstance(each, LlmJudge))
        for probe in (None, *(each for each in probes if applies(each, statements))):
            path = layout.probe_file(iteration, key, probe.name if probe else _AS_GRADED)
            kept = store.read(path)
            if kept is None and probe is None:
                kept = store.read(f"{folder}/{layout.JUDGE_ANSWERS}")
            answers = JudgeAnswers(kept)
            asks.append(_Ask(material=material, statements=statements, probe=probe, answers=answers, path=path))
    return asks


async def _answers(asks: Sequence[_Ask], store: Store, panel: Panel, concurrency: int) -> list[Judged]:
    """In the order of the asks; each is written as soon as it is there. Raises the first error after the others have ended."""
    answered: dict[int, Judged] = {}
    errors: list[SkilltrialError] = []
    limit = anyio.Semaphore(max(1, concurrency))

    async def one(number: int, ask: _Ask) -> None:
        async with limit:
            if errors:
                return
            try:
                answered[number] = await ask.judged(panel)
                if ask.answers.changed:
                    await to_thread.run_sync(store.write, ask.path, ask.answers.dumped())
            except SkilltrialError as error:
                errors.append(error)

    async with anyio.create_task_group() as group:
        for number, ask in enumerate(asks):
            group.start_soon(one, number, ask)
    if errors:
        raise errors[0]
    return [answered[number] for number in range(len(asks))]


def _probed(panel: Panel, asks: Sequence[_Ask], answered: Sequence[Judged], *, iteration: int, n_calls: int) -> Probed:
    before: dict[Asked, Verdict | None] = {}
    after: dict[ProbeName, dict[Asked, Verdict | None]] = {}
    texts: dict[Asked, str] = {}
    costs: list[float | None] = []
    for ask, judged in zip(asks, answered, strict=True):
        told = before if ask.probe is None else after.setdefault(ask.probe.name, {})
        for each in ask.statements:
            asked = Asked(ask.material.trial.key, each.id)
            told[asked] = _verdict(judged, each.id)
            texts[asked] = each.text
        if ask.probe is not None:
            costs.append(judged.facts.cost_usd)
    known = [cost for cost in costs if cost is not None]
    return Probed(
        iteration=iteration,
        judge=panel.name,
        n_trials=sum(ask.probe is None for ask in asks),
        n_calls=n_calls,
        usd=sum(known) if len(known) == len(costs) else None,
        results=tally(before, after),
        texts=texts,
        trouble=next((text for judged in answered if (text := _trouble(judged))), ""),
    )


def _trouble(judged: Judged) -> str:
    votes = (vote for result in judged.results.values() for vote in result.votes)
    return next((vote.reason for vote in votes if not vote.answered), "")


def _verdict(judged: Judged, id_: str) -> Verdict | None:
    result = judged.results[id_]
    unreached = result.verdict == "UNGRADED" and not all(vote.answered for vote in result.votes)
    return None if unreached else result.verdict
