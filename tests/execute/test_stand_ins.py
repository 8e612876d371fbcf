"""The doubles of a case around an execution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.doubles.boundary import LocalBoundary
from skilltrial.execute.stand_ins import keep_calls, reaching, stand_in
from skilltrial.ports import Boundary, Capabilities, HarnessStatus, StandIns, TrialFolders, TrialRequest
from skilltrial.records.doubles import DoubleCall, Doubles
from skilltrial.records.suite import Case
from skilltrial.records.trial import HarnessResult

DOUBLES = Doubles.model_validate({"http": [{"name": "api", "env": "API_URL"}], "commands": [{"name": "kubectl"}]})


class Idle:
    """A harness of which only the capabilities matter."""

    name = "idle"

    def __init__(self, capabilities: Capabilities) -> None:
        self.capabilities = capabilities

    async def probe(self) -> HarnessStatus:
        """Not asked."""
        raise NotImplementedError

    async def run(self, request: TrialRequest) -> HarnessResult:
        """Not asked."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Nothing to close."""


@pytest.fixture
def folders(tmp_path: Path) -> TrialFolders:
    """Of one trial."""
    made = [tmp_path / name for name in ("work", "home", "tmp")]
    for folder in made:
        folder.mkdir()
    return TrialFolders(root=tmp_path, work=made[0], home=made[1], tmp=made[2], skill=None)


def opened(folders: TrialFolders, case: Case, boundary: Boundary | None, **capabilities: str) -> StandIns | None:
    """What is put up."""
    harness = Idle(Capabilities(skill_root="s", **capabilities))  # type: ignore[arg-type]

    async def once() -> StandIns | None:
        async with stand_in(boundary, case, folders=folders, harness=harness) as found:
            return found

    return anyio.run(once)


def test_doubles_are_put_up_for_cases_that_have_some(folders: TrialFolders) -> None:
    """Others are left alone, and a replay calls nothing, so that it has no record."""
    with_doubles, without = Case(id="a", prompt="P", doubles=DOUBLES), Case(id="b", prompt="P")
    boundary = LocalBoundary({})
    assert opened(folders, without, boundary) is None
    assert opened(folders, with_doubles, boundary, discovery="recorded") is None
    found = opened(folders, with_doubles, boundary)
    assert found is not None
    assert found.path == (folders.home / ".local/bin",)
    assert found.env["API_URL"].startswith("http://127.0.0.1:")


def test_the_request_says_how_they_are_reached(folders: TrialFolders) -> None:
    """Beside what the arm gives; a double's address comes before a variable of that name."""
    request = TrialRequest(
        prompt="P",
        work=folders.work,
        home=folders.home,
        tmp=folders.tmp,
        capture=folders.root,
        skill=None,
        model=None,
        timeout_s=1,
        seed=1,
        mark="m",
        env={"A": "1", "API_URL": "https://real.example"},
    )
    doubles = StandIns(env={"API_URL": "http://127.0.0.1:1"}, path=(folders.home,), servers=(), calls=tuple)
    assert reaching(request, doubles) == replace(
        request, env={"A": "1", "API_URL": "http://127.0.0.1:1"}, path=(folders.home,)
    )
    assert reaching(request, None) is request


def test_calls_are_kept_and_counted(tmp_path: Path) -> None:
    """Unexpected ones once more under a mark of their own; no calls are a record too."""
    calls = (
        DoubleCall(kind="command", name="kubectl", input="get"),
        DoubleCall(kind="command", name="kubectl", input="burn", expected=False),
        DoubleCall(kind="mcp", name="tickets/close", input="{}"),
    )
    doubles = StandIns(env={}, path=(), servers=(), calls=lambda: calls)
    counts = keep_calls(doubles, tmp_path)
    assert counts == {"command:kubectl": 2, "command:kubectl!": 1, "mcp:tickets/close": 1}
    lines = (tmp_path / "doubles.jsonl").read_text().splitlines()
    assert tuple(map(DoubleCall.model_validate_json, lines)) == calls
    assert keep_calls(replace(doubles, calls=tuple), tmp_path) == {}
    assert keep_calls(None, tmp_path) is None
