"""Running and ending process trees, with real processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.harness.process import Command, Ended, run_command
from skilltrial.adapters.harness.strays import marked

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def command(
    tmp_path: Path, script: str, *, shell: bool = False, stdin: bytes = b"", timeout_s: float = 60.0
) -> Command:
    """A Python (or shell) script to run in `tmp_path`."""
    argv = ("sh", "-c", script) if shell else (sys.executable, "-c", script)
    return Command(
        argv=argv,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        stdin=stdin,
        stdout=tmp_path / "out.txt",
        stderr=tmp_path / "err.txt",
        timeout_s=timeout_s,
        mark=f"mark-{tmp_path.name}",
    )


def finish(
    it: Command,
    watch: Callable[[bytes], float | None] = lambda _line: None,
    redact: Callable[[bytes], bytes] = lambda data: data,
) -> Ended:
    """Runs a command to its end."""

    async def once() -> Ended:
        return await run_command(it, watch=watch, redact=redact)

    return anyio.run(once)


def test_exit_code_and_both_outputs_are_kept(tmp_path: Path) -> None:
    """What was written and how it ended come back as they were."""
    script = "import sys; print('one'); print('two', end=''); print('oops', file=sys.stderr); sys.exit(3)"
    ended = finish(command(tmp_path, script))
    assert (ended.exit_code, ended.stopped, ended.n_strays) == (3, None, 0)
    assert (tmp_path / "out.txt").read_text() == "one\ntwo"
    assert (tmp_path / "err.txt").read_text() == "oops\n"


def test_the_environment_is_exactly_what_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of our own environment is inherited."""
    monkeypatch.setenv("OUR_OWN_VARIABLE", "1")
    finish(command(tmp_path, "env | cut -d= -f1 | sort", shell=True))
    names = set((tmp_path / "out.txt").read_text().split())
    assert {"PATH", "SESSION_MARK"} <= names
    assert names <= {"PATH", "SESSION_MARK", "PWD", "OLDPWD", "SHLVL", "_"}


def test_lines_arrive_while_it_runs(tmp_path: Path) -> None:
    """The watcher sees a line before the program ends: it lets the program go on by making a file."""

    def watch(line: bytes) -> None:
        if line == b"ready":
            (tmp_path / "go").touch()

    script = "echo ready; while [ ! -e go ]; do sleep 0.05; done; echo done"
    assert finish(command(tmp_path, script, shell=True), watch).stopped is None
    assert (tmp_path / "out.txt").read_text() == "ready\ndone\n"


def test_very_long_lines_and_much_output_pass(tmp_path: Path) -> None:
    """A line of 4 MB comes whole, beside 4 MB on stderr that nobody waits for."""
    lines: list[int] = []
    script = "import sys; sys.stderr.write('e' * 4_000_000); sys.stdout.write('x' * 4_000_000 + '\\nend\\n')"
    finish(command(tmp_path, script), lambda line: lines.append(len(line)))
    assert lines == [4_000_000, 3]
    assert (tmp_path / "err.txt").stat().st_size == 4_000_000


def test_stdin_is_handed_over_and_closed(tmp_path: Path) -> None:
    """The program reads all of it to the end."""
    finish(command(tmp_path, "import sys; print(len(sys.stdin.read()))", stdin=b"y" * 1_000_000))
    assert (tmp_path / "out.txt").read_text() == "1000000\n"


def test_a_program_that_does_not_read_is_no_problem(tmp_path: Path) -> None:
    """It closes its stdin, and ends by itself."""
    ended = finish(command(tmp_path, "import os; os.close(0); print('fine')", stdin=b"y" * 1_000_000))
    assert (ended.exit_code, ended.stopped) == (0, None)


def test_secrets_are_masked_before_the_file(tmp_path: Path) -> None:
    """Redaction sees whole lines, so that a secret cannot hide across two chunks."""
    script = "import sys; print('a sec', end='', flush=True); print('ret b'); print('secret', file=sys.stderr)"
    finish(command(tmp_path, script), redact=lambda data: data.replace(b"secret", b"***"))
    assert (tmp_path / "out.txt").read_text() == "a *** b\n"
    assert (tmp_path / "err.txt").read_text() == "***\n"


