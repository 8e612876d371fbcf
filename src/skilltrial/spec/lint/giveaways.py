"""Answers that stand in the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skilltrial.records.suite import AnswerMatches, Assertion, Case, FileMatches, LlmJudge, Suite, TranscriptCheck
from skilltrial.spec.lint.remark import Remark, finds, matches_anything

_LITERAL = re.compile(
    r"(?i)\b(?:contains?|includes?|mentions?|has|uses?|says?|states?|outputs?|prints?|returns?|answers?|named|called)\s+"
    r"(?:[\w-]+\s+){0,3}?(?:`([^`\n]{3,120})`|\"([^\"\n]{3,120})\"|'([^'\n]{3,120})'|\u201c([^\u201d\n]{3,120})\u201d)"
    r"(?:\s+[\w-]+){0,3}\s*\.?\Z"
)
"""A statement that asks for certain words, and for nothing about them."""
_MAX_CHARS = 1_000
_PATH = re.compile(r"\S*[/\\]\S*|\S+\.\w{1,5}")
_DENIES = re.compile(r"(?i)\b(?:not|no|never|without|avoids?|refuses?|instead|rather)\b|n['\u2019]t\b")


def about_giveaways(suite: Suite) -> Iterator[Remark]:
    """Remarks on assertions that the prompt's own words satisfy."""
    for case in suite.cases:
        for assertion in case.assertions:
            found = _given(case, assertion)
            if found is not None:
                yield found._replace(key=(case.id, assertion.id))


def _given(case: Case, assertion: Assertion) -> Remark | None:
    match assertion:
        case AnswerMatches(pattern=pattern, negate=False):
            return _echo(case, pattern)
        case TranscriptCheck(check="assistant_message_matches", pattern=str(pattern), negate=False):
            return _echo(case, pattern)
        case FileMatches(pattern=pattern, negate=False):
            if finds(pattern, case.prompt) and not matches_anything(pattern):
                return _literal(pattern)
        case LlmJudge(rubric=rubric) if len(rubric) < _MAX_CHARS and not _DENIES.search(rubric):
            quote = _LITERAL.search(rubric)
            literal = str(quote[quote.lastindex or 0]).strip() if quote else ""
            if literal and literal.casefold() in case.prompt.casefold() and not _PATH.fullmatch(literal):
                return _literal(literal)
        case _:
            pass
    return None


def _echo(case: Case, pattern: str) -> Remark | None:
    if not finds(pattern, case.prompt) or matches_anything(pattern):
        return None
    message = f"the prompt itself matches {pattern[:60]!r}; an agent that repeats the task passes."
    hint = "Look for something that the agent has to find out or make."
    return Remark("answer-in-prompt", message, value=pattern[:80], hint=hint)


def _literal(literal: str) -> Remark:
    message = f"the prompt has {literal[:60]!r} already, so both arms are told."
    hint = "Fine where copying it is the task. Where the skill should know it, take it out of the prompt."
    return Remark("literal-in-prompt", message, value=literal[:80], hint=hint)
