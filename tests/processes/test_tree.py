"""Running and ending process trees, with real processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial.processes import tree
from skilltrial.processes.strays import MARK, kill_strays, marked
from skilltrial.processes.tree import Command, Ended, Head, Sink, kill_running, run_tree

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A mark of this test's; what still carries it at the end is killed."""
    text = f"tree-{os.getpid()}-{tmp_path.name}"
    yield text
    anyio.run(kill_strays, text)


def shell(tmp_path: Path, script: str, **fields: Any) -> Command:
    """A script to run in `tmp_path`."""
    usual: dict[str, Any] = {"env": {"PATH": os.environ["PATH"]}, "timeout_s": 60.0}
    return Command(argv=("sh", "-c", script), cwd=tmp_path, **(usual | fields))


def finish(command: Command, *sinks: Sink) -> Ended:
    """Runs a command to its end; without a sink its output is not kept."""

    async def once() -> Ended:
        return await run_tree(command, sinks or (Head(0),))

    return anyio.run(once)


def stop_at(word: bytes, *, grace: float) -> Sink:
    """A sink that wants an end when it hears a word."""
    return lambda chunk: grace if word in chunk else None


def wait_for(path: Path) -> None:
    """Until another process has made a file."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_exit_code_and_both_streams_come_back(tmp_path: Path) -> None:
    """Each in its own sink."""
    out, err = Head(100), Head(100)
    ended = finish(shell(tmp_path, "echo one; printf two; echo oops >&2; exit 3"), out, err)
    assert (ended.exit_code, ended.stopped, ended.n_strays) == (3, None, 0)
    assert (out.text(), err.text()) == ("one\ntwo", "oops\n")


def test_one_sink_gets_both_streams_in_their_order(tmp_path: Path) -> None:
    """As a terminal would show them."""
    both = Head(100)
    finish(shell(tmp_path, "echo one; echo two >&2; echo three"), both)
    assert both.text() == "one\ntwo\nthree\n"


def test_what_is_over_the_limit_is_dropped(tmp_path: Path) -> None:
    """The program is not held up by it."""
    head = Head(5)
    finish(shell(tmp_path, "yes | head -c 1000000; touch done"), head)
    assert (head.text(), head.cut) == ("y\ny\ny", True)
    assert (tmp_path / "done").exists()


def test_output_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    """Nothing was cut."""
    head = Head(4)
    finish(shell(tmp_path, "printf four"), head)
    assert (head.text(), head.cut) == ("four", False)


def test_the_environment_is_exactly_what_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    """Nothing of our own environment is inherited; the mark is there."""
    monkeypatch.setenv("OUR_OWN_VARIABLE", "1")
    out = Head(10_000)
    finish(shell(tmp_path, "env | cut -d= -f1", mark=mark), out)
    assert set(out.text().split()) - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", MARK}


def test_stdin_is_handed_over_and_closed(tmp_path: Path) -> None:
    """The program reads all of it to the end."""
    out = Head(100)
    finish(shell(tmp_path, "wc -c", stdin=b"y" * 1_000_000), out)
    assert out.text().strip() == "1000000"


def test_a_program_that_does_not_read_is_no_problem(tmp_path: Path) -> None:
    """It closes its stdin, and ends by itself."""
    ended = finish(shell(tmp_path, "exec <&-; echo fine", stdin=b"y" * 1_000_000))
    assert (ended.exit_code, ended.stopped) == (0, None)


def test_a_program_at_its_time_limit_is_stopped(tmp_path: Path) -> None:
    """Where nothing gentle is asked for, it is killed."""
    ended = finish(shell(tmp_path, "exec sleep 600", timeout_s=0.2))
    assert (ended.exit_code, ended.stopped) == (-9, "timeout")


def test_a_stop_is_told_gently_first(tmp_path: Path) -> None:
    """What is written upon the signal is kept."""
    out, stop = Head(100), stop_at(b"ready", grace=0.0)

    def sink(chunk: bytes) -> float | None:
        out(chunk)
        return stop(chunk)

    script = "trap 'echo bye; exit 7' INT; echo ready; while :; do sleep 0.1; done"
    ended = finish(shell(tmp_path, script, gentle=((signal.SIGINT, 60.0),)), sink)
    assert (ended.exit_code, ended.stopped) == (7, "asked")
    assert out.text() == "ready\nbye\n"


def test_who_does_not_listen_is_killed(tmp_path: Path) -> None:
    """First gentle, then hard."""
    gentle = ((signal.SIGINT, 0.1), (signal.SIGTERM, 0.1))
    script = "trap '' INT TERM; echo ready; while :; do sleep 0.1; done"
    ended = finish(shell(tmp_path, script, gentle=gentle), stop_at(b"ready", grace=0.0))
    assert (ended.exit_code, ended.stopped) == (-9, "asked")


def test_a_sink_can_stop_it_at_once(tmp_path: Path) -> None:
    """Long before its time."""
    ended = finish(shell(tmp_path, "echo fatal; exec sleep 600"), stop_at(b"fatal", grace=0.0))
    assert ended.stopped == "asked"


def test_a_program_that_ends_within_the_grace_was_not_stopped(tmp_path: Path) -> None:
    """Grace is time to end by itself."""
    ended = finish(shell(tmp_path, "echo result; sleep 0.2"), stop_at(b"result", grace=60.0))
    assert (ended.exit_code, ended.stopped) == (0, None)


@on_linux
def test_a_detached_child_is_killed_after_a_normal_end(tmp_path: Path, mark: str) -> None:
    """A process in its own session that outlives the program is found by the mark, killed and counted."""
    ended = finish(shell(tmp_path, "setsid sleep 600 >/dev/null 2>&1 & echo done", mark=mark))
    assert (ended.exit_code, ended.stopped) == (0, None)
    assert ended.n_strays >= 1
    assert marked(mark) == []


@on_linux
def test_a_child_without_the_mark_is_killed_with_its_group(tmp_path: Path, mark: str) -> None:
    """Clearing the environment is not enough to stay."""
    script = f"env -i {MARK}={mark}-other sleep 600 & until grep -qs other /proc/$!/environ; do :; done"
    ended = finish(shell(tmp_path, script, mark=mark))
    assert (ended.exit_code, ended.n_strays) == (0, 0)
    wait_until_gone(f"{mark}-other")


def wait_until_gone(mark: str) -> None:
    """Until a killed process has been taken away by the system."""
    deadline = time.monotonic() + 60
    while marked(mark):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@on_linux
def test_a_child_that_holds_the_pipe_does_not_hold_us(tmp_path: Path, mark: str) -> None:
    """A child that was not found keeps the output open; we do not wait for it."""
    out = Head(100)
    other = f"{mark}-other"
    script = f"{MARK}={other} setsid sleep 600 & until grep -qs sleep /proc/$!/comm; do :; done; echo done"
    try:
        ended = finish(shell(tmp_path, script, mark=mark), out)
        assert (ended.exit_code, out.text()) == (0, "done\n")
        assert marked(other)
    finally:
        anyio.run(kill_strays, other)


@on_linux
def test_without_a_mark_children_go_on_and_may_talk(tmp_path: Path, mark: str) -> None:
    """A server in the background is not ended by a line in its log that nobody reads any more."""
    out = Head(100)
    script = (
        "(while [ ! -e go ]; do sleep 0.02; done; echo late; echo late; touch alive; exec sleep 600) & echo started"
    )
    ended = finish(shell(tmp_path, script, env={"PATH": os.environ["PATH"], MARK: mark}), out)
    assert (ended.exit_code, ended.stopped, ended.n_strays) == (0, None, 0)
    assert out.text() == "started\n"
    (tmp_path / "go").touch()
    wait_for(tmp_path / "alive")
    assert anyio.run(kill_strays, mark) >= 1


def test_where_marks_cannot_be_read_children_end_with_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could find them later."""
    monkeypatch.setattr("skilltrial.processes.strays.READABLE", False)
    out = Head(100)
    finish(shell(tmp_path, "sleep 600 & echo $!"), out)
    deadline = time.monotonic() + 60
    while alive(int(out.text())):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether there is such a process, other than one that only waits to be taken away."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return sys.platform != "linux"


