"""The files of a trial in the judge's view: a list of all, then as much of their content as there is room for."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from skilltrial.grade.decision import Undecided
from skilltrial.grade.document_texts import TEXT_CHARS, DocumentText, files_to_show
from skilltrial.grade.excerpt import condensed, excerpt
from skilltrial.grade.material import Ends, LeftFile, Material, decoded
from skilltrial.ports import Image

FILES_CHARS = 60_000
_MOST_BYTES_A_CHAR = 4

IMAGES = 8
IMAGE_BYTES = 3_500_000
"""Of one picture; services refuse larger ones."""
ALL_IMAGES_BYTES = 12_000_000
TABLE_LINES = 40
_TYPES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_IMAGE_NAME = re.compile(r"\.(?:png|jpe?g|gif|webp)$", re.IGNORECASE)
_TABLE_NAME = re.compile(r"\.(?:csv|tsv)$", re.IGNORECASE)
_BINARIES = {
    b"PK\x03\x04": "a zip, as documents and archives are",
    b"%PDF": "a PDF file",
    b"\x1f\x8b": "packed by gzip",
    b"\x7fELF": "a program",
    b"SQLite format 3": "a SQLite database",
    b"\xd0\xcf\x11\xe0": "an old or encrypted Office file",
}


class FileText(NamedTuple):
    """The text of one file."""

    name: str
    """What the list of files calls it."""
    path: str
    text: str


class FilesShown(NamedTuple):
    """What is shown of all files."""

    lines: tuple[str, ...]
    """One for each file that is listed."""
    texts: tuple[FileText, ...]
    images: tuple[Image, ...]


def shown_files(
    material: Material,
    clean: Callable[[str], str],
    *,
    documents: Mapping[str, DocumentText],
    images: bool,
) -> FilesShown:
    """The list, texts up to the budget, and pictures where there are eyes for them (`images`).

    `documents` are by path (`document_texts`); `clean` takes from a text what must not be seen.
    """
    files, n_more = files_to_show(material)
    gallery = _Gallery(is_open=images)
    lines: list[str] = []
    texts: list[FileText] = []
    left = FILES_CHARS
    for file in files:
        name = f"file {len(lines) + 1} of the list"
        document = documents.get(file.path)
        if _IMAGE_NAME.search(file.path):
            is_one = document is None or not document.broken
            text, notes = None, [gallery.hang(material, file, name=name)] if is_one else []
            notes += [document.note] if document else []
        elif left <= 0:
            text, notes = None, ["not shown for lack of room"]
        elif document:
            text, notes = document.text, [document.note]
        else:
            text, notes = _text(material, file, limit=min(TEXT_CHARS, left))
        lines.append(clean(_line(file, notes)))
        if text is not None:
            body = clean(condensed(text, min(TEXT_CHARS, left)))
            left -= len(body)
            texts.append(FileText(name, clean(excerpt(file.path)), body))
    if n_more:
        lines.append(f"and {n_more} more files")
    return FilesShown(tuple(lines), tuple(texts), tuple(gallery.pictures))


def _line(file: LeftFile, notes: Sequence[str]) -> str:
    origin = "a file of the task, unchanged" if file.origin == "kept" else f"{file.origin} by the agent"
    size = [] if file.size is None else [f"{file.size} bytes"]
    return f"{excerpt(file.path)} ({', '.join([origin, *size, *notes])})"


@dataclass(slots=True, kw_only=True)
class _Gallery:
    """The pictures that are shown, as far as there is room."""

    is_open: bool
    pictures: list[Image] = field(default_factory=list[Image])

    def hang(self, material: Material, file: LeftFile, *, name: str) -> str:
        """Take a picture in; returns what the list of files says of it."""
        if not self.is_open:
            return "a picture, not shown to you"
        room = ALL_IMAGES_BYTES - sum(len(image.data) for image in self.pictures)
        if len(self.pictures) == IMAGES or room <= 0:
            return "a picture, not shown for lack of room"
        try:
            data = material.data(file, limit=min(IMAGE_BYTES, room))
        except Undecided as gap:
            return f"a picture, not shown: {excerpt(str(gap))}"
        kind = _image_type(data)
        if kind is None:
            return "not shown: its name says picture, but it is none"
        self.pictures.append(Image(name=name, media_type=kind, data=data))
        return "a picture, shown"


def _image_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _TYPES.items() if data.startswith(magic)), None)


def _text(material: Material, file: LeftFile, *, limit: int) -> tuple[str | None, list[str]]:
    """The text, or a note why there is none. Only the ends of a long file are kept in memory."""
    try:
        ends = material.ends(file, each=TEXT_CHARS * _MOST_BYTES_A_CHAR)
    except Undecided as gap:
        return None, [f"not shown: {excerpt(str(gap))}"]
    text = decoded(ends.head + ends.tail) if ends.whole else _both(ends, limit)
    if "\0" in text[:8000]:
        kind = next((kind for magic, kind in _BINARIES.items() if ends.head.startswith(magic)), None)
        return None, ["not shown: no text", *([kind] if kind else [])]
    is_long = not ends.whole or len(text) > TEXT_CHARS
    return (is_long and _TABLE_NAME.search(file.path) and _table_head(ends)) or text, []


def _both(ends: Ends, limit: int) -> str:
    """The beginning and the end, as `condensed` does it with what is all there."""
    gap = f"\n[… most of {ends.size} bytes left out …]\n"
    tail_chars = (limit - len(gap)) // 3
    # The tail of a UTF-16 file is one only with the mark before it.
    mark = ends.head[:2] if ends.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else b""
    tail = decoded(mark + ends.tail)
    head = decoded(ends.head)[: max(0, limit - len(gap) - tail_chars)]
    return f"{head}{gap}{tail[-tail_chars:] if tail_chars > 0 else ''}"


def _table_head(ends: Ends) -> str | None:
    """The first lines of a long table, the last, and how many there are: rows look alike. None where its lines are long."""
    lines = decoded(ends.head).splitlines()
    last = (decoded(ends.tail) or decoded(ends.head)).splitlines()[-1:]
    n_lines = ends.n_lines + (not (ends.tail or ends.head).endswith(b"\n"))
    if len(lines) <= TABLE_LINES or n_lines <= TABLE_LINES + 1:
        return None
    return "\n".join([*lines[:TABLE_LINES], f"[… {n_lines - TABLE_LINES - 1} of {n_lines} lines left out …]", *last])
