"""What a killed run left is found by the next one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.execute.running import begun, forget, note, sweep, tidy, underway
from skilltrial.processes.strays import MARK, kill_strays
from skilltrial.records.trial import TrialKey


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """An empty workspace."""
    return FolderStore(tmp_path / "w", write=True)


def _swept(store: FolderStore, workspace: FolderWorkspace) -> int:
    return anyio.run(lambda: sweep(store, workspace, kill_strays))


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_processes_and_folders_of_a_killed_run_are_removed(store: FolderStore, tmp_path: Path) -> None:
    """By the mark in the environment and by the folder in the note; the notes go too."""
    mark = os.urandom(16).hex()

    async def left_and_swept() -> tuple[int, int, bool]:
        async with FolderWorkspace(tmp_path).open([], None, skill_root="x/y") as folders:
            note(store, mark, folders.root)
            begun(store, mark, TrialKey(case_id="a", arm="b", repeat=1))
            with subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: mark}, cwd=folders.work) as stray:  # noqa: ASYNC220 - a test
                killed = await sweep(store, FolderWorkspace(tmp_path), kill_strays)
                return killed, stray.wait(60), folders.root.exists()

    assert anyio.run(left_and_swept) == (1, -9, False)
    assert not store.path(".running").exists()


def test_a_trial_that_ended_leaves_no_note(store: FolderStore, tmp_path: Path) -> None:
    """Of two notes only the other one stays."""
    note(store, "a" * 32, tmp_path / "task-000000000001")
    note(store, "b" * 32, tmp_path / "task-000000000002")
    forget(store, "a" * 32)
    assert store.find(".running/*") == [".running/" + "b" * 32]


def test_the_folder_of_notes_stays_while_trials_may_start(store: FolderStore, tmp_path: Path) -> None:
    """One trial that ends must not take the folder away under another that is about to write its note there."""
    note(store, "a" * 32, tmp_path / "task-000000000001")
    forget(store, "a" * 32)
    assert store.path(".running").is_dir()
    tidy(store)
    assert not store.path(".running").exists()


@pytest.mark.parametrize("named", ["precious", "../precious", "task-0123456789ab/../precious"])
def test_only_folders_of_trials_are_removed(store: FolderStore, tmp_path: Path, named: str) -> None:
    """A note that was tampered with cannot have anything else removed."""
    (tmp_path / "precious").mkdir()
    note(store, "a" * 32, Path(f"{tmp_path}/{named}"))
    assert _swept(store, FolderWorkspace(tmp_path)) == 0
    assert (tmp_path / "precious").is_dir()


def test_a_link_in_the_place_of_a_trials_folder_is_not_followed(store: FolderStore, tmp_path: Path) -> None:
    """The link goes, what it points to stays."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "task-0123456789ab").symlink_to(tmp_path / "precious")
    note(store, "a" * 32, tmp_path / "task-0123456789ab")
    _swept(store, FolderWorkspace(tmp_path))
    assert not (tmp_path / "task-0123456789ab").is_symlink()
    assert (tmp_path / "precious").is_dir()


def test_a_note_that_a_crash_left_half_written_is_dropped(store: FolderStore, tmp_path: Path) -> None:
    """No mark, nothing to kill."""
    store.write(".running/.aaaa.1234", b"")
    assert _swept(store, FolderWorkspace(tmp_path)) == 0
    assert store.find(".running/*") == []


def test_a_note_that_was_cut_off_removes_no_folder(store: FolderStore, tmp_path: Path) -> None:
    """The trial's own folder is made after the note, so that another one that its beginning names is not the trial's."""
    (tmp_path / "task-").mkdir()
    store.write(".running/" + "a" * 32, f"{tmp_path}/task-".encode())
    assert _swept(store, FolderWorkspace(tmp_path)) == 0
    assert (tmp_path / "task-").is_dir()
    assert store.find(".running/*") == []


def test_trials_at_work_are_named(store: FolderStore, tmp_path: Path) -> None:
    """From when their agents start, the oldest first; notes of trials that are made ready, torn ones and lost ones say nothing."""
    keys = {mark: TrialKey(case_id=f"case \u2028 {mark}", arm="with", repeat=2) for mark in "abc"}
    for mark, second in (("a", 200), ("b", 100), ("c", 300)):
        note(store, mark * 32, tmp_path / "task-000000000001")
        begun(store, mark * 32, keys[mark])
        os.utime(store.path(f".running/{mark * 32}"), (second, second))
    torn = store.path(".running/" + "c" * 32)
    torn.write_bytes(torn.read_bytes()[:-3])
    note(store, "d" * 32, tmp_path / "task-000000000002")
    assert underway(store) == [(keys["b"], 100.0), (keys["a"], 200.0)]
