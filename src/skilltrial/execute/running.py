"""Notes on running trials, so that what a killed run left is found: agents and their tools by their mark, and folders."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from skilltrial.errors import StoreError
from skilltrial.ports import Store, Workspace
from skilltrial.records import layout
from skilltrial.records.trial import TrialKey

_MARK = re.compile(r"[0-9a-f]{32}")
_PARTS = b"\0"
"""Between the folder and the trial: no path holds it."""


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


def begun(store: Store, mark: str, key: TrialKey) -> None:
    """Add to the note which trial it is, once its agent starts: for those who look on. What cannot be added is left out."""
    with suppress(OSError), (store.path(layout.RUNNING) / mark).open("ab") as stream:
        stream.write(_PARTS + key.model_dump_json().encode("utf-8", "replace"))


def underway(store: Store) -> list[tuple[TrialKey, float]]:
    """Trials whose agents are at work by now, and since when (seconds since 1970), the oldest first; may be read by anybody."""
    found: list[tuple[TrialKey, float]] = []
    for path in store.find(f"{layout.RUNNING}/*"):
        with suppress(OSError, ValidationError):
            place = store.path(path)
            found.append((TrialKey.model_validate_json(place.read_bytes().partition(_PARTS)[2]), place.stat().st_mtime))
    return sorted(found, key=lambda each: each[1])


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
            folder = (store.read(path) or b"").partition(_PARTS)[0]
            await workspace.discard(Path(folder.decode("utf-8", "surrogateescape")))
        forget(store, mark)
    tidy(store)
    return killed
