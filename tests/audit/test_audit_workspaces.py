"""Whole workspaces with known faults: the figures agree with the truth, every fault is found, and nothing else is."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skilltrial.audit.outputs import look_into
from skilltrial.audit.run import audit
from skilltrial.records.audit import Audit
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import FAULTS, WorkspaceOptions
from skilltrial.wiring import read_foreign

LAYOUTS = ("nested", "flat", "legacy")
FOUND_AS = {
    "missing-grading": {"SA201"},
    "missing-summary": {"SA301"},
    "wrong-summary": {"SA115"},
    "null-fields": {"SA301", "SA302"},
    "variant-names": {"SA213"},
    "string-passed": {"SA215"},
    "broken-json": {"SA202"},
    "script-tag": {"SA307"},
    "non-ascii": {"SA308"},
    "nested-outputs": {"SA214"},
    "odd-run-dir": {"SA303"},
    "stray-file": {"SA304"},
    "mixed-ids": {"SA305"},
    "no-metadata": {"SA212"},
    "descriptive-dirs": {"SA306"},
    "empty-config": {"SA206"},
    "nan-rate": {"SA111"},
}
FIGURES = {
    "pass_rate_of_graded_runs": "pass_rate",
    "pass_rate_if_ungraded_is_zero": "pass_rate_if_ungraded_is_zero",
    "time_seconds": "time_seconds",
    "tokens": "tokens",
}


def audited(workspace: Path, **roles: str) -> Audit:
    """As the command line does it."""
    found = read_foreign(workspace, **roles)
    return audit(found, outputs=partial(look_into, found.root))


def assert_true(found: Audit, truth: dict[str, Any]) -> None:
    """All figures of the last iteration, rounded as the truth is."""
    last = found.iterations[-1]
    assert {own.arm.name for own in last.arms} == set(truth["last_iteration"])
    for own in last.arms:
        for name, ours in FIGURES.items():
            said, stat = truth["last_iteration"][own.arm.name][name], getattr(own, ours)
            assert stat.n == said["n"]
            assert round(stat.mean, 6) == pytest.approx(said["mean"], abs=1e-9)
            if stat.n > 1:
                assert round(stat.stddev, 6) == pytest.approx(said["stddev"], abs=1e-9)
        assert own.n_runs - own.n_graded == truth["last_iteration"][own.arm.name]["not_graded"]
    for name, said in truth["delta_first_minus_second"].items():
        # The truth subtracts means that are rounded already, to six places each.
        assert last.delta[FIGURES[name]] == pytest.approx(said, abs=1.5e-6)
        means = [round(getattr(own, FIGURES[name]).mean, 6) for own in last.arms]
        assert round(means[0] - means[1], 6) == pytest.approx(said, abs=1e-9)
    assert found.n_runs == truth["run_count"]


def codes(found: Audit) -> set[str]:
    """All that was found."""
    return {finding.code for finding in found.findings}


def test_every_fault_of_the_generator_has_a_code() -> None:
    """The table is complete."""
    assert set(FOUND_AS) == set(FAULTS)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize(
    "configs", [("with_skill", "without_skill"), ("with_skill", "old_skill"), ("new_skill", "old_skill")]
)
def test_a_clean_workspace_gives_no_finding(tmp_path: Path, layout, iterations, configs) -> None:
    """In every layout, whatever the arms are called; and the figures are right."""
    options = WorkspaceOptions(layout=layout, iterations=iterations, configs=configs)
    truth = write_workspace(tmp_path, options)
    found = audited(tmp_path / "workspace")
    assert found.findings == ()
    assert len(found.iterations) == iterations
    assert_true(found, truth)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_found_and_nothing_else(tmp_path: Path, fault, layout) -> None:
    """One at a time, in three iterations, each of which has it; the flat layout has no folders of runs.

    With ten criteria and a skill that harms no run passes all, so that a summary that says so is wrong.
    """
    options = WorkspaceOptions(layout=layout, faults=frozenset([fault]), iterations=3, assertions=10, gain=-2)
    truth = write_workspace(tmp_path, options)
    found = audited(tmp_path / "workspace")
    expected = set() if (fault, layout) == ("odd-run-dir", "flat") else FOUND_AS[fault]
    assert codes(found) == expected
    assert_true(found, truth)
    for code in expected:
        places = [finding.place for finding in found.findings if finding.code == code]
        assert all(any(f"iteration-{number}" in place for place in places) for number in (1, 2, 3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_faults_together(tmp_path: Path, layout) -> None:
    """None masks another; an output with a script tag lies in a folder then, where nobody looks, in one of three iterations."""
    options = WorkspaceOptions(layout=layout, faults=frozenset(FAULTS), iterations=3, evals=5)
    truth = write_workspace(tmp_path, options)
    found = audited(tmp_path / "workspace")
    masked = {"SA307"} | ({"SA303"} if layout == "flat" else set())
    assert set().union(*FOUND_AS.values()) - masked <= codes(found)
    assert_true(found, truth)


def test_roles_that_the_names_do_not_say(tmp_path: Path) -> None:
    """They are asked for, and taken from the person."""
    truth = write_workspace(tmp_path, WorkspaceOptions(configs=("beta", "alpha")))
    assert codes(audited(tmp_path / "workspace")) == {"SA205"}
    found = audited(tmp_path / "workspace", treatment="beta", baseline="alpha")
    assert found.findings == ()
    assert_true(found, truth)


@pytest.mark.shared
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_the_shared_generator(shared: Path, tmp_path: Path, layout, fault) -> None:
    """The same with the program that ours was made from."""
    program = shared / "tools/make_workspace.py"
    arguments = ["--layout", layout, "--iterations", "3", "--seed", "4", "--fault", fault]
    subprocess.run([sys.executable, program, tmp_path, *arguments], check=True, stdout=subprocess.DEVNULL)
    found = audited(tmp_path / "workspace")
    lost = not fault or (fault, layout) == ("odd-run-dir", "flat")
    assert codes(found) == (set() if lost else FOUND_AS[fault])
    assert_true(found, json.loads((tmp_path / "truth.json").read_text(encoding="utf-8")))
