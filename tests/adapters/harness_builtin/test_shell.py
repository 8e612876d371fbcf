"""Commands of the built-in agent's."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import anyio

from skilltrial.adapters.harness.builtin.shell import MAX_OUTPUT, run_command
from skilltrial.processes.strays import MARK, kill_strays

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nowhere"}


def run(command: str, cwd: Path, *, timeout_s: float = 60.0, env: Mapping[str, str] = ENV) -> tuple[str, bool]:
    """Runs a command."""

    async def once() -> tuple[str, bool]:
        return await run_command(command, cwd, env=env, timeout_s=timeout_s)

    return anyio.run(once)


def test_output_of_both_streams(tmp_path: Path) -> None:
    """In the order in which it came."""
    assert run("echo one; echo two >&2; pwd", tmp_path) == (f"one\ntwo\n{tmp_path.resolve()}\n", False)


def test_a_failure_says_its_exit_code(tmp_path: Path) -> None:
    """The model sees it too."""
    assert run("echo no; exit 3", tmp_path) == ("no\n\n[exit code 3]", True)


def test_only_the_given_environment(tmp_path: Path) -> None:
    """Nothing of ours is inherited (the shell adds its own PWD)."""
    names = {line.partition("=")[0] for line in run("env", tmp_path)[0].splitlines()}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "HOME"}


def test_a_command_over_its_time_is_killed_with_its_children(tmp_path: Path) -> None:
    """Long before it would end by itself; what it said is kept."""
    begun = time.monotonic()
    for limit in (1.0, 30.0):  # the longer one where the machine is busy
        text, failed = run("echo begun; sleep 300 & sleep 300; echo never", tmp_path, timeout_s=limit)
        if text.startswith("begun"):
            break
    assert (text, failed) == (f"begun\n\n[stopped after {limit:g} s]", True)
    assert time.monotonic() - begun < 150


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    """The command still comes to its end."""
    text, failed = run("head -c 200000 /dev/zero | tr '\\0' x; touch done", tmp_path)
    assert text.startswith("x" * MAX_OUTPUT + "\n[cut")
    assert not failed
    assert (tmp_path / "done").exists()


def test_a_background_child_does_not_hold_the_call(tmp_path: Path) -> None:
    """The shell has ended, and what was printed is there, though the child keeps the output open until the trial ends."""
    mark = f"shell-{os.getpid()}"
    try:
        assert run("sleep 600 & echo started", tmp_path, env={**ENV, MARK: mark}) == ("started\n", False)
    finally:
        killed = anyio.run(kill_strays, mark)
    assert killed == (1 if sys.platform == "linux" else 0)
