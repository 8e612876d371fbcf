"""What people are asked, blind to the arm and to the judge's verdict, and what is kept of it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

import anyio

from skilltrial import wiring
from skilltrial.aggregate.census import take_census
from skilltrial.aggregate.labels import JudgedItem, Looked, Stratum, judged_items
from skilltrial.errors import SpecError
from skilltrial.execute.codebases import code_files
from skilltrial.execute.resume import read_trial, read_trials
from skilltrial.grade.document_texts import DocumentText, read_documents
from skilltrial.grade.judge_view import JudgeView, Section, judge_view
from skilltrial.grade.run import read_gradings, read_material
from skilltrial.journal import note_verdict, read_journal
from skilltrial.pipeline import newest_iteration
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.journal import PersonVerdict
from skilltrial.records.plan import Plan
from skilltrial.records.suite import CaseFile

Answer = Literal["PASS", "FAIL", "UNSURE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRequest:
    """What a person asks for."""

    workspace: Path
    by: str
    iteration: int | None = None
    n: int = 30
    """How many assertions the draw has, those with an answer of this person among them."""
    seed: int | None = None
    """Of the draw and its order; None: the plan's."""
    only: tuple[str, ...] = ()
    """Ids of cases and assertions. Then nothing is drawn at random, and the answers correct no figures."""


class Question(NamedTuple):
    """One assertion of one trial."""

    id: str
    """Names neither the arm nor the trial."""
    item: JudgedItem
    looked: Looked
    drawn_for: str

    @property
    def statement(self) -> str:
        """What holds or does not."""
        return self.item.result.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The questions of a draw in the order of asking, and what it takes to show and answer them."""

    store: Store
    plan: Plan
    iteration: int
    by: str
    questions: tuple[Question, ...]
    everything: tuple[Question, ...]
    """Also those that are not in the draw, in the order of the trials."""
    last: dict[Looked, PersonVerdict]
    """The last word of this person on each."""
    code: dict[str, tuple[CaseFile, ...]]
    documents: dict[str, DocumentText] = field(default_factory=dict[str, DocumentText])
    """Those that were read for a question, by their content."""

    @property
    def open(self) -> tuple[Question, ...]:
        """Those without an answer of this person."""
        return tuple(each for each in self.questions if each.looked not in self.last)

    def sections(self, question: Question) -> tuple[Section, ...]:
        """What the judge was shown of the trial, but for pictures: bounded, without a word on skills, documents as texts."""
        view = self.view(question)
        return (*view.frame, *view.material)

    def view(self, question: Question, *, images: bool = False) -> JudgeView:
        """The same as the judge's view, with pictures where they can be shown."""
        key = question.item.key
        trial = read_trial(self.store, self.iteration, key)
        if trial is None:
            raise SpecError(f"the trial {key} is gone.", where=str(self.store.path("")))
        transcript = self.store.read(f"{layout.trial_dir(self.iteration, key)}/{layout.TRANSCRIPT}") or b""
        material = read_material(
            self.plan,
            self.iteration,
            self.store,
            trial=trial,
            transcript=transcript,
            code=self.code.get(key.case_id, ()),
        )
        documents = anyio.run(partial(read_documents, material, known=self.documents))
        return judge_view(material, images=images, documents=documents)

    def answer(self, question: Question, verdict: Answer, *, note: str, at: datetime) -> None:
        """Keep an answer; it is on the disk when this returns. Raises `StoreError` where it cannot be kept."""
        self._keep(
            PersonVerdict(
                at=at,
                by=self.by,
                iteration=self.iteration,
                key=question.item.key,
                assertion=question.item.result.id,
                verdict=verdict,
                note=note,
                blind=True,
                trial_digest=question.looked.trial,
                assertion_digest=question.looked.assertion,
                drawn_for=question.drawn_for,
            )
        )

    def carry_over(self) -> int:
        """Let answers to earlier draws stand for this one, where it drew the same trials and statements; returns how many."""
        earlier = [
            verdict.model_copy(update={"drawn_for": each.drawn_for})
            for each in self.questions
            if (verdict := self.last.get(each.looked)) and each.drawn_for and verdict.drawn_for != each.drawn_for
        ]
        for verdict in earlier:
            self._keep(verdict)
        return len(earlier)

    def _keep(self, verdict: PersonVerdict) -> None:
        note_verdict(self.store, verdict)
        self.last[Looked(verdict.trial_digest, verdict.assertion_digest)] = verdict


