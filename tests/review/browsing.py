"""A real browser on the review page, for tests: `page_of` opens a workspace as `skilltrial view` does."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Request, sync_playwright

from skilltrial import wiring
from skilltrial.review.server import Serving
from skilltrial.review.subject import Subject

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_WITHIN = ("data:", "blob:", "file:", "about:", "chrome:", "chrome-extension:")
"""Addresses that no network sees; the last two are the browser's own viewer of PDF files."""
_FORBIDDEN = ("csp", "net::ERR_BLOCKED_BY_CSP")


def subject_of(workspace: Path, **changes: Any) -> Subject:
    """What the command line makes of a workspace of ours."""
    store = wiring.open_store(workspace, write=False)
    values: dict[str, Any] = {
        "store": store,
        "journal": store,
        "name": str(workspace),
        "by": "tester",
        "now": lambda: datetime.now(UTC),
    }
    return Subject(**{**values, **changes})


@contextmanager
def served(subject: Subject) -> Generator[str]:
    """The link to a page that is served from a thread of this process."""
    with Serving(subject) as serving:
        thread = threading.Thread(target=serving.run)
        thread.start()
        try:
            serving.wait_until_ready()
            yield serving.link
        finally:
            serving.stop()
            thread.join()


@contextmanager
def browser_at(chromium: Path) -> Generator[Browser]:
    """A headless browser that talks to nobody of its own accord."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def _leaves(request: Request, origin: str) -> bool:
    """Whether it goes to another machine. What the page's policy forbids is never sent."""
    return not request.url.startswith((origin, *_WITHIN)) and request.failure not in _FORBIDDEN


@contextmanager
def page_at(browser: Browser, link: str, *, harmless: tuple[str, ...] = (), **options: Any) -> Generator[Page]:
    """A page that is open; it fails where the page reports an error, or asks another machine for anything.

    Errors on the console that hold one of the `harmless` texts are left out: what a browser says when it stops hostile content.
    """
    settings: dict[str, Any] = {"viewport": {"width": 1400, "height": 900}, **options}
    context = browser.new_context(**settings)
    page = context.new_page()
    wrong: list[str] = []
    origin = "/".join(link.split("/")[:3])
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: (
            wrong.append(f"console: {message.text}")
            if message.type == "error" and not any(text in message.text for text in harmless)
            else None
        ),
    )
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - no builtin is taken
    try:
        page.goto(link)
        yield page
        assert not wrong, wrong
        assert not (outside := [request.url for request in asked if _leaves(request, origin)]), outside
    finally:
        context.close()
