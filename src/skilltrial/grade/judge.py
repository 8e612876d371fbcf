"""The prose assertions of a trial, answered by a judge model in one structured call that does not know the arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from skilltrial.errors import AuthFailed, GradingError, HarnessError, NotInstalled
from skilltrial.grade.excerpt import escaped, excerpt
from skilltrial.grade.judge_answer import Bound, JudgeAnswer, JudgedStatement, answer_type, bind
from skilltrial.grade.judge_view import SYSTEM, JudgeView, judge_prompt, judge_view
from skilltrial.grade.material import Material
from skilltrial.grade.quotes import is_quoted, normalised
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.grading import AssertionResult, Claim, JudgeFacts
from skilltrial.records.record import Json
from skilltrial.records.suite import LlmJudge

_TEXT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judge came to: a result for every assertion that was asked."""

    results: Mapping[str, AssertionResult]
    claims: tuple[Claim, ...] = ()
    eval_feedback: Mapping[str, Json] = field(default_factory=dict[str, Json])
    facts: JudgeFacts
    complete: bool = True
    """False where the judge could not be reached, so that asking again later is worth it."""


async def judge_trial(material: Material, assertions: Sequence[LlmJudge], *, judge: LanguageModel) -> Judged:
    """Ask about all assertions at once; ask again, once, about those without a verdict that counts.

    None counts that is missing or contradicts itself, nor a PASS by a quote that is not there.

    Raises `AuthFailed` and `NotInstalled`, which every further call would meet. Any other failure of the judge, after its own
    retries, leaves the assertions UNGRADED with the reason.
    """
    view = judge_view(material)
    asked = {assertion.id: assertion for assertion in assertions}
    try:
        first = await _ask(view, assertions, judge=judge)
    except (AuthFailed, NotInstalled):
        raise
    except (HarnessError, GradingError) as error:
        reason = f"the judge {judge.name!r} could not answer: {excerpt(str(error), 500)}"
        results = {each.id: _result(each, None, reason, grader="none") for each in assertions}
        return Judged(results=results, facts=JudgeFacts(model=judge.name, calls=1), complete=False)
    bound = bind(first.value, list(asked))
    seen = normalised(view.material_text())
    unproven = {id_: each.evidence for id_, each in bound.verdicts.items() if _is_unproven(each, seen)}
    open_ids = [id_ for id_ in asked if id_ in unproven or id_ in bound.problems]
    again = await _ask_again(view, [asked[id_] for id_ in open_ids], unproven, judge=judge)
    verdicts = {id_: each for id_, each in bound.verdicts.items() if id_ not in unproven} | _second(
        again, open_ids, seen
    )
    unreached = open_ids if again is None else []
    problems = _problems(bound, unproven, unreached=unreached)
    return Judged(
        results={
            id_: _result(
                each,
                verdicts.get(id_),
                problems.get(id_, ""),
                note=_note(each, judge.name),
                grader="none" if id_ in unreached else "judge",
            )
            for id_, each in asked.items()
        },
        claims=tuple(_claims(first.value)),
        eval_feedback=_feedback(first.value, bound.unknown),
        facts=_facts(judge.name, [answer for answer in (first, again) if answer], n_asked=1 + bool(open_ids)),
        complete=not unreached,
    )


def _problems(bound: Bound, unproven: Mapping[str, str], *, unreached: Sequence[str]) -> dict[str, str]:
    """Why there is no verdict, by id."""
    problems = bound.problems | {
        id_: f"the judge said PASS, but its quote is not in what the agent left: {excerpt(quote)!r}"
        for id_, quote in unproven.items()
    }
    return problems | {
        id_: f"{problems[id_].rstrip('.')}; asked again, the judge could not answer." for id_ in unreached
    }


async def _ask(
    view: JudgeView,
    assertions: Sequence[LlmJudge],
    *,
    judge: LanguageModel,
    earlier: Mapping[str, str] | None = None,
) -> Answer[JudgeAnswer]:
    prompt = judge_prompt(view, assertions, earlier=earlier)
    return await judge.ask(system=SYSTEM, prompt=prompt, output=answer_type([each.id for each in assertions]))


async def _ask_again(
    view: JudgeView, assertions: Sequence[LlmJudge], quotes: Mapping[str, str], *, judge: LanguageModel
) -> Answer[JudgeAnswer] | None:
    if not assertions:
        return None
    try:
        return await _ask(view, assertions, judge=judge, earlier=quotes)
    except (AuthFailed, NotInstalled):
        raise
    except (HarnessError, GradingError):
        return None


def _is_unproven(each: JudgedStatement, seen: str) -> bool:
    return each.verdict == "PASS" and not is_quoted(each.evidence, seen)


def _second(again: Answer[JudgeAnswer] | None, ids: Sequence[str], seen: str) -> dict[str, JudgedStatement]:
    if again is None:
        return {}
    return {id_: each for id_, each in bind(again.value, ids).verdicts.items() if not _is_unproven(each, seen)}


def _result(
    assertion: LlmJudge,
    judged: JudgedStatement | None,
    problem: str,
    *,
    note: str = "",
    grader: Literal["judge", "none"] = "judge",
) -> AssertionResult:
    if judged is None:
        verdict, evidence, confidence = "UNGRADED", problem, None
    else:
        quote = f" — “{escaped(judged.evidence.strip())}”" if judged.evidence.strip() else ""
        evidence = f"{escaped(judged.reason.strip())}{quote}".removeprefix(" — ")[:_TEXT] or "the judge gave no reason."
        verdict, confidence = judged.verdict, judged.confidence
    return AssertionResult(
        id=assertion.id,
        text=assertion.text,
        type=assertion.type,
        verdict=verdict,
        evidence=f"{evidence}{note}",
        confidence=confidence,
        grader=grader,
    )


def _note(assertion: LlmJudge, name: str) -> str:
    wanted = assertion.model
    if wanted is None or wanted == name or name.endswith((f":{wanted}", f"/{wanted}")):
        return ""
    return f" (The assertion asks for the judge {wanted!r}; one judge a run is what there is, and {name!r} answered.)"


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
    feedback: dict[str, Json] = {}
    if answer.eval_feedback.suggestions or answer.eval_feedback.overall:
        feedback = answer.eval_feedback.model_dump()
    if unknown:
        feedback["ignored_ids"] = [excerpt(each) for each in unknown]
    return feedback


def _facts(name: str, answers: Sequence[Answer[JudgeAnswer]], *, n_asked: int) -> JudgeFacts:
    whole = len(answers) == n_asked
    costs = [answer.cost_usd for answer in answers]
    return JudgeFacts(
        model=name,
        calls=n_asked,
        input_tokens=_total([answer.input_tokens for answer in answers]) if whole else None,
        output_tokens=_total([answer.output_tokens for answer in answers]) if whole else None,
        cost_usd=sum(cost for cost in costs if cost is not None) if whole and None not in costs else None,
        duration_ms=sum(answer.duration_ms for answer in answers),
    )


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
