"""Workspaces with known figures, from the disk to benchmark.json: counted once more from their files, to 1e-9."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.importing.native import Source, to_native
from skilltrial.interchange.incoming import ImportRequest, import_workspace
from skilltrial.pipeline import summarise
from skilltrial.records.benchmark import ArmSummary, Benchmark
from skilltrial.records.skill import SkillRef
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions

ROUNDED = 5.1e-7
"""The truth has six places."""
SMALL: dict[str, dict[str, Any]] = {
    "nested": {},
    "flat": {"layout": "flat"},
    "legacy": {"layout": "legacy"},
    "old against new": {"configs": ("new_skill", "old_skill")},
}
NOW = "2026-03-01T12:00:00Z"
LARGE = {"evals": 100, "runs": 10, "assertions": 3, "transcript_kb": 1, "output_kb": 1, "rows": 2, "evidence_words": 2}


def imported(top: Path, **told: Any) -> Benchmark:
    """What a made workspace says."""
    request = ImportRequest(path=top / "workspace", to=top / "ours", **told)
    return summarise(wiring.open_store(import_workspace(request).workspace, write=False), 1)


def rates_of(top: Path, arm: str) -> dict[str, list[float]]:
    """By eval folder the pass rate of every run, counted from the gradings."""
    found: dict[str, list[float]] = {}
    for path in sorted((top / "workspace").rglob("grading.json")):
        if arm in path.parts:
            verdicts = [each["passed"] for each in json.loads(path.read_text(encoding="utf-8"))["expectations"]]
            case = next(part for part in path.parts if part.startswith("eval-"))
            found.setdefault(case, []).append(sum(verdicts) / len(verdicts))
    return found


def check(top: Path, truth: dict[str, Any], benchmark: Benchmark) -> None:
    """Every figure of the truth, and the lift."""
    means: list[float] = []
    for arm, expected in truth["last_iteration"].items():
        summary = benchmark.run_summary[arm]
        assert isinstance(summary, ArmSummary)
        by_case = rates_of(top, arm)
        rates = [rate for of_case in by_case.values() for rate in of_case]
        assert summary.pass_rate.mean == pytest.approx(mean(rates), abs=1e-9)
        assert summary.pass_rate.stddev == pytest.approx(stdev(rates), abs=1e-9)
        for name, stat in (
            ("pass_rate_of_graded_runs", summary.pass_rate),
            ("time_seconds", summary.time_seconds),
            ("tokens", summary.tokens),
        ):
            assert stat.n == expected[name]["n"]
            assert (stat.mean, stat.stddev) == (
                pytest.approx(expected[name]["mean"], abs=ROUNDED),
                pytest.approx(expected[name]["stddev"], abs=ROUNDED),
            )
        means.append(mean(mean(of_case) for of_case in by_case.values()))
    assert benchmark.lift is not None
    assert benchmark.lift.estimate == pytest.approx(means[0] - means[1], abs=1e-9)
    assert benchmark.lift.estimate == pytest.approx(
        truth["delta_first_minus_second"]["pass_rate_of_graded_runs"], abs=2 * ROUNDED
    )


@pytest.mark.parametrize("name", SMALL)
def test_a_small_workspace(tmp_path: Path, name: str) -> None:
    """18 runs (flat: 6); the first arm is the better one, whatever the two are called."""
    truth = write_workspace(tmp_path, WorkspaceOptions(**SMALL[name]))
    benchmark = imported(tmp_path)
    check(tmp_path, dict(truth), benchmark)
    assert benchmark.lift is not None
    assert (benchmark.lift.estimate or 0) > 0


def test_a_large_workspace(tmp_path: Path) -> None:
    """2,000 runs of 100 cases, without writing them again: the interval leaves no doubt."""
    truth = write_workspace(tmp_path, WorkspaceOptions(**LARGE))
    foreign = wiring.read_foreign(tmp_path / "workspace")
    skill = SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:1")
    made = to_native(foreign.iterations[0], Source(workspace=foreign, skill=skill, told=(), version="1", now=NOW))
    benchmark = aggregate(made.plan, 1, made.trials, made.gradings, now=NOW)
    check(tmp_path, dict(truth), benchmark)
    assert benchmark.lift is not None
    assert (len(benchmark.runs), benchmark.lift.n_cases, benchmark.lift.word) == (2000, 100, "better")


def test_one_arm_has_no_delta(tmp_path: Path) -> None:
    """Its own figures are there."""
    write_workspace(tmp_path, WorkspaceOptions(configs=("with_skill",)))
    benchmark = imported(tmp_path)
    assert list(benchmark.run_summary) == ["with_skill"]
    assert (benchmark.lift, benchmark.comparison, benchmark.lifts) == (None, None, ())


def test_a_third_arm_is_compared(tmp_path: Path) -> None:
    """With the baseline, like the first."""
    write_workspace(tmp_path, WorkspaceOptions(configs=("with_skill", "without_skill", "short_skill")))
    benchmark = imported(tmp_path, treatment="with_skill", baseline="without_skill")
    rates = {arm: mean(mean(of_case) for of_case in rates_of(tmp_path, arm).values()) for arm in benchmark.configs}
    assert [(lift.treatment, lift.baseline, lift.estimate) for lift in benchmark.lifts] == [
        (arm, "without_skill", pytest.approx(rates[arm] - rates["without_skill"], abs=1e-9))
        for arm in ("with_skill", "short_skill")
    ]
