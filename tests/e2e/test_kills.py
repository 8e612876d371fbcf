"""skilltrial is killed again and again in the middle of a run: nothing is lost, nothing is done twice, nothing stays behind."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from command import kill, trial_records, write_skill
from fake_agent import ANSWERED, LINUX, a_person, processes_in

KILLS = int(os.environ.get("SKILLTRIAL_TEST_KILLS", "6"))
"""The full number is 100."""

pytestmark = pytest.mark.skipif(not LINUX, reason="looks for processes in /proc")


def ends_within(process: subprocess.Popen[str], seconds: float) -> bool:
    """Whether the run came to its end in so many seconds of trials, before we got to kill it."""
    assert process.stderr is not None
    while line := process.stderr.readline():
        if "to run:" in line:
            break
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        return False
    return True


def test_random_kills_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    """50 trials; after every kill the records that are there are whole and are never made again."""
    person = a_person(tmp_path, seconds=0.3)
    cases = [{"id": f"c{n}", "prompt": f"task {n}", "assertions": [ANSWERED]} for n in range(25)]
    skill = write_skill(tmp_path / "csv-report", cases)
    command = ["run", skill, "--harness", "claude-code", "--runs", "1", "--concurrency", "4"]
    command += ["--workspace", tmp_path / "w", "--yes"]
    rng = random.Random(KILLS)
    kept: dict[str, str] = {}
    for _ in range(KILLS):
        if ends_within(person.start(*command), rng.uniform(0.0, 1.5)):
            forget_one(tmp_path / "w", rng, kept)
        found = records(tmp_path / "w")
        assert kept.items() <= found.items()
        kept = found
    done = person.run(*command)
    assert done.returncode == 0, done.stderr
    found = records(tmp_path / "w")
    assert kept.items() <= found.items()
    assert len(found) == 50
    assert {record["outcome"] for record in trial_records(tmp_path / "w")} == {"completed"}
    assert processes_in(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not (tmp_path / "w/.running").exists()
    assert not (tmp_path / "w/iteration-1/superseded").exists()


def records(workspace: Path) -> dict[str, str]:
    """The records by their folder, whole: a trial done again would have begun at another moment."""
    return {
        str(path.parent.relative_to(workspace)): path.read_text()
        for path in workspace.glob("iteration-*/eval-*/*/run-*/run.json")
    }


def forget_one(workspace: Path, rng: random.Random, kept: dict[str, str]) -> None:
    """All were done before we were: take a few trials away, so that there is something to kill."""
    for name in rng.sample(sorted(records(workspace)), 20):
        shutil.rmtree(workspace / name)
        kept.pop(name, None)
