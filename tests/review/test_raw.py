"""Bytes of files over the wire: types, names, parts, and where they do not come from."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from browsing import served
from documents import one_of_each
from trials import CASE, subject_at, trial_with

Got = tuple[HTTPResponse, bytes]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs of a trial with files of all kinds."""
    outputs = trial_with(tmp_path_factory.mktemp("w"), {**one_of_each(), "style.css": b"a{}"})
    (outputs / "link.png").symlink_to("pic.png")
    return outputs


@pytest.fixture(scope="module")
def get(outputs: Path) -> Callable[..., Got]:
    """Asks a server for a file's bytes."""

    def getting(path: str, *, download: str = "", **headers: str) -> Got:
        with served(subject_at(outputs.parents[4])) as link:
            base = urlsplit(link)
            values = {"iteration": 1, "case": CASE, "arm": "with_skill", "path": path, "download": download}
            line = http.client.HTTPConnection(base.netloc)
            line.request("GET", f"{base.path}raw?{urlencode(values)}", headers=headers)
            answer = line.getresponse()
            body = answer.read()
            line.close()
            return answer, body

    return getting


@pytest.mark.parametrize(
    ("path", "media"),
    [
        ("pic.png", "image/png"),
        ("drawing.svg", "image/svg+xml"),
        ("paper.pdf", "application/pdf"),
        ("page.html", "text/plain; charset=utf-8"),
        ("bytes.bin", "application/octet-stream"),
    ],
)
def test_types(get: Callable[..., Got], path: str, media: str) -> None:
    """The type is that of the content, and never one that runs; only the PDF, which shows in no sandbox, is without one."""
    answer, _ = get(path)
    assert answer.getheader("Content-Type") == media
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    policy = answer.getheader("Content-Security-Policy") or ""
    assert (policy.startswith("sandbox;"), "default-src 'none'" in policy) == (path != "paper.pdf", True)


def test_download_names(get: Callable[..., Got]) -> None:
    """Any name comes through, in both spellings, without ending the header."""
    answer, body = get("new\nline.txt", download="1")
    assert body == b"newline in the name\n"
    wanted = "attachment; filename=\"new_line.txt\"; filename*=UTF-8''new%0Aline.txt"
    assert answer.getheader("Content-Disposition") == wanted


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=2-4", 206, slice(2, 5)),
        ("bytes=700-", 206, slice(700, None)),
        ("bytes=-3", 206, slice(-3, None)),
        ("bytes=0-9,20-29", 200, slice(None)),
        ("bytes=768-", 416, slice(0)),
        ("bytes=5-2", 416, slice(0)),
    ],
)
def test_parts(get: Callable[..., Got], asked: str, status: int, part: slice) -> None:
    """One range is answered with its part; several at once with the whole; none that is not there."""
    answer, body = get("bytes.bin", Range=asked)
    assert (answer.status, body) == (status, (bytes(range(256)) * 3)[part])


@pytest.mark.parametrize(
    "path", ["link.png", "../run.json", "../../../plan.json", "/etc/passwd", "sub", "none", "..", ""]
)
def test_refused(get: Callable[..., Got], path: str) -> None:
    """Links, folders, and what lies outside the outputs are refused."""
    answer, body = get(path)
    assert (answer.status, answer.getheader("Content-Type")) == (404, "text/plain; charset=utf-8")
    assert body


def test_drawings_that_would_stop_the_page(outputs: Path, get: Callable[..., Got]) -> None:
    """Such a one is not given to a picture; it is there to be downloaded."""
    bomb = b'<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><use href="#a"/></g></svg>'
    (outputs / "heavy.svg").write_bytes(bomb)
    assert get("heavy.svg")[0].status == 413
    assert get("heavy.svg", download="1")[1] == bomb
