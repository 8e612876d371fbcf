"""Trials of a workspace compared two at a time by a judge that knows no names: `skilltrial compare`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread

from skilltrial import wiring
from skilltrial.aggregate.preferences import (
    Compared,
    first_won,
    length_effect,
    order_consistency,
    preferences,
    strengths,
)
from skilltrial.compare.answer import Question, SaidInOrder, ask_in_order, comparing_words
from skilltrial.compare.outputs import ShownOutput, coined_names, shown_output
from skilltrial.compare.pairs import Pair, arms_to_compare, labels_of, pairs_of
from skilltrial.compare.rubric import digest_of, make_rubric, rubric_source
from skilltrial.compare.spending import CeilingReached, HeldModel, Took, added, took
from skilltrial.compare.verdict import expectation_results, merged
from skilltrial.errors import (
    AuthFailed,
    GradingError,
    HarnessError,
    ImagesRefused,
    NotInstalled,
    SkilltrialError,
    SpecError,
)
from skilltrial.execute.codebases import code_files
from skilltrial.execute.resume import is_finished, read_trial
from skilltrial.feedback import feedback_of, left_out
from skilltrial.grade.document_texts import DocumentText, read_documents
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.run import read_grading, read_gradings
from skilltrial.operations.comparison_files import ComparisonFolder, Labels, analysis_name, material_of
from skilltrial.operations.sole_judge import open_sole_judge
from skilltrial.pipeline import newest_iteration
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import LanguageModel, Store
from skilltrial.preparing.judging import price_of_calls
from skilltrial.records.budget import Ceilings
from skilltrial.records.comparison import ComparisonFacts, Label, Rubric
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.preference import PreferenceSummary, Uncompared
from skilltrial.records.suite import CaseFile, LlmJudge
from skilltrial.records.trial import Trial, TrialKey

_RULES = 1
"""Another number: earlier comparisons are made anew."""
_ORDERS: tuple[Label, Label] = ("A", "B")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """What a person asks for."""

    workspace: Path
    env: Mapping[str, str] = field(repr=False)
    arms: tuple[str, ...] = ()
    """Two; none: every two of the iteration."""
    iteration: int | None = None
    only: tuple[str, ...] = ()
    """Ids of cases."""
    judge: str | None = None
    base_url: str | None = None
    seed: int | None = None
    """From which labels are drawn; None: the plan's."""
    ceilings: Ceilings = field(default_factory=Ceilings)
    concurrency: int = 4
    dry_run: bool = False
    """Say what would be asked, and leave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOutlay:
    """What is about to be done."""

    judge: str
    n_pairs: int
    """With a result on both sides."""
    n_kept: int
    """Of them, compared before: nobody is asked."""
    n_missing: int
    """Pairs without a result on a side."""
    n_left_out: int
    """Pairs of which people left out a trial."""
    n_calls: int
    """Answers that cannot be used take one more each."""
    usd: float | None
    """At the mean price of a call of this judge so far; None: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedWorkspace:
    """What came out."""

    workspace: Path
    iteration: int
    summary: PreferenceSummary
    n_asked: int
    """Comparisons made this time."""
    stopped: str = ""
    """The ceiling that was reached."""


@dataclass(slots=True, kw_only=True)
class _Work:
    """What the workers share."""

    store: Store
    folder: ComparisonFolder
    plan: Plan
    iteration: int
    judge: HeldModel
    seed: int
    names: Mapping[Pair, str]
    code: Mapping[str, tuple[CaseFile, ...]]
    documents: dict[str, DocumentText]
    limit: anyio.Semaphore
    sees_images: bool
    unseeing: bool = False
    """The judge said that it takes no pictures; it is shown none."""
    locks: dict[str, anyio.Lock] = field(default_factory=dict[str, anyio.Lock])
    """Of rubrics, by case."""
    no_rubric: dict[str, SkilltrialError] = field(default_factory=dict[str, SkilltrialError])
    on_compared: Callable[[], None] = lambda: None
    uncompared: list[Uncompared] = field(default_factory=list[Uncompared])
    stopped: str = ""
    made: dict[Pair, Compared] = field(default_factory=dict[Pair, Compared])
    error: SkilltrialError | None = None


