"""The Benchmark page without a browser: what its questions answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from browsing import subject_of

from skilltrial.errors import SpecError
from skilltrial.records.trial import TrialKey
from skilltrial.review import adjusting, exclusions, numbers, trial_list
from skilltrial.review.benchmark import assertions, benchmark
from skilltrial.review.downloads import report_file
from skilltrial.review.subject import Query, Subject
from skilltrial.review.trial_list import trials


def answered(answer: object) -> dict[str, Any]:
    """Plain JSON."""
    return cast("dict[str, Any]", answer)


def test_a_case_has_its_places_and_the_words_of_the_report(kept_demo: Path) -> None:
    """mail-retry passes 3 of 4 verdicts with the skill and none without."""
    rows = answered(benchmark(subject_of(kept_demo), Query({})))["cases"]["rows"]
    row = next(row for row in rows if row["case"] == "mail-retry")
    assert (row["treatment"], row["baseline"], row["difference"]) == (0.75, 0.0, 0.75)
    assert [text for text, _ in row["cells"]][:5] == ["mail-retry", "75 %", "0 %", "+75", "4"]


def test_rates_have_an_interval_over_cases(kept_demo: Path) -> None:
    """Rates 1, 1, 1, .75, 1, 1: mean 23/24, deviation .25/√6, so ±2.571 × .1021/√6 = .107; clipped at 1. Six zeros have none."""
    with_skill, without = answered(benchmark(subject_of(kept_demo), Query({})))["rates"]
    assert with_skill["estimate"] == pytest.approx(23 / 24)
    assert with_skill["low"] == pytest.approx(0.8512, abs=1e-4)
    assert with_skill["high"] == 1.0
    assert (without["estimate"], without["low"], without["role"]) == (0.0, None, "baseline")


def test_assertions_are_named_for_links(kept_demo: Path) -> None:
    """A row has its case and id, and how often it holds in each arm."""
    found = answered(assertions(subject_of(kept_demo), Query({})))
    row = next(row for row in found["rows"] if row["word"] == "flaky")
    assert (row["case"], row["text"][:20]) == ("mail-retry", "The last line starts")
    assert [text for text, _ in row["cells"]] == ["1 of 2", "0 of 2", "flaky"]
    assert found["columns"] == ["with_skill (treatment)", "without_skill (baseline)", "tells apart"]


def test_every_trial_has_a_row(kept_demo: Path) -> None:
    """Six cases, two arms, two runs; the first passed two answers' checks and loaded the skill."""
    rows = answered(trials(subject_of(kept_demo), Query({})))["rows"]
    assert len(rows) == 24
    assert (rows[0]["case"], rows[0]["arm"], rows[0]["repeat"]) == ("cache-lock", "with_skill", 1)
    assert rows[0]["cells"][:3] == ["completed", "100 %", "3"]


def test_too_many_trials_are_not_listed_in_part(kept_demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the figures keep one run only, nothing that looks whole is shown."""
    monkeypatch.setattr(trial_list, "MOST_RUNS", 23)
    found = answered(trials(subject_of(kept_demo), Query({})))
    assert (found["rows"], found["n_trials"]) == (None, 24)


def test_figures_stand_beside_those_without_trials_that_were_taken_out(
    shown_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the failing run mail-retry passes 2 of 2: every case 100 %, and the arms lose 1 of 12 and 0 of 12."""
    rows = answered(trials(subject_of(shown_workspace), Query({})))["rows"]
    worst = next(row for row in rows if row["arm"] == "with_skill" and row["sort"][0] < 1)
    key = TrialKey(case_id=worst["case"], arm="with_skill", repeat=worst["repeat"])

    def taken_out(subject: Subject, iteration: int) -> Mapping[TrialKey, str]:
        del subject, iteration
        return dict.fromkeys([key], "the network was down")

    for module in (adjusting, numbers):
        monkeypatch.setattr(module, "excluded_by_people", taken_out)
    monkeypatch.setattr(exclusions, "excluded_trials", taken_out)
    both = answered(benchmark(subject_of(shown_workspace), Query({})))["both_ways"]
    rates = {row[0][0]: [row[1][0], row[2][0]] for row in both["table"]["rows"]}
    assert rates["pass rate, with_skill (treatment)"] == ["96 %", "100 %"]
    assert both["trials"] == [[str(key), "the network was down", "mail-retry"]]
    assert "1 of 12 with_skill, 0 of 12 without_skill" in both["warning"]


def test_without_anybody_taken_out_there_is_one_set_of_figures(kept_demo: Path) -> None:
    """Nothing is shown twice."""
    assert answered(benchmark(subject_of(kept_demo), Query({})))["both_ways"] is None


def test_a_download_is_what_report_writes(kept_demo: Path, tmp_path: Path) -> None:
    """To the byte."""
    command = [sys.executable, "-m", "skilltrial", "report", str(kept_demo), "--format", "csv", "--out"]
    subprocess.run([*command, str(tmp_path / "csv")], check=True, capture_output=True)
    assert report_file(subject_of(kept_demo), "trials.csv", 1) == (tmp_path / "csv").read_bytes()


def test_whoever_looks_blind_gets_no_download(kept_demo: Path) -> None:
    """Reports name arms and verdicts."""
    with pytest.raises(SpecError, match="no download"):
        report_file(subject_of(kept_demo, blind=True), "report.html", 1)
    with pytest.raises(SpecError, match="no download"):
        report_file(subject_of(kept_demo), "../plan.json", 1)
