"""Standard output and standard error, whose reader may go away at any moment (`| head`)."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from skilltrial.cli.failure import silence


class Screen(Console):
    """A console that falls silent when its reader has gone, and says so to `gone` once."""

    def __init__(self, *, stderr: bool = False, gone: Callable[[], None] | None = None) -> None:
        super().__init__(stderr=stderr)
        self._gone = gone

    def on_broken_pipe(self) -> None:
        """What rich calls; its own way would end the program with exit code 1."""
        self.quiet = True
        silence(2 if self.stderr else 1)
        if self._gone:
            self._gone()
