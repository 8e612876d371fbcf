"""A real browser on the review page, for tests: `page_of` opens a workspace as `skilltrial view` does."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

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


@contextmanager
def page_at(browser: Browser, link: str, **options: Any) -> Generator[Page]:
    """A page that is open; it fails where the page reports an error, or asks another machine for anything."""
    context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
    page = context.new_page()
    wrong: list[str] = []
    origin = "/".join(link.split("/")[:3])
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
    page.on(
        "request",
        lambda request: (
            wrong.append(f"request: {request.url}")
            if not request.url.startswith((origin, "data:", "blob:", "file:", "about:"))
            else None
        ),
    )
    try:
        page.goto(link)
        yield page
        assert wrong == []
    finally:
        context.close()
