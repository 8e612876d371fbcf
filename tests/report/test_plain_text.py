"""Other people's text, made harmless."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.report.plain_text import block, encodable, line, natural_key


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]8;;http://x\x07link", r"\x1b]8;;http://x\x07link"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\x9b2J", r"\x9b2J"),
        ("hidden\U000e0041", r"hidden\U000e0041"),
        ("lone\ud800", r"lone\ud800"),
        ("two\nlines\tand\r\nmore", "two lines and more"),
        ("  spaces   inside ", "spaces inside"),
        ("naïve 日本 👩\u200d🔬", "naïve 日本 👩\u200d🔬"),
    ],
)
def test_line_shows_what_acts(text: str, shown: str) -> None:
    """Characters that act are shown as escapes, lines become one, letters stay."""
    assert line(text) == shown


def test_line_is_cut_with_a_mark() -> None:
    """100 kB become the limit, and the cut can be seen."""
    assert line("x" * 100_000, 10) == "x" * 9 + "…"


def test_line_of_the_limit_is_whole() -> None:
    """Nothing is cut that fits."""
    assert line("x" * 10, 10) == "x" * 10


@given(st.text(), st.integers(2, 50))
def test_line_never_acts_and_never_overflows(text: str, limit: int) -> None:
    """For any text: within the limit, encodable, and no control or format characters but the joiners."""
    shown = line(text, limit)
    assert len(shown) <= limit
    shown.encode()
    kinds = {unicodedata.category(char) for char in shown if char not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}


def test_block_keeps_lines_and_says_what_is_left_out() -> None:
    """Evidence keeps its lines; the rest is counted."""
    assert block("a\r\nb\x1b\n" + "c" * 1005, 10) == "a\nb\\x1b\ncccc… [1,001 more]"


def test_encodable_has_ascii_relatives() -> None:
    """An ASCII terminal gets relatives of our signs and escapes of others."""
    assert encodable("6 × 2: −3 – ü…", "ascii") == r"6 x 2: -3 - \xfc..."


def test_encodable_leaves_what_fits() -> None:
    """What the encoding has is not touched."""
    assert encodable("2 × ü", "latin-1") == "2 × ü"


def test_natural_key_sorts_numbers_by_value() -> None:
    """Eval 2 comes before eval 10, at any length of digits."""
    names = ["eval 10", "eval 2", "Eval 1", "b", "9" * 5000, "7"]
    assert sorted(names, key=natural_key) == ["7", "9" * 5000, "b", "Eval 1", "eval 2", "eval 10"]
