"""Patterns of authors, weighed before they are compiled."""

from __future__ import annotations

import pytest

from skilltrial.spec.patterns import BadPattern, compile_pattern, n_parts


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("abc", 3),
        (r"a{3}", 3),
        (r"a{3,9}", 3),
        (r"a{0,9}", 1),
        (r"a{3,}b", 4),
        (r"(a{3}){4}", 16),
        (r"[{5}]{2}", 2),
        (r"[^]{5}]", 1),
        (r"\\{9}", 9),
        (r"a\{9}", 4),
        (r"a{,9}", 5),
    ],
)
def test_demanded_repeats_are_written_out(pattern: str, expected: int) -> None:
    """By hand; a group counts one besides its content."""
    assert n_parts(pattern) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        r"[0-9a-f]{64} [0-9a-f]{64} [0-9a-f]{64}",
        r".{0,200}a.{0,200}b.{0,200}c",
        r"a{0,100000000}",
        r"(?P<year>\d{4})-(?P<month>\d{2})",
    ],
)
def test_ordinary_patterns_are_taken(pattern: str) -> None:
    """Also with many repeats side by side, or allowed ones."""
    assert compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["a{10000000}", "((a{100}){100}){100}", "(?:x|y){999999,}", "a{99999999999999999999}"]
)
def test_patterns_that_would_eat_the_memory_are_refused(pattern: str) -> None:
    """They are never compiled."""
    with pytest.raises(BadPattern, match="is too large"):
        compile_pattern(pattern)


def test_large_patterns_are_not_all_kept() -> None:
    """Eight hundred of the largest would be gigabytes."""
    for number in range(60):
        compile_pattern(f"a{{40000}}{number}")
    assert compile_pattern.cache_info().currsize <= 16


def test_ten_thousand_groups_are_weighed_at_once() -> None:
    """No recursion of ours, whatever the engine says to it."""
    assert n_parts("(" * 10_000 + "a" + ")" * 10_000) == 10_001
