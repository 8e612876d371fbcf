"""Folders made to keep a reader waiting, or to lead it astray."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skilltrial.spec.file_tree import find_files
from skilltrial.spec.findings import Findings, Invalid
from skilltrial.spec.lint.fixes import find_fixes
from skilltrial.spec.validate import validate

Deep = Callable[[Path, int], None]


@pytest.fixture
def deep() -> Iterator[Deep]:
    """Makes folders in folders; paths as long as these cannot be made in one step."""
    made: list[Path] = []

    def make(folder: Path, depth: int) -> None:
        made.append(folder)
        here = os.open(folder, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)

    yield make
    for folder in made:
        flatten(folder)


def flatten(folder: Path) -> None:
    """Leave one folder: where the tests run again, pytest could not remove so many in each other."""
    top, rest = folder / "d", folder / "rest"
    while (top / "d").exists():
        (top / "d").rename(rest)
        top.rmdir()
        rest.rename(top)


@pytest.mark.parametrize("depth", [64, 1200])
def test_folders_without_end_are_one_finding(tmp_path: Path, deep: Deep, depth: int) -> None:
    """The top counts as one of the 64."""
    deep(tmp_path, depth)
    with pytest.raises(Invalid, match="64 deep"):
        find_files(tmp_path, Findings(), within=tmp_path, skips=lambda _path: False)


def test_sixty_three_folders_are_read(tmp_path: Path, deep: Deep) -> None:
    """No skill has as many."""
    deep(tmp_path, 63)
    assert find_files(tmp_path, Findings(), within=tmp_path, skips=lambda _path: False) == []


def test_deep_folders_of_evals_are_looked_at_in_part(skill: Path, deep: Deep) -> None:
    """Only secrets are looked for there."""
    (skill / "evals").mkdir()
    deep(skill / "evals", 1200)
    assert validate(skill).ok


def test_a_pipe_as_the_skill_file_is_not_waited_for(tmp_path: Path) -> None:
    """There is nothing to mend in it, and one thing to say."""
    (tmp_path / "pdf").mkdir()
    os.mkfifo(tmp_path / "pdf/SKILL.md")
    assert find_fixes(tmp_path / "pdf").changes == ()
    assert [problem.code for problem in validate(tmp_path / "pdf").problems] == ["not-a-file"]
