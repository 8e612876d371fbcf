"""Authors' regular expressions, compiled with a bound on memory.

The engine writes out the repeats that a pattern demands (`a{5000}`, not `a{0,5000}`): ten million take gigabytes, and
no time limit reaches it.
"""

from __future__ import annotations

from functools import lru_cache

import regex

MAX_PARTS = 50_000
"""Of a pattern with its demanded repeats written out; compiles in a tenth of a second to some 10 MB."""

# A set that is never closed takes the rest: looking for its end again at each of 20,000 brackets takes a minute.
_TOKEN = regex.compile(
    r"(?P<open>\()|(?P<close>\))|\{(?P<least>\d{1,20})(?:,\d*)?\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]?|.", regex.DOTALL
)


class BadPattern(ValueError):
    """A pattern that cannot be used; the text says why and goes on a sentence that begins with the pattern."""


@lru_cache(maxsize=16)
def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """The compiled pattern. Raises `BadPattern` for one that is broken or too large."""
    if n_parts(pattern) > MAX_PARTS:
        raise BadPattern(f"is too large (over {MAX_PARTS:,} parts, with its repeats written out); make it smaller")
    try:
        return regex.compile(pattern, cache_pattern=False)  # its cache holds hundreds, of whatever size
    except (regex.error, ValueError, OverflowError, RecursionError, KeyError, IndexError) as error:
        raise BadPattern(f"is no regular expression: {str(error)[:120]}") from error


def n_parts(pattern: str) -> int:
    """About how many parts the pattern has with its demanded repeats written out."""
    groups = [0]
    last = 0
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            groups.append(0)
            continue
        if token["least"]:
            repeated = last * max(int(token["least"]), 1)
            groups[-1] += repeated - last
            last = repeated
            continue
        last = groups.pop() + 1 if token["close"] and len(groups) > 1 else 1
        groups[-1] += last
    return sum(groups)
