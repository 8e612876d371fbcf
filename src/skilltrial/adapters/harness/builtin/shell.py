"""Commands of the agent's: in its folder, with its own small environment, in a session of their own."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from skilltrial.processes.tree import Command, Head, run_tree

MAX_OUTPUT = 30_000
TIMEOUT_S = 120.0
_GENTLE = ((signal.SIGTERM, 2.0),)


async def run_command(
    command: str, cwd: Path, *, env: Mapping[str, str], timeout_s: float = TIMEOUT_S
) -> tuple[str, bool]:
    """What the command printed (both streams, cut), and whether it failed.

    At the time limit, and when cancelled, the whole process group is killed. Children that the shell leaves when it ends by
    itself, like a server in the background, go on without being heard, until the trial kills them by the mark in `env`;
    where that cannot be (not Linux) they end with the shell.
    """
    head = Head(MAX_OUTPUT)
    argv = ("/bin/sh", "-c", command)
    ended = await run_tree(Command(argv=argv, cwd=cwd, env=env, timeout_s=timeout_s, gentle=_GENTLE), (head,))
    text = head.text()
    if head.cut:
        text += f"\n[cut after {MAX_OUTPUT} bytes]"
    if ended.stopped:
        return f"{text}\n[stopped after {timeout_s:g} s]", True
    if ended.exit_code:
        return f"{text}\n[exit code {ended.exit_code}]", True
    return text or "[no output]", False
