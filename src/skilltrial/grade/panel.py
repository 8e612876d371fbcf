"""The prose assertions of a trial, answered by one judge or several, each in one structured call that does not know the arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from anyio import to_thread

from skilltrial.errors import AuthFailed, ImagesRefused, NotInstalled
from skilltrial.grade.document_texts import DocumentText, read_documents
from skilltrial.grade.judge import ask_judge
from skilltrial.grade.judge_answers import Answered, JudgeAnswers, answer_place, sum_facts
from skilltrial.grade.judge_prompt import JudgePrompt, own_prompt
from skilltrial.grade.judge_view import JudgeView, judge_view
from skilltrial.grade.material import Material
from skilltrial.grade.votes import result_of
from skilltrial.ports import LanguageModel
from skilltrial.records.grading import AssertionResult, Claim, JudgeFacts, UserNotes, Vote
from skilltrial.records.json_value import Json
from skilltrial.records.suite import LlmJudge

JUDGE_UNUSABLE = "the judge cannot be used"
"""How the reason at every prose assertion begins once the judge's key or program was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Who judges: all of `judges` every assertion, but for those that name one of their own."""

    judges: tuple[LanguageModel, ...]
    own: Mapping[str, LanguageModel | str] = field(default_factory=dict[str, LanguageModel | str])
    """By what assertions have as `model`: that judge, or why there is none."""
    samples: int = 1
    """How often each is asked the same."""
    prompt: JudgePrompt = field(default_factory=own_prompt)
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """Judges that refused once, and why; they are not asked again."""
    unseeing: set[str] = field(default_factory=set[str])
    """Judges that said that they take no pictures; they are shown none."""
    documents: dict[str, DocumentText] = field(default_factory=dict[str, DocumentText])
    """Documents that were read for a trial, by their content: others have the same."""

    @property
    def name(self) -> str:
        """Of all, with commas."""
        return ",".join(judge.name for judge in self.judges)

    @property
    def identity(self) -> str:
        """What verdicts depend on, of the judges."""
        return identity(self.name, self.samples, self.prompt.digest)

    def seats(self, assertion: LlmJudge) -> Sequence[LanguageModel | str]:
        """Who judges this one, or why nobody does."""
        wanted = assertion.model
        if wanted is None:
            return self.judges
        return [self.seat(wanted) or self.own.get(wanted) or f"the judge {wanted!r}, which it asks for, is not there."]

    def seat(self, name: str) -> LanguageModel | None:
        """The judge of this name, which may lack the vendor's."""
        ends = (f":{name}", f"/{name}")
        return next((each for each in self.judges if each.name == name or each.name.endswith(ends)), None)


def identity(model: str, samples: int, prompt: str | None) -> str:
    """One text of the facts in a grading that say who judged, and how."""
    return f"{model} ×{samples} {prompt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judges came to: a result for every assertion that was asked."""

    results: Mapping[str, AssertionResult]
    claims: tuple[Claim, ...] = ()
    eval_feedback: Mapping[str, Json] = field(default_factory=dict[str, Json])
    user_notes: UserNotes = field(default_factory=UserNotes)
    facts: JudgeFacts
    complete: bool = True
    """False where a judge could not be reached, so that asking again later is worth it."""


async def judge_trial(
    material: Material,
    assertions: Sequence[LlmJudge],
    *,
    panel: Panel,
    answers: JudgeAnswers | None = None,
    alter: Callable[[JudgeView], JudgeView] | None = None,
) -> Judged:
    """Ask each judge once about all that it has to judge (and once for each further sample), but for what `answers` know.

    `alter` changes what the judges see, for probes. Raises `AuthFailed` and `NotInstalled` where the one judge refuses.
    """
    session = _Session(panel=panel, material=material, answers=answers or JudgeAnswers(), alter=alter)
    for judge, group in _groups(assertions, panel):
        for sample in range(1, panel.samples + 1):
            await session.vote(judge, group, sample)
    heard = session.heard
    facts = sum_facts([*session.facts, JudgeFacts(model="", cost_usd=0.0, input_tokens=0, output_tokens=0)])
    return Judged(
        results={each.id: result_of(each, session.votes[each.id]) for each in assertions},
        claims=next((one.claims for one in heard if one.claims), ()),
        eval_feedback=next((one.eval_feedback for one in heard if one.eval_feedback), dict[str, Json]()),
        user_notes=next((one.user_notes for one in heard if one.user_notes != UserNotes()), UserNotes()),
        facts=facts.model_copy(update={"model": panel.name, "samples": panel.samples, "prompt": panel.prompt.digest}),
        complete=all(vote.answered for votes in session.votes.values() for vote in votes),
    )


