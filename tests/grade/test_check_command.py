"""`command_check`: real commands in a real shell."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial.grade.checks.command import check_command
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.case_file import CaseFile
from skilltrial.records.suite import CommandCheck
from skilltrial.records.trial import OutputFile

Make = Callable[..., Material]
ENV = {"PATH": os.environ.get("PATH", os.defpath), "SECRET": "key"}


def _run(made: Material, command: str, **fields: Any) -> CheckResult:
    async def main() -> CheckResult:
        return await check_command(CommandCheck(id="c", text="c", command=command, **fields), made, env=ENV)

    return anyio.run(main)


@pytest.mark.parametrize(
    ("command", "fields", "expected"),
    [
        ("true", {}, "PASS"),
        ("exit 3", {}, "FAIL"),
        ("exit 3", {"expect_exit_code": 3}, "PASS"),
        ("echo total: 42", {"expect_stdout": r"total: \d+"}, "PASS"),
        ("echo total: none", {"expect_stdout": r"total: \d+"}, "FAIL"),
        ("echo 42 >&2", {"expect_stdout": "42"}, "FAIL"),
        ("kill -9 $$", {}, "FAIL"),
    ],
)
def test_exit_code_and_standard_output_decide(material: Make, command: str, fields: Any, expected: str) -> None:
    """Standard error is evidence only."""
    assert _run(material(), command, **fields).verdict == expected


def test_it_runs_in_a_copy_of_the_end_state(material: Make) -> None:
    """What the command breaks is not what the agent left."""
    made = material({"out/a.txt": b"made"}, kept={"in.txt": "kept"})
    result = _run(made, "cat out/a.txt in.txt && rm -r out in.txt", expect_stdout="^madekept$")
    assert result.verdict == "PASS"
    assert (made.outputs / "out/a.txt").read_bytes() == b"made"


def test_only_listed_variables_are_handed_on(material: Make) -> None:
    """No key of the person's gets to what an agent wrote; the home is empty."""
    result = _run(material(), 'test -z "$SECRET" && test -z "$(ls -A "$HOME")" && test "$HOME" != ~root')
    assert result.verdict == "PASS"


def test_keys_that_a_command_finds_elsewhere_are_masked(material: Make) -> None:
    """Code of the agent's may read the environment of the process above; its words go into the grading."""
    check = CommandCheck(id="c", text="c", command="echo sk-123-456-789; exit 1")
    env = {**ENV, "OPENAI_API_KEY": "sk-123-456-789"}
    result = anyio.run(lambda: check_command(check, material(), env=env))
    assert result.evidence == "exit code 1, expected 0; it said: ***"


@pytest.mark.parametrize("path", [".:{}", ":{}", "{}:", "bin:{}"])
def test_programs_that_the_agent_left_are_not_found_by_name(material: Make, path: str) -> None:
    """Relative places on the person's PATH would be folders of the agent's."""
    fake = b"#!/bin/sh\nexit 0\n"
    made = material({"no-such-tool": fake, "bin/no-such-tool": fake})
    for file in ("no-such-tool", "bin/no-such-tool"):
        (made.outputs / file).chmod(0o755)
    check = CommandCheck(id="c", text="c", command="no-such-tool")
    env = {"PATH": path.format(ENV["PATH"])}
    with pytest.raises(Undecided, match="is not installed"):
        anyio.run(lambda: check_command(check, made, env=env))


def test_a_failing_command_says_what_it_said(material: Make) -> None:
    """The last words, harmless."""
    evidence = _run(material(), r"printf 'no \033[31mred' >&2; exit 1").evidence
    assert evidence == r"exit code 1, expected 0; it said: no \u{1b}[31mred"


