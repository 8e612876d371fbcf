"""A program and everything that it starts: run with a time limit, ended as a whole."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Literal

import anyio
import anyio.to_thread
from anyio.abc import Process

from skilltrial.processes import strays

_DRAIN_S = 2.0
"""How long output is read on after the end, where something still holds the pipe."""
_CHUNK = 1 << 16
_running: set[int] = set()
"""Process groups, for `kill_running`: whoever interrupts a second time reaches them through nothing else."""

Sink = Callable[[bytes], float | None]
"""Gets a stream in pieces as it comes, and must not raise. A number that it returns is the seconds after which the program is
stopped, 0 for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program to run."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    """Its whole environment, but for the mark."""
    stdin: bytes = b""
    timeout_s: float
    mark: str | None = None
    """Goes into the environment; what carries it at the end is killed. None: what the program leaves running when it ends by
    itself goes on, and is for the caller to end."""
    gentle: tuple[tuple[signal.Signals, float], ...] = ()
    """Signals that the program gets before its group is killed, and the seconds that each is given."""
    depth: int = 0
    """How many processes of a wrapper stand before the program, like the two of bubblewrap: the gentle signals are for the program,
    and what it leaves running is ended by the wrapper and not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended."""

    exit_code: int
    """Negative: the signal that ended it."""
    stopped: Literal["timeout", "asked"] | None
    """Why we ended it; None where it ended by itself."""
    n_strays: int
    """Processes that outlived it and were killed."""


class Head:
    """A sink that keeps the first bytes of a stream; the rest is dropped, so that the program is not held up."""

    def __init__(self, limit: int) -> None:
        self._limit, self._kept = limit, bytearray()
        self.cut = False

    def __call__(self, chunk: bytes) -> None:
        room = self._limit - len(self._kept)
        self.cut = self.cut or len(chunk) > room
        self._kept += chunk[:room]

    def text(self) -> str:
        """What was kept; bytes that are no UTF-8 are replaced."""
        return self._kept.decode("utf-8", "replace")


async def run_tree(command: Command, sinks: Sequence[Sink]) -> Ended:
    """Run a program to its end, in a session of its own.

    `sinks` are for stdout and stderr; a single one is for both. The program is stopped at the time limit, when a sink says so,
    and when cancelled, which then goes through: first gently, while its output is still read, then its group is killed. After
    every end the strays and the group are killed too, unless the command has no mark. Only processes that left the session
    and cleared (or, without a mark, kept) their environment may stay: they hold the output open for 2 s at the most.
    Raises `OSError` where the program cannot be started.
    """
    pipes = [os.pipe() for _ in sinks]
    try:
        process = await _start(command, [writer for _, writer in pipes])
        outputs = [(reader, sink) for (reader, _), sink in zip(pipes, sinks, strict=True)]
        _running.add(process.pid)
        try:
            return await _follow(process, command, outputs, timeout_s=command.timeout_s)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await _follow(process, command, outputs, timeout_s=0.0)
            raise
        finally:
            _running.discard(process.pid)
    finally:
        for reader, _ in pipes:
            _let_go(reader, used=command.mark is None)


def kill_running() -> None:
    """Kill every program that `run_tree` runs now, without asking; whoever waits for it then cleans up at once."""
    for group in tuple(_running):
        _kill_group(group)


async def _start(command: Command, writers: Sequence[int]) -> Process:
    mark = {} if command.mark is None else {strays.MARK: command.mark}
    try:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(command.stdin)
            stdin.seek(0)
            return await anyio.open_process(
                command.argv,
                cwd=command.cwd,
                env={**command.env, **mark},
                stdin=stdin,
                stdout=writers[0],
                stderr=writers[-1],
                start_new_session=True,  # a Ctrl-C in the terminal is ours to pass on
            )
    finally:
        for writer in writers:
            os.close(writer)


async def _follow(
    process: Process, command: Command, outputs: Sequence[tuple[int, Sink]], *, timeout_s: float
) -> Ended:
    """Wait for the end, or make one; the output is read all the while: who waits for room in a pipe hears no signal."""
    over = anyio.current_time() + timeout_s
    limit = anyio.CancelScope(deadline=over)
    stopped: Literal["timeout", "asked"] | None = None
    n_strays = 0
    async with anyio.create_task_group() as readers:
        for reader, sink in outputs:
            readers.start_soon(_read, reader, sink, limit)
        with limit:
            await process.wait()
        if process.returncode is None:
            stopped = "asked" if limit.deadline < over else "timeout"
        n_strays = await _end(process, command)
        readers.cancel_scope.deadline = anyio.current_time() + _DRAIN_S
    return Ended(exit_code=await process.wait(), stopped=stopped, n_strays=n_strays)


async def _read(reader: int, sink: Sink, limit: anyio.CancelScope) -> None:
    while True:
        await anyio.wait_readable(reader)
        chunk = os.read(reader, _CHUNK)
        if not chunk:
            return
        grace = sink(chunk)
        if grace is not None:
            limit.deadline = min(limit.deadline, anyio.current_time() + grace)


async def _end(process: Process, command: Command) -> int:
    below: list[int] = []
    if process.returncode is None:
        below = await anyio.to_thread.run_sync(strays.descendants, process.pid)
        await _stop(process, command)
    elif command.mark is None and strays.READABLE:
        return 0
    n_strays = await strays.kill_strays(command.mark, below)
    _kill_group(process.pid)
    return 0 if command.depth else n_strays


async def _stop(process: Process, command: Command) -> None:
    for number, patience in command.gentle:
        with suppress(ProcessLookupError):
            if not _ask(process, command.depth, number):
                break
        with anyio.move_on_after(patience):
            await process.wait()
            return
    _kill_group(process.pid)
    await process.wait()


def _ask(process: Process, depth: int, number: signal.Signals) -> bool:
    """Send the program a signal; False where it is not there (yet): its wrapper would not pass the signal on.

    Not by `Process.send_signal`, which may take the exit code of a program that has just ended from whoever waits for it.
    """
    program = strays.first_below(process.pid, depth)
    if program is not None:
        os.kill(program, number)
    return program is not None


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _let_go(reader: int, *, used: bool) -> None:
    """Close a pipe; where the program's children may write on, not before they have ended: it would end them."""
    if used:
        Thread(target=_swallow, args=(reader,), daemon=True).start()
    else:
        os.close(reader)


def _swallow(reader: int) -> None:
    while os.read(reader, _CHUNK):
        pass
    os.close(reader)
