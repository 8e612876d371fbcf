"""Is a judge's quote really in the material? Spaces, quotation marks, emphasis, escapes and case do not count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_ESCAPED_SPACE = re.compile(r"\\[nrt]")
_IGNORED = re.compile(r"[\"'`*\\\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb]")
_GAP = re.compile(r"\[?\.{3}\]?")
_WORD = re.compile(r"\w")


def normalised(text: str) -> str:
    """The text with everything that quoting usually changes taken out."""
    text = unicodedata.normalize("NFKC", text)  # also turns the ellipsis character into three full stops
    text = _GAP.sub(" \u2026 ", _ESCAPED_SPACE.sub(" ", text))
    return " ".join(_IGNORED.sub("", text).casefold().split())


def is_quoted(quote: str, material: str) -> bool:
    """Every part of the quote (`…` parts it) stands in `material`, which must be `normalised` already.

    A quote without any letter or digit is none.
    """
    parts = _parts(quote)
    return any(_WORD.search(part) for part in parts) and all(part in material for part in parts)


def place_of(quote: str, passages: Sequence[tuple[str, str]]) -> str:
    """The name of the first passage that holds the whole quote, else its first part; empty where none does.

    Passages are pairs of a name and the `normalised` text.
    """
    whole = next((name for name, text in passages if is_quoted(quote, text)), "")
    if whole:
        return whole
    first = next(iter(_parts(quote)), "")
    return next((name for name, text in passages if first and first in text), "")


def _parts(quote: str) -> list[str]:
    parts = [part.strip(" .,;:") for part in normalised(quote).split("\u2026")]
    return [part for part in parts if part]
