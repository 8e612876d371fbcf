"""The HTTP side: routes, faults, control."""

from __future__ import annotations

import gzip
import json
import re
import select
import socket
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, cast
from urllib.parse import parse_qs, urlsplit

from skilltrial.testing.mock_llm import anthropic, chat, gemini, responses
from skilltrial.testing.mock_llm.request import Api, Request
from skilltrial.testing.mock_llm.request_log import RequestLog
from skilltrial.testing.mock_llm.scenario import Scenario
from skilltrial.testing.mock_llm.turn import Event, Turn, error_body, new_id, tokens

_SECRET = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
_PREFIX = re.compile(r"^(?:/scenario/(?P<scenario>[\w.-]+))?(?:/run/(?P<run>[\w.-]+))?(?P<rest>/.*)?$")


@dataclass(frozen=True)
class _Wire:
    parse: Callable[[dict[str, Any]], Request]
    whole: Callable[[Turn, Request], dict[str, Any]]
    events: Callable[[Turn, Request], Iterator[Event]]


_WIRES = {
    "/messages": _Wire(anthropic.parse, anthropic.whole, anthropic.events),
    "/chat/completions": _Wire(chat.parse, chat.whole, chat.events),
    "/responses": _Wire(responses.parse, responses.whole, responses.events),
}
_GEMINI = _Wire(gemini.parse, gemini.whole, gemini.events)


class Stopping(Protocol):
    """Says whether the server is to end."""

    def is_set(self) -> bool: ...


class Owner(Protocol):
    """What a request is answered from."""

    log: RequestLog
    scenarios: dict[str, Scenario]

    @property
    def stopping(self) -> Stopping: ...

    def scenario(self, name: str | None) -> Scenario | None: ...

    def reset(self) -> None: ...


