"""Our end of the named pipes: takes calls from programs in the trial's folders, and gives them what they print.

What comes in is the agent's: names, kinds of files, sizes and times are not trusted.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import TaskGroup, TaskStatus

from skilltrial.adapters.doubles.relay import DOOR, ERR, IN, OUT

MAX_AT_ONCE = 64
MAX_WAITING = 1_000
"""Beyond these, calls get no answer."""
_MAX_HEAD_BYTES = 4_000_000
"""Of a caller's place and arguments."""
_MAX_ARGUMENTS = 100_000
_CHUNK = 1 << 16
_NAME = re.compile(rb"[A-Za-z0-9]{6,20}")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_PIPE = os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Caller:
    """A program that was started, and our ends of its pipes."""

    cwd: str
    args: tuple[str, ...]
    rest: bytes
    """What was read beyond the arguments."""
    stdin: int
    stdout: int
    stderr: int

    async def read(self) -> bytes:
        """The next bytes of its standard input; empty at the end."""
        return await _read(self.stdin)

    async def answer(self, code: int, stdout: bytes = b"", stderr: bytes = b"") -> None:
        """Give it its exit code and what it prints, and close both."""
        async with anyio.create_task_group() as both:
            both.start_soon(_write, self.stderr, stderr)
            await _write(self.stdout, b"%d\n" % code + stdout)

    async def print(self, data: bytes) -> None:
        """Let it print something."""
        await _write(self.stdout, data)


Handler = Callable[[Caller], Awaitable[None]]


class Channel:
    """The folder with the door. `handlers` are asked by the token that a program begins with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.handlers: dict[str, Handler] = {}
        self._places = anyio.Semaphore(MAX_AT_ONCE)
        self._n_callers = 0

    async def serve(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Take calls until cancelled."""
        self.folder.mkdir(mode=0o700, parents=True)
        os.mkfifo(self.folder / DOOR, 0o600)
        with ExitStack() as stack:
            folder = _kept(stack, os.open(self.folder, _FOLDER))
            # Also written to by us, so that it never comes to an end.
            door = _kept(stack, os.open(DOOR, os.O_RDWR | _PIPE, dir_fd=folder))
            async with anyio.create_task_group() as callers:
                task_status.started()
                waiting = b""
                while True:
                    *names, waiting = (waiting + await _read(door)).split(b"\n")
                    waiting = waiting[-_CHUNK:]
                    for name in names:
                        self._admit(name, folder, callers)

    def _admit(self, name: bytes, folder: int, callers: TaskGroup) -> None:
        if _NAME.fullmatch(name) and self._n_callers < MAX_WAITING:
            self._n_callers += 1
            callers.start_soon(self._serve_one, name.decode(), folder)

    async def _serve_one(self, name: str, folder: int) -> None:
        try:
            async with self._places:
                with suppress(OSError, ValueError, RecursionError), _pipes(name, folder) as pipes:
                    token, caller = await _caller(*pipes)
                    if token in self.handlers:
                        await self.handlers[token](caller)
        finally:
            self._n_callers -= 1


@contextmanager
def _pipes(name: str, folder: int) -> Generator[tuple[int, int, int]]:
    """The three pipes of a caller. Raises `OSError` where it is gone, or where one is no pipe."""
    with ExitStack() as stack:
        at = _kept(stack, os.open(name, _FOLDER, dir_fd=folder))
        ends = ((IN, os.O_RDONLY), (OUT, os.O_WRONLY), (ERR, os.O_WRONLY))
        found = [_kept(stack, os.open(end, way | _PIPE, dir_fd=at)) for end, way in ends]
        if not all(stat.S_ISFIFO(os.fstat(one).st_mode) for one in found):
            raise OSError("no pipe")
        yield found[0], found[1], found[2]


def _kept(stack: ExitStack, descriptor: int) -> int:
    stack.callback(os.close, descriptor)
    return descriptor


async def _caller(stdin: int, stdout: int, stderr: int) -> tuple[str, Caller]:
    """What a caller begins with. Raises `ValueError` where it is cut or endless."""
    head = b""
    wanted = 3  # token, folder, number of arguments
    while head.count(b"\0") < wanted:
        chunk = await _read(stdin)
        head += chunk
        if not chunk or len(head) > _MAX_HEAD_BYTES:
            raise ValueError("no head")
        parts = head.split(b"\0", 3)
        if len(parts) > 3:  # noqa: PLR2004 - all three have ended
            wanted = 3 + min(int(parts[2]), _MAX_ARGUMENTS)
    *fields, rest = head.split(b"\0", wanted)
    token, cwd, _, *args = (field.decode("utf-8", "replace") for field in fields)
    return token, Caller(cwd, tuple(args), rest, stdin, stdout, stderr)


async def _read(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(descriptor)


async def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    with suppress(BrokenPipeError):  # it did not wait for the end
        while rest:
            try:
                rest = rest[os.write(descriptor, rest[:_CHUNK]) :]
            except BlockingIOError:
                await anyio.wait_writable(descriptor)