async def n_calls(
    material: Material,
    assertions: Sequence[LlmJudge],
    *,
    panel: Panel,
    answers: JudgeAnswers,
    alter: Callable[[JudgeView], JudgeView] | None = None,
) -> int:
    """How often `judge_trial` will ask judges for the first time; what does not count at once is asked for once more."""
    session = _Session(panel=panel, material=material, answers=answers, alter=alter)
    asked = [
        answers.known(await session.place(judge, sample), group).keys() != {each.id for each in group}
        for judge, group in _groups(assertions, panel)
        if not isinstance(judge, str)
        for sample in range(1, panel.samples + 1)
    ]
    return sum(asked)


def _groups(assertions: Sequence[LlmJudge], panel: Panel) -> list[tuple[LanguageModel | str, list[LlmJudge]]]:
    """What each judge is asked, by the judge's name, so that one that is named twice is asked once."""
    groups: dict[str, tuple[LanguageModel | str, list[LlmJudge]]] = {}
    for assertion in assertions:
        for judge in panel.seats(assertion):
            name = judge if isinstance(judge, str) else judge.name
            groups.setdefault(name, (judge, []))[1].append(assertion)
    return list(groups.values())


@dataclass(slots=True, kw_only=True)
class _Session:
    """One trial before its judges."""

    panel: Panel
    material: Material
    answers: JudgeAnswers
    alter: Callable[[JudgeView], JudgeView] | None = None
    votes: dict[str, list[Vote]] = field(default_factory=dict[str, list[Vote]])
    heard: list[Answered] = field(default_factory=list[Answered])
    facts: list[JudgeFacts] = field(default_factory=list[JudgeFacts])
    views: dict[bool, JudgeView] = field(default_factory=dict[bool, JudgeView])
    documents: Mapping[str, DocumentText] | None = None
    unseeing: set[str] = field(default_factory=set[str])
    """Judges that did not take the pictures of this trial."""

    async def vote(self, judge: LanguageModel | str, group: Sequence[LlmJudge], sample: int) -> None:
        if isinstance(judge, str):
            self._absent(group, name=group[0].model or "", sample=sample, reason=judge)
            return
        view = await self._view(judge)
        prompt = self.panel.prompt
        place = await self.place(judge, sample)
        known = self.answers.known(place, group)
        missing = [each for each in group if each.id not in known]
        spent = self.answers.at(place).facts
        if missing and judge.name in self.panel.refused:
            self._absent(missing, name=judge.name, sample=sample, reason=self.panel.refused[judge.name])
        elif missing:
            try:
                ballot = await ask_judge(view, missing, judge=judge, prompt=prompt, sample=sample)
            except ImagesRefused as error:
                (self.panel if error.lasting else self).unseeing.add(judge.name)
                await self.vote(judge, group, sample)
                return
            except (AuthFailed, NotInstalled) as error:
                if [each.name for each in self.panel.judges] == [judge.name]:
                    raise
                self.panel.refused[judge.name] = f"{JUDGE_UNUSABLE}: {error}"
                self._absent(missing, name=judge.name, sample=sample, reason=self.panel.refused[judge.name])
            else:
                if await self._lacks_images(judge):
                    ballot = replace(ballot, facts=ballot.facts.model_copy(update={"images_refused": True}))
                self._count(ballot.votes)
                self.answers.add(place, missing, ballot)
                spent = sum_facts([*([spent] if spent else []), ballot.facts])
        self._count(known)
        self.heard.append(self.answers.at(place))
        self.facts += [spent] if spent else []

    async def place(self, judge: LanguageModel, sample: int) -> str:
        """Where the answer is kept."""
        digest = (await self._view(judge)).digest()
        return answer_place(digest, judge=judge.name, prompt=self.panel.prompt.digest, sample=sample)

    async def _view(self, judge: LanguageModel) -> JudgeView:
        """Made once for all judges with the same eyes; documents are read once for all."""
        return await self._shown(images=judge.sees_images and not self._refuses_images(judge))

    def _refuses_images(self, judge: LanguageModel) -> bool:
        return judge.name in self.unseeing or judge.name in self.panel.unseeing

    async def _lacks_images(self, judge: LanguageModel) -> bool:
        """There are pictures that this judge was not shown because it refused such."""
        refuses = judge.sees_images and self._refuses_images(judge)
        return refuses and bool((await self._shown(images=True)).images)

    async def _shown(self, *, images: bool) -> JudgeView:
        if self.documents is None:
            self.documents = await read_documents(self.material, known=self.panel.documents)
        if images not in self.views:
            make = partial(judge_view, self.material, images=images, documents=self.documents)
            view = await to_thread.run_sync(make)
            self.views[images] = self.alter(view) if self.alter else view
        return self.views[images]

    def _count(self, votes: Mapping[str, Vote]) -> None:
        for id_, vote in votes.items():
            self.votes.setdefault(id_, []).append(vote)

    def _absent(self, group: Sequence[LlmJudge], *, name: str, sample: int, reason: str) -> None:
        self._count(
            {
                each.id: Vote(judge=name, sample=sample, verdict="UNGRADED", reason=reason, answered=False)
                for each in group
            }
        )
