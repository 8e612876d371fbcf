"""Who may ask the page's server: requests over real sockets, none of which may run, leak or write anything."""

from __future__ import annotations

import json
import socket
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import served, subject_of

from skilltrial.review import acting, reading

DONE: list[object] = []
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture(scope="module")
def workspace(kept_demo: Path) -> Path:
    """Only looked at."""
    return kept_demo


@pytest.fixture(scope="module")
def link(workspace: Path) -> Generator[str]:
    """A page that is served for all tests here, with an action that notes what it was asked."""

    def noted(subject: object, body: object) -> object:
        del subject
        DONE.append(body)
        return {"done": True}

    def broken(subject: object, query: object) -> object:
        del subject, query
        raise ZeroDivisionError("by \x1b[31mus")

    patch = pytest.MonkeyPatch()
    patch.setattr("skilltrial.review.app.ACTIONS", {**acting.ACTIONS, "noted": noted})
    patch.setattr("skilltrial.review.app.QUESTIONS", {**reading.QUESTIONS, "broken": broken})
    with patch.context(), served(subject_of(workspace)) as told:
        yield told
    patch.undo()


@pytest.fixture(autouse=True)
def _nothing_done() -> None:
    DONE.clear()


def get(link: str, path: str = "", headers: Mapping[str, str] | None = None, method: str = "GET") -> httpx.Response:
    """An answer, without following anything."""
    return httpx.request(method, link + path, headers=headers, timeout=10)


