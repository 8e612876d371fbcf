"""One shell command of an author's, run to its end and not beyond: bounded time, bounded output, no process left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skilltrial.processes.tree import Command, Head, run_tree

OUTPUT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnd:
    """How a command ended. `exit_code` None: it did not end in time and was killed; negative: the signal that ended it."""

    exit_code: int | None
    stdout: str
    stderr: str
    cut: bool
    """There was more output than is kept."""


async def run_command(command: str, folder: Path, *, env: Mapping[str, str], timeout_s: float) -> CommandEnd:
    """Run `sh -c command` in `folder` with this environment and a mark, no input, in a session of its own.

    However it ends, also when cancelled, nothing of it stays (see `run_tree`). The mark is its TMPDIR, which must therefore be
    a folder of this command's alone. Raises `OSError` where there is no shell.
    """
    out, err = Head(OUTPUT_BYTES), Head(OUTPUT_BYTES)
    argv = ("sh", "-c", command)
    ended = await run_tree(Command(argv=argv, cwd=folder, env=env, timeout_s=timeout_s, mark=env["TMPDIR"]), (out, err))
    exit_code = None if ended.stopped else ended.exit_code
    return CommandEnd(exit_code=exit_code, stdout=out.text(), stderr=err.text(), cut=out.cut or err.cut)
