"""The page as a web application: routes to the answers of `reading`, the actions of `acting`, and our own files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from importlib.resources import files
from typing import cast

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from skilltrial.errors import SkilltrialError, SpecError
from skilltrial.records.json_value import Json
from skilltrial.review.acting import ACTIONS
from skilltrial.review.guard import Guard
from skilltrial.review.raw import raw_routes
from skilltrial.review.reading import QUESTIONS, WHEN_BLIND
from skilltrial.review.subject import Query, Subject

_MOST_BYTES = 2_000_000
_TYPES = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


def make_app(subject: Subject, *, token: str, hosts: Iterable[str]) -> Guard:
    """The application for one workspace; it answers only requests with the token, to one of these hosts (`127.0.0.1:8000`)."""
    routes = [
        Route("/", partial(_own_file, name="index.html")),
        Route("/static/{name}", _own_file_by_path),
        Route("/api/{name}", partial(_question, subject=subject), methods=["GET"]),
        Route("/api/{name}", partial(_action, subject=subject), methods=["POST"]),
        *raw_routes(subject),
    ]
    return Guard(Starlette(routes=routes), token=token, hosts=hosts)


async def _own_file_by_path(request: Request) -> Response:
    return await _own_file(request, name=request.path_params["name"])


async def _own_file(request: Request, *, name: str) -> Response:
    del request
    file = files("skilltrial.review").joinpath("static", name)
    kind = _TYPES.get(name.rpartition(".")[2])
    if "/" in name or "\\" in name or kind is None or not file.is_file():
        return Response("There is no such file.\n", 404)
    return Response(file.read_bytes(), media_type=f"{kind}; charset=utf-8")


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
    taken = bytearray()
    async for part in request.stream():
        taken += part
        if len(taken) > _MOST_BYTES:
            return _error(SpecError(f"more than {_MOST_BYTES:,} bytes are not taken."), 413)
    try:
        body: object = json.loads(taken)
    except (ValueError, RecursionError):
        return _error(SpecError("the body is no JSON."), 400)
    if not isinstance(body, dict):
        return _error(SpecError("the body is no JSON object."), 400)
    return await _told(partial(ACTIONS[name], subject, cast("dict[str, Json]", body)))


async def _told(work: partial[object]) -> Response:
    """What the work returns, made in a thread; an error of ours as JSON that the page shows as it is."""
    try:
        return JSONResponse(await anyio.to_thread.run_sync(work))
    except SpecError as error:
        return _error(error, 404)
    except SkilltrialError as error:
        return _error(error, 500)


def _error(error: SkilltrialError, status: int) -> Response:
    return JSONResponse({"error": {"what": error.message, "where": error.where, "hint": error.hint}}, status)
