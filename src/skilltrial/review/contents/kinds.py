"""What a file is, by its content first and by its name second."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

from skilltrial.review.contents.encodings import encoding_of

View = Literal[
    "empty", "image", "svg", "pdf", "audio", "video", "html", "markdown", "table", "json", "lines", "code", "text",
    "sheets", "docx", "pptx", "archive", "binary",
]  # fmt: skip
"""How a file is shown; `lines` are JSON values, one a line."""

HEAD_BYTES = 4096
"""Of a file, to tell what it is."""

_BEGINNINGS: tuple[tuple[bytes, View, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image", "image/png"),
    (b"\xff\xd8\xff", "image", "image/jpeg"),
    (b"GIF87a", "image", "image/gif"),
    (b"GIF89a", "image", "image/gif"),
    (b"%PDF-", "pdf", "application/pdf"),
    (b"OggS", "audio", "audio/ogg"),
    (b"fLaC", "audio", "audio/flac"),
    (b"ID3", "audio", "audio/mpeg"),
    (b"\x1a\x45\xdf\xa3", "video", "video/webm"),
    (b"\x1f\x8b", "archive", ""),
    (b"BZh", "archive", ""),
    (b"\xfd7zXZ\x00", "archive", ""),
)
_RIFF: Mapping[bytes, tuple[View, str]] = {b"WEBP": ("image", "image/webp"), b"WAVE": ("audio", "audio/wav")}
_BRANDS: Mapping[bytes, tuple[View, str]] = {
    b"avif": ("image", "image/avif"),
    b"avis": ("image", "image/avif"),
    b"M4A ": ("audio", "audio/mp4"),
}
_PACKAGES: Mapping[str, View] = {
    ".docx": "docx", ".docm": "docx", ".pptx": "pptx", ".xlsx": "sheets", ".xlsm": "sheets",
}  # fmt: skip
_TEXTS: Mapping[str, View] = {
    ".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".csv": "table", ".tsv": "table",
    ".json": "json", ".ipynb": "json", ".geojson": "json", ".jsonl": "lines", ".ndjson": "lines", ".txt": "text", ".log": "text",
}  # fmt: skip
_NAMED: Mapping[str, View] = {
    **_PACKAGES, ".png": "image", ".jpg": "image", ".jpeg": "image", ".gif": "image", ".webp": "image", ".avif": "image",
    ".bmp": "image", ".pdf": "pdf", ".zip": "archive", ".gz": "archive", ".tgz": "archive", ".svg": "svg", ".mp3": "audio",
    ".wav": "audio", ".mp4": "video", ".webm": "video",
}  # fmt: skip
_TAR = slice(257, 262)
_BMP_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})


def ending(path: str) -> str:
    """`.md` of `Notes.MD`."""
    return PurePosixPath(path).suffix.lower()


def view_of(path: str, head: bytes) -> View:
    """How a file with this name is shown whose first `HEAD_BYTES` bytes these are."""
    if not head:
        return "empty"
    found = _by_content(path, head)
    if found is not None:
        return found[0]
    if encoding_of(head) is None:
        return "binary"
    return _of_text(path, head)


def media_type(path: str, head: bytes) -> str:
    """What a browser is told of a file; never anything in which scripts of an agent could run on their own."""
    found = _by_content(path, head)
    if found is not None:
        return found[1] or "application/octet-stream"
    encoding = encoding_of(head)
    if encoding is None:
        return "application/octet-stream"
    return "image/svg+xml" if _of_text(path, head) == "svg" else f"text/plain; charset={encoding.name}"


def misnamed(path: str, view: View) -> str:
    """A sentence where the content is not what the name says."""
    named = _NAMED.get(ending(path))
    if view == "empty" or named in {None, view}:
        return ""
    return f"Its name ends in {ending(path)}, but its content is something else."


def guessed_view(path: str) -> View:
    """What a file is by its name alone, for a list."""
    return _NAMED.get(ending(path)) or _TEXTS.get(ending(path)) or "text"


def _by_content(path: str, head: bytes) -> tuple[View, str] | None:  # noqa: PLR0911 - one for each kind of mark
    for beginning, view, media in _BEGINNINGS:
        if head.startswith(beginning):
            return view, media
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], ("video", "video/mp4"))
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _PACKAGES.get(ending(path), "archive"), ""
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BMP_HEADERS:
        return "image", "image/bmp"
    if head[_TAR] == b"ustar":
        return "archive", ""
    if head[:2] in {b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"} and ending(path) == ".mp3":
        return "audio", "audio/mpeg"
    return None


def _of_text(path: str, head: bytes) -> View:
    beginning = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:512].lower()
    if ending(path) == ".svg" and b"<svg" in head.lower():
        return "svg"
    named = _TEXTS.get(ending(path))
    if named is not None:
        return named
    if not ending(path) and beginning.startswith((b"<!doctype html", b"<html")):
        return "html"
    return "code" if ending(path) or PurePosixPath(path).name in {"Makefile", "Dockerfile"} else "text"
