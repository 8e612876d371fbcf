"""One judge's answer to the prose assertions of a trial: one structured call, and one more for what did not count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skilltrial.errors import AuthFailed, GradingError, HarnessError, ImagesRefused, NotInstalled
from skilltrial.grade.excerpt import escaped, excerpt
from skilltrial.grade.judge_answer import Bound, JudgeAnswer, JudgedStatement, answer_type, bind
from skilltrial.grade.judge_prompt import JudgePrompt, judge_prompt
from skilltrial.grade.judge_view import JudgeView
from skilltrial.grade.quotes import is_quoted, normalised, place_of
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.grading import Claim, JudgeFacts, UserNotes, Vote
from skilltrial.records.json_value import Json
from skilltrial.records.suite import LlmJudge

_TEXT = 2_000
_NOTES = 20
_LISTS = {"weak": "weak_assertions", "missing": "missing_assertions", "suggested": "suggested_additions"}
"""Kinds of critique, and the lists in which skill-builder has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """A vote for every assertion that was asked, and what the judge said besides."""

    votes: Mapping[str, Vote]
    claims: tuple[Claim, ...] = ()
    eval_feedback: Mapping[str, Json] = field(default_factory=dict[str, Json])
    user_notes: UserNotes = field(default_factory=UserNotes)
    facts: JudgeFacts


