"""`file_exists`, `file_absent`, `file_matches` and `answer_matches`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skilltrial.grade.checks.answer import check_answer
from skilltrial.grade.checks.files import check_file_absent, check_file_exists, check_file_matches
from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import Material
from skilltrial.records.suite import AnswerMatches, FileAbsent, FileExists, FileMatches
from skilltrial.records.trial import OutputFile

Make = Callable[..., Material]


def _exists(made: Material, path: str, *, counts_all: bool = False) -> str:
    return check_file_exists(FileExists(id="f", text="f", path=path, any=counts_all), made).verdict


def _absent(made: Material, path: str) -> str:
    return check_file_absent(FileAbsent(id="f", text="f", path=path), made).verdict


def _matches(made: Material, path: str, pattern: str, *, negate: bool = False, counts_all: bool = False) -> str:
    check = FileMatches(id="f", text="f", path=path, pattern=pattern, negate=negate, any=counts_all)
    return check_file_matches(check, made).verdict


def _answer(made: Material, pattern: str, *, negate: bool = False) -> str:
    return check_answer(AnswerMatches(id="a", text="a", pattern=pattern, negate=negate), made).verdict


def test_made_and_changed_files_exist_and_deleted_ones_do_not(material: Make) -> None:
    """What the agent did counts."""
    changed = OutputFile(path="in.csv", change="modified", size=1)
    made = material({"out/a.txt": b""}, records=[changed, OutputFile(path="old.csv", change="deleted")])
    assert [_exists(made, path) for path in ("out/*.txt", "in.csv", "old.csv")] == ["PASS", "PASS", "FAIL"]


def test_a_file_that_was_handed_in_counts_only_where_any_does(material: Make) -> None:
    """It would hold before any work."""
    made = material(kept={"in.csv": "north", "old.csv": ""}, records=[OutputFile(path="old.csv", change="deleted")])
    for counts_all, expected in ((False, "FAIL"), (True, "PASS")):
        assert _exists(made, "in.csv", counts_all=counts_all) == expected
        assert _matches(made, "in.csv", "north", counts_all=counts_all) == expected
        assert _matches(made, "in.csv", "south", negate=True, counts_all=counts_all) == expected
    assert _exists(made, "old.csv", counts_all=True) == "FAIL"
    evidence = check_file_exists(FileExists(id="f", text="f", path="in.csv"), made).evidence
    assert evidence == "'in.csv' was there from the start, and the agent did not change it"


def test_a_file_is_absent_where_nothing_matches_whoever_made_it(material: Make) -> None:
    """Handed in or made, it is there; deleted, it is not. Where not all are known, a miss is open."""
    marker = OutputFile(path="…", change="created", kept=False, note="too many")
    gone = OutputFile(path="gone.csv", change="deleted")
    made = material({"a.tmp": b""}, kept={"in.csv": ""}, records=[gone])
    assert [_absent(made, path) for path in ("*.tmp", "in.csv", "gone.csv", "b")] == ["FAIL", "FAIL", "PASS", "PASS"]
    with pytest.raises(Undecided, match="not all are known"):
        _absent(material(records=[marker]), "b")


def test_a_missing_file_names_what_is_there(material: Make) -> None:
    """So that a wrong path is seen at once."""
    result = check_file_exists(FileExists(id="f", text="f", path="b.txt"), material({"a.txt": b""}))
    assert result.evidence == "no file matches 'b.txt'; the trial left 'a.txt'"


def test_a_thing_that_was_not_kept_is_no_proof(material: Make) -> None:
    """A link where a file should be: seen, but not decided."""
    made = material(records=[OutputFile(path="a.txt", change="created", kept=False, note="a link")])
    with pytest.raises(Undecided, match=r"'a\.txt' was there, but is not at hand: a link"):
        _exists(made, "a.txt")


def test_a_file_too_large_to_keep_was_there(material: Make) -> None:
    """Its existence is known, its text is not."""
    made = material(records=[OutputFile(path="a.bin", change="created", kept=False, size=30_000_000, note="too large")])
    assert _exists(made, "a.bin") == "PASS"
    with pytest.raises(Undecided, match="too large"):
        _matches(made, "a.bin", "x")


@pytest.mark.parametrize("marker", [".", "…"])
def test_where_not_all_files_are_known_a_miss_is_open(material: Make, marker: str) -> None:
    """The one asked for may be among the others; one that is known is known."""
    made = material({"a.txt": b""}, records=[OutputFile(path=marker, change="created", kept=False, note="too many")])
    assert _exists(made, "a.txt") == "PASS"
    with pytest.raises(Undecided, match="not all are known: too many"):
        _exists(made, "b.txt")


def test_any_matching_file_may_hold_the_pattern(material: Make) -> None:
    """One of several suffices."""
    made = material({"a.md": b"one", "b.md": b"two"})
    assert _matches(made, "*.md", "two") == "PASS"
    assert _matches(made, "*.md", "three") == "FAIL"


def test_negated_no_file_may_hold_it_and_a_file_must_be_there(material: Make) -> None:
    """An agent that made nothing does not pass."""
    made = material({"a.md": b"one", "b.md": b"two"})
    assert _matches(made, "*.md", "three", negate=True) == "PASS"
    assert _matches(made, "*.md", "two", negate=True) == "FAIL"
    assert _matches(made, "*.txt", "two", negate=True) == "FAIL"


def test_an_unreadable_file_leaves_a_miss_open_but_not_a_hit(material: Make) -> None:
    """The verdict hangs on it only where nothing else decides."""
    made = material(
        {"a.md": b"one"}, records=[OutputFile(path="b.md", change="created", kept=False, note="larger than 10 MB")]
    )
    assert _matches(made, "*.md", "one") == "PASS"
    assert _matches(made, "*.md", "one", negate=True) == "FAIL"
    for negate in (False, True):
        with pytest.raises(Undecided, match="larger than 10 MB"):
            _matches(made, "*.md", "two", negate=negate)


def test_evidence_shows_hostile_text_harmless(material: Make) -> None:
    """Escape sequences and direction marks are spelled out."""
    check = FileMatches(id="f", text="f", path="a", pattern="(?s)red.*")
    evidence = check_file_matches(check, material({"a": "red\x1b[31m\u202e".encode()})).evidence
    assert evidence == r"'a' has: red\u{1b}[31m\u{202e}"


def test_the_final_message_holds_the_pattern_or_does_not(material: Make) -> None:
    """Both ways."""
    made = material(final_message="The total is 42.")
    assert _answer(made, r"\b42\b") == "PASS"
    assert _answer(made, "43") == "FAIL"
    assert _answer(made, "43", negate=True) == "PASS"
    assert _answer(made, "42", negate=True) == "FAIL"


def test_no_final_message_is_the_agents_failure(material: Make) -> None:
    """Also where the statement is negated: there is no answer of which it could be true."""
    made = material(final_message=None, outcome="timed_out")
    assert _answer(made, "x") == "FAIL"
    assert _answer(made, "x", negate=True) == "FAIL"


@pytest.mark.parametrize(
    ("glob", "known"),
    [("out/a.md", False), ("out/**", False), ("*/a.md", False), ("**/a.md", True), ("out2/a.md", True), ("*.md", True)],
)
def test_what_lies_behind_a_link_is_not_known(material: Make, glob: str, *, known: bool) -> None:
    """A path that leads through it is open; one that may lie anywhere is looked for in the files that are known."""
    made = material(records=[OutputFile(path="out", change="created", kept=False, note="a link to 'x', not followed")])
    if known:
        assert (_exists(made, glob), _absent(made, glob)) == ("FAIL", "PASS")
        return
    for verdict in (_exists, _absent):
        with pytest.raises(Undecided, match="'out' is not at hand \\(a link to 'x', not followed\\)"):
            verdict(made, glob)


def test_a_pattern_that_no_known_file_holds_is_open_where_not_all_are_known(material: Make) -> None:
    """In both directions; a file that holds it decides."""
    marker = OutputFile(path="…", change="created", kept=False, note="too many")
    made = material({"a.txt": b"north"}, records=[marker])
    assert (_matches(made, "*.txt", "north"), _matches(made, "*.txt", "north", negate=True)) == ("PASS", "FAIL")
    for negate in (False, True):
        with pytest.raises(Undecided, match=r"not all files that match '\*\.txt' are known: too many"):
            _matches(made, "*.txt", "south", negate=negate)


def test_a_single_path_that_is_known_is_decided_whatever_else_there_is(material: Make) -> None:
    """No other file can be the one that is named."""
    marker = OutputFile(path="…", change="created", kept=False, note="too many")
    made = material({"a.txt": b"north"}, kept={"in.csv": ""}, records=[marker])
    assert (_matches(made, "a.txt", "south"), _matches(made, "a.txt", "south", negate=True)) == ("FAIL", "PASS")
    assert _exists(made, "in.csv") == "FAIL"
