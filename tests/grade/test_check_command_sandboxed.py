"""`command_check` in a sandbox: what the agent left runs without a network and out of reach of the person's files."""

from __future__ import annotations

import os
import shlex
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import pytest

from skilltrial import wiring
from skilltrial.grade.checks.command import check_command
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.ports import Confinement
from skilltrial.records.suite import CommandCheck

pytestmark = pytest.mark.sandbox
Make = Callable[..., Material]
LEVELS = [pytest.param(level, marks=getattr(pytest.mark, level)) for level in ("bwrap", "landlock")]


@pytest.fixture(params=LEVELS)
def walls(request: pytest.FixtureRequest, tmp_path: Path) -> Confinement:
    """Each level, without a network; `tmp_path/person` is the home."""
    (tmp_path / "person").mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "person")}
    (found,) = [each for each in wiring.sandboxes(env) if each.level == request.param]
    made = wiring.without_network(found.confinement, env) if found.confinement else found.detail
    if isinstance(made, str):
        pytest.skip(f"{request.param} without a network does not hold here: {made}")
    return made


def checked(made: Material, walls: object, command: str, path: str = os.defpath, **fields: object) -> CheckResult:
    """The verdict on a command."""

    async def main() -> CheckResult:
        assertion = CommandCheck.model_validate({"id": "c", "text": "c", "command": command, **fields})
        return await check_command(assertion, made, env={"PATH": path}, walls=walls)  # pyright: ignore[reportArgumentType] - fakes too

    return anyio.run(main)


def test_it_decides_as_without_one_and_says_where(material: Make, walls: Confinement) -> None:
    """Exit code, output and the copy of the end state; the level stands in the evidence."""
    result = checked(
        material({"out.txt": b"made"}), walls, "cat out.txt; exit 3", expect_exit_code=3, expect_stdout="^made$"
    )
    assert result.verdict == "PASS"
    assert result.evidence.endswith(f"(in the sandbox {walls.level})")
    assert checked(material({"out.txt": b"made"}), walls, "grep -q other out.txt").verdict == "FAIL"


def test_what_the_agent_left_reaches_neither_files_nor_services(
    material: Make, walls: Confinement, tmp_path: Path
) -> None:
    """A script of the agent's that the author's command runs."""
    (tmp_path / "person/secret.txt").write_text("hunter2")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        call = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' 2>&1"
        script = f"cat {shlex.quote(str(tmp_path / 'person/secret.txt'))}\n{call}\n"
        made = material({"test.sh": script.encode()})
        result = checked(made, walls, "sh test.sh; true", expect_stdout="refused")
    assert result.verdict == "PASS", result.evidence
    assert "hunter2" not in result.evidence


def test_a_program_of_the_persons_that_the_command_names_is_in_reach(
    material: Make, walls: Confinement, tmp_path: Path
) -> None:
    """By its name on PATH or its place; one that only a script of the agent's names is not."""
    tools = tmp_path / "person/tools"
    tools.mkdir()
    for name in ("count-rows", "deep"):
        (tools / name).write_text("#!/bin/sh\necho 7\n")
        (tools / name).chmod(0o755)
    path = f"{tools}:{os.defpath}"
    made = material({"test.sh": b"deep"})
    assert checked(made, walls, "count-rows", path=path, expect_stdout="7").verdict == "PASS"
    assert checked(made, walls, f"{tools}/deep", expect_stdout="7").verdict == "PASS"
    assert checked(made, walls, "sh test.sh", path=path).verdict == "FAIL"


class Broken:
    """A sandbox that does not start anything."""

    level = "broken"
    isolation = "broken"
    depth = 0

    def wrap(self, argv: Sequence[str], **_: object) -> tuple[str, ...]:
        """Another program in its place."""
        return ("sh", "-c", "echo no name spaces >&2; exit 1", *argv)


@pytest.mark.parametrize("expected", [0, 1])
def test_a_sandbox_that_fails_is_no_verdict(material: Make, expected: int) -> None:
    """Not even where its exit code is the expected one."""
    with pytest.raises(Undecided, match="could not be started in the sandbox broken; it said: no name spaces"):
        checked(material(), Broken(), "true", expect_exit_code=expected)
