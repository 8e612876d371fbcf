"""Why one of two compared trials won, with everything open: `skilltrial analyse`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import anyio
from anyio import to_thread

from skilltrial import wiring
from skilltrial.compare.analysis import Source, analysing_words, read_both
from skilltrial.compare.outputs import task_sections
from skilltrial.compare.pairs import arms_to_compare
from skilltrial.compare.rubric import digest_of
from skilltrial.compare.sources import (
    comparison_passages,
    joined,
    output_passages,
    skill_passages,
    transcript_passages,
)
from skilltrial.compare.spending import CeilingReached, HeldModel, Took, added
from skilltrial.errors import AuthFailed, GradingError, HarnessError, NotInstalled, SkilltrialError, SpecError
from skilltrial.execute.codebases import code_files
from skilltrial.feedback import feedback_of, left_out
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.judge_view import Passage
from skilltrial.operations.comparison_files import ComparisonFolder, Labels, analysis_name, material_of
from skilltrial.operations.sole_judge import open_sole_judge
from skilltrial.pipeline import newest_iteration
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.analysis import Analysis, AnalysisFacts, ComparisonSummary
from skilltrial.records.budget import Ceilings
from skilltrial.records.comparison import BlindComparison, Label
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import TrialKey
from skilltrial.spec.skill import load_skill

_RULES = 1
"""Another number: earlier analyses are made anew."""
_REASONING = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyseRequest:
    """What a person asks for."""

    workspace: Path
    env: Mapping[str, str] = field(repr=False)
    arms: tuple[str, ...] = ()
    """Two; none: every two of the iteration."""
    iteration: int | None = None
    comparison: int | None = None
    """Its number; None: all with a winner."""
    only: tuple[str, ...] = ()
    """Ids of cases."""
    judge: str | None = None
    """None: who compared."""
    base_url: str | None = None
    ceilings: Ceilings = field(default_factory=Ceilings)
    concurrency: int = 4
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyseOutlay:
    """What is about to be done."""

    judge: str
    n_decided: int
    n_kept: int
    """Of them, analysed before."""
    n_calls: int
    """Quotes that are not found take one more each."""
    usd: float | None
    """At the mean price of an analysis by this judge so far; None: unknown."""


class Analysed(NamedTuple):
    """One comparison with a winner, and why it won."""

    comparison: str
    case_id: str
    winner: str
    """An arm."""
    loser: str
    analysis: Analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedWorkspace:
    """What came out."""

    workspace: Path
    iteration: int
    judge: str
    analysed: tuple[Analysed, ...]
    n_asked: int
    failed: Mapping[str, str]
    """Comparisons of which the judge gave no analysis, and why."""
    stopped: str = ""


class _Decided(NamedTuple):
    """A comparison with a winner, its trials known."""

    name: str
    comparison: BlindComparison
    labels: Labels
    winner: Label

    @property
    def keys(self) -> tuple[TrialKey, TrialKey]:
        """The winner's and the loser's."""
        return self.labels[self.winner], self.labels["B" if self.winner == "A" else "A"]


@dataclass(slots=True, kw_only=True)
class _Work:
    """What the workers share."""

    store: Store
    folder: ComparisonFolder
    plan: Plan
    iteration: int
    judge: HeldModel
    code: Mapping[str, tuple[CaseFile, ...]]
    limit: anyio.Semaphore
    on_analysed: Callable[[], None]
    made: dict[str, Analysis] = field(default_factory=dict[str, Analysis])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    stopped: str = ""
    error: SkilltrialError | None = None


async def analyse(
    request: AnalyseRequest,
    *,
    agree: Callable[[AnalyseOutlay], Awaitable[None]],
    on_analysed: Callable[[], None] = lambda: None,
) -> AnalysedWorkspace | None:
    """Ask why, for each comparison with a winner that is not analysed yet, and of which people left out no trial.

    None of a dry run. `agree` is asked before anything is spent or written. Raises `SpecError` for what is no workspace, where
    nothing was compared or decided, for unknown arms, cases and numbers; `AuthFailed` and `NotInstalled` of the judge, and what
    stores raise. Any other failure of the judge leaves a comparison without an analysis.
    """
    if not request.workspace.is_dir():
        raise SpecError("there is no such workspace.", where=str(request.workspace))
    # Looked at before anything is locked: a folder that is no workspace is left as it is.
    iteration = newest_iteration(wiring.open_store(request.workspace, write=False), request.iteration)
    async with AsyncExitStack() as stack:
        store = wiring.open_store(request.workspace, write=not request.dry_run)
        stack.callback(store.close)
        plan, folder = read_plan(store, iteration), ComparisonFolder(store, iteration)
        decided = _decided(request, plan, folder, left_out(store, feedback_of(store, iteration)).keys())
        facts = decided[0].comparison.skilltrial
        judge = await open_sole_judge(
            request.judge or (facts.judge if facts else None),
            plan,
            workspace=request.workspace,
            base_url=request.base_url,
            env=request.env,
            stack=stack,
        )
        work = _Work(
            store=store,
            folder=folder,
            plan=plan,
            iteration=iteration,
            judge=HeldModel(judge, request.ceilings),
            code=await to_thread.run_sync(code_files, plan, iteration, store),
            limit=anyio.Semaphore(max(1, request.concurrency)),
            on_analysed=on_analysed,
        )
        kept = {each.name: found for each in decided if (found := await to_thread.run_sync(_kept, work, each))}
        await agree(_outlay(work, decided, kept))
        if request.dry_run:
            return None
        spent = [_took(found) for found in kept.values()]
        work.judge = HeldModel(judge, request.ceilings, earlier=added(spent))
        await _analyse_all(work, [each for each in decided if each.name not in kept])
    return AnalysedWorkspace(
        workspace=request.workspace.absolute(),
        iteration=iteration,
        judge=judge.name,
        analysed=tuple(
            Analysed(each.name, each.keys[0].case_id, each.keys[0].arm, each.keys[1].arm, found)
            for each in decided
            if (found := kept.get(each.name) or work.made.get(each.name))
        ),
        n_asked=len(work.made),
        failed=work.failed,
        stopped=work.stopped,
    )


def _decided(
    request: AnalyseRequest, plan: Plan, folder: ComparisonFolder, out: AbstractSet[TrialKey]
) -> list[_Decided]:
    """What is analysed; `out` are trials that people left out."""
    pairs = [frozenset(pair) for pair in arms_to_compare(plan, request.arms)]
    known = {name: (found, labels) for name, labels in folder.key().items() if (found := folder.comparison(name))}
    if not known:
        raise SpecError(
            f"nothing is compared in iteration {folder.iteration}, and analyse reads comparisons.",
            where=str(request.workspace),
            hint="Run `skilltrial compare WORKSPACE` first.",
        )
    ids = {case.id for case in plan.suite.cases} | {str(case.written_id) for case in plan.suite.cases}
    unknown = [name for name in request.only if name not in ids]
    if unknown:
        raise SpecError(f"no case is called {unknown[0]!r}.")
    name = f"comparison-{request.comparison}"
    if request.comparison is not None and name not in known:
        raise SpecError(f"there is no {name} of ours in this iteration.", hint=f"There is: {', '.join(known)}.")
    wanted = set(request.only) | {case.id for case in plan.suite.cases if str(case.written_id) in request.only}
    decided = [
        _Decided(each, found, labels, found.winner)
        for each, (found, labels) in sorted(known.items(), key=lambda item: int(item[0].rpartition("-")[2]))
        if found.winner == "A" or found.winner == "B"  # noqa: PLR1714 - so that the type is known
        if request.comparison is None or each == name
        if not wanted or labels["A"].case_id in wanted
        if frozenset(key.arm for key in labels.values()) in pairs
    ]
    if not decided:
        raise SpecError("no comparison among these has a winner.", hint="Why something is a tie, its reasoning says.")
    standing = [each for each in decided if out.isdisjoint(each.keys)]
    if not standing:
        raise SpecError(
            "people left out a trial of each of these comparisons.",
            hint="Take it back in the review page, or name others.",
        )
    return standing


def _kept(work: _Work, each: _Decided) -> Analysis | None:
    found = work.folder.analysis(analysis_name(each.name))
    if found is None or found.skilltrial is None:
        return None
    same = found.skilltrial.made_from == _made_from(work, each, _sources(work, each))
    return found if same else None


def _outlay(work: _Work, decided: Sequence[_Decided], kept: Mapping[str, Analysis]) -> AnalyseOutlay:
    known = [cost for found in kept.values() if (cost := _took(found).cost_usd) is not None]
    n_calls = len(decided) - len(kept)
    return AnalyseOutlay(
        judge=work.judge.name,
        n_decided=len(decided),
        n_kept=len(kept),
        n_calls=n_calls,
        usd=sum(known) / len(known) * n_calls if known else None if n_calls else 0.0,
    )


def _took(analysis: Analysis) -> Took:
    facts = analysis.skilltrial
    if facts is None:
        return Took(input_tokens=None, output_tokens=None, cost_usd=None)
    return Took(input_tokens=facts.input_tokens, output_tokens=facts.output_tokens, cost_usd=facts.cost_usd)


async def _analyse_all(work: _Work, due: Sequence[_Decided]) -> None:
    async with anyio.create_task_group() as group:
        for each in due:
            group.start_soon(_guarded, work, each, group.cancel_scope)
    if work.error is not None:
        raise work.error


async def _guarded(work: _Work, each: _Decided, scope: anyio.CancelScope) -> None:
    async with work.limit:
        if work.stopped:
            return
        try:
            await _analyse_one(work, each)
        except CeilingReached as reached:
            work.stopped = work.stopped or str(reached)
        except (AuthFailed, NotInstalled) as error:
            work.error = work.error or error
            scope.cancel()
        except (HarnessError, GradingError) as error:
            work.failed[each.name] = excerpt(str(error), 500)
        except SkilltrialError as error:
            work.error = work.error or error
            scope.cancel()


async def _analyse_one(work: _Work, each: _Decided) -> None:
    sources = await to_thread.run_sync(_sources, work, each)
    read, calls = await read_both(task_sections(work.plan.case(each.keys[0].case_id)), sources, judge=work.judge)
    total = added(calls)
    winner, loser = (work.plan.arm(key.arm) for key in each.keys)
    analysis = Analysis(
        comparison_summary=ComparisonSummary(
            winner=each.winner,
            winner_skill=_skill_folder(winner),
            loser_skill=_skill_folder(loser),
            comparator_reasoning=each.comparison.reasoning[:_REASONING],
        ),
        winner_strengths=read.winner_strengths,
        loser_weaknesses=read.loser_weaknesses,
        instruction_following=read.instruction_following,
        improvement_suggestions=read.improvement_suggestions,
        transcript_insights=read.transcript_insights,
        skilltrial=AnalysisFacts(
            comparison=each.name,
            quotes=read.quotes,
            judge=work.judge.name,
            made_from=_made_from(work, each, sources),
            n_calls=len(calls),
            input_tokens=total.input_tokens,
            output_tokens=total.output_tokens,
            cost_usd=total.cost_usd,
        ),
    )
    name = analysis_name(each.name)
    await to_thread.run_sync(work.folder.put_aside, name)
    await to_thread.run_sync(work.folder.write_analysis, name, analysis)
    work.made[each.name] = analysis
    work.on_analysed()


def _skill_folder(arm: Arm) -> str | None:
    return arm.skill.folder if arm.skill else None


def _sources(work: _Work, each: _Decided) -> dict[Source, list[Passage]]:
    winner, loser = each.keys
    won, lost = (material_of(work.store, work.plan, work.iteration, key, work.code) for key in each.keys)
    return {
        "winner skill": skill_passages("winner", _files_of(work, winner.arm)),
        "loser skill": skill_passages("loser", _files_of(work, loser.arm)),
        "winner transcript": transcript_passages("winner", won),
        "loser transcript": transcript_passages("loser", lost),
        "winner output": output_passages("winner", won),
        "loser output": output_passages("loser", lost),
        "comparison": comparison_passages(each.comparison, each.winner),
    }


def _files_of(work: _Work, arm: str) -> Path | None:
    """The skill as the trials got it; else where it came from, while it is the same."""
    ref = work.plan.arm(arm).skill
    if ref is None:
        return None
    kept = work.store.path(f"{layout.iteration_dir(work.iteration)}/skills/{layout.slug(arm)}")
    if kept.is_dir():
        return kept
    try:
        same = load_skill(Path(ref.folder)).fingerprint == ref.fingerprint
    except SkilltrialError:
        same = False
    return Path(ref.folder) if same else kept


def _made_from(work: _Work, each: _Decided, sources: Mapping[Source, Sequence[Passage]]) -> str:
    shown = {name: joined(parts) for name, parts in sources.items()}
    told = each.comparison.skilltrial
    return digest_of([_RULES, analysing_words(), work.judge.name, told.made_from if told else None, shown])
