"""Bytes of a trial's files, for pictures, players, downloads, and pages in a frame of their own.

What an agent wrote is served so that it can do nothing: as what its content is and never as a page, save in the frame, whose
document has no origin and may load nothing but files of the same trial. `frame/still/…` runs no script. In `frame/running/…` they
run, for somebody who asked for it, and still reach nothing: no connection, no other page, no window.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import BinaryIO, Literal, NamedTuple, cast
from urllib.parse import quote

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from skilltrial.errors import SpecError
from skilltrial.review.contents.drawing import DRAWING_BYTES, is_too_heavy
from skilltrial.review.contents.encodings import encoding_of
from skilltrial.review.contents.kinds import HEAD_BYTES, ending, media_type
from skilltrial.review.contents.place import Closed, place_of
from skilltrial.review.subject import Query, Subject

_CHUNK = 256_000
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_INERT = (
    "sandbox; default-src 'none'; img-src data:; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
)
# Browsers show no PDF in a sandbox; their readers of it are one.
_PDF = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"
_FRAMED: Mapping[str, str] = {
    ".html": "text/html",
    ".htm": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
}
_FRAME_RULES = (
    "default-src 'none'; img-src {here} data: blob:; media-src {here} data: blob:; font-src {here} data:; "
    "style-src {here} 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
)
# No rule of a page's policy covers these: they would send packets to whoever a page names. A frame made within the page would
# have them anew, so none is left standing there; the observer acts before such a frame can load.
_PRELUDE = """<!doctype html><script>(() => {
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) delete self[name];
const frames = "iframe, frame, object, embed, fencedframe";
const watch = (root) => new MutationObserver(() => root.querySelectorAll(frames).forEach((each) => each.remove()))
  .observe(root, {childList: true, subtree: true, attributes: true});
watch(document);
for (const name of ["attachShadow", "setHTMLUnsafe"]) delete Element.prototype[name];
for (const name of ["write", "writeln"]) delete Document.prototype[name];
if (self.ShadowRoot) delete ShadowRoot.prototype.setHTMLUnsafe;
delete Document.parseHTMLUnsafe;
document.currentScript.remove();
})()</script>"""
_SHADOW = re.compile("shadowrootmode", re.IGNORECASE)
_RUNNING_BYTES = 20_000_000
_KEY = ("iteration", "case", "arm", "repeat")
_MAX_KEY = 20_000


class _Part(NamedTuple):
    begin: int
    end: int
    """Not in it."""


def raw_routes(subject: Subject) -> list[Route]:
    """`raw?…` and `frame/MODE/KEY/PATH`, where the key is the base64 of a list with iteration, case, arm and repeat."""
    return [
        Route("/raw", partial(_raw, subject=subject)),
        Route("/frame/{mode}/{key}/{path:path}", partial(_framed, subject=subject)),
    ]


async def _raw(request: Request, *, subject: Subject) -> Response:
    values = dict(request.query_params)
    return await anyio.to_thread.run_sync(partial(_file, subject, values, request, None))


async def _framed(request: Request, *, subject: Subject) -> Response:
    mode, key, path = (str(request.path_params[name]) for name in ("mode", "key", "path"))
    names = _named(key)
    if names is None or mode not in {"still", "running"}:
        return PlainTextResponse("There is no such frame.\n", 404)
    # Opened in a window of its own, a page could lead that anywhere.
    if request.headers.get("sec-fetch-dest", "iframe") == "document":
        return PlainTextResponse("This is shown in a frame of the review page only.\n", 403)
    here = f"{request.base_url}frame/{mode}/{key}/"
    rules = _FRAME_RULES.format(here=here)
    if mode == "running":
        rules += f"script-src {here} 'unsafe-inline' 'unsafe-eval' blob: data:; sandbox allow-scripts"
    else:
        rules += "script-src 'none'; sandbox"
    return await anyio.to_thread.run_sync(partial(_file, subject, {**names, "path": path}, request, rules))


def _named(key: str) -> dict[str, str] | None:
    if len(key) > _MAX_KEY:
        return None
    try:
        found: object = json.loads(base64.urlsafe_b64decode(key + "=" * (-len(key) % 4)))
    except (ValueError, RecursionError):
        return None
    parts = cast("list[object]", found) if isinstance(found, list) else []
    if len(parts) != len(_KEY):
        return None
    return {name: str(part).encode("utf-8", "replace").decode() for name, part in zip(_KEY, parts, strict=True)}


def _file(subject: Subject, values: Mapping[str, str], request: Request, rules: str | None) -> Response:
    if subject.blind:
        return PlainTextResponse("Files are not shown here.\n", 404)
    query = Query(values)
    stack = ExitStack()
    try:
        path = query.text("path")
        stream = stack.enter_context(place_of(subject, query).open(path))
    except (SpecError, Closed) as error:
        return PlainTextResponse(f"{error}\n", 404)
    head = stream.read(HEAD_BYTES)
    media = media_type(path, head)
    encoding = encoding_of(head)
    framed = rules is not None and encoding is not None and ending(path) in _FRAMED and media.startswith("text/")
    if encoding is not None and framed:
        media = f"{_FRAMED[ending(path)]}; charset={encoding.name}"
    download = bool(query.optional("download")) or media == "application/octet-stream"
    if media == "image/svg+xml" and not download and _would_stop_the_page(stream):
        stack.close()
        return PlainTextResponse("The drawing is too heavy to be shown. Download it.\n", 413)
    headers = {
        "Content-Security-Policy": rules if rules and framed else _PDF if media == "application/pdf" else _INERT,
        "Content-Disposition": _disposition("attachment" if download else "inline", path),
        # A document without an origin asks for its pictures from nowhere that could be the same.
        "Cross-Origin-Resource-Policy": "cross-origin" if rules else "same-origin",
        "X-DNS-Prefetch-Control": "off",
        "Accept-Ranges": "bytes",
        "Content-Type": media,
    }
    if rules is not None and "allow-scripts" in rules and encoding is not None and media.startswith("text/html"):
        with stack:
            stream.seek(encoding.mark)
            return _running(stream.read(_RUNNING_BYTES + 1), encoding.name, headers)
    return _part_of(stream, stack, headers, asked=request.headers.get("range"))


def _would_stop_the_page(stream: BinaryIO) -> bool:
    stream.seek(0)
    return is_too_heavy(stream.read(DRAWING_BYTES + 1))


def _part_of(stream: BinaryIO, stack: ExitStack, headers: dict[str, str], *, asked: str | None) -> Response:
    size = os.fstat(stream.fileno()).st_size
    part = _range(asked, size)
    if part is None:
        stack.close()
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    headers["Content-Length"] = str(part.end - part.begin)
    status = 200
    if asked is not None and part != (0, size):
        status = 206
        headers["Content-Range"] = f"bytes {part.begin}-{part.end - 1}/{size}"
    stream.seek(part.begin)
    return StreamingResponse(_sent(stream, stack, n_bytes=part.end - part.begin), status, headers)


def _range(asked: str | None, size: int) -> _Part | None:
    """What is asked for, all where nothing is or where we do not understand it; None where there is nothing there."""
    found = None if asked is None else _RANGE.fullmatch(asked.strip())
    if found is None or found.group(0) == "bytes=-":
        return _Part(0, size)
    first, last = found.groups()
    if not first:
        return _Part(max(0, size - int(last)), size) if int(last) and size else None
    begin, end = int(first), min(size, int(last) + 1 if last else size)
    return _Part(begin, end) if begin < end else None


def _running(data: bytes, encoding: str, headers: dict[str, str]) -> Response:
    """A page whose scripts run, after ours, and without the one kind of place that our script cannot look into."""
    if len(data) > _RUNNING_BYTES:
        return PlainTextResponse("The page is too large to run its scripts here. Download it.\n", 413)
    text = _SHADOW.sub("data-shadow", data.decode(encoding, errors="replace"))
    return Response(f"{_PRELUDE}{text}".encode(), 200, {**headers, "Content-Type": "text/html; charset=utf-8"})


def _sent(stream: BinaryIO, stack: ExitStack, *, n_bytes: int) -> Iterator[bytes]:
    with stack:
        left = n_bytes
        while left and (chunk := stream.read(min(_CHUNK, left))):
            left -= len(chunk)
            yield chunk


def _disposition(way: Literal["inline", "attachment"], path: str) -> str:
    """Any name at all, in two spellings (RFC 6266): one for old programs, one exact."""
    name = path.rpartition("/")[2] or "file"
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return f"{way}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