async def compare(
    request: CompareRequest,
    *,
    agree: Callable[[CompareOutlay], Awaitable[None]],
    on_compared: Callable[[], None] = lambda: None,
) -> ComparedWorkspace | None:
    """Compare what is not compared yet, and sum up; None of a dry run.

    `agree` is asked before anything is spent or written, and raises where it does not; `on_compared` hears of each new
    comparison, which is on disk then. Raises `SpecError` for what is no workspace, unknown arms and cases, and no judge;
    `AuthFailed` and `NotInstalled` of the judge, and what stores raise. Any other failure of the judge leaves a pair uncompared.
    """
    if not request.workspace.is_dir():
        raise SpecError("there is no such workspace.", where=str(request.workspace))
    # Looked at before anything is locked: a folder that is no workspace is left as it is.
    iteration = newest_iteration(wiring.open_store(request.workspace, write=False), request.iteration)
    async with AsyncExitStack() as stack:
        store = wiring.open_store(request.workspace, write=not request.dry_run)
        stack.callback(store.close)
        plan = read_plan(store, iteration)
        arms = arms_to_compare(plan, request.arms)
        wanted = pairs_of(plan, arms, only=request.only)
        pairs, gaps = _with_results(wanted, plan, iteration, store)
        judge = await open_sole_judge(
            request.judge,
            plan,
            workspace=request.workspace,
            base_url=request.base_url,
            env=request.env,
            stack=stack,
        )
        work = await _work(request, plan, iteration, store, judge=judge, pairs=pairs)
        work.uncompared += gaps
        work.on_compared = on_compared
        kept = {pair: found for pair in pairs if (found := await _kept(work, pair)) is not None}
        await agree(_outlay(work, pairs, kept, gaps))
        if request.dry_run:
            return None
        work.judge = HeldModel(judge, request.ceilings, earlier=_spent(work, kept))
        await _compare_all(work, [pair for pair in pairs if pair not in kept])
        found = {pair: each for pair in pairs if (each := kept.get(pair) or work.made.get(pair)) is not None}
        summary = _summary(work, arms, found)
        work.folder.write_summary(summary)
    return ComparedWorkspace(
        workspace=request.workspace.absolute(),
        iteration=iteration,
        summary=summary,
        n_asked=len(work.made),
        stopped=work.stopped,
    )


async def _work(
    request: CompareRequest, plan: Plan, iteration: int, store: Store, *, judge: LanguageModel, pairs: Sequence[Pair]
) -> _Work:
    folder = ComparisonFolder(store, iteration)
    return _Work(
        store=store,
        folder=folder,
        plan=plan,
        iteration=iteration,
        judge=HeldModel(judge, request.ceilings),
        seed=plan.seed if request.seed is None else request.seed,
        names=_names(pairs, folder),
        code=await to_thread.run_sync(code_files, plan, iteration, store),
        documents={},
        limit=anyio.Semaphore(max(1, request.concurrency)),
        sees_images=judge.sees_images,
    )


def _with_results(
    wanted: Sequence[Pair], plan: Plan, iteration: int, store: Store
) -> tuple[list[Pair], list[Uncompared]]:
    pairs: list[Pair] = []
    gaps: list[Uncompared] = []
    out = left_out(store, feedback_of(store, iteration))
    for pair in wanted:
        missing = [gap for key in pair.keys if (gap := _gap(read_trial(store, iteration, key), key, plan))]
        by_people = [f"{key}: {excerpt(out[key])}" for key in pair.keys if key in out]
        if missing:
            gaps.append(_uncompared(pair, "no result", "; ".join(missing)))
        elif by_people:
            gaps.append(_uncompared(pair, "left out by people", "; ".join(by_people)))
        else:
            pairs.append(pair)
    return pairs, gaps


def _gap(trial: Trial | None, key: TrialKey, plan: Plan) -> str:
    if trial is None:
        return f"{key} has not run"
    if is_finished(trial, plan):
        return ""
    said = f": {excerpt(trial.reason.message)}" if trial.reason else ""
    return f"{key} has no result ({trial.outcome.replace('_', ' ')}{said})"


def _uncompared(pair: Pair, why: str, message: str) -> Uncompared:
    return Uncompared.model_validate(
        {"case_id": pair.case_id, "repeat": pair.repeat, "arms": pair.arms, "why": why, "message": message}
    )


def _names(pairs: Sequence[Pair], folder: ComparisonFolder) -> dict[Pair, str]:
    """Of the comparison of each pair: the one that it had before, else the next number."""
    before = {frozenset(map(str, labels.values())): name for name, labels in folder.key().items()}
    number = folder.next_number()
    names: dict[Pair, str] = {}
    for pair in pairs:
        known = before.get(frozenset(map(str, pair.keys)))
        names[pair] = known or f"comparison-{number}"
        number += known is None
    return names