def test_a_command_that_does_not_end_is_no_verdict_and_leaves_no_process(material: Make, tmp_path: Path) -> None:
    """Neither its children nor those in a session of their own outlive it."""
    pids = tmp_path / "pids"
    command = f"setsid sh -c 'echo $$ >> {pids}; exec sleep 300' & sh -c 'echo $$ >> {pids}; exec sleep 300'"
    for limit in (1, 30):  # the longer one where the machine is busy
        pids.write_text("")
        with pytest.raises(Undecided, match=rf"did not end within {limit} s and was killed"):
            _run(material(), command, timeout_s=limit)
        left = [int(pid) for pid in pids.read_text().split()]
        if len(left) == 2:
            break
    assert len(left) == 2
    for _ in range(100):
        if not any(Path(f"/proc/{pid}/environ").exists() and _alive(pid) for pid in left):
            break
        time.sleep(0.05)
    else:
        pytest.fail(f"a process of {left} outlived the command")


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_child_that_holds_the_output_open_does_not_hold_the_check(material: Make) -> None:
    """The command has ended; what it left behind is killed."""
    assert _run(material(), "sleep 300 & echo done", expect_stdout="done").verdict == "PASS"


def test_endless_output_is_cut(material: Make) -> None:
    """64 KiB are kept; a pattern that is not in them is not decided."""
    assert _run(material(), "yes | head -c 1000000", expect_stdout="^y").verdict == "PASS"
    with pytest.raises(Undecided, match="first 64 KiB"):
        _run(material(), "yes | head -c 1000000; echo end", expect_stdout="end")


def test_a_program_of_the_authors_that_is_not_installed_is_nothing_the_agent_did(material: Make) -> None:
    """The machine lacks it."""
    with pytest.raises(Undecided, match="'no-such-program-x' of the command is not installed"):
        _run(material(), "no-such-program-x --check a.json")


def test_a_script_that_the_agent_did_not_write_is_its_failure(material: Make) -> None:
    """Not found, but not a program of the machine's; nor can a script's own words make it one."""
    assert _run(material(), "./build.sh").verdict == "FAIL"
    made = material({"build.sh": b"echo 'sh: 1: fake: not found' >&2; exit 127"})
    assert _run(made, "sh build.sh").verdict == "FAIL"


def test_a_failure_where_files_were_missing_is_no_verdict(material: Make) -> None:
    """The copy was not what the agent left; success stays success."""
    made = material(records=[OutputFile(path="big.bin", change="created", kept=False, note="too large")])
    assert _run(made, "true").verdict == "PASS"
    with pytest.raises(Undecided, match=r"1 files were not at hand, like 'big\.bin'"):
        _run(made, "test -f big.bin")


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("x", "a link to '/etc/passwd', not followed"),
        ("x", "a link, not followed"),
        ("x", "a named pipe, not opened"),
        ("x", "a device, not opened"),
        ("src/__pycache__", "files of tools, not of the task"),
    ],
)
def test_nobody_escapes_a_failure_by_leaving_a_link_or_a_cache(material: Make, path: str, note: str) -> None:
    """None of them is a part of the result that is missing."""
    made = material({"a.txt": b"made"}, records=[_unkept(path, note)])
    assert _run(made, "grep -q total a.txt").verdict == "FAIL"


def test_a_link_within_leads_where_it_led(material: Make) -> None:
    """Through another one, too; installed packages that were not kept still leave no verdict."""
    links = [_unkept("now", "a link to 'v/2', not followed"), _unkept("v/2", "a link to '../real', not followed")]
    made = material({"real/a.txt": b"made"}, records=links)
    assert _run(made, "test -L now && cat now/a.txt", expect_stdout="^made$").verdict == "PASS"
    made = material({}, records=[_unkept("node_modules", "files of tools, not of the task")])
    with pytest.raises(Undecided, match="'node_modules'"):
        _run(made, "false")


@pytest.mark.parametrize("target", ["{outside}", "../outside.txt", "inner/../../../outside.txt", "way", "x"])
def test_a_link_to_the_outside_leads_nowhere(material: Make, tmp_path: Path, target: str) -> None:
    """Neither for reading nor for writing, by whatever way; it is a link still."""
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    links = {"x": target.format(outside=outside), "inner": "deep/er", "way": str(tmp_path), "deep/er/k": "."}
    made = material(records=[_unkept(path, f"a link to {to!r}, not followed") for path, to in links.items()])
    assert _run(made, "test -L x && ! cat x && ! echo gone > x && ! ls way/").verdict == "PASS"
    assert outside.read_text() == "secret"


