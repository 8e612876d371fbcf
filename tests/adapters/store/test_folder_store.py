"""A workspace as a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.errors import SpecError, StoreError


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """An empty workspace."""
    return FolderStore(tmp_path / "w", write=True)


def test_what_is_written_is_read_and_missing_is_none(store: FolderStore) -> None:
    """Bytes come back as they were."""
    store.write("a/b.json", b"\x00{}")
    assert store.read("a/b.json") == b"\x00{}"
    assert store.read("a/missing.json") is None
    assert store.read("a/b.json/c") is None


def test_a_failed_write_leaves_the_old_file_and_no_rest(store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file appears whole or not at all, also when the disk is full."""
    store.write("a.json", b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"a\.json: cannot be written \(No space left on device\)"):
        store.write("a.json", b"new")
    assert store.read("a.json") == b"old"
    assert not [path for path in store.find("*") if "a.json." in path]


def test_a_second_writer_is_refused_while_readers_are_not(store: FolderStore) -> None:
    """One writer per workspace."""
    root = store.path("")
    with pytest.raises(StoreError, match="another skilltrial is writing"):
        FolderStore(root, write=True)
    FolderStore(root, write=False).close()
    store.close()
    FolderStore(root, write=True).close()


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    """SIGKILL releases the lock, and what was staged is swept."""
    root = tmp_path / "w"
    code = (
        "import os, sys; from pathlib import Path; from skilltrial.adapters.store.folder import FolderStore\n"
        "store = FolderStore(Path(sys.argv[1]), write=True); (store.stage() / 'half').write_text('x'); os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", code, str(root)], check=False)
    assert died.returncode == -9
    assert list(root.glob(".staging/*/half"))
    store = FolderStore(root, write=True)
    assert not list(root.glob(".staging/*"))
    store.close()


def test_publishing_moves_the_whole_folder_and_replaces_nothing(store: FolderStore) -> None:
    """A taken place is an error, never overwritten."""
    for text in ("one", "two"):
        staged = store.stage()
        (staged / "run.json").write_text(text)
        if text == "one":
            store.publish(staged, "iteration-1/eval-a/x/run-1")
        else:
            with pytest.raises(StoreError, match="something in this place"):
                store.publish(staged, "iteration-1/eval-a/x/run-1")
    assert store.read("iteration-1/eval-a/x/run-1/run.json") == b"one"


def test_a_folder_with_links_and_fifos_can_be_published(store: FolderStore) -> None:
    """Nothing that an agent leaves may stop a trial from being kept, nor be followed."""
    staged = store.stage()
    (staged / "link").symlink_to("/etc/hostname")
    os.mkfifo(staged / "pipe")
    store.publish(staged, "x/run-1")
    assert store.path("x/run-1/link").is_symlink()


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x"])
def test_paths_stay_inside(store: FolderStore, path: str) -> None:
    """A relative path cannot leave the workspace."""
    with pytest.raises(StoreError, match="leaves the workspace"):
        store.read(path)


def test_a_workspace_ignores_itself_for_git(store: FolderStore) -> None:
    """Results are never committed by accident."""
    assert store.read(".gitignore") == b"*\n"


def test_reading_a_missing_workspace_is_one_sentence(tmp_path: Path) -> None:
    """The command line prints it as it is; the path is at fault, and not the disk."""
    with pytest.raises(SpecError, match="there is no such folder"):
        FolderStore(tmp_path / "none", write=False)


def test_a_file_in_the_workspaces_place_is_named_as_such(tmp_path: Path) -> None:
    """Not as the system's `File exists`."""
    (tmp_path / "w").write_text("")
    with pytest.raises(StoreError, match="there is a file where the workspace has to be"):
        FolderStore(tmp_path / "w", write=True)


def test_closing_a_reader_or_closing_twice_leaves_the_writer_its_staging(tmp_path: Path) -> None:
    """Half-done folders belong to whoever holds the lock."""
    first = FolderStore(tmp_path / "w", write=True)
    first.close()
    writer = FolderStore(tmp_path / "w", write=True)
    staged = writer.stage()
    FolderStore(tmp_path / "w", write=False).close()
    first.close()
    assert staged.is_dir()
    writer.close()
    assert not staged.exists()
