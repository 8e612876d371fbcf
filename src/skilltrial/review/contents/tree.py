"""Which files a trial left, at any depth."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from skilltrial.records import layout
from skilltrial.report.plain_text import natural_key
from skilltrial.review.contents.kinds import guessed_view
from skilltrial.review.contents.place import PATCH_PATH, Place, place_of
from skilltrial.review.subject import Query, Subject

_SHOWN = 2_000
_WALKED = 50_000
# Records of `run.json` that stand for files nobody could list.
_MARKERS = frozenset({".", "…"})
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


class Entry(NamedTuple):
    """Something in a folder."""

    path: str
    kind: str
    """`file`, `folder`, `link`, `pipe`, `socket`, `device`, `unnamed`, `closed`; of the record `deleted` and `missing`."""
    size: int | None = None
    note: str = ""
    change: str | None = None


def files(subject: Subject, query: Query) -> object:
    """`entries` in order (folders first), up to `most` of them; `n` in all.

    `complete` is False where there are more than are counted.
    """
    place = place_of(subject, query)
    most = min(query.number("most", _SHOWN), _WALKED)
    entries, complete, notes = listing(place)
    shown = [_told(entry) for entry in entries[:most]]
    return {"entries": shown, "n": len(entries), "complete": complete, "notes": notes, "step": _SHOWN}


def listing(place: Place) -> tuple[list[Entry], bool, list[str]]:
    """What lies in the outputs, in order, with what the record says; whether that is all; what was not recorded, in words."""
    found = {entry.path: entry for entry in islice(_walked(place.outputs), _WALKED + 1)}
    complete = len(found) <= _WALKED
    notes: list[str] = []
    for record in _recorded(place):
        path, note = _plain(record.get("path")), _plain(record.get("note"))
        if path in _MARKERS:
            notes.append(note)
            continue
        there = found.get(path)
        change = _plain(record.get("change")) or None
        if there is not None:
            found[path] = there._replace(change=change, note=there.note or note)
        elif path:
            found[path] = Entry(path, "deleted" if change == "deleted" else "missing", None, note, change)
    patch = _patch(place)
    entries = sorted(
        list(found.values())[:_WALKED], key=lambda entry: order_of(entry.path, folder=entry.kind == "folder")
    )
    return ([patch, *entries] if patch else entries), complete, notes


def _told(entry: Entry) -> dict[str, object]:
    return {**entry._asdict(), "view": guessed_view(entry.path) if entry.kind == "file" else None}


def order_of(path: str, *, folder: bool = False) -> list[tuple[int, object]]:
    """Sorts paths as a tree is read: folders first, numbers by their value."""
    *folders, name = path.split("/")
    return [*((0, natural_key(part)) for part in folders), (0 if folder else 1, natural_key(name))]


def _walked(root: Path) -> Iterator[Entry]:
    """Everything below a folder; links are named, not followed, and what is no file is not opened."""
    if root.is_symlink():
        return
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as scan:
                # Of a folder with millions of files we do not even hold the names.
                for item in islice(scan, _WALKED + 1):
                    entry = _entry(item, f"{folder}/{item.name}" if folder else item.name)
                    if entry.kind == "folder":
                        waiting.append(entry.path)
                    yield entry
        except FileNotFoundError:
            continue
        except OSError as error:
            if folder:
                yield Entry(folder, "closed", None, f"This folder cannot be opened ({error.strerror}).")


def _entry(item: os.DirEntry[str], path: str) -> Entry:
    try:
        path.encode()
    except UnicodeEncodeError:
        plain = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return Entry(plain, "unnamed", None, "Its name is no UTF-8: open the trial's folder to see it.")
    try:
        found = item.stat(follow_symlinks=False)
    except OSError as error:
        return Entry(path, "closed", None, f"It cannot be looked at ({error.strerror}).")
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), "device")
    note = _target(item) if kind == "link" else ""
    return Entry(path, kind, found.st_size if kind == "file" else None, note)


def _target(item: os.DirEntry[str]) -> str:
    try:
        target = os.fsdecode(Path(item.path).readlink()).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except OSError:
        return "A link; it is not followed."
    return f"A link to {target[:300]}; it is not followed."


def _recorded(place: Place) -> list[dict[str, Any]]:
    """`files` of `run.json`, however old or foreign it is."""
    try:
        record: Any = json.loads((place.folder / layout.TRIAL).read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    found = cast("dict[str, Any]", record).get("files") if isinstance(record, dict) else None
    known = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("dict[str, Any]", each) for each in known if isinstance(each, dict)]


def _plain(value: object) -> str:
    """A text without halves of characters, which no answer can hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _patch(place: Place) -> Entry | None:
    try:
        found = (place.folder / layout.PATCH).lstat()
    except OSError:
        return None
    return Entry(PATCH_PATH, "file", found.st_size, "What the trial changed in its codebase.")