def _rubric(work: _Work, case_id: str) -> Rubric | None:
    """The one that is there, where it is of the task and the judge of now."""
    found = work.folder.rubric(case_id)
    source = rubric_source(work.plan.case(case_id), work.judge.name)
    return found if found and found.made_from == source else None


async def _kept(work: _Work, pair: Pair) -> Compared | None:
    """The comparison of before, where nothing that it was made from has changed."""
    rubric, found = _rubric(work, pair.case_id), work.folder.comparison(work.names[pair])
    if rubric is None or found is None or found.skilltrial is None:
        return None
    outputs = await _outputs(work, labels_of(pair, work.seed), images=work.sees_images)
    made_from = _made_from(work, rubric, outputs)
    return Compared(found, labels_of(pair, work.seed)) if found.skilltrial.made_from == made_from else None


def _made_from(work: _Work, rubric: Rubric, outputs: Mapping[Label, ShownOutput]) -> str:
    criteria = [each.model_dump() for each in (*rubric.content, *rubric.structure)]
    shown = {label: outputs[label].digest() for label in _ORDERS}
    return digest_of([_RULES, comparing_words(), work.judge.name, work.seed, rubric.made_from, criteria, shown])


def _outlay(
    work: _Work, pairs: Sequence[Pair], kept: Mapping[Pair, Compared], gaps: Sequence[Uncompared]
) -> CompareOutlay:
    due = [pair for pair in pairs if pair not in kept]
    without = {pair.case_id for pair in due if _rubric(work, pair.case_id) is None}
    n_calls = 2 * len(due) + len(without)
    costs = [each.comparison.skilltrial.cost_usd for each in kept.values() if each.comparison.skilltrial]
    known = [cost for cost in costs if cost is not None]
    gradings = read_gradings(work.store, work.plan, work.iteration)
    by_grading = price_of_calls(n_calls, judges=work.judge.name, gradings=gradings)
    return CompareOutlay(
        judge=work.judge.name,
        n_pairs=len(pairs),
        n_kept=len(kept),
        n_missing=sum(gap.why == "no result" for gap in gaps),
        n_left_out=sum(gap.why == "left out by people" for gap in gaps),
        n_calls=n_calls,
        usd=sum(known) / len(known) / 2 * n_calls if known else by_grading,
    )


def _spent(work: _Work, kept: Mapping[Pair, Compared]) -> Took:
    """By the judge so far, for comparisons and rubrics that still count."""
    cases = {pair.case_id for pair in work.names}
    rubrics = [rubric for case_id in sorted(cases) if (rubric := _rubric(work, case_id)) is not None]
    facts = [each.comparison.skilltrial for each in kept.values() if each.comparison.skilltrial]
    return added(
        Took(input_tokens=each.input_tokens, output_tokens=each.output_tokens, cost_usd=each.cost_usd)
        for each in (*rubrics, *facts)
    )


async def _compare_all(work: _Work, due: Sequence[Pair]) -> None:
    if not due:
        return
    before = work.folder.key()
    labels: dict[str, Labels] = {name: labels_of(pair, work.seed) for pair, name in work.names.items()}
    for name, own in labels.items():
        if before.get(name, own) != own:
            _put_aside(work, name)  # of another seed: it must not stand beside a key that says otherwise
    work.folder.write_key(before | labels)
    async with anyio.create_task_group() as group:
        for pair in due:
            group.start_soon(_guarded, work, pair, group.cancel_scope)
    if work.error is not None:
        raise work.error


def _put_aside(work: _Work, name: str) -> None:
    work.folder.put_aside(analysis_name(name))
    work.folder.put_aside(name)


async def _guarded(work: _Work, pair: Pair, scope: anyio.CancelScope) -> None:
    """Compare, where nothing stands against asking; what fails is said of the pair."""
    async with work.limit:
        if work.stopped:
            work.uncompared.append(_uncompared(pair, "not asked", work.stopped))
            return
        try:
            await _compare_pair(work, pair, await _rubric_of(work, pair.case_id))
        except CeilingReached as reached:
            work.stopped = work.stopped or str(reached)
            work.uncompared.append(_uncompared(pair, "not asked", str(reached)))
        except (AuthFailed, NotInstalled) as error:
            work.error = work.error or error
            scope.cancel()
        except (HarnessError, GradingError) as error:
            work.uncompared.append(_uncompared(pair, "judge failed", excerpt(str(error), 500)))
        except SkilltrialError as error:
            work.error = work.error or error
            scope.cancel()