def test_the_time_limit_is_told_gently_first(tmp_path: Path) -> None:
    """SIGINT comes first, and what is written upon it is kept."""
    script = "trap 'echo bye; exit 7' INT; while :; do sleep 0.1; done"
    ended = finish(command(tmp_path, script, shell=True, timeout_s=0.5))
    assert (ended.exit_code, ended.stopped) == (7, "timeout")
    assert (tmp_path / "out.txt").read_text() == "bye\n"


def test_who_does_not_listen_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGINT, SIGTERM, then SIGKILL."""
    monkeypatch.setattr("skilltrial.adapters.harness.process._GENTLE", ((2, 0.1), (15, 0.1)))
    ended = finish(command(tmp_path, "trap '' INT TERM; while :; do sleep 0.1; done", shell=True, timeout_s=0.5))
    assert (ended.exit_code, ended.stopped) == (-9, "timeout")


def test_the_watcher_can_stop_it_at_once(tmp_path: Path) -> None:
    """A watcher that returns 0 ends the program long before its time."""
    ended = finish(
        command(tmp_path, "echo fatal; exec sleep 600", shell=True), lambda line: 0.0 if line == b"fatal" else None
    )
    assert ended.stopped == "asked"


def test_a_program_that_ends_within_the_grace_was_not_stopped(tmp_path: Path) -> None:
    """Grace is time to end by itself."""
    ended = finish(command(tmp_path, "echo result; sleep 0.2", shell=True), lambda _line: 60.0)
    assert (ended.exit_code, ended.stopped) == (0, None)


@on_linux
def test_a_detached_child_is_killed_after_a_normal_end(tmp_path: Path) -> None:
    """A process in its own session that outlives the program is found by the mark, killed and counted."""
    it = command(tmp_path, "setsid sleep 600 >/dev/null 2>&1 & echo done", shell=True)
    ended = finish(it)
    assert (ended.exit_code, ended.stopped) == (0, None)
    assert ended.n_strays >= 1
    assert marked(it.mark) == []


@on_linux
def test_a_child_that_holds_the_pipe_does_not_hold_us(tmp_path: Path) -> None:
    """A child without the mark keeps stdout open; we do not wait for it."""
    script = "env -i setsid sleep 8 & echo done"
    begun = time.monotonic()
    ended = finish(command(tmp_path, script, shell=True))
    assert ended.exit_code == 0
    assert time.monotonic() - begun < 7
    assert (tmp_path / "out.txt").read_text() == "done\n"


@on_linux
def test_cancelling_ends_the_whole_tree(tmp_path: Path) -> None:
    """The cancellation goes through, and nothing is left."""
    it = command(tmp_path, "setsid sleep 600 & echo ready; exec sleep 600", shell=True)
    reached: list[str] = []

    async def cancelled() -> None:
        ready = anyio.Event()

        def watch(_line: bytes) -> None:
            ready.set()

        async def work() -> None:
            await run_command(it, watch=watch, redact=bytes)
            reached.append("the end")

        async with anyio.create_task_group() as group:
            group.start_soon(work)
            await ready.wait()
            group.cancel_scope.cancel()

    anyio.run(cancelled)
    assert reached == []
    assert marked(it.mark) == []


def test_a_full_disk_is_an_os_error(tmp_path: Path) -> None:
    """The program is brought to its end, then the error comes."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    it = command(tmp_path, "echo one; echo two", shell=True)
    full = Command(**{name: getattr(it, name) for name in it.__slots__} | {"stdout": Path("/dev/full")})
    with pytest.raises(OSError, match="No space left"):
        finish(full)


def test_a_missing_program_is_an_os_error(tmp_path: Path) -> None:
    """There is nothing to run."""
    it = command(tmp_path, "")
    missing = Command(**{name: getattr(it, name) for name in it.__slots__} | {"argv": ("/no/such/program",)})
    with pytest.raises(FileNotFoundError):
        finish(missing)
