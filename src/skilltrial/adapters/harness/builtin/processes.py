"""Processes that outlived the agent, found by the mark in their environment."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_ROUNDS = 5


def end_strays(mark: str) -> int:
    """Kills what carries the mark, round after round until nothing new is found; how many were killed.

    Where there is no /proc, nothing is found: the process groups of the commands are killed all the same.
    """
    killed: set[int] = set()
    for _ in range(_ROUNDS):
        found = _marked(mark) - {os.getpid()}
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found - killed:
            break
        killed |= found
    return len(killed)


def _marked(mark: str) -> set[int]:
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (entry / "environ").read_bytes():
                found.add(int(entry.name))
    return found
