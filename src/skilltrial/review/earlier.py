"""Another workspace's newest iteration beside those of the one that is looked at."""

from __future__ import annotations

from pathlib import Path

from skilltrial.errors import SpecError
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout

EARLIER = 0
"""The number that it goes by here: iterations are counted from 1."""
_HERE = layout.iteration_dir(EARLIER)


class WithEarlier:
    """Satisfies `ports.Store`: a workspace, with the newest iteration of `other` as its iteration 0.

    That one is found by its number alone, and never listed. Raises `SpecError` where `other` has none, or the number is taken.
    """

    def __init__(self, store: Store, other: Store) -> None:
        numbers = iterations(other)
        if not numbers:
            raise SpecError("there is no iteration in it.", where=str(other.path("")))
        if EARLIER in iterations(store):
            raise SpecError(
                "this workspace has an iteration 0: nothing can be shown as the one before it.", where=_HERE
            )
        self._store = store
        self._other = other
        self._there = layout.iteration_dir(numbers[-1])

    def path(self, relative: str) -> Path:
        """Where a file lies."""
        store, place = self._at(relative)
        return store.path(place)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None where there is none."""
        store, place = self._at(path)
        return store.read(place)

    def find(self, pattern: str) -> list[str]:
        """Files by a pattern with stars."""
        store, place = self._at(pattern)
        found = store.find(place)
        return found if store is self._store else [_HERE + path.removeprefix(self._there) for path in found]

    def write(self, path: str, data: bytes) -> None:
        """Of the workspace itself."""
        self._store.write(path, data)

    def append(self, path: str, line: bytes) -> None:
        """To a file of the workspace itself."""
        self._store.append(path, line)

    def stage(self) -> Path:
        """In the workspace itself."""
        return self._store.stage()

    def publish(self, staged: Path, path: str) -> Path:
        """In the workspace itself."""
        return self._store.publish(staged, path)

    def _at(self, path: str) -> tuple[Store, str]:
        first, slash, rest = path.partition("/")
        return (self._other, self._there + slash + rest) if first == _HERE else (self._store, path)
