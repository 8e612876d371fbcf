"""Every page of the review page follows `skilltrial run` while it is open, and is never loaded again for it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from browsing import page_at, served, subject_of
from command import write_skill
from fake_agent import ANSWERED, a_person
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

_TOLD = "4 of 4 trials, 480 tokens, $1.00, with_skill 100% so far, without_skill 100% so far"
_RESULTS = {
    "overview": "passes 100 % of the assertions",
    "cases": "1 of 1 trial",
    "case?case=first": "(1 pass, 0 fail)",
    "benchmark": "passes 100 % of the assertions",
    "history": "$1.00",
}
_OPENED = "window.openedOnce = true"
_IS_THE_SAME = "window.openedOnce === true"


@contextmanager
def a_run(folder: Path) -> Generator[tuple[Path, Path]]:
    """A workspace that a run fills once the other path, a file, is made: two cases, two arms, one run each."""
    person, gate = a_person(folder), folder / "gate"
    agent = folder / "agent"
    agent.write_text(agent.read_text().replace("sleep 0.0\n", f"until [ -e '{gate}' ]; do sleep 0.1; done\n"))
    cases = [{"id": name, "prompt": f"task {name}", "assertions": [ANSWERED]} for name in ("first", "second")]
    skill = write_skill(folder / "csv-report", cases)
    workspace = folder / "workspace"
    command = ["run", skill, "--harness", "claude-code", "--runs", "1", "--workspace", workspace, "--yes"]
    process = person.start(*command)
    try:
        until = time.monotonic() + 60
        while not (workspace / "iteration-1/plan.json").exists() and time.monotonic() < until:
            time.sleep(0.1)
        yield workspace, gate
    finally:
        gate.touch()
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err


def opened(browser: Browser, stack: ExitStack, link: str, place: str) -> Page:
    """A page of the workspace that knows whether it is loaded again."""
    page = stack.enter_context(page_at(browser, f"{link}#/{place}"))
    page.locator("main:not([aria-busy]) h1").first.wait_for()
    page.evaluate(_OPENED)
    return page


def test_every_page_follows_a_run(browser: Browser, tmp_path: Path) -> None:
    """Progress, tokens, cost and results come to pages that nobody works in; where somebody does, a button says so."""
    with a_run(tmp_path) as (workspace, gate), served(subject_of(workspace)) as link, ExitStack() as stack:
        pages = {name: opened(browser, stack, link, name) for name in _RESULTS}
        busy = opened(browser, stack, link, "case?case=second")
        busy.locator("summary", has_text="Prompt").click()
        for name, page in pages.items():
            page.locator("p.live", has_text="0 of 4 trials").wait_for()
            assert _RESULTS[name] not in page.locator("main").inner_text()
        now = pages["overview"].get_by_label("Trials that run now")
        now.get_by_text("first, with_skill, run 1: runs for").wait_for()
        gate.touch()
        for name, page in pages.items():
            page.locator("p.live", has_text=_TOLD).wait_for()
            page.locator("main", has_text=_RESULTS[name]).wait_for()
            assert page.evaluate(_IS_THE_SAME)
        now.wait_for(state="hidden")
        busy.get_by_role("button", name="New results").click()
        busy.locator("main", has_text=_RESULTS["case?case=first"]).wait_for()
        assert busy.get_by_role("button", name="New results").is_hidden()
        assert busy.evaluate(_IS_THE_SAME)
