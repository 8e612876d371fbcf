"""Stopping `skilltrial run` in every way a person or a machine does, while real agents are at work."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Person, kill, trial_records, write_skill

from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

pytestmark = [
    pytest.mark.agent,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]

ANSWERED = {"id": "said", "type": "answer_matches", "pattern": "Hello"}


@pytest.fixture
def mock() -> Iterator[MockLLM]:
    """The scripted model server with its shipped scenarios."""
    with MockLLM(SCENARIOS) as server:
        yield server


@pytest.fixture
def person(tmp_path: Path, claude: Path, mock: MockLLM) -> Person:
    """A person whose agents will all wait in a command of ten minutes, with a temporary folder of their own."""
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    variables = {
        "SKILLTRIAL_CLAUDE": str(claude),
        "ANTHROPIC_API_KEY": "dummy-key-1234",
        "ANTHROPIC_BASE_URL": mock.url("slow_tool", "slow"),
        "TMPDIR": str(tmp_path / "temporary"),
    }
    return Person(home=tmp_path / "home", variables=variables)


@pytest.fixture
def command(tmp_path: Path) -> list[str | Path]:
    """Two trials at a time."""
    cases = [{"id": f"c{n}", "prompt": f"task {n}", "assertions": [ANSWERED]} for n in range(2)]
    skill = write_skill(tmp_path / "csv-report", cases)
    options = ["--harness", "claude-code", "--runs", "1", "--concurrency", "2", "--workspace", tmp_path / "w"]
    return ["run", skill, *options]


def of_agents(tmp_path: Path) -> list[str]:
    """What runs with a temporary folder of ours: agents, their shells and tools."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{tmp_path}/temporary/task-".encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def started(person: Person, command: list[str | Path], tmp_path: Path) -> subprocess.Popen[str]:
    """The run, once two tools are waiting."""
    process = person.start(*command)
    deadline = time.monotonic() + 120
    while sum(line.startswith("python3 -c") for line in of_agents(tmp_path)) < 2:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.1)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_leaves_nothing_running_and_says_how_to_go_on(
    person: Person, command: list[str | Path], tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C, a polite kill, a closed terminal: exit code 130, no process, no folder, no note."""
    process = started(person, command, tmp_path)
    process.send_signal(number)
    _out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "0 of 4 trials are finished and kept. The same command goes on from there." in " ".join(err.split())
    assert "Traceback" not in err
    assert of_agents(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "w").iterdir()) == [".gitignore", ".lock", "iteration-1"]


def test_what_kill_9_left_is_swept_by_the_next_run(
    person: Person, command: list[str | Path], tmp_path: Path, mock: MockLLM
) -> None:
    """Orphans live on after kill -9; the same command ends them, removes their folders, and does all trials."""
    process = started(person, command, tmp_path)
    kill(process)
    assert len(of_agents(tmp_path)) >= 4
    person.variables["ANTHROPIC_BASE_URL"] = mock.url("text", "after")
    done = person.run(*command)
    assert done.returncode == 0, done.stderr
    assert of_agents(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []
    assert len(trial_records(tmp_path / "w")) == 4
    assert not (tmp_path / "w/.running").exists()


def test_progress_that_nobody_reads_any_more_stops_the_run(
    person: Person, command: list[str | Path], tmp_path: Path, mock: MockLLM
) -> None:
    """`2>&1 | head -1`: stopped as by Ctrl-C at the next word; the same command then does the rest."""
    person.variables["ANTHROPIC_BASE_URL"] = mock.url("text", "pipe")
    process = person.start(*command, "--concurrency", "1")
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.close()
    process.stderr = None
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert len(trial_records(tmp_path / "w")) < 4
    assert of_agents(tmp_path) == []
    done = person.run(*command)
    assert done.returncode == 0, done.stderr
    assert len(trial_records(tmp_path / "w")) == 4


def test_progress_that_nobody_reads_from_the_first_word_on_is_a_stop_too(
    person: Person, command: list[str | Path], tmp_path: Path
) -> None:
    """The first word is said before any trial, where a skill has settings: exit code 130, and not killed by a signal."""
    (tmp_path / "skilltrial.toml").write_text("[run]\nseed = 3\n")
    process = person.start(*command)
    assert process.stderr is not None
    process.stderr.close()
    process.stderr = None
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert of_agents(tmp_path) == []


def test_a_report_that_nobody_reads_to_its_end_is_no_failure(
    person: Person, command: list[str | Path], mock: MockLLM
) -> None:
    """`| head -1` of the report, and a closed standard output: the exit code is that of the run."""
    person.variables["ANTHROPIC_BASE_URL"] = mock.url("text", "head")
    process = person.start(*command)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    program = [sys.executable, "-m", "skilltrial"]
    closed = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *program, "report", str(command[-1])],
        env=person.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (closed.returncode, closed.stderr) == (0, "")


def test_a_full_disk_behind_the_output_is_said_in_a_line(
    person: Person, command: list[str | Path], mock: MockLLM
) -> None:
    """No traceback, exit code 3."""
    person.variables["ANTHROPIC_BASE_URL"] = mock.url("text", "full")
    assert person.run(*command).returncode == 0
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "skilltrial", "report", str(command[-1])],
            env=person.env,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == "skilltrial: the output cannot be written: No space left on device.\n"


STUBBORN = """#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
trap '' INT TERM
sleep 600
"""


def test_a_second_ctrl_c_kills_agents_that_do_not_listen(
    person: Person, command: list[str | Path], tmp_path: Path
) -> None:
    """The first one asks and says so; the second one kills, and everything is cleaned up all the same."""
    program = tmp_path / "stubborn"
    program.write_text(STUBBORN)
    program.chmod(0o755)
    person.variables["SKILLTRIAL_CLAUDE"] = str(program)
    process = person.start(*command)
    assert process.stderr is not None
    deadline = time.monotonic() + 120
    while sum(line.startswith("sleep") for line in of_agents(tmp_path)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said = ""
    while "stopping 2 running" not in said:
        said = process.stderr.readline()
        assert said
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err.startswith("skilltrial: stopped. 0 of 4")
    assert of_agents(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []
