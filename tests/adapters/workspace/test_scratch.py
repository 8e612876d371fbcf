"""A scratch folder is gone in the end, also where its program was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from skilltrial.adapters.workspace.scratch import Scratch

_HOLDER = """
import sys, time
from pathlib import Path
from skilltrial.adapters.workspace.scratch import Scratch
scratch = Scratch(Path(sys.argv[1]))
(scratch.folder / "old-skill").write_text("x")
print(scratch.folder, flush=True)
time.sleep(600)
"""


def aged(folder: Path) -> None:
    """As if it had been made an hour ago."""
    hour_ago = time.time() - 3600
    os.utime(folder, (hour_ago, hour_ago))


def test_it_is_empty_and_goes_away(tmp_path: Path) -> None:
    """With what was put into it; a second time does nothing."""
    scratch = Scratch(tmp_path)
    assert list(scratch.folder.iterdir()) == []
    (scratch.folder / "x").write_text("x")
    scratch.remove()
    scratch.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_program_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """As long as it lives, its folder is left alone; so are folders of others."""
    others = tmp_path / "scratch-mine"
    others.mkdir()
    aged(others)
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, tmp_path], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        with holder.stdout:
            left = Path(holder.stdout.readline().strip())
        aged(left.parent)
        Scratch(tmp_path).remove()
        assert (left / "old-skill").exists()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    Scratch(tmp_path).remove()
    assert list(tmp_path.iterdir()) == [others]


def test_a_folder_that_was_just_made_is_left_alone(tmp_path: Path) -> None:
    """Its program may be about to lock it."""
    young = tmp_path / "scratch-0123456789ab"
    young.mkdir()
    Scratch(tmp_path).remove()
    assert young.exists()
