"""Processes that a program left behind, found by a mark in their environment."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path

import anyio
import anyio.to_thread

MARK = "SESSION_MARK"
"""Name of the variable that carries the mark. The agent sees it: it says nothing about what is going on."""
READABLE = Path("/proc/self/environ").exists()
"""Only Linux lets the environment of other processes be read."""

_ROUNDS = 20  # a stray may have forked between being found and being killed
_ROUND_S = 0.05
_CHUNK = 1 << 16


async def kill_strays(mark: str | None, others: Iterable[int] = ()) -> int:
    """Kill every process that carries the mark, and `others`; how many there were.

    Where environments cannot be read, only `others` are killed. What forks faster than it is killed, for a second, may be left.
    """
    killed = {pid for pid in others if _kill(pid)}
    for _ in range(_ROUNDS):
        if mark is None:
            break
        found = await anyio.to_thread.run_sync(marked, mark)
        if not found:
            break
        killed |= {pid for pid in found if _kill(pid)}
        await anyio.sleep(_ROUND_S)
    return len(killed)


def marked(mark: str) -> list[int]:
    """Ids of the living processes, other than this one, that carry the mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    if not READABLE:
        return []
    pids = {int(entry.name) for entry in os.scandir("/proc") if entry.name.isdecimal()} - {os.getpid()}
    return [pid for pid in pids if wanted in _environment(pid)]


def _environment(pid: int) -> list[bytes]:
    """Nothing where it may not be read. With as few calls as can be: all processes of the machine are read after every trial."""
    data = b""
    try:
        descriptor = os.open(f"/proc/{pid}/environ", os.O_RDONLY)
        try:
            while chunk := os.read(descriptor, _CHUNK):
                data += chunk
        finally:
            os.close(descriptor)
    except OSError:
        return []
    return data.split(b"\0")


def descendants(pid: int) -> list[int]:
    """Children, their children and so on, where strays cannot be found by their mark; else nothing."""
    if READABLE:
        return []
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
    children: dict[int, list[int]] = {}
    for line in listing.splitlines():
        child, parent = (int(number) for number in line.split())
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    queue = [pid]
    while queue:
        queue += (below := children.get(queue.pop(), []))
        found += below
    return found


def first_below(pid: int, depth: int) -> int | None:
    """The first child of the first child and so on, `depth` times; None where there is none, or where that cannot be seen."""
    for _ in range(depth):
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
        except OSError:
            return None
        if not children:
            return None
        pid = int(children[0])
    return pid


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True