def raw(link: str, request: bytes) -> bytes:
    """What the server says to these bytes."""
    port = int(link.split("/")[2].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


def token_of(link: str) -> str:
    """The secret part of it."""
    return link.rstrip("/").rpartition("/")[2]


def port_of(link: str) -> str:
    """The port of it."""
    return link.split("/")[2].rpartition(":")[2]


def test_serves_page_with_headers(link: str) -> None:
    """The page, our files and answers come with the headers that keep others out."""
    for path in ("", "static/app.js", "api/workspace", "api/nothing", "static/nothing.js"):
        answer = get(link, path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.:{port}",
        "[::1]:{port}",
        "127.0.0.1:{port}.evil.example",
        "127.0.0.1:{port}@evil.example",
        "127.1:{port}",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_refuses_other_hosts(link: str, host: str) -> None:
    """A name that somebody points at this machine is not ours, even with the token."""
    answer = get(link, "api/workspace", {"Host": host.format(port=port_of(link))})
    assert answer.status_code == 403
    assert "skill" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_takes_its_own_names(link: str) -> None:
    """The address and localhost are ours, in any case."""
    for host in ("127.0.0.1", "localhost", "LOCALHOST"):
        assert get(link, "api/workspace", {"Host": f"{host}:{port_of(link)}"}).status_code == 200


def test_refuses_missing_and_double_host(link: str) -> None:
    """Without a host, or with two, nobody is answered."""
    path = f"/{token_of(link)}/api/workspace".encode()
    ours = f"Host: 127.0.0.1:{port_of(link)}\r\n".encode()
    for request in (
        b"GET " + path + b" HTTP/1.0\r\n\r\n",
        b"GET " + path + b" HTTP/1.1\r\n\r\n",
        b"GET " + path + b" HTTP/1.1\r\n" + ours + b"Host: evil.example\r\n\r\n",
        b"GET " + path + b" HTTP/1.1\r\nHost: evil.example\r\n" + ours + b"\r\n",
        b"GET http://evil.example" + path + b" HTTP/1.1\r\n" + ours + b"\r\n",
    ):
        answer = raw(link, request)
        assert answer.split(b" ", 2)[1] in {b"400", b"403"}
        assert b"iterations" not in answer


def test_refuses_without_the_token(link: str) -> None:
    """Missing, wrong, short, long, in the query, in a header or further back: it is not the token."""
    base = f"http://127.0.0.1:{port_of(link)}"
    token = token_of(link)
    headers = {"Authorization": f"Bearer {token}", "Cookie": f"token={token}", "Referer": link}
    for path in (
        "/",
        "/api/workspace",
        f"/{token[:-1]}/api/workspace",
        f"/{token}x/api/workspace",
        f"/{token.swapcase()}/api/workspace",
        f"/api/workspace?token={token}",
        f"/api/{token}/workspace",
        f"//{token}/api/workspace",
        "/static/app.js",
    ):
        answer = httpx.get(base + path, headers=headers)
        assert answer.status_code == 403
        assert token not in answer.text


def test_link_without_its_last_slash(link: str) -> None:
    """A link whose last character was not copied leads to the page."""
    answer = get(link.rstrip("/"))
    assert (answer.status_code, answer.headers["location"]) == (307, f"/{token_of(link)}/")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://{host}"},
        {"Origin": "http://{host}.evil.example"},
        {"Origin": "http://{host}", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://{host}", "Sec-Fetch-Site": "same-site"},
    ],
)
def test_refuses_posts_of_other_pages(link: str, headers: Mapping[str, str]) -> None:
    """What another page sends does nothing, even where it knows the token (V4)."""
    sent = {name: value.format(host=link.split("/")[2]) for name, value in headers.items()}
    for action in ("noted", "stop"):
        answer = httpx.post(f"{link}api/{action}", json={"a": 1}, headers=sent)
        assert answer.status_code == 403
    assert DONE == []
    assert get(link).status_code == 200


def test_refuses_posts_that_forms_can_make(link: str) -> None:
    """Types that a form may send are not taken, nor no type."""
    origin = {"Origin": "/".join(link.split("/")[:3])}
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = httpx.post(f"{link}api/noted", content=b"{}", headers={**origin, "Content-Type": kind})
        assert answer.status_code == 415
    assert DONE == []


def test_takes_its_own_posts(link: str) -> None:
    """The page's own request is done."""
    origin = {"Origin": "/".join(link.split("/")[:3]), "Sec-Fetch-Site": "same-origin"}
    assert httpx.post(f"{link}api/noted", json={"a": 1}, headers=origin).json() == {"done": True}
    assert DONE == [{"a": 1}]


def test_refuses_questions_of_other_pages(link: str) -> None:
    """Another page may lead here, and reads and embeds nothing."""
    for site in ("cross-site", "same-site"):
        headers = {"Sec-Fetch-Site": site}
        for path in ("api/workspace", "raw?path=a", "static/app.js", "live"):
            assert get(link, path, headers).status_code == 403
        assert get(link, "", headers).status_code == 200


def test_bodies(link: str) -> None:
    """What is no JSON object, or too much of it, is refused with a sentence."""
    headers = {"Origin": "/".join(link.split("/")[:3]), "Content-Type": "application/json"}
    bodies = {b"": 400, b"[]": 400, b"{": 400, b"\xff": 400, b"[" * 100_000: 400, b" " * 2_000_001: 413}
    for body, status in bodies.items():
        answer = httpx.post(f"{link}api/noted", content=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["what"] != "") == (status, True)
    chunked = httpx.post(f"{link}api/noted", content=iter([b" " * 1_500_000] * 2), headers=headers)
    assert chunked.status_code == 413
    assert DONE == []


def test_refuses_slow_body(link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that does not come is not waited for."""
    monkeypatch.setattr("skilltrial.review.app._BODY_S", 0.05)
    host = link.split("/")[2]
    head = f"POST /{token_of(link)}/api/noted HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    with socket.create_connection(("127.0.0.1", int(port_of(link))), timeout=10) as connection:
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 408 ")
    assert DONE == []


def test_methods(link: str) -> None:
    """HEAD is GET without a body; what is neither GET nor POST is refused."""
    head = get(link, "api/workspace", method="HEAD")
    assert (head.status_code, head.content) == (200, b"")
    headers = {"Origin": "/".join(link.split("/")[:3]), "Content-Type": "application/json"}
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"):
        assert get(link, "static/app.js", headers, method).status_code == 405
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert get(link, "api/workspace", headers, method).status_code == 405
        assert get(link, "api/workspace", method=method).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "static/../app.py",
        "static/%2e%2e/app.py",
        "static/..%2fapp.py",
        "static/..%5capp.py",
        "static/....//app.py",
        "static/%00app.js",
        "static/app.js%00.css",
        "static/app.js/",
        "static//etc/passwd",
        "static/%252e%252e%252fapp.py",
        "static/",
        "static",
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "app.py",
        "api/",
        "api/../static/app.js",
        "api/%FF%FE",
        "api/%",
        "api/workspace/",
        "%C3%28",
        "__init__.py",
    ],
)
def test_serves_nothing_else(link: str, path: str) -> None:
    """Beside the pages' files there is nothing, however it is spelt."""
    host = link.split("/")[2]
    answer = raw(
        link,
        f"GET /{token_of(link)}/{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode(),
    )
    assert answer.split(b" ", 2)[1] in {b"404", b"403", b"307"}
    for secret in (b"starlette", b"root:", b"import "):
        assert secret not in answer


def test_odd_requests_leave_it_alive(link: str) -> None:
    """What is no HTTP is refused, and the next one is answered."""
    for request in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100_000, b""):
        assert raw(link, request)[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 403", b""}
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "a", "Sec-WebSocket-Version": "13"}
    assert get(link, "api/nothing", upgrade).status_code == 404
    assert get(link).status_code == 200


def test_unknown_parameters(link: str) -> None:
    """Numbers that are none, and iterations that are not there, are a sentence and no failure."""
    for query in (
        "iteration=a",
        "iteration=-1",
        "iteration=9999999999",
        "iteration=%00",
        "iteration=7",
        "iteration=%F0",
    ):
        answer = get(link, f"api/files?{query}&case=a&arm=b&repeat=1")
        assert answer.status_code == 404
        assert answer.json()["error"]["what"]


def test_defect_of_ours(link: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A defect is JSON for the page, and one line in the terminal that cannot change its colours."""
    answer = get(link, "api/broken")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.json()["error"]["what"]
    assert "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert "test_review_guard.py" in told
    assert "\x1b" not in told


def test_two_viewers(workspace: Path, link: str) -> None:
    """Two servers of one workspace do not know each other: the token of one is none of the other."""
    with served(subject_of(workspace)) as other:
        assert get(other).status_code == get(link).status_code == 200
        crossed = f"http://127.0.0.1:{port_of(other)}/{token_of(link)}/"
        assert get(crossed).status_code == 403


def test_stop(workspace: Path) -> None:
    """The page's own stop ends the server."""
    with served(subject_of(workspace)) as link:
        origin = {"Origin": "/".join(link.split("/")[:3])}
        assert httpx.post(f"{link}api/stop", json={}, headers=origin).json() == {"stopped": True}


def test_any_text_fits_in_an_answer(workspace: Path) -> None:
    """Half characters of file names do not break an answer."""
    values: dict[str, Any] = {"name": "a\udcffb", "by": "\ud800"}
    with served(subject_of(workspace, **values)) as link:
        assert json.loads(get(link, "api/workspace").content)["name"] == "a\udcffb"
