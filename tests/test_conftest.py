"""The guards of conftest.py, each in a pytest run of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skilltrial import errors

SKIPPING = """
import pytest

@pytest.mark.browser
def test_marked():
    pytest.skip("no browser")

def test_plain():
    pytest.skip("no reason at all")
"""
SKIPPING_MODULE = """
import pytest

pytest.skip("whole module", allow_module_level=True)
"""
CONNECTING = """
import socket

def test_far():
    socket.create_connection(("192.0.2.1", 9), timeout=1)

def test_far_name():
    socket.getaddrinfo("example.invalid", 80)

def test_near():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
"""


def _run(folder: Path, text: str, **env: str) -> dict[str, int]:
    """Counts of a pytest run on one test module beside our conftest.py, by word."""
    inner = folder / "tests"
    inner.mkdir()
    shutil.copy(Path(__file__).with_name("conftest.py"), inner)
    inner.joinpath("test_inner.py").write_text(text, encoding="utf-8")
    folder.joinpath("pytest.ini").write_text(
        "[pytest]\nmarkers =\n    browser: needs one\n    local_model: needs one\n", encoding="utf-8"
    )
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SKILLTRIAL_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "tests"],
        cwd=folder,
        env=ours | env,
        capture_output=True,
        text=True,
        check=False,
    )
    summary = done.stdout.strip().splitlines()[-1]
    return {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)", summary)}


@pytest.fixture(autouse=True)
def installed() -> None:
    """Conftest needs nothing of ours, but a broken installation should not look like a broken guard."""
    assert errors.SkilltrialError.exit_code == 3


def test_skips_are_skips_on_a_developers_machine(tmp_path: Path) -> None:
    """Without the setting, a skip stays one."""
    assert _run(tmp_path, SKIPPING) == {"skipped": 2}


def test_skips_fail_where_nothing_may_be_skipped(tmp_path: Path) -> None:
    """With the setting, both skips are failures."""
    assert _run(tmp_path, SKIPPING, SKILLTRIAL_NO_SKIPS="1") == {"failed": 2}


def test_a_named_marker_may_skip(tmp_path: Path) -> None:
    """The exception covers the marked test and no other."""
    counts = _run(tmp_path, SKIPPING, SKILLTRIAL_NO_SKIPS="1", SKILLTRIAL_MAY_SKIP="agent browser")
    assert counts == {"skipped": 1, "failed": 1}


def test_a_module_that_skips_itself_is_an_error_there(tmp_path: Path) -> None:
    """Skips at import time do not slip through."""
    assert _run(tmp_path, SKIPPING_MODULE, SKILLTRIAL_NO_SKIPS="1") == {"error": 1}


def test_tests_reach_only_this_machine(tmp_path: Path) -> None:
    """A far address and a far name are refused, loopback is not."""
    assert _run(tmp_path, CONNECTING) == {"failed": 2, "passed": 1}