def lay_out(request: LabelRequest) -> Desk:
    """Draw what a person is asked: at random within arm and verdict of the judge, as many of each as there are.

    The same seed gives the same draw, and a larger one holds a smaller one. Raises `SpecError` where no judge has a verdict, where
    gradings do not say what was judged, and for unknown ids.
    """
    store = wiring.open_store(request.workspace, write=False)
    iteration = newest_iteration(store, request.iteration)
    plan = read_plan(store, iteration)
    census = take_census(plan, read_trials(store, plan, iteration), read_gradings(store, plan, iteration))
    items = judged_items(census)
    _require_judged(items, request)
    chosen = _only(items, plan, request.only)
    rng = Random(plan.seed if request.seed is None else request.seed)  # noqa: S311 - a draw, no secret
    drawn = chosen if request.only else draw(items, request.n, rng)
    questions = [question for item in drawn if (question := _question(item, chosen=bool(request.only)))]
    if request.only:
        rng.shuffle(questions)
    return Desk(
        store=store,
        plan=plan,
        iteration=iteration,
        by=request.by,
        questions=tuple(questions),
        everything=tuple(question for item in items if (question := _question(item, chosen=True))),
        last={
            Looked(said.trial_digest, said.assertion_digest): said
            for said in read_journal(store).verdicts
            if said.by == request.by and said.blind
        },
        code=code_files(plan, iteration, store),
    )


def draw(items: Sequence[JudgedItem], n: int, rng: Random) -> list[JudgedItem]:
    """As many of each stratum as of any other while they last, in an order that tells nothing; the same start for every `n`."""
    strata: defaultdict[Stratum, list[JudgedItem]] = defaultdict(list)
    for item in items:
        if item.looked is not None:
            strata[item.stratum].append(item)
    queues = [rng.sample(own, len(own)) for own in strata.values()]
    order = rng.getrandbits(64)
    rounds = [
        [queue[turn] for queue in queues if turn < len(queue)] for turn in range(max(map(len, queues), default=0))
    ]
    drawn = [item for each in rounds for item in each][:n]
    Random(order).shuffle(drawn)  # noqa: S311 - as above
    return drawn


def _question(item: JudgedItem, *, chosen: bool) -> Question | None:
    if item.looked is None:
        return None
    digest = hashlib.sha256("\n".join(item.looked).encode()).hexdigest()
    return Question(id=digest[:12], item=item, looked=item.looked, drawn_for="" if chosen else item.judge)


def _require_judged(items: Sequence[JudgedItem], request: LabelRequest) -> None:
    hint = "`skilltrial grade WORKSPACE --judge NAME` grades what was run."
    if not items:
        raise SpecError(
            "no judge has a verdict here, so there is none to check.", where=str(request.workspace), hint=hint
        )
    if not any(item.looked for item in items):
        message = "the gradings here do not say what was judged (an older version's, or another tool's)."
        raise SpecError(message, where=str(request.workspace), hint=hint)


def _only(items: Sequence[JudgedItem], plan: Plan, only: Sequence[str]) -> list[JudgedItem]:
    written = {case.id: str(case.written_id) for case in plan.suite.cases if case.written_id is not None}

    def names(item: JudgedItem) -> set[str]:
        return {item.key.case_id, written.get(item.key.case_id, item.key.case_id), item.result.id}

    known = {name for item in items for name in names(item)}
    unknown = [name for name in only if name not in known]
    if unknown:
        ids = ", ".join(dict.fromkeys(item.key.case_id for item in items[:10]))
        raise SpecError(f"no case and no judged assertion is called {unknown[0]!r}.", hint=f"Cases: {ids}.")
    return [item for item in items if names(item) & set(only)]
