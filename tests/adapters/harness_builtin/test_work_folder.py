"""File actions stay in the agent's folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skilltrial.adapters.harness.builtin.work_folder import Refused, WorkFolder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The agent's folder, with a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "work"
    root.mkdir()
    return root


@pytest.mark.parametrize(
    "path", ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "~/x/../../../etc/passwd/../shadow"]
)
def test_paths_outside_are_refused(root: Path, path: str) -> None:
    """Whatever way they are written."""
    folder = WorkFolder(root)
    with pytest.raises(Refused):
        folder.read(path)


def test_a_link_that_leads_outside_is_refused(root: Path) -> None:
    """Links are resolved before it is decided, for files and folders on the way."""
    (root / "file").symlink_to("../secret.txt")
    (root / "folder").symlink_to("..")
    folder = WorkFolder(root)
    for path in ("file", "folder/secret.txt", "folder/new.txt"):
        with pytest.raises(Refused, match="outside"):
            folder.write(path, "mine")
    assert (root.parent / "secret.txt").read_text() == "secret"
    assert not (root.parent / "new.txt").exists()


def test_an_absolute_path_inside_is_fine(root: Path) -> None:
    """Agents like absolute paths."""
    folder = WorkFolder(root)
    folder.write(str(root / "a.txt"), "x")
    assert folder.read("a.txt") == "x"


def test_a_pipe_is_not_read(root: Path) -> None:
    """Reading one would wait for ever."""
    os.mkfifo(root / "pipe")
    with pytest.raises(Refused, match="not a file"):
        WorkFolder(root).read("pipe")


def test_an_edit_needs_a_text_that_stands_once(root: Path) -> None:
    """None or two places are refused, and the file stays; line ends are kept."""
    folder = WorkFolder(root)
    (root / "a.txt").write_bytes(b"one\r\ntwo\r\ntwo\r\n")
    for old in ("three", "two", ""):
        with pytest.raises(Refused, match="has to stand there once"):
            folder.edit("a.txt", old, "x")
    folder.edit("a.txt", "one", "ONE")
    assert (root / "a.txt").read_bytes() == b"ONE\r\ntwo\r\ntwo\r\n"


def test_a_long_file_is_cut_for_the_model_and_whole_for_an_edit(root: Path) -> None:
    """What the model does not see is not lost."""
    folder = WorkFolder(root)
    (root / "long.txt").write_text("start" + "x" * 60_000)
    assert folder.read("long.txt").endswith("[cut after 50000 characters]")
    folder.edit("long.txt", "start", "begin")
    assert (root / "long.txt").stat().st_size == 60_005


def test_the_listing_leaves_version_control_out(root: Path) -> None:
    """Files of folders below, in order."""
    for name in (".git/config", "b/c.txt", "a.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    assert WorkFolder(root).list(".") == "a.txt\nb/c.txt"


def test_a_folder_that_becomes_a_link_meanwhile_is_not_gone_through(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of the agent's in the background can swap them, and what reads and writes is outside of its sandbox."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("theirs")
    (root / "swapped").symlink_to(outside)

    def a_moment_ago(_folder: WorkFolder, path: str) -> Path:
        return root / path

    monkeypatch.setattr(WorkFolder, "place", a_moment_ago)
    folder = WorkFolder(root)
    with pytest.raises(Refused, match="cannot be written"):
        folder.write("swapped/a.txt", "mine")
    with pytest.raises(Refused, match="cannot be read"):
        folder.read("swapped/a.txt")
    assert (outside / "a.txt").read_text() == "theirs"
