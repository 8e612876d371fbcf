"""Globs of file checks."""

from __future__ import annotations

import contextlib

import pytest

from skilltrial.grade.decision import Undecided
from skilltrial.grade.globs import matching

PATHS = ["a.json", "A.json", "sub/a.json", "sub/deep/a.json", ".dot/a.json", "odd[1].txt", "sub/b.csv"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("a.json", ["a.json"]),
        ("./a.json", ["a.json"]),
        ("*.json", ["a.json", "A.json"]),
        ("**/a.json", ["a.json", "sub/a.json", "sub/deep/a.json", ".dot/a.json"]),
        ("sub/**", ["sub/a.json", "sub/deep/a.json", "sub/b.csv"]),
        ("sub/", ["sub/a.json", "sub/deep/a.json", "sub/b.csv"]),
        ("sub/*", ["sub/a.json", "sub/b.csv"]),
        ("sub/**/a.json", ["sub/a.json", "sub/deep/a.json"]),
        ("?.json", ["a.json", "A.json"]),
        ("[a-c].json", ["a.json"]),
        ("[!a].json", ["A.json"]),
        ("odd[1].txt", ["odd[1].txt"]),
        ("sub?a.json", []),
        ("sub[!x]a.json", []),
        ("a.jso", []),
    ],
)
def test_globs_match_whole_relative_paths(glob: str, expected: list[str]) -> None:
    """Parts are never crossed by `*`, `?` or a class; case counts."""
    assert matching(glob, PATHS) == expected


@pytest.mark.parametrize("glob", ["/etc/passwd", "../x", "a/../../x", "~/x", "", "."])
def test_globs_never_escape(glob: str) -> None:
    """A path outside the trial's folder is the author's mistake, not the agent's failure."""
    with pytest.raises(Undecided, match="does not lie in the trial's folder"):
        matching(glob, PATHS)


def test_many_stars_on_a_long_name_come_to_an_end() -> None:
    """A hostile file name cannot hang a check."""
    with contextlib.suppress(Undecided):
        assert matching("*a*a*a*a*a*a*a*a*a*b", ["a" * 200]) == []
