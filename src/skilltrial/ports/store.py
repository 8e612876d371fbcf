"""Where trials are kept, and who runs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from skilltrial.records.trial import TrialKey


class Executor(Protocol):
    """Runs `work` for every key, at most `limit` at a time, starting them in the given order.

    An exception of `work` stops the rest and is raised; on cancellation everything running is cancelled. Each key is handed
    to `work` at least once; `work` is idempotent (it looks the key up first).
    """

    async def run(
        self, keys: Sequence[TrialKey], work: Callable[[TrialKey], Awaitable[None]], *, limit: int
    ) -> None: ...


class Store(Protocol):
    """The files of a workspace, by relative path with forward slashes.

    A file appears whole or not at all. One writer per workspace: making a writing store takes a lock that a crash releases;
    a second writer gets `StoreError`. `stage` gives an empty folder on the same file system; `publish` moves it to its place in one
    step, replacing nothing (StoreError where the place is taken). `append` adds one line to a file of lines, after a line that a
    crash cut off, from any number of processes at once and without the workspace's lock.
    """

    def path(self, relative: str) -> Path: ...

    def read(self, path: str) -> bytes | None: ...

    def write(self, path: str, data: bytes) -> None: ...

    def append(self, path: str, line: bytes) -> None: ...

    def stage(self) -> Path: ...

    def publish(self, staged: Path, path: str) -> Path: ...

    def find(self, pattern: str) -> list[str]: ...
