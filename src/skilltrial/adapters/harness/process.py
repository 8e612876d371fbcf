"""Running an agent program: its lines are watched as they come, and written without secrets."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from io import FileIO
from pathlib import Path

from skilltrial.adapters.harness.long_lines import Line
from skilltrial.ports import Confinement
from skilltrial.processes.tree import Command, Ended, run_tree

GENTLE = ((signal.SIGINT, 5.0), (signal.SIGTERM, 5.0))
"""How agent programs are asked to end: they write their last lines upon it."""

Watch = Callable[[bytes], float | None]


def confined(
    command: Command, confinement: Confinement | None, *, writable: Sequence[Path] = (), needs: Sequence[str] = ()
) -> Command:
    """The same program with the same environment, inside the sandbox where there is one.

    `needs` names programs on PATH that it starts by name and that are no part of it or of the system.
    """
    if confinement is None:
        return command
    argv = confinement.wrap(command.argv, cwd=command.cwd, writable=writable, env=command.env, needs=needs)
    return replace(command, argv=argv, depth=confinement.depth)


async def run_command(
    command: Command, *, stdout: Path, stderr: Path, watch: Watch, redact: Callable[[bytes], bytes]
) -> Ended:
    """`run_tree`, with both streams written to files, line by line and redacted.

    `watch` gets every complete line of stdout, redacted; a number that it returns is the seconds after which the program is
    stopped, 0 for at once. Raises `OSError` where the program cannot be started, or, after its end, where a file could not
    be written.
    """
    with ExitStack() as files:
        out = _Lines(files.enter_context(stdout.open("wb", buffering=0)), redact, watch)
        err = _Lines(files.enter_context(stderr.open("wb", buffering=0)), redact, lambda _line: None)
        try:
            ended = await run_tree(command, (out, err))
        finally:
            out.finish()
            err.finish()
    for error in (out.error, err.error):
        if error:
            raise error
    return ended


class _Lines:
    """Puts chunks together to lines, redacts and writes them. A failing disk must not stop the reading, so it is kept."""

    def __init__(self, file: FileIO, redact: Callable[[bytes], bytes], watch: Watch) -> None:
        self._file, self._redact, self._watch = file, redact, watch
        self._line = Line()
        self.error: OSError | None = None

    def __call__(self, chunk: bytes) -> float | None:
        *whole, rest = chunk.split(b"\n")
        graces: list[float] = []
        for piece in whole:
            self._line.add(piece)
            line = self._redact(self._line.take())
            self._write(line)
            self._write(b"\n")
            grace = self._watch(line)
            graces += [] if grace is None else [grace]
        self._line.add(rest)
        return min(graces, default=None)

    def finish(self) -> None:
        """Write a last line that has no end."""
        self._write(self._redact(self._line.take()))

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self.error:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self.error = error
