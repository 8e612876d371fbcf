"""Made-up workspaces with known figures: what is read gives them again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from skilltrial.adapters.interchange.reader import read
from skilltrial.records.foreign import ForeignIteration

pytestmark = pytest.mark.shared

VARIANTS = {
    "nested": (),
    "flat": ("--layout", "flat"),
    "legacy": ("--layout", "legacy"),
    "old against new": ("--configs", "new_skill,old_skill"),
    "three iterations": ("--iterations", "3"),
    "timing in the grading": ("--timing-in-grading",),
    "every fault": ("--fault", "all", "--iterations", "2"),
    "every fault, flat": ("--fault", "all", "--layout", "flat"),
    "every fault, legacy": ("--fault", "all", "--layout", "legacy"),
}


def figures(iteration: ForeignIteration, arm: str) -> dict[str, Any]:
    """Means and counts out of the single runs."""
    runs = [run for run in iteration.runs if run.arm == arm]
    rates = [
        mean(1.0 if each.passed else 0.0 for each in run.grading.statements)
        for run in runs
        if run.grading is not None and run.grading.statements
    ]
    timings = [run.timing for run in runs if run.timing is not None]
    return {
        "pass_rate_of_graded_runs": (len(rates), mean(rates)),
        "time_seconds": (len(timings), mean(each.duration_s for each in timings if each.duration_s is not None)),
        "tokens": (len(timings), mean(each.total_tokens for each in timings if each.total_tokens is not None)),
        "not_graded": len(runs) - len(rates),
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_figures_are_those_of_the_truth(shared: Path, tmp_path: Path, variant: str) -> None:
    """Number of runs, pass rate, time and tokens of each arm in the last iteration (the truth has six places)."""
    subprocess.run(
        [sys.executable, str(shared / "tools/make_workspace.py"), str(tmp_path), *VARIANTS[variant]],
        check=True,
        capture_output=True,
    )
    truth = json.loads((tmp_path / "truth.json").read_text(encoding="utf-8"))
    workspace = read(tmp_path / "workspace")
    assert sum(len(each.runs) for each in workspace.iterations) == truth["run_count"]
    for arm, expected in truth["last_iteration"].items():
        found = figures(workspace.iterations[-1], arm)
        assert found["not_graded"] == expected["not_graded"]
        for name in ("pass_rate_of_graded_runs", "time_seconds", "tokens"):
            assert found[name] == (expected[name]["n"], pytest.approx(expected[name]["mean"], abs=1e-6))
