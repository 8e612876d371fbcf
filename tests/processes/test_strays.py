"""Finding what an agent left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import anyio
import pytest

from skilltrial.processes.strays import MARK, descendants, kill_strays, marked

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[bytes]]:
    """A process with a child; both carry the mark `strays-<pid of the tests>`."""
    script = "sleep 600 & echo $!; wait"
    env = {"PATH": os.environ["PATH"], MARK: f"strays-{os.getpid()}"}
    with subprocess.Popen(["sh", "-c", script], env=env, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def child_of(parent: subprocess.Popen[bytes]) -> int:
    """The child's id, which the parent says."""
    assert parent.stdout is not None
    return int(parent.stdout.readline())


@on_linux
def test_marked_processes_are_found_and_killed(parent: subprocess.Popen[bytes]) -> None:
    """Both of them; a longer mark that only begins alike is another one."""
    mark, both = f"strays-{os.getpid()}", {parent.pid, child_of(parent)}
    assert set(marked(mark)) == both
    assert marked(mark[:-1]) == []
    assert anyio.run(kill_strays, mark) == 2
    assert marked(mark) == []
    assert parent.wait() == -9


def test_other_systems_look_at_the_child_tree(parent: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where environments cannot be read, children are found before the kill."""
    if shutil.which("ps") is None:
        pytest.skip("there is no ps")
    child = child_of(parent)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("skilltrial.processes.strays.READABLE", False)
        assert descendants(parent.pid) == [child]
    assert anyio.run(kill_strays, "no such mark", [child]) == 1
    assert parent.wait() == 0


def test_killing_what_is_gone_counts_nothing(parent: subprocess.Popen[bytes]) -> None:
    """It ended by itself in between."""
    child = child_of(parent)
    os.kill(child, 9)
    parent.wait()
    assert anyio.run(kill_strays, "no such mark", [child]) == 0
