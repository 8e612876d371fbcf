"""Answers that are dear to make, kept for as long as what they were made from stays as it was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import NamedTuple, TypeVar, cast

ValueT = TypeVar("ValueT")


class _Entry(NamedTuple):
    stamp: Hashable
    value: object


class Kept:
    """One value for each name, made again where its stamp is another one. From any thread; what two ask for is made once."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._locks: defaultdict[Hashable, Lock] = defaultdict(Lock)
        self._guard = Lock()

    def get(self, name: Hashable, stamp: Hashable, make: Callable[[], ValueT]) -> ValueT:
        """The value of this name and stamp; `make` is called where there is none, and may raise."""
        with self._guard:
            lock = self._locks[name]
        with lock:
            found = self._entries.get(name)
            if found is not None and found.stamp == stamp:
                return cast("ValueT", found.value)
            value = make()
            self._entries[name] = _Entry(stamp, value)
            return value

    def peek(self, name: Hashable, stamp: Hashable = None) -> object | None:
        """The value of this name as it is, without waiting; with a stamp only where it was made for that."""
        found = self._entries.get(name)
        return None if found is None or (stamp is not None and found.stamp != stamp) else found.value
