"""`similar`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.grade.checks.similar import MAX_CHARS, check_similar, similarity
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.case_file import CaseFile
from skilltrial.records.suite import Similar

Make = Callable[..., Material]


def _check(made: Material, golden: str = "The sum is 42.", **fields: Any) -> CheckResult:
    return check_similar(Similar(id="s", text="s", golden=golden, **fields), made)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("", "", Fraction(1)),
        ("abcd", "abcd", Fraction(1)),
        ("abcd", "wxyz", Fraction(0)),
        ("abcd", "acbd", Fraction(6, 8)),  # a, b or c, d: 3 in common
        ("kitten", "sitting", Fraction(8, 13)),  # ittn
    ],
)
def test_twice_what_is_common_over_both_lengths(one: str, other: str, ratio: Fraction) -> None:
    """Counted by hand."""
    assert similarity(one, other) == ratio


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_the_count_by_bits_is_the_plain_one(one: str, other: str) -> None:
    """The table of the textbook as oracle; both ways round it is the same."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    both = len(one) + len(other)
    assert similarity(one, other) == (Fraction(2 * table[-1][-1], both) if both else 1) == similarity(other, one)


def test_white_space_and_compositions_do_not_count(material: Make) -> None:
    """An é in two characters is the one in one."""
    made = material(final_message="  Caf\u0065\u0301\r\n\tis\n open ")
    assert _check(made, "Caf\u00e9 is open", min_ratio=1).verdict == "PASS"


def test_the_ratio_decides_and_the_evidence_shows_where_they_part(material: Make) -> None:
    """9 of 10 characters in common, both texts of 10."""
    made = material(final_message="abcdefghiX")
    assert _check(made, "abcdefghij", min_ratio=0.9).verdict == "PASS"
    result = _check(made, "abcdefghij", min_ratio=0.91)
    assert result.verdict == "FAIL"
    assert result.evidence == (
        "the final message: 0.900 like the golden text, needed 0.91; "
        "they part at 'abcdefghiX', where 'abcdefghij' is golden"
    )


def test_a_file_is_compared_with_a_golden_file(material: Make, tmp_path: Path) -> None:
    """Both are read when it is graded; a golden file that changed since is no measure."""
    source = tmp_path / "golden.md"
    source.write_text("one two")
    file = CaseFile(path="golden.md", source=str(source), sha256=hashlib.sha256(b"one two").hexdigest())
    check = Similar(id="s", text="s", golden_file=file, path="out.md")
    made = material({"out.md": b"one\ntwo\n"})
    assert check_similar(check, made).verdict == "PASS"
    source.write_text("other")
    with pytest.raises(Undecided, match="has changed since"):
        check_similar(check, made)


def test_what_the_agent_did_not_leave_is_not_similar(material: Make) -> None:
    """No message, no file."""
    assert _check(material(final_message=None)).verdict == "FAIL"
    assert _check(material(), path="out.md").verdict == "FAIL"


def test_texts_too_long_and_files_too_many_are_open(material: Make) -> None:
    """The reason is said."""
    with pytest.raises(Undecided, match=r"has 100,001 characters"):
        _check(material(final_message="a" * (MAX_CHARS + 1)))
    with pytest.raises(Undecided, match="2 files match"):
        _check(material({"a.md": b"", "b.md": b""}), path="*.md")


def test_a_text_that_was_handed_in_counts_only_where_any_does(material: Make) -> None:
    """It is no work of the agent's."""
    made = material(kept={"sum.txt": "The sum is 42."})
    assert (_check(made, path="sum.txt").verdict, _check(made, path="sum.txt", any=True).verdict) == ("FAIL", "PASS")