class Server(ThreadingHTTPServer):
    """Listens on 127.0.0.1, one thread a connection."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, owner: Owner) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that went away is a normal event here."""


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Nothing: `RequestLog` has it all."""

    def do_HEAD(self) -> None:
        """Clients ask whether anybody is there."""
        self._json(200, {})

    def do_GET(self) -> None:
        """Lists of models, and control."""
        self._handle("GET")

    def do_POST(self) -> None:
        """Requests to the model."""
        self._handle("POST")

    @property
    def _owner(self) -> Owner:
        return cast("Server", self.server).owner

    def _handle(self, method: str) -> None:
        url = urlsplit(self.path)
        found = _PREFIX.match(url.path)
        names = found.groupdict() if found else {}
        rest = names.get("rest") or "/"
        if rest.startswith("/_mock/"):
            self._control(method, rest, parse_qs(url.query).get("run", [None])[0])
            return
        record: dict[str, Any] = {
            "time": time.time(),
            "method": method,
            "path": url.path,
            "run": names.get("run") or "default",
            "headers": {
                name.lower(): "<redacted>" if name.lower() in _SECRET else value for name, value in self.headers.items()
            },
        }
        self._owner.log.enter(record)
        begun = time.monotonic()
        try:
            self._answer(method, rest, self._owner.scenario(names.get("scenario")), record)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            record["aborted"] = True
            self.close_connection = True
        finally:
            record["seconds"] = round(time.monotonic() - begun, 4)
            self._owner.log.leave(record)

    def _answer(self, method: str, path: str, scenario: Scenario | None, record: dict[str, Any]) -> None:
        body = self._body(record) if method == "POST" else {}
        if scenario is None:
            record["problems"] = ["no such scenario"]
            self._error(record, "anthropic", {"status": 404, "message": "mock: no such scenario"})
            return
        record["scenario"] = scenario.name
        if body is None:
            self._error(record, "anthropic", {"status": 400, "message": "mock: body is not JSON"})
            return
        path = path.rstrip("/")
        asked = gemini.PATH.search(path)
        wire = _GEMINI if asked else next((wire for ending, wire in _WIRES.items() if path.endswith(ending)), None)
        if method == "POST" and wire:
            request = wire.parse(body)
            if asked:
                request.model, request.stream = asked["model"], asked["stream"] is not None
            request.run, request.headers = record["run"], record["headers"]
            self._play(scenario.answer(request), request, record, wire)
        elif method == "GET" and path.endswith("/models"):
            record["status"] = 200
            self._json(200, _models(scenario))
        elif path.endswith(":countTokens"):
            record["status"] = 200
            self._json(200, {"totalTokens": tokens(body)})
        elif path.endswith("/count_tokens"):
            record["status"] = 200
            self._json(200, {"input_tokens": tokens(body)})
        else:
            self._error(record, "anthropic", {"status": 404, "message": f"mock: no route for {path}"})

    def _play(self, turn: Turn, request: Request, record: dict[str, Any], wire: _Wire) -> None:
        record.update(
            api=request.api,
            model=request.model,
            stream=request.stream,
            number=request.number,
            step=request.step,
            prompt=request.prompt,
            tools=[tool.name for tool in request.tools],
            rule=turn.rule,
            problems=turn.problems,
        )
        self._wait(turn.delay)
        if turn.fault == "hang":
            self._wait(None)
        elif turn.fault == "reset":
            self._reset(record)
        elif turn.error and turn.fault != "stream_error":
            self._error(record, request.api, turn.error)
        elif turn.fault == "garbage":
            record["status"] = 200
            self._send(200, "application/json", b"<html>this is not JSON</html>")
        elif request.stream:
            record["status"] = 200
            self._stream(wire.events(turn, request), turn)
        else:
            record["status"] = 200
            self._whole(wire.whole(turn, request), turn)

    def _reset(self, record: dict[str, Any]) -> None:
        record["status"] = 0
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _whole(self, answer: dict[str, Any], turn: Turn) -> None:
        if turn.fault != "cut":
            self._json(200, answer)
            return
        data = json.dumps(answer).encode()
        self._head(200, "application/json", {"content-length": str(len(data))})
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True

    def _stream(self, events: Iterable[Event], turn: Turn) -> None:
        self._head(200, "text/event-stream", {"transfer-encoding": "chunked", "cache-control": "no-cache"})
        frames = [_frame(name, data) for name, data in events]
        if turn.fault == "cut":
            frames = frames[: max(1, len(frames) // 2)]
        if turn.chunk_delay:
            for frame in frames:
                self._chunk(frame)
                self._wait(turn.chunk_delay)
        else:
            self._chunk(b"".join(frames))
        if turn.fault == "cut":
            self.close_connection = True  # no end chunk: the stream breaks off
            return
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _wait(self, seconds: float | None) -> None:
        """Waits, None for ever, but not longer than the client stays connected."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._owner.stopping.is_set():
            left = 0.2 if end is None else min(0.2, end - time.monotonic())
            if left <= 0:
                return
            ready, _, _ = select.select([self.connection], [], [], left)
            if ready and not self.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionResetError("client closed the connection")
            if ready:
                time.sleep(left)
        raise ConnectionResetError("server stops")

    def _body(self, record: dict[str, Any]) -> dict[str, Any] | None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        encoding = self.headers.get("content-encoding", "")
        try:
            if encoding == "gzip":
                data = gzip.decompress(data)
            elif encoding == "deflate":
                data = zlib.decompress(data)
            body = json.loads(data or b"{}")
        except (ValueError, OSError, zlib.error):
            record["problems"] = [f"body is not JSON (content-encoding {encoding or 'none'})"]
            return None
        record["body"] = body
        return cast("dict[str, Any]", body) if isinstance(body, dict) else None

    def _control(self, method: str, path: str, run: str | None) -> None:
        owner = self._owner
        match method, path:
            case "GET", "/_mock/health":
                self._json(200, {"ok": True, "scenarios": sorted(owner.scenarios)})
            case "GET", "/_mock/log":
                self._json(200, owner.log.select(run))
            case "GET", "/_mock/stats":
                requests, most = len(owner.log.select(run)), owner.log.max_in_flight
                self._json(200, {"requests": requests, "max_in_flight": most})
            case "POST", "/_mock/reset":
                owner.reset()
                self._json(200, {"ok": True})
            case _:
                self._json(404, {"error": {"message": "mock: no such control"}})

    def _error(self, record: dict[str, Any], api: Api, error: dict[str, Any]) -> None:
        status = int(error.get("status", 500))
        record["status"] = status
        headers = {name: str(value) for name, value in error.get("headers", {}).items()}
        self._json(status, error_body(api, error), headers)

    def _head(self, status: int, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("request-id", new_id("req_"))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send(self, status: int, kind: str, data: bytes, headers: dict[str, str] | None = None) -> None:
        self._head(status, kind, {"content-length": str(len(data)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(data)

    def _json(self, status: int, data: Any, headers: dict[str, str] | None = None) -> None:
        self._send(status, "application/json", json.dumps(data, ensure_ascii=False).encode(), headers)


def _frame(name: str | None, data: Any) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {text}\n\n".encode()


def _models(scenario: Scenario) -> dict[str, Any]:
    data = [
        {
            "id": name,
            "object": "model",
            "created": 0,
            "owned_by": "mock",
            "type": "model",
            "display_name": name,
            "created_at": "2025-01-01T00:00:00Z",
        }
        for name in scenario.models
    ]
    first, last = scenario.models[0], scenario.models[-1]
    return {"object": "list", "data": data, "has_more": False, "first_id": first, "last_id": last}
