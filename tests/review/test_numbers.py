"""Where the figures of the page come from."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from browsing import subject_of

from skilltrial.errors import StoreError
from skilltrial.pipeline import summarise
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.trial import TrialKey
from skilltrial.review import numbers
from skilltrial.review.numbers import benchmark_of, figures_now
from skilltrial.review.plans import plan_of, trial_folders


def bare(benchmark: Benchmark) -> Benchmark:
    """Without what figures of the page leave out."""
    runs = tuple(run.model_copy(update={"expectations": (), "unanswered": ()}) for run in benchmark.runs)
    return benchmark.model_copy(update={"runs": runs})


def test_written_figures_are_those_of_the_file(shown_workspace: Path) -> None:
    """A fresh benchmark.json is taken as it is, but for the texts of its runs."""
    written = Benchmark.model_validate_json((shown_workspace / "iteration-1/benchmark.json").read_bytes())
    assert benchmark_of(subject_of(shown_workspace), 1) == bare(written)


def test_an_import_is_not_counted_again(imported_made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import writes plan.json after benchmark.json, which is of that plan all the same."""
    monkeypatch.setattr(numbers, "_made", Mock(side_effect=AssertionError("counted")))
    folder = imported_made / "iteration-2"
    assert (folder / "plan.json").stat().st_mtime_ns > (folder / "benchmark.json").stat().st_mtime_ns
    written = Benchmark.model_validate_json((folder / "benchmark.json").read_bytes())
    assert benchmark_of(subject_of(imported_made), 2) == bare(written)


def test_is_counted_anew_for_another_plan(shown_workspace: Path) -> None:
    """Figures of another plan are not taken, whatever the times of the files say."""
    plan = shown_workspace / "iteration-1/plan.json"
    plan.write_text(json.dumps({**json.loads(plan.read_bytes()), "digest": "sha256:other"}))
    found = benchmark_of(subject_of(shown_workspace), 1)
    assert found.metadata.plan_digest == "sha256:other"


def test_is_counted_anew_after_a_grading_changed(shown_workspace: Path) -> None:
    """Figures follow a grading that is newer than benchmark.json."""
    subject = subject_of(shown_workspace)
    before = benchmark_of(subject, 1)
    _, folder = next(trial_folders(plan_of(subject, 1), 1))
    (shown_workspace / folder / "grading.json").unlink()
    next(shown_workspace.glob("iteration-1/*/*/run-*/grading.json")).touch()
    after = benchmark_of(subject, 1)
    assert len(after.excluded) == len(before.excluded) + 1
    assert after == bare(summarise(subject.store, 1))


def test_nothing_is_counted_twice(shown_workspace: Path) -> None:
    """The same files give the same object."""
    subject = subject_of(shown_workspace)
    (shown_workspace / "iteration-1/benchmark.json").unlink()
    assert benchmark_of(subject, 1) is benchmark_of(subject, 1)


def test_adjusted_figures_are_without_the_excluded_trials(
    shown_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial that people took out is in no run and no exclusion, as if it had never been planned."""
    out = TrialKey(case_id="cache-lock", arm="with_skill", repeat=1)
    monkeypatch.setattr(numbers, "excluded_by_people", Mock(return_value=dict.fromkeys([out], "the machine slept")))
    subject = subject_of(shown_workspace)
    raw, adjusted = benchmark_of(subject, 1), benchmark_of(subject, 1, adjusted=True)
    assert (len(raw.runs), len(adjusted.runs), len(adjusted.excluded)) == (24, 23, len(raw.excluded))


def test_many_trials_are_shown_as_they_were_until_they_are_counted(
    shown_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for the count of thousands: what there is is shown, and said to be old."""
    monkeypatch.setattr(numbers, "_SOON", 10)
    subject = subject_of(shown_workspace)
    os.utime(shown_workspace / "iteration-1/benchmark.json", ns=(1, 1))
    old = figures_now(subject, 1)
    assert (old.fresh, old.benchmark is not None) == (False, True)
    made = benchmark_of(subject, 1)
    assert figures_now(subject, 1)[:2] == (made, True)


def test_of_many_trials_one_run_is_kept(shown_workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are the same without the other runs."""
    monkeypatch.setattr(numbers, "MOST_RUNS", 10)
    found = benchmark_of(subject_of(shown_workspace), 1)
    written = json.loads((shown_workspace / "iteration-1/benchmark.json").read_bytes())
    assert (len(found.runs), len(found.cases)) == (1, len(written["cases"]))


def test_what_cannot_be_counted_is_an_error(shown_workspace: Path) -> None:
    """A plan that cannot be read gives a message, never figures."""
    (shown_workspace / "iteration-1/plan.json").write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        benchmark_of(subject_of(shown_workspace), 1)
