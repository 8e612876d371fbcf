"""The page as a web application: routes to the answers of `reading`, the actions of `acting`, and our own files."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from importlib.resources import files
from typing import Any, cast

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from skilltrial.errors import SkilltrialError, SpecError
from skilltrial.records.json_value import Json
from skilltrial.review.acting import ACTIONS
from skilltrial.review.downloads import download_routes
from skilltrial.review.guard import Guard
from skilltrial.review.live import Following, live_route
from skilltrial.review.one_script import page_script
from skilltrial.review.raw import raw_routes
from skilltrial.review.reading import QUESTIONS, WHEN_BLIND
from skilltrial.review.subject import Query, Subject

_MOST_BYTES = 2_000_000
_BODY_S = 30
_LONGEST_LINE = 600
_PAGE_SCRIPT = "page.js"
"""All modules as one, since fifty requests take longer than all else; each is there by its own name too."""
_TYPES = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


class _Answer(JSONResponse):
    """JSON that any text fits in: names of files may hold halves of characters."""

    def render(self, content: object) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def make_app(
    subject: Subject, *, token: str, hosts: Iterable[str], following: Following, stop: Callable[[], None]
) -> Guard:
    """The application for one workspace; it answers only requests with the token, to one of these hosts (`127.0.0.1:8000`)."""
    routes = [
        Route("/", partial(_own_file, name="index.html")),
        Route("/static/{name}", _own_file_by_path),
        Route("/api/stop", partial(_stop, stop=stop), methods=["POST"]),
        Route("/api/{name}", partial(_question, subject=subject), methods=["GET"]),
        Route("/api/{name}", partial(_action, subject=subject), methods=["POST"]),
        *raw_routes(subject),
        *download_routes(subject),
        *([] if subject.blind else [live_route(following)]),
    ]
    app = Starlette(routes=routes, exception_handlers={Exception: _defect})
    return Guard(app, token=token, hosts=hosts)


async def _own_file_by_path(request: Request) -> Response:
    return await _own_file(request, name=request.path_params["name"])


async def _own_file(request: Request, *, name: str) -> Response:
    del request
    folder = files("skilltrial.review").joinpath("static")
    kind = _TYPES.get(name.rpartition(".")[2])
    if name == _PAGE_SCRIPT:
        return Response(page_script(), media_type=f"{kind}; charset=utf-8")
    if kind is None or name not in {each.name for each in folder.iterdir()}:
        return Response("There is no such file.\n", 404, media_type="text/plain")
    return Response(folder.joinpath(name).read_bytes(), media_type=f"{kind}; charset=utf-8")


async def _stop(request: Request, *, stop: Callable[[], None]) -> Response:
    del request
    stop()
    return _Answer({"stopped": True})


async def _question(request: Request, *, subject: Subject) -> Response:
    name = request.path_params["name"]
    if name not in QUESTIONS or (subject.blind and name not in WHEN_BLIND):
        return _error(SpecError(f"there is no question {name[:40]!r} here."), 404)
    query = Query(dict(request.query_params))
    return await _told(partial(QUESTIONS[name], subject, query))


async def _action(request: Request, *, subject: Subject) -> Response:
    name = request.path_params["name"]
    if name not in ACTIONS:
        return _error(SpecError(f"there is no action {name[:40]!r} here."), 404)
    try:
        with anyio.fail_after(_BODY_S):
            taken = await _taken(request)
    except TimeoutError:
        return _error(SpecError(f"the body did not come within {_BODY_S} seconds."), 408)
    if taken is None:
        return _error(SpecError(f"more than {_MOST_BYTES:,} bytes are not taken."), 413)
    body = _object(taken)
    if body is None:
        return _error(SpecError("the body is no JSON object."), 400)
    return await _told(partial(ACTIONS[name], subject, body))


async def _taken(request: Request) -> bytes | None:
    """The body, None where it is too long: the rest is not waited for."""
    if not request.headers.get("content-length", "0").isdecimal():
        return b""
    if int(request.headers.get("content-length", "0")) > _MOST_BYTES:
        return None
    taken = bytearray()
    async for part in request.stream():
        taken += part
        if len(taken) > _MOST_BYTES:
            return None
    return bytes(taken)


def _object(text: bytes) -> dict[str, Json] | None:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Json]", found) if isinstance(found, dict) else None


async def _told(work: partial[Any]) -> Response:
    """What the work returns, made in a thread; an error of ours as JSON that the page shows as it is."""
    try:
        return await anyio.to_thread.run_sync(lambda: _Answer(work()))
    except SpecError as error:
        return _error(error, 404)
    except SkilltrialError as error:
        return _error(error, 500)


async def _defect(request: Request, error: Exception) -> Response:
    """For what is our mistake: a sentence in the page, and one line in the terminal."""
    del request
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    line = f"skilltrial: a defect of ours{place}: {type(error).__name__}: {error}"[:_LONGEST_LINE]
    with suppress(OSError):  # the terminal may be gone
        sys.stderr.write("".join(each if each.isprintable() else " " for each in line) + "\n")
    text = f"a defect of skilltrial ({type(error).__name__}); the terminal in which it runs says where."
    return _Answer({"error": {"what": text, "where": "", "hint": "Please report it."}}, 500)


def _error(error: SkilltrialError, status: int) -> Response:
    return _Answer({"error": {"what": error.message, "where": error.where, "hint": error.hint}}, status)
