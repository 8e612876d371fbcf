"""Watching and writing what an agent program prints, with real programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.harness.process import run_command
from skilltrial.processes.tree import Command, Ended


def finish(
    tmp_path: Path,
    argv: tuple[str, ...],
    watch: Callable[[bytes], float | None] = lambda _line: None,
    redact: Callable[[bytes], bytes] = lambda data: data,
    stdout: str = "out.txt",
) -> Ended:
    """Runs a program in `tmp_path` to its end."""
    command = Command(argv=argv, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, timeout_s=60.0, mark=tmp_path.name)

    async def once() -> Ended:
        files = {"stdout": tmp_path / stdout, "stderr": tmp_path / "err.txt"}
        return await run_command(command, watch=watch, redact=redact, **files)

    return anyio.run(once)


def test_both_outputs_are_kept(tmp_path: Path) -> None:
    """As they were, also a last line without an end."""
    script = "import sys; print('one'); print('two', end=''); print('oops', file=sys.stderr)"
    finish(tmp_path, (sys.executable, "-c", script))
    assert (tmp_path / "out.txt").read_text() == "one\ntwo"
    assert (tmp_path / "err.txt").read_text() == "oops\n"


def test_lines_arrive_while_it_runs(tmp_path: Path) -> None:
    """The watcher sees a line before the program ends: it lets the program go on by making a file."""

    def watch(line: bytes) -> None:
        if line == b"ready":
            (tmp_path / "go").touch()

    ended = finish(tmp_path, ("sh", "-c", "echo ready; while [ ! -e go ]; do sleep 0.05; done; echo done"), watch)
    assert ended.stopped is None
    assert (tmp_path / "out.txt").read_text() == "ready\ndone\n"


def test_very_long_lines_and_much_output_pass(tmp_path: Path) -> None:
    """A line of 4 MB comes whole, beside 4 MB on stderr that nobody waits for."""
    lines: list[int] = []
    script = "import sys; sys.stderr.write('e' * 4_000_000); sys.stdout.write('x' * 4_000_000 + '\\nend\\n')"
    finish(tmp_path, (sys.executable, "-c", script), lambda line: lines.append(len(line)))
    assert lines == [4_000_000, 3]
    assert (tmp_path / "err.txt").stat().st_size == 4_000_000


def test_secrets_are_masked_before_the_file(tmp_path: Path) -> None:
    """Redaction sees whole lines, so that a secret cannot hide across two chunks."""
    script = "import sys; print('a sec', end='', flush=True); print('ret b'); print('secret', file=sys.stderr)"
    finish(tmp_path, (sys.executable, "-c", script), redact=lambda data: data.replace(b"secret", b"***"))
    assert (tmp_path / "out.txt").read_text() == "a *** b\n"
    assert (tmp_path / "err.txt").read_text() == "***\n"


def test_the_soonest_of_the_watchers_wishes_counts(tmp_path: Path) -> None:
    """Lines that come in one piece: an hour for the first, nothing for the second."""
    wishes = {b"result": 3600.0, b"fatal": 0.0}
    ended = finish(tmp_path, ("sh", "-c", r"printf 'result\nfatal\nmore\n'; exec sleep 600"), wishes.get)
    assert ended.stopped == "asked"


def test_a_full_disk_is_an_os_error(tmp_path: Path) -> None:
    """The program is brought to its end, then the error comes."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with pytest.raises(OSError, match="No space left"):
        finish(tmp_path, ("sh", "-c", "echo one; echo two; touch ended"), stdout="/dev/full")
    assert (tmp_path / "ended").exists()
