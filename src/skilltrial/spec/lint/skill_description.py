"""Advice on the description, which is all that an agent goes by before it loads a skill."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skilltrial.records.skill import Skill
from skilltrial.spec.findings import Problem
from skilltrial.spec.front_matter import FrontMatter
from skilltrial.spec.lint.rules import advice

ENTRY_CHARS = 1536
"""Where Claude Code 2.1 cuts the entry of one skill in its list."""
LISTING_CHARS = 7300
"""About what Claude Code 2.1 gives to the list of all skills on a model with 200k tokens of context (1 %)."""

_LARGE_SHARE = 0.1
_JUDGED_CHARS = 4000
_FEWEST_WORDS = 5
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_DENSE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DENSE_PER_WORD = 2
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_ENGLISH = re.compile(r"\b(?:the|and|with|from|of|for|to)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:when(?:ever)?|if|before|after|while|whether|trigger(?:s|ed)?|asks?|asked|asking|mentions?|wants?|needs?"
    r"|use (?:it|this|these|for|to|with|in|on|as)|used? (?:when|for|to|by)|useful for|invoke|activate[sd]?)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\bI(?:['\u2019](?:m|ll|ve|d)| (?:am|can|will|help|have|use|make|write|read|create|know|do))\b"
    r"|\b[Ww]e (?:can|will|help|have|use|make|write|read|create|know)\b"
    r"|(?:^|[.!?] )You can (?:use|ask)\b"
)
_FILLERS = {"a", "an", "the", "skill", "skills", "for", "of", "with", "to", "this", "is", "and", "agent"}


class _Remark(NamedTuple):
    rule: str
    message: str
    hint: str = ""


def description_advice(skill: Skill, front: FrontMatter, *, file: str) -> list[Problem]:
    """Whether agents see all of it, and whether it says enough for them to choose the skill. Wording is judged in English only."""
    if not skill.description:
        return []
    start = skill.description[:_JUDGED_CHARS]
    found = [*_listing(skill), *_substance(skill.name, start), *_wording(start)]
    line = front.lines.get("description")
    return [
        advice(rule, message, file=file, line=line, place="description", hint=hint) for rule, message, hint in found
    ]


def _listing(skill: Skill) -> Iterator[_Remark]:
    description = skill.description or ""
    extra = skill.frontmatter.get("when_to_use")
    more = f" {extra}" if isinstance(extra, str) else ""
    length = len(f"{skill.name}: {description}{more}")
    if length > ENTRY_CHARS:
        message = f"the entry in the list of skills has {length:,} characters; Claude Code cuts it at {ENTRY_CHARS:,}."
        yield _Remark("listing-cut", message, "Say the most important first, and shorten the rest.")
    elif len(description) > LISTING_CHARS * _LARGE_SHARE:
        message = (
            f"the description has {len(description)} characters, of about {LISTING_CHARS:,} that Claude Code gives to all "
            "skills together (1 % of a context of 200k tokens); when they are used up, skills keep only their names."
        )
        yield _Remark("listing-share", message, "Shorten it if it is used beside many other skills.")


def _substance(name: str, description: str) -> Iterator[_Remark]:
    words = [word.lower() for word in _WORD.findall(description)]
    n_words = len(words) + len(_DENSE.findall(description)) // _DENSE_PER_WORD
    of_name = {word.lower() for word in _WORD.findall(name.replace("-", " "))}
    if set(words) <= of_name | _FILLERS:
        yield _Remark("description-is-name", "the description says no more than the name.", _SAY)
    elif n_words < _FEWEST_WORDS:
        yield _Remark("description-short", f"the description has {n_words} word{'s' * (n_words != 1)}.", _SAY)


_SAY = "Say what the skill does and when to use it, in words that a user would say."


def _wording(description: str) -> Iterator[_Remark]:
    if "<" in description or ">" in description:
        message = (
            "the description has angle brackets; it stands in a prompt, and skill-creator's validator refuses them."
        )
        yield _Remark("description-markup", message, "Write it without them.")
    unquoted = _QUOTED.sub("", description)
    if _FIRST_PERSON.search(unquoted):
        message = "the description speaks in the first or second person; for the agent it is an entry in a list."
        yield _Remark("description-person", message, "Write in the third person: 'Fills in PDF forms. Use when …'.")
    if _ENGLISH.search(unquoted) and not _WHEN.search(description):
        yield _Remark("description-no-when", "the description does not say when to use the skill.", "Add 'Use when …'.")
