"""Running an agent program, and ending its whole process tree."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import BinaryIO, Literal, cast

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from skilltrial.adapters.harness.strays import MARK, descendants, kill_strays

_GENTLE = ((signal.SIGINT, 5.0), (signal.SIGTERM, 5.0))
"""Signals and the seconds that each is given, before SIGKILL."""
_DRAIN_S = 2.0
"""How long output is read on after the end, where something still holds the pipe."""
_CHUNK = 1 << 16
_running: set[int] = set()
"""Process groups, for `kill_running`: whoever interrupts a second time reaches them through nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program to run. `env` is its whole environment, but for the mark."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes
    stdout: Path
    """Written line by line, redacted."""
    stderr: Path
    timeout_s: float
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended."""

    exit_code: int
    """Negative: the signal that ended it."""
    stopped: Literal["timeout", "asked"] | None
    """Why we ended it; None where it ended by itself."""
    n_strays: int
    """Processes that outlived it and were killed."""


async def run_command(
    command: Command,
    *,
    watch: Callable[[bytes], float | None],
    redact: Callable[[bytes], bytes],
) -> Ended:
    """Run a program to its end, and see to it that nothing of it stays.

    `watch` gets every complete line of stdout as it comes; a number that it returns is the seconds after which the program
    is stopped, 0 for at once. Stopping is SIGINT, SIGTERM, SIGKILL, 5 s apart. When cancelled, it does the same and
    lets the cancellation through. Raises `OSError` where the program cannot be started.
    """
    process = await anyio.open_process(
        command.argv,
        cwd=command.cwd,
        env={**command.env, MARK: command.mark},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,  # a Ctrl-C in the terminal is ours to pass on
    )
    _running.add(process.pid)
    with command.stdout.open("wb") as stdout, command.stderr.open("wb") as stderr:
        running = _Running(process, command, out=_Lines(stdout, redact), err=_Lines(stderr, redact), watch=watch)
        try:
            return await running.to_the_end()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await running.abort()
            raise
        finally:
            _running.discard(process.pid)
            with anyio.CancelScope(shield=True):
                await process.aclose()


def kill_running() -> None:
    """Kill every program that `run_command` runs now, without asking; whoever waits for it then cleans up at once."""
    for group in tuple(_running):
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


class _Lines:
    """Puts chunks together to lines, redacts and writes them. A failing disk must not stop the reading, so it is kept."""

    def __init__(self, file: BinaryIO, redact: Callable[[bytes], bytes]) -> None:
        self._file, self._redact = file, redact
        self._parts: list[bytes] = []
        self.error: OSError | None = None

    def take(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes."""
        *whole, rest = chunk.split(b"\n")
        lines: list[bytes] = []
        for piece in whole:
            lines.append(self._redact(b"".join([*self._parts, piece])))
            self._parts = []
            self._write(lines[-1] + b"\n")
        if rest:
            self._parts.append(rest)
        return lines

    def finish(self) -> None:
        """Write a last line that has no end, and raise what the disk raised."""
        self._write(self._redact(b"".join(self._parts)))
        self._parts = []
        if self.error:
            raise self.error

    def _write(self, data: bytes) -> None:
        if self.error:
            return
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            self.error = error


class _Running:
    """A process, its three pipes, and the moment at which it has to end."""

    def __init__(
        self, process: Process, command: Command, *, out: _Lines, err: _Lines, watch: Callable[[bytes], float | None]
    ) -> None:
        self._process, self._command = process, command
        self._out, self._err, self._watch = out, err, watch
        self._limit = anyio.CancelScope()
        self._asked = False
        self._drained = anyio.Event()
        self._tree: list[int] = []

    async def to_the_end(self) -> Ended:
        """Run until it ends or has to end."""
        stopped: Literal["timeout", "asked"] | None = None
        n_strays = 0
        async with anyio.create_task_group() as pumps:
            pumps.start_soon(self._feed)
            pumps.start_soon(self._read)
            stopped = await self._wait()
            n_strays = await self._sweep()
            pumps.cancel_scope.cancel()
        self._out.finish()
        self._err.finish()
        return Ended(exit_code=self._process.returncode or 0, stopped=stopped, n_strays=n_strays)

    async def abort(self) -> None:
        """End it now."""
        self._drained = anyio.Event()
        async with anyio.create_task_group() as pumps:
            pumps.start_soon(self._read)  # who waits for room in a pipe does not hear a gentle signal
            await self._stop()
            await self._sweep()
            pumps.cancel_scope.cancel()
        with suppress(OSError):
            self._out.finish()
            self._err.finish()

    async def _wait(self) -> Literal["timeout", "asked"] | None:
        self._limit.deadline = min(self._limit.deadline, anyio.current_time() + self._command.timeout_s)
        with self._limit:
            await self._process.wait()
        if self._process.returncode is not None:
            return None
        await self._stop()
        return "asked" if self._asked else "timeout"

    async def _stop(self) -> None:
        self._tree = await anyio.to_thread.run_sync(descendants, self._process.pid)
        for number, patience in _GENTLE:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)
            with anyio.move_on_after(patience):
                await self._process.wait()
                return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _sweep(self) -> int:
        n_strays = await kill_strays(self._command.mark, self._tree)
        with anyio.move_on_after(_DRAIN_S):
            await self._drained.wait()
        return n_strays

    async def _feed(self) -> None:
        stdin = cast("ByteSendStream", self._process.stdin)
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):  # it may not want to read
            await stdin.send(self._command.stdin)
            await stdin.aclose()

    async def _read(self) -> None:
        async with anyio.create_task_group() as pipes:
            pipes.start_soon(self._pump, self._process.stdout, self._out, self._look)
            pipes.start_soon(self._pump, self._process.stderr, self._err, None)
        self._drained.set()

    async def _pump(
        self, stream: ByteReceiveStream | None, lines: _Lines, look: Callable[[bytes], None] | None
    ) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while stream:
                for line in lines.take(await stream.receive(_CHUNK)):
                    if look:
                        look(line)

    def _look(self, line: bytes) -> None:
        grace = self._watch(line)
        if grace is None:
            return
        deadline = anyio.current_time() + grace
        if deadline < self._limit.deadline:
            self._asked = True
            self._limit.deadline = deadline
