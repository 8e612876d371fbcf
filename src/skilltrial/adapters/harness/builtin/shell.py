"""Commands of the agent's: in its folder, with its own small environment, in a session of their own."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skilltrial.adapters.harness.process import confined
from skilltrial.ports import Confinement
from skilltrial.processes.tree import Command, Head, run_tree

MAX_OUTPUT = 30_000
TIMEOUT_S = 120.0
_GENTLE = ((signal.SIGTERM, 2.0),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The sandbox of a trial's commands, and the folders that they may write."""

    confinement: Confinement
    writable: Sequence[Path]


async def run_command(
    command: str, cwd: Path, *, env: Mapping[str, str], timeout_s: float = TIMEOUT_S, cell: Cell | None = None
) -> tuple[str, bool]:
    """What the command printed (both streams, cut), and whether it failed.

    At the time limit, and when cancelled, the whole process group is killed. Children that the shell leaves when it ends by
    itself, like a server in the background, go on without being heard, until the trial kills them by the mark in `env`;
    where that cannot be (not Linux) they end with the shell. In bubblewrap they end with the shell too.
    """
    head = Head(MAX_OUTPUT)
    argv = ("/bin/sh", "-c", command)
    whole = Command(argv=argv, cwd=cwd, env=env, timeout_s=timeout_s, gentle=_GENTLE)
    if cell is not None:
        whole = confined(whole, cell.confinement, writable=cell.writable)
    ended = await run_tree(whole, (head,))
    text = head.text()
    if head.cut:
        text += f"\n[cut after {MAX_OUTPUT} bytes]"
    if ended.stopped:
        return f"{text}\n[stopped after {timeout_s:g} s]", True
    if ended.exit_code:
        return f"{text}\n[exit code {ended.exit_code}]", True
    return text or "[no output]", False
