"""Authors' regular expressions on agents' texts, with an end to everything.

Patterns are searched (not anchored) with the engine's default flags: `.` stops at line ends, `^` and `$` are the ends of the
text, case counts. Inline flags change that: `(?m)`, `(?s)`, `(?i)`.
"""

from __future__ import annotations

import math

import regex

from skilltrial.grade.decision import Undecided
from skilltrial.grade.excerpt import excerpt

TIMEOUT_S = 5.0
# Compiling `a{10000000}` takes gigabytes, and no timeout reaches it.
_MAX_REPEATS = 200_000
_REPEAT = regex.compile(r"\{(?:\d*,)?(\d+)\}|\{(\d+),\}")


def search(pattern: str, text: str, *, timeout_s: float = TIMEOUT_S) -> regex.Match[str] | None:
    """The first match, or None. Raises `Undecided` for a pattern that is broken, too large, or takes too long."""
    compiled = _compile(pattern)
    try:
        return compiled.search(text, timeout=timeout_s)
    except (TimeoutError, MemoryError) as error:
        what = f"took longer than {timeout_s:g} s" if isinstance(error, TimeoutError) else "needs too much memory"
        raise Undecided(
            f"the pattern {excerpt(pattern)!r} {what} on {len(text)} characters; write it without nested repetition."
        ) from error


def _compile(pattern: str) -> regex.Pattern[str]:
    counts = [int((found[1] or found[2])[:12]) for found in _REPEAT.finditer(pattern)]
    if math.prod(max(count, 1) for count in counts) > _MAX_REPEATS:
        raise Undecided(f"the pattern {excerpt(pattern)!r} repeats more than {_MAX_REPEATS} times; make it smaller.")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise Undecided(f"the pattern {excerpt(pattern)!r} is no regular expression ({error}); mend it.") from error


def shown(match: regex.Match[str]) -> str:
    """The matched text, or, where that is empty, the line it was found in; shortened."""
    found = match[0]
    if not found.strip():
        start = match.string.rfind("\n", 0, match.start()) + 1
        end = match.string.find("\n", match.end())
        found = match.string[start : end if end >= 0 else len(match.string)]
    return excerpt(found)
