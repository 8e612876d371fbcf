"""`skilltrial view` as a person starts and ends it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import page_at
from PIL import Image
from playwright.sync_api import Browser, expect

from skilltrial.cli.app import make_app
from skilltrial.cli.failure import guarded
from skilltrial.cli.view_browser import no_browser_because
from skilltrial.review.one_script import one_script
from skilltrial.review.server import usual_port

COMMAND = [sys.executable, "-m", "skilltrial", "view"]


def environment(tmp_path: Path) -> dict[str, str]:
    """Without a display, and with a state folder of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    return {**kept, "XDG_STATE_HOME": str(tmp_path / "state")}


def started(tmp_path: Path, *arguments: object) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A page that is open, and what it printed for programs."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--json"],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def ran(tmp_path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command, to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ends_with_somebody_following(kept_demo: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM are an end like any other while a page follows; nothing is printed or left."""
    process, told = started(tmp_path, kept_demo)
    notes = list((tmp_path / "state/skilltrial/pages").iterdir())
    assert [stat.S_IMODE(note.stat().st_mode) for note in notes] == [0o600]
    with httpx.stream("GET", f"{told['link']}live", timeout=20) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 3000"
        next(lines)
        progress = json.loads(next(lines).removeprefix("data: "))
        assert (progress["kind"], progress["finished"]) == ("progress", progress["planned"])
        process.send_signal(number)
        assert list(lines)[1:] == []
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
    assert not list((tmp_path / "state/skilltrial/pages").iterdir())


def test_stop(kept_demo: Path, tmp_path: Path) -> None:
    """`--stop` ends the pages of a workspace, forgets those that are no more, and never ends anything else."""
    process, told = started(tmp_path, kept_demo)
    dead = tmp_path / "state/skilltrial/pages/1-1.json"
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        link = f"http://127.0.0.1:{stranger.getsockname()[1]}/token/"
        stranger.settimeout(0)
        dead.write_text(json.dumps({"link": link, "pid": os.getpid(), "workspace": "/nowhere"}))
        assert ran(tmp_path, tmp_path, "--stop").stdout.endswith("is open.\n")
        assert process.poll() is None
        done = json.loads(ran(tmp_path, kept_demo, "--stop", "--json").stdout)
    assert [page["link"] for page in done["stopped"]] == [told["link"]]
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert ran(tmp_path, "--stop").stdout == "No page is open.\n"
    assert not dead.exists()


def test_wrong_places(kept_demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing folder, a file, an empty folder, an iteration of ours: one paragraph that says what to do, and exit code 2."""
    (tmp_path / "empty").mkdir()
    for place in (
        tmp_path / "none",
        kept_demo / "iteration-1/plan.json",
        tmp_path / "empty",
        kept_demo / "iteration-1",
    ):
        assert guarded(partial(make_app(["view"]), ["view", str(place), "--no-browser"])) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("skilltrial:")
        assert place.name in said.err
        assert "Traceback" not in said.err


def test_port_in_use(kept_demo: Path, tmp_path: Path) -> None:
    """A port that somebody else has is left to them."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = ran(tmp_path, kept_demo, "--port", port)
        assert done.returncode == 3
        assert f"port {port} cannot be had" in done.stderr


def test_usual_port(kept_demo: Path, tmp_path: Path) -> None:
    """A workspace's page is at the same port each time, so that a browser finds the texts that it kept."""
    ports = []
    for _ in range(2):
        process, told = started(tmp_path, kept_demo)
        ports.append(httpx.URL(told["link"]).port)
        if len(ports) == 2:
            beside, second = started(tmp_path, kept_demo)
            ports.append(httpx.URL(second["link"]).port)
            beside.terminate()
            beside.communicate(timeout=20)
        process.terminate()
        process.communicate(timeout=20)
    first, again, another = ports
    assert first == again == usual_port(str(kept_demo.resolve()))
    assert another != first


def test_foreign_workspace(tmp_path: Path, shared: Path) -> None:
    """Another tool's iteration opens as it is; nothing is written into it, and the copy is gone at the end."""
    made = tmp_path / "made"
    subprocess.run([sys.executable, shared / "tools/make_workspace.py", made], check=True, capture_output=True)
    iteration = made / "workspace/iteration-1"
    before = sorted(path.name for path in iteration.iterdir())
    process, told = started(tmp_path, iteration)
    answer = httpx.get(f"{told['link']}api/workspace").json()
    assert (answer["foreign"], answer["iterations"]) == ("skill-creator", [1])
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert sorted(path.name for path in iteration.iterdir()) == before


def test_no_browser() -> None:
    """Where no browser can be opened, it is said why; where one can, nothing is in the way."""
    desktop = {"DISPLAY": ":0", "BROWSER": "firefox"}
    assert no_browser_because(desktop, platform="linux") is None
    assert no_browser_because({}, platform="darwin") is None
    assert no_browser_because({"BROWSER": "firefox"}, platform="linux") == "there is no display"
    assert no_browser_because({"DISPLAY": ":0", "PATH": ""}, platform="linux") == "none was found"
    assert no_browser_because({**desktop, "SSH_TTY": "/dev/pts/1"}, platform="linux") == "this is an SSH session"
    assert no_browser_because({**desktop, "CI": "1"}, platform="linux") == "this is a CI job"


@pytest.mark.browser
def test_one_file(browser: Browser, shown_workspace: Path, tmp_path: Path) -> None:
    """The page in one file opens from the disk, asks and runs nothing; what is typed stays there, and is given out."""
    plan = shown_workspace / "iteration-1/plan.json"
    hostile = "</script><script>document.title=1</script><!--\\u2028"
    plan.write_text(plan.read_text().replace('"notices": []', f'"notices": ["{hostile}"]'))
    for outputs in shown_workspace.glob("iteration-1/*/*/run-*/outputs"):
        if "eval-cache-lock" not in outputs.parts:
            shutil.rmtree(outputs)  # each file of a small workspace is rendered in a process of its own
    outputs = shown_workspace / "iteration-1/eval-cache-lock/with_skill/run-1/outputs"
    Image.new("RGB", (30, 20), (0, 90, 160)).save(outputs / "small.png")
    (outputs / "large.png").write_bytes((outputs / "small.png").read_bytes() + bytes(50_000))
    file = tmp_path / "page.html"
    assert ran(tmp_path, shown_workspace, "--static", file).returncode == 0
    with page_at(browser, file.as_uri()) as page:
        page.get_by_role("link", name="Overview").wait_for()
        page.locator("main:not([aria-busy])").wait_for()
        assert page.get_by_role("heading").count() > 0
        assert "skilltrial" in page.title()
        page.evaluate("location.hash = '#/case?case=cache-lock'")
        page.locator(".side .tree button.file").last.click()
        expect(page.locator(".side .file-place").last).not_to_be_empty()
        page.locator(".side .tree button.file", has_text="small.png").click()
        expect(page.get_by_text("30 × 20 pixels")).to_be_visible()
        page.locator(".side .tree button.file", has_text="large.png").click()
        expect(page.get_by_role("region", name="Picture")).to_have_count(0)
        page.get_by_label("Comment on this run").last.fill("kept in the browser")
        expect(page.get_by_text("Kept in this browser.")).to_be_visible()
        page.reload()
        expect(page.get_by_label("Comment on this run").last).to_have_value("kept in the browser")
        page.evaluate("location.hash = '#/case?case=none'")
        expect(page.get_by_text(f"Open the folder for the rest: skilltrial view {shown_workspace}")).to_be_visible()
        page.evaluate("location.hash = '#/overview'")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download feedback.json").click()
        said = json.loads(download.value.path().read_bytes())
        assert "kept in the browser" in json.dumps(said["reviews"])
    assert file.read_text().count("<script") == 2


def test_the_first_page_waits_for_no_other_one() -> None:
    """Neither numpy nor the stages of a run are loaded before a page needs them."""
    told = "import sys, skilltrial.cli.view_page; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True).stdout.split()
    assert "skilltrial.review.overview" in loaded
    assert {"numpy", "jinja2", "yaml", "skilltrial.pipeline", "skilltrial.interchange.incoming"}.isdisjoint(loaded)


def test_scripts_that_cannot_be_one() -> None:
    """Names that two modules share, imports that are not met, and cycles are found before anybody opens the page."""
    fine = {"a.js": 'import { b } from "./b.js";\nb();\n', "b.js": "export function b() {}\n"}
    assert one_script(fine, "a.js") == "function b() {}\n\nb();\n"
    parted = {**fine, "a.js": 'import {\n  b,\n} from "./b.js";\nb();\n'}
    assert one_script(parted, "a.js") == one_script(fine, "a.js")
    for changed in (
        {"a.js": fine["a.js"] + "function b() {}\n"},
        {"b.js": "function b() {}\n"},
        {"b.js": 'import { a } from "./a.js";\nexport function b() {}\n'},
        {"b.js": "export default function b() {}\n"},
        {"a.js": 'import { b as c } from "./b.js";\n'},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            one_script({**fine, **changed}, "a.js")
