"""What the doubles of a trial answer, in which state they are, and what they were asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

import regex

from skilltrial.records.doubles import CommandReply, DoubleCall, HttpReply

START = "start"
MAX_CALLS = 5_000
"""Of all doubles of a trial; later ones get no reply and are not recorded."""
MAX_INPUT_CHARS = 16_000
"""Of a call's record."""
MAX_OUTPUT_CHARS = 4_000
_SEARCH_S = 0.5
"""For one pattern on one input; what takes longer does not fit."""

ReplyT = TypeVar("ReplyT", CommandReply, HttpReply)


class TooManyCallsError(Exception):
    """The trial has used its doubles more often than is recorded."""


class Playbook:
    """Of one trial; may be used from several threads. `redact` takes secrets out of what is recorded."""

    def __init__(self, redact: Callable[[bytes], bytes] = bytes) -> None:
        self._redact = redact
        self._lock = threading.Lock()
        self._states: dict[str, str] = {}
        self._calls: list[DoubleCall] = []
        self._n_taken = 0

    def take(self, double: str, replies: Iterable[ReplyT], fits: Callable[[ReplyT], bool]) -> tuple[ReplyT | None, str]:
        """The first reply that fits in the double's state, and that state; then the double is in the reply's next one.

        One call at a time, so that concurrent ones see states in an order. Raises `TooManyCallsError`.
        """
        with self._lock:
            self._n_taken += 1
            if self._n_taken > MAX_CALLS:
                raise TooManyCallsError
            state = self._states.get(double, START)
            found = next((one for one in replies if one.when_state in {None, state} and fits(one)), None)
            if found is not None and found.next_state is not None:
                self._states[double] = found.next_state
            return found, state

    def record(self, call: DoubleCall) -> None:
        """Keep a call that has come to its end, its texts cut and without secrets."""
        texts = {
            "name": self._kept(call.name, MAX_INPUT_CHARS),  # of a tool that there may not be
            "input": self._kept(call.input, MAX_INPUT_CHARS),
            "output": self._kept(call.output, MAX_OUTPUT_CHARS),
        }
        kept = call.model_copy(update=texts)
        with self._lock:
            self._calls.append(kept)

    def calls(self) -> tuple[DoubleCall, ...]:
        """All calls so far, in the order of their ends."""
        with self._lock:
            return tuple(self._calls)

    def _kept(self, text: str, limit: int) -> str:
        # Before the cut, which could leave half of a secret. Half characters cannot be written to a file.
        clean = self._redact(text.encode("utf-8", "replace")).decode("utf-8", "replace")
        return clean if len(clean) <= limit else f"{clean[:limit]}\n[… {len(clean) - limit} characters left out …]"


def fits(pattern: str | None, text: str) -> bool:
    """Whether a pattern is found in a text; None is in every text."""
    if pattern is None:
        return True
    try:
        return _compiled(pattern).search(text, timeout=_SEARCH_S) is not None
    except (TimeoutError, MemoryError):
        return False


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)
