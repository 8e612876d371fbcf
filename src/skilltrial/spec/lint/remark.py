"""Something to say about an eval file, before it has a place in it."""

from __future__ import annotations

from typing import NamedTuple

import regex

from skilltrial.spec.lint.rule import PlaceKey
from skilltrial.spec.patterns import BadPattern, compile_pattern

_SECONDS = 0.5
_CHARS = 200_000
_STRANGERS = ("Qv.", "Jk!", "Wx?")
"""Answers with nothing in common but that they are text."""


class Remark(NamedTuple):
    """What is wrong, about what, and how to write it better. `rule` is the name of a rule in the table."""

    rule: str
    message: str
    key: PlaceKey | None = None
    """None: the file as a whole."""
    value: str = ""
    hint: str = ""


def finds(pattern: str, text: str) -> bool:
    """Whether an author's pattern is found in a text; no where that cannot be told in half a second."""
    try:
        return compile_pattern(pattern).search(text[:_CHARS], timeout=_SECONDS) is not None
    except (BadPattern, TimeoutError, MemoryError, regex.error):
        return False


def matches_anything(pattern: str) -> bool:
    """Whether a pattern is found in whatever an agent may say."""
    return finds(pattern, "") or all(finds(pattern, text) for text in _STRANGERS)
