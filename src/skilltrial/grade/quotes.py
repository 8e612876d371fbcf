"""Is a judge's quote really in the material? Spaces, quotation marks, emphasis, escapes and case do not count."""

from __future__ import annotations

import re
import unicodedata

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
    parts = [part.strip(" .,;:") for part in normalised(quote).split("\u2026")]
    parts = [part for part in parts if part]
    return any(_WORD.search(part) for part in parts) and all(part in material for part in parts)
