"""One file of a trial: what it is, and a piece of its text."""

from __future__ import annotations

import os
from typing import BinaryIO

from skilltrial.review.contents.drawing import DRAWING_BYTES, is_too_heavy
from skilltrial.review.contents.encodings import encoding_of, whole_lines
from skilltrial.review.contents.kinds import HEAD_BYTES, misnamed, view_of
from skilltrial.review.contents.place import Closed, place_of
from skilltrial.review.subject import Query, Subject

PIECE_BYTES = 256_000
"""Of a text, shown at a time."""
_WHOLE_BYTES = 2_000_000
"""Of JSON, of which a part is none."""
_HEX_BYTES = 512
_TOO_HEAVY = "This drawing is too heavy to be shown: it is too long, or stands for too many shapes. Here is its source."


def file(subject: Subject, query: Query) -> object:
    """`view`, `size`, and of a text a piece that begins at the byte `from`; of anything else the first 512 bytes as hex.

    The piece has `text`, `from`, `to` (bytes), `ends` (nothing comes after it), `encoding`, `guessed`, `replaced`. A drawing that
    no browser should be asked for is `heavy`. A file that is not opened has a `gap` and nothing else.
    """
    path = query.text("path")
    try:
        with place_of(subject, query).open(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            head = stream.read(HEAD_BYTES)
            view = view_of(path, head)
            encoding = encoding_of(head)
            answer: dict[str, object] = {"path": path, "view": view, "size": size, "note": misnamed(path, view)}
            if encoding is None or view in {"pdf", "empty"}:
                return {**answer, "head": head[:_HEX_BYTES].hex()}
            if view == "svg":
                stream.seek(0)
                if is_too_heavy(stream.read(DRAWING_BYTES + 1)):
                    answer |= {"heavy": True, "note": _TOO_HEAVY}
            most = _WHOLE_BYTES if view == "json" and size <= _WHOLE_BYTES else PIECE_BYTES
            return {**answer, "piece": _piece(stream, query.number("from", 0), most=most, size=size, head=head)}
    except Closed as error:
        return {"path": path, "gap": str(error)}


def _piece(stream: BinaryIO, begin: int, *, most: int, size: int, head: bytes) -> dict[str, object]:
    encoding = encoding_of(head)
    assert encoding is not None  # noqa: S101 - asked before
    begin = max(begin, encoding.mark)
    stream.seek(begin)
    data = stream.read(most)
    ends = begin + len(data) >= size
    if not ends:
        data = whole_lines(data, encoding)
    try:
        text, replaced = data.decode(encoding.name), False
    except UnicodeDecodeError:
        text, replaced = data.decode(encoding.name, errors="replace"), True
    return {
        "text": text,
        "from": begin,
        "to": begin + len(data),
        "ends": ends,
        "encoding": encoding.name,
        "guessed": encoding.guessed,
        "replaced": replaced,
    }