@pytest.mark.parametrize("target", ["elsewhere", "/etc"])
def test_a_held_out_file_lies_at_its_place_where_the_agent_left_a_link(
    material: Make, tmp_path: Path, target: str
) -> None:
    """In place of a folder on its way, and of itself."""
    file = _held_out(tmp_path, "mine", path="tests/t.txt")
    for link in ("tests", "tests/t.txt"):
        made = material({"elsewhere/t.txt": b"agent"}, records=[_unkept(link, f"a link to {target!r}, not followed")])
        command = "test ! -L tests && test ! -L tests/t.txt && cat tests/t.txt elsewhere/t.txt"
        assert _run(made, command, setup_files=(file,), expect_stdout="^mineagent$").verdict == "PASS"


def test_cancelling_kills_the_command(material: Make, tmp_path: Path) -> None:
    """Ctrl-C does not leave it running."""
    pids = tmp_path / "pids"

    async def main() -> None:
        check = CommandCheck(id="c", text="c", command=f"echo $$ > {pids}; exec sleep 300")
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: check_command(check, material(), env=ENV))
            while not (pids.exists() and pids.read_text().strip()):  # noqa: ASYNC110 - another process sets it
                await anyio.sleep(0.05)
            group.cancel_scope.cancel()

    anyio.run(main)
    assert not _alive(int(pids.read_text()))


def _unkept(path: str, note: str) -> OutputFile:
    return OutputFile(path=path, change="created", kept=False, note=note)


def _held_out(tmp_path: Path, text: str, *, path: str) -> CaseFile:
    source = tmp_path / "held-out"
    source.write_text(text)
    return CaseFile(path=path, source=str(source), sha256=hashlib.sha256(text.encode()).hexdigest())


def test_held_out_files_lie_there_in_place_of_what_the_agent_left(material: Make, tmp_path: Path) -> None:
    """A file, and even a folder, of the agent's at their place goes."""
    for path, left in (("t/check.sh", "t/check.sh"), ("t/check.sh", "t/check.sh/x"), ("t/check.sh", "t")):
        made = material({left: b"exit 0"})
        file = _held_out(tmp_path, "exit 7", path=path)
        assert _run(made, "sh t/check.sh", setup_files=(file,), expect_exit_code=7).verdict == "PASS"
        shutil.rmtree(made.outputs)


def test_a_held_out_file_that_changed_decides_nothing(material: Make, tmp_path: Path) -> None:
    """It is not the check that was planned."""
    file = _held_out(tmp_path, "exit 0", path="check.sh")
    (tmp_path / "held-out").write_text("exit 1")
    with pytest.raises(Undecided, match="has changed since"):
        _run(material(), "sh check.sh", setup_files=(file,))


def test_variables_are_the_authors(material: Make) -> None:
    """And come after ours."""
    assert _run(material(), 'test "$LANG:$MODE" = xx:strict', env={"LANG": "xx", "MODE": "strict"}).verdict == "PASS"


def test_every_combination_must_hold_and_the_one_that_does_not_is_named(material: Make) -> None:
    """Each in a copy of its own: what one writes, the next does not find."""
    made = material({"a.txt": b""})
    matrix = {"A": ("1", "2"), "B": ("x", "y")}
    fresh = "test ! -e mark && touch mark"
    assert _run(made, fresh, matrix=matrix).evidence == "all 4 combinations hold; with A=1, B=x: exit code 0"
    result = _run(made, 'test "$A$B" != 2x', matrix=matrix)
    assert (result.verdict, result.evidence.partition(", expected")[0]) == ("FAIL", "with A=2, B=x: exit code 1")


def test_a_combination_without_a_verdict_leaves_no_pass(material: Make) -> None:
    """A fail of another one stands."""
    matrix = {"A": ("0", "9")}
    with pytest.raises(Undecided, match="with A=9: the command did not end within"):
        _run(material(), "sleep $A", matrix=matrix, timeout_s=2)
    assert _run(material(), "sleep $A; exit 1", matrix={"A": ("9", "0")}, timeout_s=2).verdict == "FAIL"
