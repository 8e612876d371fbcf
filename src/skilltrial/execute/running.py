"""Notes on running trials, so that what a killed run left is found: agents and their tools by their mark, and folders."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from skilltrial.errors import StoreError
from skilltrial.ports import Store, Workspace
from skilltrial.records import layout

_MARK = re.compile(r"[0-9a-f]{32}")


def note(store: Store, mark: str, root: Path) -> None:
    """Say that a trial with this mark is about to run in this folder. Raises `StoreError`.

    A kill in the middle of it leaves half a note, of a folder that is not made yet.
    """
    path = store.path(layout.RUNNING) / mark
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(str(root).encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror}).", where=str(path)) from error


def forget(store: Store, mark: str) -> None:
    """Say that the trial is over and its folder removed; nothing happens where it was never noted."""
    (store.path(layout.RUNNING) / mark).unlink(missing_ok=True)


def tidy(store: Store) -> None:
    """Remove the folder of the notes once no trial can start any more: another one may be about to write into it."""
    with suppress(OSError):  # notes of trials that could not be ended stay
        store.path(layout.RUNNING).rmdir()


async def sweep(store: Store, workspace: Workspace, kill: Callable[[str], Awaitable[int]]) -> int:
    """End what an earlier run that was killed left running, and remove its folders; how many processes there were.

    Only for the holder of the workspace's lock: every note is then of a run that is no more.
    """
    killed = 0
    for path in store.find(f"{layout.RUNNING}/*"):
        mark = path.rpartition("/")[2]
        if _MARK.fullmatch(mark):
            killed += await kill(mark)
            await workspace.discard(Path((store.read(path) or b"").decode("utf-8", "surrogateescape")))
        forget(store, mark)
    tidy(store)
    return killed
