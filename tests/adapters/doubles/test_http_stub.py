"""The HTTP stub, asked as an agent's programs ask it."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from typing import Any

import pytest
from doubles_bench import Visit

from skilltrial.ports import StandIns, TrialFolders

Answer = tuple[int, str, str]


def service(*replies: dict[str, Any]) -> dict[str, Any]:
    """Doubles with one service."""
    return {"http": [{"name": "api", "env": "API_URL", "replies": list(replies)}]}


def asking(*requests: tuple[str, str, str | None]) -> tuple[list[Answer], Any]:
    """An agent that asks (method, path, body), and what it gets: status, content type, body."""
    said: list[Answer] = []

    def act(stand_ins: StandIns, _folders: TrialFolders) -> None:
        for method, path, body in requests:
            data = None if body is None else body.encode()
            request = urllib.request.Request(stand_ins.env["API_URL"] + path, data=data, method=method)
            try:
                with urllib.request.urlopen(request) as answer:
                    said.append((answer.status, answer.headers["Content-Type"], answer.read().decode()))
            except urllib.error.HTTPError as error:
                with error:
                    said.append((error.code, error.headers["Content-Type"], error.read().decode()))

    return said, act


def test_replies_by_method_path_and_body(visit: Visit) -> None:
    """The first that fits; JSON is sent as such."""
    said, act = asking(("POST", "/items?x=1", '{"n":1}'), ("GET", "/items", None))
    replies = ({"method": "post", "body_matches": '"n":1', "status": 201, "json": {"ok": True}}, {"body": "hello"})
    calls = visit(service(*replies), act)
    assert said == [(201, "application/json", '{"ok": true}'), (200, "text/plain; charset=utf-8", "hello")]
    assert [(call.input, call.status, call.output) for call in calls] == [
        ('POST /items?x=1\n{"n":1}', 201, '{"ok": true}'),
        ("GET /items", 200, "hello"),
    ]


def test_what_nothing_fits_is_not_found(visit: Visit) -> None:
    """And recorded as unexpected."""
    said, act = asking(("DELETE", "/items", None))
    calls = visit(service({"path_matches": "^/other$"}), act)
    assert said[0][0] == 404
    assert [(call.input, call.expected) for call in calls] == [("DELETE /items", False)]


def test_states_and_headers(visit: Visit) -> None:
    """A job that is done at the second look."""
    said, act = asking(("GET", "/job", None), ("GET", "/job", None))
    replies = (
        {"when_state": "start", "status": 202, "next_state": "done"},
        {"when_state": "done", "headers": {"Content-Type": "text/csv"}, "body": "a,b"},
    )
    visit(service(*replies), act)
    assert [(status, kind) for status, kind, _ in said] == [(202, "text/plain; charset=utf-8"), (200, "text/csv")]


def raw(stand_ins: StandIns, data: bytes) -> str:
    """What is answered to bytes."""
    host, port = stand_ins.env["API_URL"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as link:
        link.sendall(data)
        return b"".join(iter(lambda: link.recv(65536), b"")).decode()


def test_chunks_are_put_together(visit: Visit) -> None:
    """As some clients send a body."""

    def act(stand_ins: StandIns, _folders: TrialFolders) -> None:
        head = b"POST / HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        raw(stand_ins, head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")

    assert [call.input for call in visit(service({}), act)] == ["POST /\nabcde"]


def test_endless_bodies_are_refused(visit: Visit) -> None:
    """Before they are read; also what says no length that is one. That they were asked is recorded."""

    def act(stand_ins: StandIns, _folders: TrialFolders) -> None:
        for length in (b"99999999999", b"-1", b"many"):
            answer = raw(stand_ins, b"POST / HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n")
            assert answer.startswith("HTTP/1.1 413")

    calls = visit(service({}), act)
    assert [(call.input, call.status, call.expected) for call in calls] == [("POST /", 413, False)] * 3


def test_requests_of_no_kind_are_recorded_and_not_printed(visit: Visit, capfd: pytest.CaptureFixture[str]) -> None:
    """A method that nobody knows, and what is no request: else a forbidden call could be hidden in one."""

    def act(stand_ins: StandIns, _folders: TrialFolders) -> None:
        for line in (b"PROPFIND /items HTTP/1.1", b"GET /items HTTP/nine"):
            answer = raw(stand_ins, line + b"\r\n\r\n")
            assert "Python" not in answer

    calls = visit(service({}), act)
    assert [(call.input, call.status, call.expected) for call in calls] == [
        ("PROPFIND /items", 501, False),
        ("a request that cannot be read", 400, False),
    ]
    assert capfd.readouterr().err == ""


def test_a_proxy_of_the_person_is_left_out(visit: Visit) -> None:
    """Else the agent's programs would ask it for our address."""
    seen: list[str] = []
    env = {"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "corp.example"}
    visit(service({}), lambda stand_ins, _folders: seen.append(json.dumps(dict(stand_ins.env))), env=env)
    assert json.loads(seen[0])["NO_PROXY"] == "corp.example,127.0.0.1"
