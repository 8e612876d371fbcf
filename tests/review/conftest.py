"""Workspaces to look at, and one browser for the tests of a module.

While the browser is there its event loop runs in the main thread, and `anyio.run` cannot be called there: workspaces are made by
programs of their own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from browsing import browser_at
from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Generator[Browser]:
    """Headless Chromium."""
    with browser_at(chromium) as opened:
        yield opened


@pytest.fixture(scope="session")
def kept_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of `skilltrial demo`; not to be written to."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    command = [sys.executable, "-m", "skilltrial", "demo", "--workspace", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def shown_workspace(kept_demo: Path, tmp_path: Path) -> Path:
    """A copy of it of one's own."""
    return Path(shutil.copytree(kept_demo, tmp_path / "workspace"))
