"""Ending a run once the skill's text got to the agent, where nothing that comes after is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skilltrial.adapters.harness.process import Watch

_EACH = 64
"""So many lines that may show it are each a reason to look; after that only each further 64th is, so that an agent that names the
skill over and over costs little."""
_AFTER = 4
"""So many lines after one that names the skill may show it too: what a call gave need not name what was asked for."""


class UntilReached:
    """Watches as `watch` does, and stops the run as soon as `reached` says so.

    `reached` reads what the stream shows so far; it is asked only after lines that hold one of `names` or the name of the skill's
    file, and a few that follow them.
    """

    def __init__(self, watch: Watch, *, names: Iterable[str], reached: Callable[[], bool]) -> None:
        self._watch = watch
        self._marks = [name.encode() for name in (*names, "SKILL.md")]
        self._reached = reached
        self._n_seen = 0
        self._n_due = 0
        self.cut = False

    def __call__(self, line: bytes) -> float | None:
        """0 for at once."""
        grace = self._watch(line)
        named = any(mark in line for mark in self._marks)
        if self.cut or not (named or self._n_due):
            return grace
        self._n_due = _AFTER if named else self._n_due - 1
        self._n_seen += 1
        if self._n_seen > _EACH and self._n_seen % _EACH:
            return grace
        self.cut = self._reached()
        return 0.0 if self.cut else grace
