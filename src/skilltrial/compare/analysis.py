"""Why one of two compared outputs won: both skills and transcripts read by a model, its quotes looked up by code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BaseModel, Field

from skilltrial.compare.spending import CeilingReached, Took, took
from skilltrial.errors import AuthFailed, GradingError, HarnessError, NotInstalled
from skilltrial.grade.excerpt import escaped
from skilltrial.grade.judge_prompt import fence_token, fenced
from skilltrial.grade.judge_view import Passage
from skilltrial.grade.quotes import is_quoted, normalised, place_of
from skilltrial.ports import Answer, LanguageModel
from skilltrial.records.analysis import CitedQuote, InstructionFollowing, Suggestion, TranscriptInsights

Source = Literal[
    "winner skill",
    "loser skill",
    "winner transcript",
    "loser transcript",
    "winner output",
    "loser output",
    "comparison",
]
SOURCES: tuple[Source, ...] = get_args(Source)
_MOST = 5
_TEXT = 2_000
_LEAST = 3
"""Letters and digits of a quote: fewer stand in every text."""
_SIGN = re.compile(r"\w")


class QuotedWords(BaseModel):
    """Words of a source."""

    source: Source
    text: str = Field(description="Copied exactly.")


class QuotedClaim(BaseModel):
    """One thing that is said, and what it rests on."""

    text: str
    quotes: list[QuotedWords] = Field(description="One or more.")


class Followed(BaseModel):
    """How well an agent did what its skill says."""

    score: Annotated[int, Field(ge=1, le=10)] | None = Field(description="null for an agent without a skill.")
    issues: list[QuotedClaim] = Field(default_factory=list[QuotedClaim])


class SuggestedChange(BaseModel):
    """Of a skill."""

    priority: Literal["high", "medium", "low"]
    category: Literal["instructions", "tools", "examples", "error_handling", "structure", "references"]
    suggestion: str
    expected_impact: str
    quotes: list[QuotedWords]


class AnalysisAnswer(BaseModel):
    """The whole answer."""

    winner_strengths: list[QuotedClaim]
    loser_weaknesses: list[QuotedClaim]
    winner_following: Followed
    loser_following: Followed
    suggestions: list[SuggestedChange]
    winner_execution_pattern: QuotedClaim
    loser_execution_pattern: QuotedClaim


class Requoted(BaseModel):
    """New quotes of one claim."""

    claim: str = Field(description="The claim's place, as it was given.")
    quotes: list[QuotedWords]


class RequotedClaims(BaseModel):
    """The second answer."""

    claims: list[Requoted]


class _Claim(NamedTuple):
    place: str
    text: str
    quotes: Sequence[QuotedWords]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What came of it, in the shape of `records.analysis.Analysis`."""

    winner_strengths: tuple[str, ...]
    loser_weaknesses: tuple[str, ...]
    instruction_following: Mapping[Literal["winner", "loser"], InstructionFollowing]
    improvement_suggestions: tuple[Suggestion, ...]
    transcript_insights: TranscriptInsights
    quotes: tuple[CitedQuote, ...]


def analysing_words() -> str:
    """The system prompt."""
    return package_files("skilltrial.compare").joinpath("analysing.md").read_text(encoding="utf-8").strip()


async def read_both(
    task: Sequence[tuple[str, str]], sources: Mapping[Source, Sequence[Passage]], *, judge: LanguageModel
) -> tuple[Read, list[Took]]:
    """Ask why the winner won; ask once more for the quotes that are not where they are said to be. With what each call took.

    A claim whose quotes are still not found stays, and its quotes say so. Raises what `ask` does.
    """
    sections = [*task, *((name, "\n".join(part.text for part in sources[name])) for name in SOURCES)]
    prompt = f"{fenced(sections, fence_token(sections))}\n\nWhy did the winner win, and what should be changed?"
    first = await judge.ask(system=analysing_words(), prompt=prompt, output=AnalysisAnswer)
    calls = [took([first])]
    index: Mapping[Source, Sequence[tuple[str, str]]] = {
        name: [(part.place, normalised(part.text)) for part in sources[name]] for name in SOURCES
    }
    claims = list(_claims(first.value))
    quotes = {claim.place: _looked_up(claim.place, claim.quotes, index) for claim in claims}
    open_ = [claim for claim in claims if not all(each.found for each in quotes[claim.place])]
    if open_ and (again := await _asked_again(_again(prompt, open_), judge)):
        calls.append(took([again]))
        wanted = {claim.place for claim in open_}
        for each in again.value.claims:
            fresh = _looked_up(each.claim, each.quotes, index)
            if each.claim in wanted and all(quote.found for quote in fresh):
                quotes[each.claim] = fresh
    return _read(first.value, tuple(quote for claim in claims for quote in quotes[claim.place])), calls


