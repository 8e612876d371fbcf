"""Workspaces to look at, and one browser for the tests of a module.

While the browser is there its event loop runs in the main thread, and `anyio.run` cannot be called there: workspaces are made by
programs of their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from browsing import browser_at
from playwright.sync_api import Browser, expect

from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions

_REAL = "corpus/workspaces/Kelet-ai__skills__evals-workspace-iteration-1"
"""Five evals, two arms; benchmark, feedback, outputs: somebody's real work with skill-creator."""

expect.set_options(timeout=30_000)  # a machine at work with other tests takes its time


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


@pytest.fixture(scope="session")
def kept_everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of ours with one of everything, hostile texts in all places; not to be written to."""
    folder = tmp_path_factory.mktemp("everything") / "workspace"
    program = Path(__file__).with_name("everything.py")
    subprocess.run([sys.executable, str(program), str(folder)], check=True)
    return folder


@pytest.fixture
def everything(kept_everything: Path, tmp_path: Path) -> Path:
    """A copy of it of one's own. Its files are linked, not copied: they are replaced as wholes or not at all."""
    return Path(shutil.copytree(kept_everything, tmp_path / "everything", symlinks=True, copy_function=os.link))


@pytest.fixture(scope="session")
def made_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of skill-creator's, as a generator writes it: two iterations, feedback, history, comparisons; not to be written to."""
    folder = tmp_path_factory.mktemp("made")
    write_workspace(folder, WorkspaceOptions(evals=3, runs=3, iterations=2, png=True))
    return folder / "workspace"


@pytest.fixture(scope="session")
def real_workspace(shared: Path) -> Path:
    """One iteration of a workspace that people published; not to be written to."""
    return shared / _REAL


def _imported(source: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "skilltrial", "import", str(source), "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def imported_made(made_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of the generator as a workspace of ours."""
    return _imported(made_workspace, tmp_path_factory.mktemp("imported") / "made")


@pytest.fixture(scope="session")
def imported_real(real_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published one as a workspace of ours."""
    return _imported(real_workspace, tmp_path_factory.mktemp("imported") / "real")
