"""One shell command of an author's, run to its end and not beyond: bounded time, bounded output, no process left behind."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skilltrial.ports import Confinement
from skilltrial.processes.tree import Command, Head, run_tree

_BEGUN = "begun"
OUTPUT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnd:
    """How a command ended. `exit_code` None: it did not end in time and was killed; negative: the signal that ended it."""

    exit_code: int | None
    stdout: str
    stderr: str
    cut: bool
    """There was more output than is kept."""
    begun: bool = True
    """False: what it was to run in failed, and the command was never reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a command runs in, the folders that it may write, and the names of programs that it needs."""

    walls: Confinement
    writable: Sequence[Path]
    needs: Sequence[str]


async def run_command(
    command: str, folder: Path, *, env: Mapping[str, str], timeout_s: float, cell: Cell | None = None
) -> CommandEnd:
    """Run `sh -c command` in `folder` with this environment and a mark, no input, in a session of its own.

    However it ends, also when cancelled, nothing of it stays (see `run_tree`). The mark is its TMPDIR, which must therefore be
    a folder of this command's alone. Raises `OSError` where there is no shell.
    """
    out, err = Head(OUTPUT_BYTES), Head(OUTPUT_BYTES)
    whole = Command(argv=("sh", "-c", command), cwd=folder, env=env, timeout_s=timeout_s, mark=env["TMPDIR"])
    if cell is not None:
        # Said before anything of the agent's can run, so that a sandbox that fails is never taken for a command that does.
        argv = cell.walls.wrap(
            ("sh", "-c", f'echo {_BEGUN}; exec sh -c "$1"', "sh", command),
            cwd=folder,
            writable=cell.writable,
            env=env,
            needs=cell.needs,
        )
        whole = replace(whole, argv=argv, depth=cell.walls.depth)
    ended = await run_tree(whole, (out, err))
    exit_code = None if ended.stopped else ended.exit_code
    said = out.text()
    begun = cell is None or said.startswith(f"{_BEGUN}\n")
    return CommandEnd(
        exit_code=exit_code,
        stdout=said if cell is None else said.removeprefix(f"{_BEGUN}\n"),
        stderr=err.text(),
        cut=out.cut or err.cut,
        begun=begun,
    )


def absolute_places(path: str) -> str:
    """The search path without `.` and other relative places: programs that the agent left must not be found by name."""
    places = [place for place in path.split(os.pathsep) if os.path.isabs(place)]  # noqa: PTH117 - texts, not paths
    return os.pathsep.join(places) or os.defpath
