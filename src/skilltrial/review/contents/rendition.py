"""What a library makes of a file, in a process of its own; of many files at once, in one for some of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

import anyio

from skilltrial.errors import SkilltrialError
from skilltrial.grade.decision import Undecided
from skilltrial.grade.reading import Broken, Document, Kind, read_document, read_together
from skilltrial.records.json_value import Json
from skilltrial.review.contents.encodings import encoding_of, whole_lines
from skilltrial.review.contents.file import PIECE_BYTES
from skilltrial.review.contents.kinds import HEAD_BYTES, View, ending, view_of
from skilltrial.review.contents.place import PATCH_PATH, Closed, Place, place_of
from skilltrial.review.contents.table import table_of
from skilltrial.review.subject import Query, Subject

DOCUMENT_BYTES = 20_000_000
_TABLE_BYTES = 4_000_000
_ROWS = 500
_MOST_ROWS = 20_000
_NAMES = 1_000
_AT_ONCE = 50
_BYTES_AT_ONCE = 4_000_000
"""Of all files that one process reads: what is larger has one of its own, and all of its memory and time."""
DOCUMENTS: Mapping[View, Kind] = {
    "docx": "docx",
    "pptx": "pptx",
    "pdf": "pdf",
    "sheets": "sheets",
    "archive": "archive",
}
_COLOURED = frozenset({"code", "html", "svg", "json", "markdown"})
_FEW = threading.Semaphore(2)
"""Readers at a time: each may hold 256 MB."""


class _Unread(NamedTuple):
    document: Document
    more: Mapping[str, object] = {}
    """Of the answer, beside what the library finds."""


def rendition(subject: Subject, query: Query) -> object:
    """By the file's view: `tokens` (source), `tree` (Markdown), `header` and `rows` (tables), `sheets`, `text`, `names` (archives).

    `as` = `source` asks for the source of what is Markdown; `most` for so many rows. A `gap` says why there is none.
    """
    found = _opened(subject, query)
    return {**read_apart(*found.document), **found.more} if isinstance(found, _Unread) else found


def renditions(subject: Subject, queries: Iterable[Query]) -> Iterator[object | None]:
    """Of many files in their order, with few processes; None where there is no such trial."""
    waiting: list[_Unread | dict[str, Any] | None] = []
    n_bytes = 0
    for query in queries:
        found = None
        with suppress(SkilltrialError):
            found = _opened(subject, query)
        size = len(found.document.data) if isinstance(found, _Unread) else 0
        if len(waiting) == _AT_ONCE or n_bytes + size > _BYTES_AT_ONCE:
            yield from _answered(waiting)
            waiting, n_bytes = [], 0
        waiting.append(found)
        n_bytes += size
    yield from _answered(waiting)


def _answered(waiting: Sequence[_Unread | dict[str, Any] | None]) -> Iterator[object | None]:
    unread = [each.document for each in waiting if isinstance(each, _Unread)]
    answers = iter(_read_together(unread))
    for each in waiting:
        yield {**(next(answers) or read_apart(*each.document)), **each.more} if isinstance(each, _Unread) else each


def _read_together(documents: Sequence[Document]) -> list[dict[str, Any] | None]:
    """None for those that are to be read alone."""
    if len(documents) < 2:  # noqa: PLR2004 - nothing is saved
        return [None] * len(documents)
    with _FEW:
        found = anyio.run(read_together, documents)
    return [None if each is None else _plain(each) for each in found]


def _opened(subject: Subject, query: Query) -> _Unread | dict[str, Any]:
    """The answer where no library is needed, else what one is to read."""
    path = query.text("path")
    try:
        with place_of(subject, query).open(path) as stream:
            head = stream.read(HEAD_BYTES)
            view = view_of(path, head)
            stream.seek(0)
            if view in DOCUMENTS:
                most = min(query.number("most", _NAMES if view == "archive" else _ROWS), _MOST_ROWS)
                asked = {"text": True, "most": most}
                return _Unread(Document(DOCUMENTS[view], stream.read(DOCUMENT_BYTES + 1), asked))
            data = stream.read(_TABLE_BYTES + 1 if view == "table" else PIECE_BYTES + 1)
    except Closed as error:
        return {"gap": str(error)}
    return _of_text(path, view, data, query)


def _of_text(path: str, view: View, data: bytes, query: Query) -> _Unread | dict[str, Any]:
    encoding = encoding_of(data[:HEAD_BYTES])
    if encoding is None:
        return {"gap": "This is no text."}
    most = _TABLE_BYTES if view == "table" else PIECE_BYTES
    whole = len(data) <= most
    data = data[encoding.mark :] if whole else whole_lines(data[encoding.mark : most], encoding)
    text = data.decode(encoding.name, errors="replace")
    if view == "table" and query.optional("as") != "source":
        rows = min(query.number("most", _ROWS), _MOST_ROWS)
        return table_of(text, tabs=ending(path) == ".tsv", most=rows, whole=whole)
    if view == "markdown" and query.optional("as") != "source":
        return _Unread(Document("markdown", text.encode(), {}), {"more": not whole})
    if view not in _COLOURED:
        return {"language": None, "tokens": []}
    name = "x.diff" if path == PATCH_PATH else PurePosixPath(path).name
    return _Unread(Document("colours", text.encode(), {"name": name}))


def read_apart(kind: Kind, data: bytes, asked: Mapping[str, Json]) -> dict[str, Any]:
    """What the reader of this kind finds, or a `gap` with the reason."""
    if len(data) > DOCUMENT_BYTES:
        return {"gap": f"The file is larger than the {DOCUMENT_BYTES // 1_000_000} MB that are read. Download it."}
    try:
        with _FEW:
            found = anyio.run(partial(read_document, kind, data, place="The file", asked=asked))
    except (Undecided, Broken) as error:
        return {"gap": str(error)}
    return _plain(found)


def _plain(found: Json) -> dict[str, Any]:
    """Names in archives may hold what is no character at all."""
    whole = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
    return cast("dict[str, Any]", json.loads(whole))


def text_to_compare(place: Place, path: str, *, most: int) -> str | None:
    """The text of a text file or of a document's words; None where it has none. Raises `Closed`, also where it is too long."""
    with place.open(path) as stream:
        head = stream.read(HEAD_BYTES)
        view = view_of(path, head)
        stream.seek(0)
        if view in {"docx", "pptx", "pdf"}:
            found = read_apart(DOCUMENTS[view], stream.read(DOCUMENT_BYTES + 1), {"text": True})
            text = found.get("text")
            return text if isinstance(text, str) and len(text) <= most else None
        encoding = encoding_of(head)
        if encoding is None or view == "pdf":
            return None
        data = stream.read(most + 1)
    if len(data) > most:
        raise Closed(f"the file {path!r} is longer than the {most // 1000} kB that are compared.")
    return data[encoding.mark :].decode(encoding.name, errors="replace")
