"""Regular expressions of authors on texts of agents."""

from __future__ import annotations

import contextlib
import sys
import time

import pytest

from skilltrial.grade.decision import Undecided
from skilltrial.grade.patterns import matches, search, shown


def test_a_pattern_is_searched_anywhere_with_case_counting() -> None:
    """No anchor, no flags."""
    assert search("b.d", "abcd")
    assert search("B", "abcd") is None


def test_ends_are_those_of_the_text_unless_asked_otherwise() -> None:
    """`^` matches after a line feed only with (?m)."""
    assert search("^two", "one\ntwo") is None
    assert search("(?m)^two", "one\ntwo")


def test_a_catastrophic_pattern_ends_as_undecided() -> None:
    """Nested repetition is stopped, and the sentence says so."""
    began = time.monotonic()
    with pytest.raises(Undecided, match=r"took longer than 0\.2 s"):
        search(r"(?:a|aa)+$", "a" * 60 + "b", timeout_s=0.2)
    assert time.monotonic() - began < 60


def test_the_textbook_catastrophe_comes_to_an_end() -> None:
    """Whether the engine sees through it or is stopped, the check ends."""
    with contextlib.suppress(Undecided):
        assert search(r"(a+)+$", "a" * 60 + "b", timeout_s=0.2) is None


def test_a_broken_pattern_is_undecided_and_names_itself() -> None:
    """The author learns which pattern."""
    with pytest.raises(Undecided, match=r"'\(a' is no regular expression"):
        search("(a", "a")


@pytest.mark.parametrize("pattern", ["a{10000000}", "(a{1000}){1000}", "(?:x{999}){999,}"])
def test_a_pattern_that_would_eat_the_memory_is_refused(pattern: str) -> None:
    """Compiling it is never tried."""
    with pytest.raises(Undecided, match="is too large"):
        search(pattern, "a")


def test_many_texts_share_one_time() -> None:
    """A hundred thousand events do not get five seconds each."""
    began = time.monotonic()
    with pytest.raises(Undecided, match=r"took longer than 0\.5 s"):
        list(matches(r"(?:a|aa)+$", ["a" * 22 + "b"] * 100_000, timeout_s=0.5))
    assert time.monotonic() - began < 60


def test_an_empty_match_is_shown_by_its_line() -> None:
    """Evidence is never an empty text."""
    match = search("(?m)^(?=two)", "one\ntwo words\nthree")
    assert match is not None
    assert shown(match) == "two words"


@pytest.mark.parametrize(("pattern", "found"), [("b+\n", "bb\\n"), ("c", None)])
def test_a_long_text_is_searched_like_a_short_one(pattern: str, found: str | None) -> None:
    """By a process of its own; half characters, as hostile texts have, do not hinder it."""
    match = search(pattern, "é\ud800" * 300_000 + "bb\n" + "a" * 10)
    assert (match and shown(match)) == found


@pytest.mark.skipif(sys.platform != "linux", reason="the system holds the limit on Linux")
def test_a_search_takes_no_more_memory_than_is_allowed() -> None:
    """An engine that notes down each step of five million is stopped, and nothing is decided."""
    with pytest.raises(Undecided, match="needs too much memory"):
        search("(?:a|aa)+$b", "a" * 5_000_000)
