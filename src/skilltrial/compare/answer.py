"""What a judge says of two outputs in one order, and how their numbers in the request become labels."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from skilltrial.compare.outputs import ShownOutput, numbered, task_sections
from skilltrial.errors import Unparsable
from skilltrial.grade.excerpt import escaped, excerpt
from skilltrial.grade.judge_prompt import fence_token, fenced
from skilltrial.ports import Answer, Image, LanguageModel
from skilltrial.records.comparison import Criterion, Label, Rubric, Winner
from skilltrial.records.suite import Case, LlmJudge

_TEXT = 2_000
_MOST = 10
"""Strengths, and weaknesses, of an output."""
_NUMBERED = re.compile(r"\b(output)([ -]?)([12])\b", re.IGNORECASE)
Score = Annotated[int, Field(ge=1, le=5)]


class CriterionScore(BaseModel):
    """Of one output, on one criterion."""

    name: str = Field(description="The criterion's own name.")
    score: Score


class ComparedOutput(BaseModel):
    """What is said of one output."""

    content: list[CriterionScore]
    structure: list[CriterionScore]
    score: Annotated[int, Field(ge=1, le=10)] = Field(description="As a whole.")
    strengths: list[str] = Field(default_factory=list[str])
    weaknesses: list[str] = Field(default_factory=list[str])


class ComparedStatement(BaseModel):
    """Whether a statement holds for each output."""

    id: str
    output_1: bool | None = None
    output_2: bool | None = None


class ComparisonAnswer(BaseModel):
    """The whole answer."""

    output_1: ComparedOutput
    output_2: ComparedOutput
    reasoning: str
    winner: Literal["1", "2", "TIE"]
    statements: list[ComparedStatement] = Field(default_factory=list[ComparedStatement])


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOfOutput:
    """Of one output, in one order."""

    content: Mapping[str, int]
    structure: Mapping[str, int]
    score: int
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    statements: Mapping[str, bool]
    """By id; without those that could not be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidInOrder:
    """One order's answer, in labels."""

    first: Label
    winner: Winner
    reasoning: str
    outputs: Mapping[Label, SaidOfOutput]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What both orders are asked about."""

    case: Case
    rubric: Rubric
    outputs: Mapping[Label, ShownOutput]
    statements: tuple[LlmJudge, ...] = ()
    """Assertions that have no verdict yet."""


def comparing_words() -> str:
    """The system prompt."""
    return package_files("skilltrial.compare").joinpath("comparing.md").read_text(encoding="utf-8").strip()


async def ask_in_order(
    question: Question, first: Label, *, judge: LanguageModel
) -> tuple[SaidInOrder, list[Answer[ComparisonAnswer]]]:
    """Ask with this output first, and once more where the scores are not those of the rubric; with all answers paid for.

    In the request the outputs have numbers, so that no label can be preferred. Raises `Unparsable` where the second answer cannot
    be used either, and what `ask` does.
    """
    labels: tuple[Label, Label] = ("A", "B") if first == "A" else ("B", "A")
    sections = list(task_sections(question.case))
    images: list[Image] = []
    sections.append(("rubric", _rubric_lines(question.rubric)))
    for number, label in enumerate(labels, 1):
        texts, pictures = numbered(question.outputs[label], number)
        sections += texts
        images += pictures
    if question.statements:
        lines = [
            json.dumps({"id": each.id, "text": escaped(each.rubric)}, ensure_ascii=False)
            for each in question.statements
        ]
        sections.append(("statements", "\n".join(lines)))
    prompt = f"{fenced(sections, fence_token(sections))}\n\nCompare Output 1 and Output 2."
    answers: list[Answer[ComparisonAnswer]] = []
    problem = ""
    for _ in range(2):
        asked = f"{prompt}\n\nYour last answer cannot be used: {problem}" if problem else prompt
        answers.append(await judge.ask(system=comparing_words(), prompt=asked, output=ComparisonAnswer, images=images))
        problem = _problem(answers[-1].value, question.rubric)
        if not problem:
            return _said(answers[-1].value, labels, question), answers
    raise Unparsable(f"the judge {judge.name!r} gave no answer that can be used: {problem}")


def _rubric_lines(rubric: Rubric) -> str:
    kinds: Sequence[tuple[str, Sequence[Criterion]]] = (("content", rubric.content), ("structure", rubric.structure))
    return "\n".join(
        json.dumps({"kind": kind, "name": each.name, "meaning": each.meaning}, ensure_ascii=False)
        for kind, criteria in kinds
        for each in criteria
    )


def _problem(answer: ComparisonAnswer, rubric: Rubric) -> str:
    for number, said in ((1, answer.output_1), (2, answer.output_2)):
        for kind, scores, criteria in (
            ("content", said.content, rubric.content),
            ("structure", said.structure, rubric.structure),
        ):
            names, wanted = sorted(each.name for each in scores), sorted(each.name for each in criteria)
            if names != wanted:
                got = excerpt(", ".join(names)) or "none"
                return f"Output {number} needs a score for each of {', '.join(wanted)} of {kind}, once; it has {got}."
    return ""


def _said(answer: ComparisonAnswer, labels: tuple[Label, Label], question: Question) -> SaidInOrder:
    known = {each.id for each in question.statements}

    def text(written: str) -> str:
        clean = escaped(written.strip())[:_TEXT]
        return _NUMBERED.sub(lambda match: f"{match[1]}{match[2]}{labels[int(match[3]) - 1]}", clean)

    def output(said: ComparedOutput, told: Mapping[str, bool | None]) -> SaidOfOutput:
        return SaidOfOutput(
            content={each.name: each.score for each in said.content},
            structure={each.name: each.score for each in said.structure},
            score=said.score,
            strengths=tuple(text(each) for each in said.strengths[:_MOST]),
            weaknesses=tuple(text(each) for each in said.weaknesses[:_MOST]),
            statements={id_: holds for id_, holds in told.items() if holds is not None and id_ in known},
        )

    winner: Winner = "TIE" if answer.winner == "TIE" else labels[int(answer.winner) - 1]
    return SaidInOrder(
        first=labels[0],
        winner=winner,
        reasoning=text(answer.reasoning),
        outputs={
            labels[0]: output(answer.output_1, {each.id: each.output_1 for each in answer.statements}),
            labels[1]: output(answer.output_2, {each.id: each.output_2 for each in answer.statements}),
        },
    )
