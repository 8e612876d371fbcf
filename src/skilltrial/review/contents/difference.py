"""How the files of two trials differ."""

from __future__ import annotations

import json
from typing import BinaryIO

from skilltrial.review.contents.kinds import HEAD_BYTES, view_of
from skilltrial.review.contents.place import Closed, Place, place_of
from skilltrial.review.contents.rendition import read_apart, text_to_compare
from skilltrial.review.contents.tree import Entry, listing, order_of
from skilltrial.review.subject import Query, Subject

_CHUNK = 256_000
_FILE_BYTES = 100_000_000
_ALL_BYTES = 500_000_000
_SHOWN = 2_000
_TEXT_BYTES = 1_000_000
_LINES = 20_000


def difference(subject: Subject, query: Query) -> object:
    """Of the trial that is named, to the one that `to_iteration`, `to_case`, `to_arm`, `to_repeat` name.

    Without a path `entries`: each with `change`: `added`, `removed`, `changed`, `same`, or `unknown` with a note. With one: `view`
    of both sides (None: it is not there) and `blocks` of lines, or a `gap`.
    """
    left, right = place_of(subject, query), place_of(subject, query, prefix="to_")
    path = query.optional("path")
    return _of_all(left, right) if path is None else _of_one(left, right, path)


def _of_all(left: Place, right: Place) -> object:
    lefts, rights = _files(left), _files(right)
    budget = _ALL_BYTES
    entries: list[dict[str, object]] = []
    paths = sorted({*lefts, *rights}, key=order_of)
    for path in paths[:_SHOWN]:
        old, new = lefts.get(path), rights.get(path)
        change, note = "added" if old is None else "removed", ""
        if old is not None and new is not None:
            change, note = _change(left, right, old, budget=budget)
            budget -= min(old.size or 0, budget) if old.size == new.size else 0
        sizes = {"size": old and old.size, "to_size": new and new.size}
        entries.append({"path": path, "change": change, "note": note, **sizes})
    return {"entries": entries, "n_more": max(0, len(paths) - _SHOWN)}


def _files(place: Place) -> dict[str, Entry]:
    return {entry.path: entry for entry in listing(place)[0] if entry.kind == "file"}


def _change(left: Place, right: Place, file: Entry, *, budget: int) -> tuple[str, str]:
    try:
        with left.open(file.path) as old, right.open(file.path) as new:
            sizes = old.seek(0, 2), new.seek(0, 2)
            if sizes[0] != sizes[1]:
                return "changed", ""
            if sizes[0] > min(_FILE_BYTES, budget):
                return "unknown", "Both have the same size; their contents were too large to compare."
            return ("same", "") if _same(old, new) else ("changed", "")
    except Closed as error:
        return "unknown", str(error)


def _same(old: BinaryIO, new: BinaryIO) -> bool:
    old.seek(0)
    new.seek(0)
    while chunk := old.read(_CHUNK):
        if chunk != new.read(_CHUNK):
            return False
    return True


def _of_one(left: Place, right: Place, path: str) -> object:
    answer: dict[str, object] = {"path": path, "view": _view(left, path), "to_view": _view(right, path)}
    try:
        texts = [
            text_to_compare(place, path, most=_TEXT_BYTES) if answer[name] is not None else ""
            for place, name in ((left, "view"), (right, "to_view"))
        ]
    except Closed as error:
        return {**answer, "gap": str(error)}
    old, new = texts
    if old is None or new is None:
        return {**answer, "gap": "There is no text to compare."}
    if max(old.count("\n"), new.count("\n")) > _LINES:
        return {**answer, "gap": f"The file has more than the {_LINES:,} lines that are compared."}
    return {**answer, **read_apart("lines", json.dumps([old, new]).encode(), {})}


def _view(place: Place, path: str) -> str | None:
    try:
        with place.open(path) as stream:
            return view_of(path, stream.read(HEAD_BYTES))
    except Closed:
        return None
