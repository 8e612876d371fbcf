"""Repositories that are made from memory are those that git makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skilltrial.adapters.workspace.git import Repositories


def make(repositories: Repositories, folder: Path, *, text: str = "hello\n") -> Path:
    """A folder with a file and a script as a repository, from memory where that has it."""
    folder.mkdir()
    if repositories.restore(folder, kind := (text, "run")):
        return folder
    (folder / "sub").mkdir()
    (folder / "sub/a.txt").write_text(text, newline="")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / ".gitattributes").write_text("*.txt text eol=lf\n")
    repositories.make(folder, exclude=".agents", kind=kind)
    return folder


def git(folder: Path, *arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "question",
    [
        ("rev-parse", "HEAD"),
        ("ls-files", "--stage"),
        ("log", "--format=%an %ae %s"),
        ("config", "--local", "--list"),
        ("fsck", "--strict"),
        ("diff-files",),
        ("status", "--porcelain", "--branch"),
    ],
)
def test_the_second_of_a_kind_is_like_the_first(tmp_path: Path, question: tuple[str, ...]) -> None:
    """Commit, index, settings; and both are clean, also to commands that do not look at the files again."""
    repositories = Repositories()
    first, second = make(repositories, tmp_path / "1"), make(repositories, tmp_path / "2")
    assert git(first, *question) == git(second, *question)
    assert git(second, "diff-files") == ""
    assert (first / ".git/info/exclude").read_text() == (second / ".git/info/exclude").read_text() == "/.agents/\n"


def test_another_file_makes_another_repository(tmp_path: Path) -> None:
    """What was remembered is used for the same files only."""
    repositories = Repositories()
    first = make(repositories, tmp_path / "1")
    second = make(repositories, tmp_path / "2", text="other\n")
    assert git(first, "rev-parse", "HEAD") != git(second, "rev-parse", "HEAD")
    assert git(second, "show", "HEAD:sub/a.txt") == "other\n"


def test_what_one_trial_does_to_its_repository_reaches_no_other(tmp_path: Path) -> None:
    """A commit in the first leaves the second as it was made."""
    repositories = Repositories()
    first = make(repositories, tmp_path / "1")
    before = git(first, "rev-parse", "HEAD")
    (first / "sub/a.txt").write_text("changed\n")
    git(first, "commit", "-qam", "mine")
    assert git(make(repositories, tmp_path / "2"), "rev-parse", "HEAD") == before


def test_files_come_back_as_they_were(tmp_path: Path) -> None:
    """Line ends that the files' own attributes would change, and who may execute what; git finds nothing to tell of."""
    repositories = Repositories()
    for name in ("1", "2"):
        folder = make(repositories, tmp_path / name, text="a\r\nb\n")
        assert (folder / "sub/a.txt").read_bytes() == b"a\r\nb\n"
        assert [(folder / path).stat().st_mode & 0o777 for path in ("sub/a.txt", "run.sh")] == [0o644, 0o755]
        assert git(folder, "status", "--porcelain") == ""


def test_more_files_go_into_the_same_single_commit(tmp_path: Path) -> None:
    """Two that are amended alike stay alike, and clean."""
    repositories = Repositories()
    commits: set[str] = set()
    for name in ("1", "2"):
        folder = make(repositories, tmp_path / name)
        (folder / "more.txt").write_text("more\n")
        repositories.amend(folder)
        assert git(folder, "status", "--porcelain") == ""
        assert git(folder, "rev-list", "--count", "HEAD") == "1\n"
        commits.add(git(folder, "rev-parse", "HEAD"))
    assert len(commits) == 1


def test_a_repository_is_small_and_takes_all_that_git_does(tmp_path: Path) -> None:
    """Every trial writes and removes each of its files; and yet there can be branches, tags and a history."""
    repositories = Repositories()
    make(repositories, tmp_path / "1")
    folder = make(repositories, tmp_path / "2")
    assert len(list((folder / ".git").rglob("*"))) <= 12
    git(folder, "switch", "-q", "-c", "feature/one")
    git(folder, "commit", "-q", "--allow-empty", "-m", "two")
    git(folder, "tag", "v1")
    git(folder, "stash", "list")
    assert git(folder, "log", "--format=%s", "main..v1") == "two\n"
    assert git(folder, "reflog", "-1", "--format=%gs", "feature/one") == "commit: two\n"


def test_an_empty_folder_comes_back_without_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most cases have no files: there is nothing for git to put back."""
    repositories = Repositories()
    for name in ("1", "2"):
        (tmp_path / name).mkdir()
    repositories.make(tmp_path / "1", exclude=".agents", kind="empty")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        assert repositories.restore(tmp_path / "2", "empty")
    assert git(tmp_path / "2", "status", "--porcelain", "--branch") == "## main\n"
    assert git(tmp_path / "2", "diff-files") == ""
