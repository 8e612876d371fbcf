"""What reports and the gate say of trials that people left out in the review page."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skilltrial import wiring
from skilltrial.journal import note
from skilltrial.operations.leaving_out import without_those_left_out
from skilltrial.pipeline import summarise
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.journal import Exclusion
from skilltrial.records.trial import TrialKey
from skilltrial.review.exclusions import Loss, are_unequal


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of `skilltrial demo`: 6 cases, 2 arms, 2 repeats; not to be written to."""
    folder = tmp_path_factory.mktemp("left") / "workspace"
    command = [sys.executable, "-m", "skilltrial", "demo", "--workspace", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def workspace(kept: Path, tmp_path: Path) -> Path:
    """A copy of which a trial of each arm was left out."""
    folder = Path(shutil.copytree(kept, tmp_path / "workspace"))
    for arm in ("with_skill", "without_skill"):
        leave_out(folder, arm, 1, "the machine slept")
    return folder


def leave_out(workspace: Path, arm: str, repeat: int, reason: str, *, excluded: bool = True) -> None:
    """A line of the journal, as the review page writes it."""
    store = wiring.open_store(workspace, write=False)
    key = TrialKey(case_id="cache-lock", arm=arm, repeat=repeat)
    said = {"id": f"{arm} {repeat} {excluded}", "at": datetime.now(UTC), "by": "me", "iteration": 1}
    note(store, Exclusion.model_validate({**said, "key": key, "excluded": excluded, "reason": reason}))


def ran(*arguments: str | Path) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "skilltrial", *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode in {0, 1, 4}, done.stderr
    return done.stdout


def test_report_and_gate_tell_it_beside_figures_of_all_trials(workspace: Path) -> None:
    """The figures stay those of every trial; how many were left out, of which arm, why, and the other lift stand beside."""
    told = json.loads(ran("report", workspace, "--json"))
    (notice,) = [each for each in told["notices"] if "left out" in each]
    assert "left out 2 trials (1 of 12 with_skill, 1 of 12 without_skill)" in notice
    assert notice.endswith("Why: the machine slept (2 trials).")
    assert "unequal" not in notice
    assert len(told["runs"]) == 24
    assert "left out 2 trials" in " ".join(ran("report", workspace).split())
    assert notice in json.loads(ran("gate", workspace, "--json"))["notes"]


def test_both_lifts_are_told(workspace: Path) -> None:
    """That of all trials, and that of those that are left."""
    store = wiring.open_store(workspace, write=False)
    out = {TrialKey(case_id="cache-lock", arm=arm, repeat=1) for arm in ("with_skill", "without_skill")}

    def told(benchmark: Benchmark) -> str:
        lift = benchmark.lift
        assert lift is not None
        assert lift.estimate is not None
        return f"{100 * lift.estimate:+.0f} points ("

    notice = without_those_left_out(store, summarise(store, 1))
    assert f"lift {told(summarise(store, 1))}" in notice
    assert f"without those {told(summarise(store, 1, without=out))}" in notice


def test_unequal_shares_are_said_and_nothing_is_where_all_were_taken_back(workspace: Path) -> None:
    """Two of twelve against one of twelve is more than 5 points."""
    store = wiring.open_store(workspace, write=False)
    leave_out(workspace, "with_skill", 2, "the disk was full")
    notice = without_those_left_out(store, summarise(store, 1))
    assert "The arms lose unequal shares" in notice
    assert "the machine slept (2 trials); the disk was full (1 trial)" in notice
    for arm, repeat in (("with_skill", 1), ("with_skill", 2), ("without_skill", 1)):
        leave_out(workspace, arm, repeat, "a mistake", excluded=False)
    assert without_those_left_out(store, summarise(store, 1)) == ""


def test_unequal_is_the_same_in_page_and_report() -> None:
    """More than 5 points between the arms: 1 of 20 is not, 2 of 20 is, one more in the other arm is not again."""
    losses = [Loss("a", 20, 1), Loss("b", 20, 0)]
    assert not are_unequal(losses)
    assert are_unequal(losses, arm="a", more=1)
    assert are_unequal([Loss("a", 20, 2), Loss("b", 20, 0)])
    assert not are_unequal([Loss("a", 20, 2), Loss("b", 20, 0)], arm="b", more=1)
