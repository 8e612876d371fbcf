"""Commands of the agent's: in its folder, with its own small environment, in a session of their own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream, Process

MAX_OUTPUT = 30_000
TIMEOUT_S = 120.0


async def run_command(
    command: str, cwd: Path, *, env: Mapping[str, str], timeout_s: float = TIMEOUT_S
) -> tuple[str, bool]:
    """What the command printed (both streams, cut), and whether it failed.

    At the time limit, and when cancelled, the whole process group is killed.
    """
    process = await anyio.open_process(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )
    assert process.stdout is not None  # noqa: S101 - opened with a pipe above
    output = bytearray()
    try:
        with anyio.move_on_after(timeout_s) as limit:
            await _read(process.stdout, output)
            await process.wait()
    finally:
        await _end(process)
    text = bytes(output[:MAX_OUTPUT]).decode("utf-8", "replace")
    if len(output) > MAX_OUTPUT:
        text += f"\n[cut after {MAX_OUTPUT} bytes]"
    if limit.cancelled_caught:
        return f"{text}\n[stopped after {timeout_s:g} s]", True
    if process.returncode:
        return f"{text}\n[exit code {process.returncode}]", True
    return text or "[no output]", False


async def _read(stream: ByteReceiveStream, output: bytearray) -> None:
    """Reads to the end; what is over the limit is read and dropped, so that the command does not block."""
    with suppress(anyio.EndOfStream):
        while True:
            block = await stream.receive()
            output += block[: max(0, MAX_OUTPUT + 1 - len(output))]


async def _end(process: Process) -> None:
    """Kills what is left of the process group, gentle first; a command that ended by itself costs nothing."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            _signal_group(process.pid, signal.SIGTERM)
            with anyio.move_on_after(2):
                await process.wait()
        _signal_group(process.pid, signal.SIGKILL)
        await process.aclose()


def _signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
