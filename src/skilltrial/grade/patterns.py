"""Authors' regular expressions on agents' texts, with an end to everything.

Patterns are searched (not anchored) with the engine's default flags: `.` stops at line ends, `^` and `$` are the ends of the
text, case counts. Inline flags change that: `(?m)`, `(?s)`, `(?i)`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import regex

from skilltrial.grade.decision import Undecided
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.long_search import Search, search_apart
from skilltrial.spec.patterns import BadPattern, compile_pattern

TIMEOUT_S = 5.0
"""For all texts that one search looks at."""
_LONG = 500_000
"""Characters from which on a text is searched by a process of its own: the engine takes up to 200 bytes for each."""


class Match(NamedTuple):
    """Where a pattern was found."""

    text: str
    """All that was searched."""
    start: int
    end: int


def search(pattern: str, text: str, *, timeout_s: float = TIMEOUT_S) -> Match | None:
    """The first match, or None. Raises `Undecided` for a pattern that is broken, too large, or takes too long."""
    return next(matches(pattern, [text], timeout_s=timeout_s))


def matches(pattern: str, texts: Iterable[str], *, timeout_s: float = TIMEOUT_S) -> Iterator[Match | None]:
    """The first match in each text. The time is for all together; what the caller does between them does not count.

    Raises `Undecided` as `search` does.
    """
    try:
        compiled = compile_pattern(pattern)
    except BadPattern as error:
        raise Undecided(f"the pattern {excerpt(pattern)!r} {error}.") from error
    left = timeout_s
    for text in texts:
        try:
            search = _searched(compiled, text, timeout_s=max(left, 0.001))
        except (TimeoutError, MemoryError) as error:
            what = f"took longer than {timeout_s:g} s" if isinstance(error, TimeoutError) else "needs too much memory"
            raise Undecided(
                f"the pattern {excerpt(pattern)!r} {what} (at last on {len(text)} characters); "
                "write it without nested repetition."
            ) from error
        left -= search.seconds
        yield None if search.at is None else Match(text, *search.at)


def _searched(compiled: regex.Pattern[str], text: str, *, timeout_s: float) -> Search:
    if len(text) > _LONG:
        return search_apart(compiled.pattern, text, timeout_s=timeout_s)
    begun = time.monotonic()
    found = compiled.search(text, timeout=timeout_s)
    return Search(None if found is None else found.span(), time.monotonic() - begun)


def shown(match: Match) -> str:
    """The matched text, or, where that is empty, the line it was found in; shortened."""
    found = match.text[match.start : match.end]
    if not found.strip():
        start = match.text.rfind("\n", 0, match.start) + 1
        end = match.text.find("\n", match.end)
        found = match.text[start : end if end >= 0 else len(match.text)]
    return excerpt(found)