def cancelled(command: Command, out: Head) -> list[Ended]:
    """Runs a command and cancels it after its first words; what was returned, which is nothing."""
    returned: list[Ended] = []

    async def both() -> None:
        ready = anyio.Event()

        def hear(chunk: bytes) -> None:
            out(chunk)
            ready.set()

        async def work() -> None:
            returned.append(await run_tree(command, (hear,)))

        async with anyio.create_task_group() as group:
            group.start_soon(work)
            await ready.wait()
            group.cancel_scope.cancel()

    anyio.run(both)
    return returned


@on_linux
def test_cancelling_ends_the_whole_tree(tmp_path: Path, mark: str) -> None:
    """The cancellation goes through, and nothing is left."""
    script = "setsid sleep 600 & echo ready; exec sleep 600"
    assert cancelled(shell(tmp_path, script, mark=mark), Head(0)) == []
    assert marked(mark) == []


def test_last_words_after_a_cancellation_are_heard(tmp_path: Path) -> None:
    """Also where they are more than a pipe holds: who waits for room hears no signal."""
    out = Head(10_000_000)
    script = "trap 'yes | head -c 300000; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    cancelled(shell(tmp_path, script, gentle=((signal.SIGTERM, 60.0),)), out)
    assert len(out.text()) == len("ready\n") + 300_000


def test_all_that_runs_can_be_killed_from_outside(tmp_path: Path) -> None:
    """As at a second Ctrl-C: whoever waits gets an end."""

    def hear(_chunk: bytes) -> None:
        kill_running()

    ended = finish(shell(tmp_path, "trap '' INT TERM; echo ready; while :; do sleep 0.1; done"), hear)
    assert (ended.exit_code, ended.stopped) == (-9, None)
    assert not tree._running


@pytest.mark.parametrize("moment", range(8))
def test_an_end_in_the_moment_of_asking_keeps_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """The signal is for one that has just been killed; asking must not take its exit code away."""

    def killed(pid: int) -> list[int]:
        os.kill(pid, signal.SIGKILL)
        time.sleep(moment * 0.0005)
        return []

    monkeypatch.setattr("skilltrial.processes.strays.descendants", killed)
    ended = finish(shell(tmp_path, "exec sleep 60", timeout_s=0.05, gentle=((signal.SIGINT, 5.0),)))
    assert ended == Ended(exit_code=-signal.SIGKILL, stopped="timeout", n_strays=0)


def test_a_missing_program_is_an_os_error(tmp_path: Path) -> None:
    """There is nothing to run."""
    command = Command(argv=("/no/such/program",), cwd=tmp_path, env={}, timeout_s=60.0)
    with pytest.raises(FileNotFoundError):
        finish(command)
