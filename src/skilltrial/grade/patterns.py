"""Authors' regular expressions on agents' texts, with an end to everything.

Patterns are searched (not anchored) with the engine's default flags: `.` stops at line ends, `^` and `$` are the ends of the
text, case counts. Inline flags change that: `(?m)`, `(?s)`, `(?i)`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import regex

from skilltrial.grade.decision import Undecided
from skilltrial.grade.excerpt import excerpt
from skilltrial.spec.patterns import BadPattern, compile_pattern

TIMEOUT_S = 5.0
"""For all texts that one search looks at."""


def search(pattern: str, text: str, *, timeout_s: float = TIMEOUT_S) -> regex.Match[str] | None:
    """The first match, or None. Raises `Undecided` for a pattern that is broken, too large, or takes too long."""
    return next(matches(pattern, [text], timeout_s=timeout_s))


def matches(pattern: str, texts: Iterable[str], *, timeout_s: float = TIMEOUT_S) -> Iterator[regex.Match[str] | None]:
    """The first match in each text. The time is for all together; what the caller does between them does not count.

    Raises `Undecided` as `search` does.
    """
    try:
        compiled = compile_pattern(pattern)
    except BadPattern as error:
        raise Undecided(f"the pattern {excerpt(pattern)!r} {error}.") from error
    left = timeout_s
    for text in texts:
        begun = time.monotonic()
        try:
            found = compiled.search(text, timeout=max(left, 0.001))
        except (TimeoutError, MemoryError) as error:
            what = f"took longer than {timeout_s:g} s" if isinstance(error, TimeoutError) else "needs too much memory"
            raise Undecided(
                f"the pattern {excerpt(pattern)!r} {what} (at last on {len(text)} characters); "
                "write it without nested repetition."
            ) from error
        left -= time.monotonic() - begun
        yield found


def shown(match: regex.Match[str]) -> str:
    """The matched text, or, where that is empty, the line it was found in; shortened."""
    found = match[0]
    if not found.strip():
        start = match.string.rfind("\n", 0, match.start()) + 1
        end = match.string.find("\n", match.end())
        found = match.string[start : end if end >= 0 else len(match.string)]
    return excerpt(found)
