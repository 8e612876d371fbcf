"""A service on this machine's loopback that answers from replies."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from skilltrial.adapters.doubles.playbook import Playbook, TooManyCallsError, fits
from skilltrial.records.doubles import DoubleCall, HttpDouble, HttpReply

MAX_BODY_BYTES = 1_000_000
_MAX_AT_ONCE = 64
_IDLE_S = 30.0
_WITHOUT_BODY = (204, 205, 304)
_OUR_HEADERS = {"content-length", "transfer-encoding", "connection"}


class HttpStub(ThreadingHTTPServer):
    """Listens from its making on; `stop` ends it."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, double: HttpDouble, playbook: Playbook) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.double, self.playbook = double, playbook
        self.places = threading.BoundedSemaphore(_MAX_AT_ONCE)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Its URL without a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def stop(self) -> None:
        """Listen no more."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is nobody's error."""


_Said = tuple[int, str, dict[str, str]]
"""Status, body, headers."""


class _TooLargeError(Exception):
    pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S

    def _serve(self) -> None:
        with self._stub.places:
            try:
                body = self._body()
            except (_TooLargeError, ValueError):
                self._refuse(413, "too large")
                return
            self._answer(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _serve  # noqa: N815 - names of the library

    @property
    def _stub(self) -> HttpStub:
        return cast("HttpStub", self.server)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Called by the library for methods and requests that it does not take."""
        self._refuse(int(code), "not found")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Nothing: what was asked is in the record, and the terminal is not the agent's."""

    def _refuse(self, status: int, text: str) -> None:
        """Of a request that cannot be read to its end; it was made all the same, and is recorded."""
        self.close_connection = True
        self._say(None, (status, text, {}), "")

    def _answer(self, body: str) -> None:
        self._say(lambda one: self._fits(one, body), (404, "not found", {}), body)

    def _say(self, fits: Callable[[HttpReply], bool] | None, otherwise: _Said, body: str) -> None:
        """The first reply that fits, or what is said where none does."""
        stub = self._stub
        replies = stub.double.replies if fits else ()
        try:
            reply, state = stub.playbook.take(f"http:{stub.double.name}", replies, fits or (lambda _one: False))
        except TooManyCallsError:
            self._send(429, {}, "too many requests")
            return
        status, text, headers = otherwise if reply is None else _said(reply)
        line = f"{self.command} {self.path}" if self.command else "a request that cannot be read"
        stub.playbook.record(
            DoubleCall(
                kind="http",
                name=stub.double.name,
                input=f"{line}\n{body}" if body else line,
                output=text,
                status=status,
                expected=reply is not None,
                state=state,
            )
        )
        self._send(status, headers, text)

    def _fits(self, reply: HttpReply, body: str) -> bool:
        method = reply.method is None or reply.method.upper() == self.command
        return method and fits(reply.path_matches, self.path) and fits(reply.body_matches, body)

    def _body(self) -> str:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            data = self._chunks()
        else:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= MAX_BODY_BYTES:
                raise _TooLargeError
            data = self.rfile.read(length)
        return data.decode("utf-8", "replace")

    def _chunks(self) -> bytes:
        parts: list[bytes] = []
        while size := int(self.rfile.readline(100).split(b";")[0], 16):
            if size < 0 or sum(map(len, parts)) + size > MAX_BODY_BYTES:
                raise _TooLargeError
            parts.append(self.rfile.read(size))
            self.rfile.readline(100)
        while self.rfile.readline(10_000).strip():
            pass
        return b"".join(parts)

    def _send(self, status: int, headers: dict[str, str], text: str) -> None:
        data = b"" if status in _WITHOUT_BODY else text.encode("utf-8", "replace")
        with suppress(OSError):
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)


def _said(reply: HttpReply) -> _Said:
    """Status, body and headers of a reply."""
    is_json = reply.json_ is not None
    text = json.dumps(reply.json_, ensure_ascii=False) if is_json else reply.body
    headers = {name: value for name, value in reply.headers.items() if name.lower() not in _OUR_HEADERS}
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json" if is_json else "text/plain; charset=utf-8"
    return reply.status, text, headers
