"""Whether what a model answered can be a description."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

MAX_CHARS = 1024
"""Of the specification."""
MIN_WORDS = 4
_NOT_ABLE = r"(sorry|afraid|unable|not able|cannot|can't|won't|couldn't|could not|don't have|do not have|apologi[sz]e)"
_APOLOGY = re.compile(
    rf"\W*((i|i'm|i am) (am |very |so |really |must |do )?{_NOT_ABLE}\b|sorry\b|(my )?apolog(y|ies)\b"
    r"|as an ai\b|unfortunately,? i\b|here('s| is) (a|an|the|my|your)\b|(sure|certainly|of course)[,!.])",
    re.IGNORECASE,
)
_KEY = re.compile(r"\s*description\s*:", re.IGNORECASE)
_UNPRINTABLE = {"Cc", "Cs", "Cn", "Co", "Zl", "Zp"}
_TYPOGRAPHIC = "\N{RIGHT SINGLE QUOTATION MARK}"


def fault_of(text: str, earlier: Iterable[str]) -> str:
    """What stands against it, as a sentence for the model that wrote it; empty where nothing does."""
    return next(_faults(text, earlier), "")


def _faults(text: str, earlier: Iterable[str]) -> Iterator[str]:
    if not text.strip():
        yield "The description is empty."
    if len(text) > MAX_CHARS:
        yield f"The description has {len(text)} characters; at most {MAX_CHARS} are allowed."
    if "<" in text or ">" in text:
        yield "The description has angle brackets; none are allowed, no tags either."
    if "```" in text or text.lstrip().startswith("---"):
        yield "The description is fenced; write its text alone."
    if bad := next((char for char in text if unicodedata.category(char) in _UNPRINTABLE), None):
        yield f"The description has the character {bad!r}; write it as one line of plain text."
    if _APOLOGY.match(text.replace(_TYPOGRAPHIC, "'")):
        yield "This is said to somebody who asked, and is no description; write the description alone."
    if _KEY.match(text):
        yield "The description begins with its key; write its text alone."
    if len(text.split()) < MIN_WORDS:
        yield f"The description has fewer than {MIN_WORDS} words."
    if _plain(text) in {_plain(each) for each in earlier}:
        yield "This description was tried before; write another one."


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
