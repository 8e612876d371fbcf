"""The generator of test workspaces."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import FAULTS, WorkspaceOptions

ALIKE = {
    "plain": ([], WorkspaceOptions()),
    "every fault": (["--fault", "all", "--iterations", "3"], WorkspaceOptions(faults=frozenset(FAULTS), iterations=3)),
    "flat": (
        ["--layout", "flat", "--png", "--timing-in-grading", "--loop-queries", "20"],
        WorkspaceOptions(layout="flat", png=True, timing_in_grading=True, loop_queries=20),
    ),
    "legacy": (
        ["--layout", "legacy", "--assertions", "12", "--configs", "new_skill,old_skill", "--seed", "7"],
        WorkspaceOptions(layout="legacy", assertions=12, configs=("new_skill", "old_skill"), seed=7),
    ),
}


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.shared
@pytest.mark.parametrize("name", ALIKE)
def test_it_writes_the_same_bytes_as_the_program_it_was_made_from(shared: Path, tmp_path: Path, name) -> None:
    """With the same options and seed."""
    arguments, options = ALIKE[name]
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    command = [sys.executable, shared / "tools/make_workspace.py", theirs, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    write_workspace(ours, options)
    assert contents(theirs) == contents(ours)


def test_the_same_options_give_the_same_bytes(tmp_path: Path) -> None:
    """Nothing is left to the clock."""
    for name in ("one", "two"):
        write_workspace(tmp_path / name, WorkspaceOptions(evals=1, runs=1))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_truth_is_what_the_gradings_say(tmp_path: Path) -> None:
    """The mean of the flat layout's rates, counted once more."""
    truth = write_workspace(tmp_path, WorkspaceOptions(layout="flat"))
    rates: list[float] = []
    for path in tmp_path.glob("workspace/iteration-1/eval-*/with_skill/grading.json"):
        verdicts = [each["passed"] for each in json.loads(path.read_text(encoding="utf-8"))["expectations"]]
        rates.append(sum(verdicts) / len(verdicts))
    said = truth["last_iteration"]["with_skill"]["pass_rate_of_graded_runs"]
    assert said["n"] == len(rates) == 3
    assert said["mean"] == pytest.approx(sum(rates) / 3, abs=1e-6)


@pytest.mark.parametrize("wrong", [{"faults": frozenset(["typo"])}, {"runs": 0}, {"evals": 0}])
def test_options_that_make_no_sense(wrong) -> None:
    """They are refused by name."""
    with pytest.raises(ValueError, match=r"typo|at least 1"):
        WorkspaceOptions(**wrong)
