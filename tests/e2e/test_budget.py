"""Forecast, question, ceilings: the whole command with an agent that costs nothing and says that it does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Person, trial_records, write_skill
from fake_agent import ANSWERED, a_person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with a fast agent."""
    return a_person(tmp_path)


@pytest.fixture
def command(tmp_path: Path) -> list[str | Path]:
    """Two cases, two arms, one repeat: four trials, one at a time."""
    cases = [{"id": f"c{n}", "prompt": f"task {n}", "assertions": [ANSWERED]} for n in range(2)]
    skill = write_skill(tmp_path / "csv-report", cases)
    options = ["--harness", "claude-code", "--runs", "1", "--concurrency", "1", "--workspace", tmp_path / "w"]
    return ["run", skill, *options]


def test_a_dry_run_starts_and_writes_nothing(person: Person, command: list[str | Path], tmp_path: Path) -> None:
    """It says what would be run, and that it is unknown what that takes."""
    done = person.run(*command, "--dry-run")
    assert (done.returncode, (tmp_path / "w").exists()) == (0, False)
    assert "to run: 4 trials: tokens unknown, cost unknown, time unknown" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80 + len(str(tmp_path))


def test_a_pilot_makes_the_forecast_known(person: Person, command: list[str | Path]) -> None:
    """Two trials of 0.25 and 120 tokens: the other two will take as much; then nothing is left."""
    pilot = person.run(*command, "--max-trials", "2")
    assert pilot.returncode == 4
    told = json.loads(person.run(*command, "--dry-run", "--json").stdout)["forecast"]
    assert (told["n_finished"], told["n_to_run"]) == (2, 2)
    assert (told["tokens"]["mean"], told["cost_usd"]["mean"]) == (240, 0.5)
    rest = person.run(*command)
    assert rest.returncode == 0
    assert "to run: 2 trials (2 of 4 finished): about 240 tokens, $0.5000" in rest.stderr
    assert "to run: nothing, all trials are finished" in person.run(*command).stderr


def test_a_ceiling_stops_and_is_said_everywhere(person: Person, command: list[str | Path], tmp_path: Path) -> None:
    """Exit code 4; progress, report and JSON name it; a raised one goes on."""
    done = person.run(*command, "--max-cost", "0.6", "--json")
    said = "--max-cost $0.60 is reached: $0.50 taken, another trial may take $0.25."
    assert done.returncode == 4
    assert said in " ".join(done.stderr.split())
    benchmark = json.loads(done.stdout)
    assert benchmark["stop"]["ceiling"] == "--max-cost"
    assert [item["reason"] for item in benchmark["excluded"] if item["outcome"] == "not_run"] == [said, said]
    shown = " ".join(person.run("report", tmp_path / "w").stdout.split())
    assert f"2 trials of the plan were not run: {said}" in shown
    assert person.run(*command, "--max-cost", "1").returncode == 0
    assert len(trial_records(tmp_path / "w")) == 4


def test_a_ceiling_of_nothing_is_a_mistake(person: Person, command: list[str | Path], tmp_path: Path) -> None:
    """Exit code 2 before anything is written."""
    done = person.run(*command, "--max-tokens", "0")
    assert (done.returncode, (tmp_path / "w").exists()) == (2, False)
    assert "--max-tokens is 0. Give an amount above 0" in " ".join(done.stderr.split())


def test_without_a_terminal_a_high_forecast_is_said_and_not_asked(person: Person, command: list[str | Path]) -> None:
    """On CI nobody answers."""
    person.run(*command, "--max-trials", "2")
    done = person.run(*command, "--ask-above", "0.1")
    assert done.returncode == 0
    assert "nobody can be asked here, so it goes on" in " ".join(done.stderr.split())


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of our own")
@pytest.mark.parametrize(
    ("answer", "options", "n_records", "code"),
    [("n\n", [], 2, 130), ("\n", [], 2, 130), ("y\n", [], 4, 0), ("", ["--yes"], 4, 0)],
)
def test_on_a_terminal_a_person_is_asked(
    person: Person,
    command: list[str | Path],
    tmp_path: Path,
    answer: str,
    options: list[str],
    n_records: int,
    code: int,
) -> None:
    """No is the default and spends nothing; --yes asks nothing."""
    import pty

    person.run(*command, "--max-trials", "2")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "skilltrial", *map(str, command), "--ask-above", "0.1", *options],
        env=person.env,
        stdin=slave,
        stdout=subprocess.DEVNULL,
        stderr=slave,
    )
    os.close(slave)
    said = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other side has gone
            break
        said += piece
        if answer and b"[y/N]" in said:
            os.write(master, answer.encode())
            answer = ""
    assert process.wait(timeout=120) == code
    os.close(master)
    assert len(trial_records(tmp_path / "w")) == n_records
    assert (b"[y/N]" in said) is (not options)
