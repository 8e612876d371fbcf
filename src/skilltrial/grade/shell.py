"""One shell command of an author's, run to its end and not beyond: bounded time, bounded output, no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

OUTPUT_BYTES = 64 * 1024
_DRAIN_S = 2.0
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnd:
    """How a command ended. `exit_code` None: it did not end in time and was killed; negative: the signal that ended it."""

    exit_code: int | None
    stdout: str
    stderr: str
    cut: bool
    """There was more output than is kept."""


@dataclass(slots=True)
class _Stream:
    data: bytearray
    cut: bool = False

    def add(self, chunk: bytes) -> None:
        room = OUTPUT_BYTES - len(self.data)
        self.cut = self.cut or len(chunk) > room
        self.data += chunk[:room]

    def text(self) -> str:
        return self.data.decode("utf-8", errors="replace")


async def run_command(command: str, folder: Path, *, env: Mapping[str, str], timeout_s: float) -> CommandEnd:
    """Run `sh -c command` in `folder` with exactly this environment, no input, in a session of its own.

    When it ends, times out or is cancelled, its process group is killed, and (where there is a /proc) every process that
    carries its TMPDIR, which must therefore be a folder of this command's alone. Raises `OSError` where there is no shell.
    """
    out, err = _Stream(bytearray()), _Stream(bytearray())
    (out_read, out_write), (err_read, err_write) = os.pipe(), os.pipe()
    try:
        try:
            process = await anyio.open_process(
                ["sh", "-c", command],
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=out_write,
                stderr=err_write,
                start_new_session=True,
            )
        finally:
            os.close(out_write)
            os.close(err_write)
        exit_code = await _follow(process, {out_read: out, err_read: err}, env=env, timeout_s=timeout_s)
    finally:
        os.close(out_read)
        os.close(err_read)
    return CommandEnd(exit_code=exit_code, stdout=out.text(), stderr=err.text(), cut=out.cut or err.cut)


async def _follow(
    process: anyio.abc.Process, streams: Mapping[int, _Stream], *, env: Mapping[str, str], timeout_s: float
) -> int | None:
    exit_code = None
    async with anyio.create_task_group() as readers:
        for descriptor, stream in streams.items():
            readers.start_soon(_read, descriptor, stream)
        try:
            with anyio.move_on_after(timeout_s):
                exit_code = await process.wait()
        finally:
            with anyio.CancelScope(shield=True):
                _kill_all(process.pid, env["TMPDIR"])
                await process.wait()
        # All writers are dead by now, so the readers come to the end; one that escaped must not hold us.
        readers.cancel_scope.deadline = anyio.current_time() + _DRAIN_S
    return exit_code


async def _read(descriptor: int, stream: _Stream) -> None:
    while True:
        await anyio.wait_readable(descriptor)
        chunk = os.read(descriptor, 65536)
        if not chunk:
            return
        stream.add(chunk)


def _kill_all(pid: int, tmp: str) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    mark = b"TMPDIR=" + os.fsencode(tmp)
    for stray in _marked(mark):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(stray, signal.SIGKILL)


def _marked(mark: bytes) -> list[int]:
    found: list[int] = []
    if not _PROC.is_dir():
        return found
    for place in _PROC.iterdir():
        if place.name.isdecimal():
            with suppress(OSError):
                if mark in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
    return found