async def _asked_again(prompt: str, judge: LanguageModel) -> Answer[RequotedClaims] | None:
    """None where there is no second answer: what the first one came to stands."""
    try:
        return await judge.ask(system=analysing_words(), prompt=prompt, output=RequotedClaims)
    except (AuthFailed, NotInstalled):
        raise
    except (HarnessError, GradingError, CeilingReached):
        return None


def _claims(answer: AnalysisAnswer) -> Iterator[_Claim]:
    """All of them, with their places in the file."""
    lists = {
        "winner_strengths": answer.winner_strengths,
        "loser_weaknesses": answer.loser_weaknesses,
        "instruction_following.winner.issues": answer.winner_following.issues,
        "instruction_following.loser.issues": answer.loser_following.issues,
    }
    for name, claims in lists.items():
        for number, claim in enumerate(claims[:_MOST]):
            yield _Claim(f"{name}.{number}", claim.text, claim.quotes)
    for number, each in enumerate(answer.suggestions[:_MOST]):
        yield _Claim(f"improvement_suggestions.{number}", each.suggestion, each.quotes)
    for side, claim in (("winner", answer.winner_execution_pattern), ("loser", answer.loser_execution_pattern)):
        yield _Claim(f"transcript_insights.{side}_execution_pattern", claim.text, claim.quotes)


def _looked_up(
    place: str, quotes: Sequence[QuotedWords], index: Mapping[Source, Sequence[tuple[str, str]]]
) -> list[CitedQuote]:
    """Each quote, with whether it stands in its source; a claim without any has one that is empty and not found."""
    found: list[CitedQuote] = []
    for quote in quotes[:_MOST]:
        passages = index[quote.source]
        told = len(_SIGN.findall(quote.text)) >= _LEAST
        is_there = told and is_quoted(quote.text, " ".join(text for _, text in passages))
        where = place_of(quote.text, passages) if is_there else ""
        text = escaped(quote.text.strip())[:_TEXT]
        found.append(CitedQuote(claim=place, source=where or quote.source, text=text, found=is_there))
    return found or [CitedQuote(claim=place, source="", text="", found=False)]


def _again(prompt: str, claims: Sequence[_Claim]) -> str:
    lines = "\n".join(
        json.dumps(
            {
                "claim": claim.place,
                "text": escaped(claim.text)[:_TEXT],
                "your quotes": [escaped(quote.text)[:_TEXT] for quote in claim.quotes[:_MOST]],
            },
            ensure_ascii=False,
        )
        for claim in claims
    )
    sections = [("your claims", lines)]
    request = (
        "You were asked before, and made these claims; a quote of each is not in the source that you named, or there is none. "
        "Give each claim quotes that are there, by its place. Leave out a claim that nothing can be quoted for."
    )
    return f"{prompt}\n\n{fenced(sections, fence_token(sections))}\n\n{request}"


def _read(answer: AnalysisAnswer, quotes: tuple[CitedQuote, ...]) -> Read:
    return Read(
        winner_strengths=_texts(answer.winner_strengths),
        loser_weaknesses=_texts(answer.loser_weaknesses),
        instruction_following={
            "winner": InstructionFollowing(
                score=answer.winner_following.score, issues=_texts(answer.winner_following.issues)
            ),
            "loser": InstructionFollowing(
                score=answer.loser_following.score, issues=_texts(answer.loser_following.issues)
            ),
        },
        improvement_suggestions=tuple(
            Suggestion(
                priority=each.priority,
                category=each.category,
                suggestion=_text(each.suggestion),
                expected_impact=_text(each.expected_impact),
            )
            for each in answer.suggestions[:_MOST]
        ),
        transcript_insights=TranscriptInsights(
            winner_execution_pattern=_text(answer.winner_execution_pattern.text),
            loser_execution_pattern=_text(answer.loser_execution_pattern.text),
        ),
        quotes=quotes,
    )


def _texts(claims: Sequence[QuotedClaim]) -> tuple[str, ...]:
    return tuple(_text(each.text) for each in claims[:_MOST])


def _text(written: str) -> str:
    return escaped(written.strip())[:_TEXT]