async def _rubric_of(work: _Work, case_id: str) -> Rubric:
    """The rubric of a case, asked for by the first of its pairs; where that fails, the others do not try again."""
    async with work.locks.setdefault(case_id, anyio.Lock()):
        if case_id in work.no_rubric:
            raise work.no_rubric[case_id]
        found = _rubric(work, case_id)
        if found is None:
            try:
                found = await make_rubric(work.plan.case(case_id), judge=work.judge)
            except (HarnessError, GradingError) as error:
                work.no_rubric[case_id] = error
                raise
            await to_thread.run_sync(work.folder.write_rubric, found)
        return found


async def _compare_pair(work: _Work, pair: Pair, rubric: Rubric) -> None:
    await work.judge.allow(len(_ORDERS))
    labels, case = labels_of(pair, work.seed), work.plan.case(pair.case_id)
    outputs = await _outputs(work, labels, images=work.sees_images)
    gradings: dict[Label, Grading | None] = {
        label: read_grading(work.store, work.iteration, labels[label]) for label in _ORDERS
    }
    graded = [
        {each.id for each in grading.results if each.verdict != "UNGRADED"} if grading else set[str]()
        for grading in gradings.values()
    ]
    open_ = [
        each for each in case.assertions if isinstance(each, LlmJudge) and any(each.id not in ids for ids in graded)
    ]
    seen = outputs if not work.unseeing else await _outputs(work, labels, images=False)
    question = Question(case=case, rubric=rubric, outputs=seen, statements=tuple(open_))
    try:
        orders, total = await _both_orders(work, question)
    except ImagesRefused as refused:
        work.unseeing = work.unseeing or refused.lasting
        blind = await _outputs(work, labels, images=False)
        orders, total = await _both_orders(work, replace(question, outputs=blind))
    facts = ComparisonFacts(
        case_id=pair.case_id,
        repeat=pair.repeat,
        seed=work.seed,
        judge=work.judge.name,
        n_chars={label: outputs[label].n_chars for label in _ORDERS},
        made_from=_made_from(work, rubric, outputs),
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cost_usd=total.cost_usd,
    )
    comparison = merged(orders, facts, expectation_results(case, gradings, orders))
    await to_thread.run_sync(_put_aside, work, work.names[pair])
    await to_thread.run_sync(work.folder.write_comparison, work.names[pair], comparison)
    work.made[pair] = Compared(comparison, labels)
    work.on_compared()


async def _both_orders(work: _Work, question: Question) -> tuple[tuple[SaidInOrder, SaidInOrder], Took]:
    one, first = await ask_in_order(question, "A", judge=work.judge)
    other, second = await ask_in_order(question, "B", judge=work.judge)
    return (one, other), took([*first, *second])


async def _outputs(work: _Work, labels: Labels, *, images: bool) -> dict[Label, ShownOutput]:
    return {label: await _shown(work, labels[label], images=images) for label in _ORDERS}


async def _shown(work: _Work, key: TrialKey, *, images: bool) -> ShownOutput:
    left = await to_thread.run_sync(material_of, work.store, work.plan, work.iteration, key, work.code)
    documents = await read_documents(left, known=work.documents)
    names = coined_names(work.plan, left.case)
    return await to_thread.run_sync(partial(shown_output, left, names=names, images=images, documents=documents))


def _summary(work: _Work, arms: Sequence[tuple[str, str]], found: Mapping[Pair, Compared]) -> PreferenceSummary:
    compared = list(found.values())
    families = {case.id: case.family for case in work.plan.suite.cases}
    names = list(dict.fromkeys(name for pair in arms for name in pair))
    order = {pair: number for number, pair in enumerate(pairs_of(work.plan, arms))}
    uncompared = sorted(work.uncompared, key=lambda each: order[Pair(each.case_id, each.repeat, each.arms)])
    return PreferenceSummary(
        judge=work.judge.name,
        seed=work.seed,
        n_comparisons=len(compared),
        arms=preferences(compared, arms, families),
        order_consistency=order_consistency(compared, families),
        first_won=first_won(compared, families),
        length=length_effect(compared, families, seed=work.seed),
        strengths=strengths(compared, names, families, seed=work.seed),
        uncompared=tuple(uncompared),
        cost_usd=_spent(work, found).cost_usd,
    )
