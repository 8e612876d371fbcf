"""The shape of a judge's answer, and how it is bound to the statements that were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import GenericAlias
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from skilltrial.records.grading import Confidence, Verdict


class JudgedStatement(BaseModel):
    """The verdict on one statement."""

    id: str = Field(description="The id of the statement.")
    reason: str = Field(default="", description="One sentence: why.")
    evidence: str = Field(default="", description="A passage copied word for word from the data.")
    verdict: Verdict
    confidence: Confidence = "MEDIUM"


class JudgedClaim(BaseModel):
    """A statement of fact that the agent made about its result."""

    claim: str
    type: Literal["factual", "process", "quality"] = "factual"
    verified: bool | None = None
    evidence: str = ""


class Suggestion(BaseModel):
    """What is wrong with a statement, or missing among them."""

    kind: Literal["weak", "missing", "suggested"] = "weak"
    assertion: str = Field(
        default="", description="The statement's text; of a missing or suggested one, how it should read."
    )
    reason: str


class EvalFeedback(BaseModel):
    """Critique of the statements themselves."""

    suggestions: list[Suggestion] = Field(default_factory=list[Suggestion])
    overall: str = ""


class NotesSummary(BaseModel):
    """What the agent's notes for the user say; empty where it left none."""

    uncertainties: list[str] = Field(default_factory=list[str])
    needs_review: list[str] = Field(default_factory=list[str])
    workarounds: list[str] = Field(default_factory=list[str])


class JudgeAnswer(BaseModel):
    """One structured answer about one trial."""

    verdicts: list[JudgedStatement]
    claims: list[JudgedClaim] = Field(default_factory=list[JudgedClaim])
    eval_feedback: EvalFeedback = Field(default_factory=EvalFeedback)
    user_notes_summary: NotesSummary = Field(default_factory=NotesSummary)


@lru_cache(maxsize=64)
def answer_type(ids: tuple[str, ...]) -> type[JudgeAnswer]:
    """`JudgeAnswer` whose JSON Schema lets only these ids stand; the same type for the same ids.

    The schema binds the model; validation takes any id, so that one invented id does not cost the other verdicts.
    """
    one_of: Any = Field(description="The id of the statement.", json_schema_extra={"enum": list(ids)})
    statement: Any = create_model("JudgedStatement", __base__=JudgedStatement, id=(str, one_of))
    statements: Any = GenericAlias(list, (statement,))
    return create_model("JudgeAnswer", __base__=JudgeAnswer, verdicts=(statements, ...))


@dataclass(frozen=True, slots=True)
class Bound:
    """An answer's verdicts by id, each exactly once; `problems` says for other ids why there is none."""

    verdicts: dict[str, JudgedStatement]
    problems: dict[str, str]
    unknown: tuple[str, ...]
    """Ids that were not asked for; ignored."""


def bind(answer: JudgeAnswer, ids: Sequence[str]) -> Bound:
    """Exactly one verdict an id. Repeated ids count where they agree (the first stands), else there is no verdict."""
    verdicts: dict[str, JudgedStatement] = {}
    problems: dict[str, str] = {}
    for wanted in ids:
        given = [each for each in answer.verdicts if each.id == wanted]
        if not given:
            problems[wanted] = "the judge gave no verdict."
        elif len({each.verdict for each in given}) > 1:
            problems[wanted] = f"the judge gave {len(given)} verdicts that contradict each other."
        else:
            verdicts[wanted] = given[0]
    unknown = sorted({each.id for each in answer.verdicts} - set(ids))
    return Bound(verdicts, problems, tuple(unknown))