async def ask_judge(
    view: JudgeView, assertions: Sequence[LlmJudge], *, judge: LanguageModel, prompt: JudgePrompt, sample: int = 1
) -> Ballot:
    """Ask about all assertions at once; ask again, once, about those without a verdict that counts.

    None counts that is missing or contradicts itself, nor one by a quote that is not there; a FAIL without a quote does.

    Raises `AuthFailed` and `NotInstalled`, which every further call would meet, and `ImagesRefused`. Any other failure of the
    judge, after its own retries, leaves votes that say why there is no verdict, and that nobody `answered`.
    """
    call = _Call(view=view, judge=judge, prompt=prompt, sample=sample, passages=_passages(view), frame=_frame(view))
    asked = {assertion.id: assertion for assertion in assertions}
    try:
        first = await call.ask(assertions)
    except (AuthFailed, NotInstalled, ImagesRefused):
        raise
    except (HarnessError, GradingError) as error:
        reason = f"the judge {judge.name!r} could not answer: {excerpt(str(error), 500)}"
        return Ballot(
            votes={id_: call.no_vote(reason, answered=False) for id_ in asked}, facts=_facts(call, [], n_asked=1)
        )
    bound = bind(first.value, list(asked))
    votes, unproven = call.count(bound)
    open_ids = [id_ for id_ in asked if id_ not in votes]
    again: Answer[JudgeAnswer] | None = None
    if open_ids:
        again = await call.ask_again([asked[id_] for id_ in open_ids], unproven)
        problems = _problems(bound, unproven, unreached=again is None)
        votes |= {id_: call.no_vote(problems[id_], answered=again is not None) for id_ in open_ids}
        votes |= call.count(bind(again.value, open_ids))[0] if again else {}
    answers = [answer for answer in (first, again) if answer]
    return Ballot(
        votes=votes,
        claims=tuple(_claims(first.value)),
        eval_feedback=_feedback(first.value, bound.unknown),
        user_notes=_notes(first.value) if view.has_notes else UserNotes(),
        facts=_facts(call, answers, n_asked=1 + bool(open_ids)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """What both times of asking share."""

    view: JudgeView
    judge: LanguageModel
    prompt: JudgePrompt
    sample: int
    passages: Sequence[tuple[str, str]]
    """All that proves something, normalised, with its place."""
    frame: Sequence[tuple[str, str]]
    """What the author wrote, as well: a FAIL may quote what was asked for."""

    async def ask(
        self, assertions: Sequence[LlmJudge], *, earlier: Mapping[str, str] | None = None
    ) -> Answer[JudgeAnswer]:
        text = judge_prompt(self.view, assertions, earlier=earlier, prompt=self.prompt)
        output = answer_type(tuple(each.id for each in assertions))
        if self.view.images:
            return await self.judge.ask(system=self.prompt.system, prompt=text, output=output, images=self.view.images)
        return await self.judge.ask(system=self.prompt.system, prompt=text, output=output)

    async def ask_again(self, assertions: Sequence[LlmJudge], quotes: Mapping[str, str]) -> Answer[JudgeAnswer] | None:
        """None where the judge could not answer this time."""
        try:
            return await self.ask(assertions, earlier=quotes)
        except (AuthFailed, NotInstalled):
            raise
        except (HarnessError, GradingError):
            return None

    def count(self, bound: Bound) -> tuple[dict[str, Vote], dict[str, str]]:
        """The votes that count, and the quotes of those that do not because they stand nowhere."""
        votes: dict[str, Vote] = {}
        unproven: dict[str, str] = {}
        for id_, said in bound.verdicts.items():
            place = self._place(said)
            if place is None:
                unproven[id_] = said.evidence
            else:
                votes[id_] = self._vote(said, place)
        return votes, unproven

    def no_vote(self, reason: str, *, answered: bool) -> Vote:
        return Vote(judge=self.judge.name, sample=self.sample, verdict="UNGRADED", reason=reason, answered=answered)

    def _place(self, said: JudgedStatement) -> str | None:
        """Where the quote stands, empty where none is needed; None where the verdict must not count."""
        if said.verdict == "PASS":
            return _where(said.evidence, self.passages)
        if said.verdict == "UNGRADED" or not said.evidence.strip():
            return _where(said.evidence, self.passages) or ""
        return _where(said.evidence, [*self.passages, *self.frame])

    def _vote(self, said: JudgedStatement, place: str) -> Vote:
        return Vote(
            judge=self.judge.name,
            sample=self.sample,
            verdict=said.verdict,
            reason=escaped(said.reason.strip())[:_TEXT],
            quote=escaped(said.evidence.strip())[:_TEXT] if place else "",
            place=place,
            confidence=said.confidence,
        )


def _where(quote: str, passages: Sequence[tuple[str, str]]) -> str | None:
    """Parts of one quote may stand in several places; then the first's is told."""
    whole = " ".join(text for _, text in passages)
    return place_of(quote, passages) or "several places" if is_quoted(quote, whole) else None


def _passages(view: JudgeView) -> list[tuple[str, str]]:
    """Each passage, then each section: a quote may run over several steps."""
    pieces = [(part.place, normalised(part.text)) for section in view.material for part in section.passages]
    return [
        *pieces,
        *((section.name, normalised(section.text)) for section in view.material if len(section.passages) > 1),
    ]


def _frame(view: JudgeView) -> list[tuple[str, str]]:
    return [(part.place, normalised(part.text)) for section in view.frame for part in section.passages]


def _problems(bound: Bound, unproven: Mapping[str, str], *, unreached: bool) -> dict[str, str]:
    """Why there is no verdict, by id."""
    problems = bound.problems | {
        id_: f"the judge said {bound.verdicts[id_].verdict}, but its quote is not in what the agent left: {excerpt(quote)!r}"
        for id_, quote in unproven.items()
    }
    if not unreached:
        return problems
    return {id_: f"{text.rstrip('.')}; asked again, the judge could not answer." for id_, text in problems.items()}


def _claims(answer: JudgeAnswer) -> list[Claim]:
    return [
        Claim(
            claim=escaped(each.claim)[:_TEXT],
            type=each.type,
            verified=each.verified,
            evidence=escaped(each.evidence)[:_TEXT],
        )
        for each in answer.claims
    ]


def _feedback(answer: JudgeAnswer, unknown: Sequence[str]) -> dict[str, Json]:
    """In skill-creator's form and in skill-builder's; empty where there is no critique."""
    said = answer.eval_feedback
    feedback: dict[str, Json] = {}
    if said.suggestions or said.overall:
        suggestions = [each.model_dump(exclude={"kind"}) for each in said.suggestions]
        feedback = {"suggestions": suggestions, "overall": said.overall}
        for kind, name in _LISTS.items():
            texts = [f"{each.assertion}: {each.reason}" for each in said.suggestions if each.kind == kind]
            feedback[name] = [text.removeprefix(": ") for text in texts]
    if unknown:
        feedback["ignored_ids"] = [excerpt(each) for each in unknown]
    return feedback


def _notes(answer: JudgeAnswer) -> UserNotes:
    said = answer.user_notes_summary
    return UserNotes(
        uncertainties=_short(said.uncertainties),
        needs_review=_short(said.needs_review),
        workarounds=_short(said.workarounds),
    )


def _short(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(escaped(text)[:_TEXT] for text in texts[:_NOTES])


def _facts(call: _Call, answers: Sequence[Answer[JudgeAnswer]], *, n_asked: int) -> JudgeFacts:
    whole = len(answers) == n_asked
    costs = [answer.cost_usd for answer in answers]
    return JudgeFacts(
        model=call.judge.name,
        prompt=call.prompt.digest,
        calls=n_asked,
        input_tokens=_total([answer.input_tokens for answer in answers]) if whole else None,
        output_tokens=_total([answer.output_tokens for answer in answers]) if whole else None,
        cost_usd=sum(cost for cost in costs if cost is not None) if whole and None not in costs else None,
        duration_ms=sum(answer.duration_ms for answer in answers),
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
