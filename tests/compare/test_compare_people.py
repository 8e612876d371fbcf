"""Trials that people left out in the review page: in no comparison, no analysis and no figure, until they are taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from comparison_bench import Bench
from comparison_words import BETTER, GOOD, POOR, analysis

from skilltrial.cli.workspace_report import ReportRequest, report_workspace
from skilltrial.errors import SpecError

MESSAGES = {
    "one": {"with_skill": [GOOD, GOOD], "without_skill": [POOR, GOOD]},
    "two": {"with_skill": [POOR], "without_skill": [GOOD]},
}
"""In case one treatment wins and ties, in case two it loses."""


def _told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_what_people_left_out_is_not_asked_about(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Its pair is counted by itself with the reason, and is in no figure; exit code 0, since nothing failed."""
    bench.fill(MESSAGES)
    bench.leave_out(("one", "without_skill", 1), reason="The page was \x1b[31m down.")
    assert bench.compare(BETTER) == 0
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert len(bench.asked) == 2 * 2 + 2, "two pairs and two rubrics"
    assert told["n_comparisons"] == 2
    assert told["arms"][0]["win_rate"] == 0.25, "a tie and a loss"
    (gap,) = told["uncompared"]
    assert (gap["case_id"], gap["repeat"], gap["why"]) == ("one", 1, "left out by people")
    assert gap["message"].startswith("one/without_skill/run-1: The page was \\u{1b}")
    assert "2 pairs of trials; 1 pair left out by people" in captured.err


def test_a_person_sees_what_is_missing_by_reason(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the list is cut before the last reason."""
    bench.fill({"one": {"with_skill": [GOOD] * 8, "without_skill": [None] * 6 + [POOR] * 2}})
    bench.leave_out(("one", "without_skill", 8))
    assert bench.compare(BETTER, as_json=False) == 0
    out = capsys.readouterr().out
    assert "7 pairs not compared (6 no result, 1 left out by people):" in out
    assert "  and 2 more; --json has them all" in out


def test_a_comparison_of_before_counts_no_longer(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """It stays on disk, and counts again without a question once the trial is taken back."""
    bench.fill(MESSAGES)
    assert bench.compare(BETTER) == 0
    before = _told(capsys)
    assert before["arms"][0]["win_rate"] == 0.375, "3/4 in case one, 0 in case two"
    bench.leave_out(("one", "with_skill", 1))
    assert bench.compare(BETTER) == 0
    assert bench.asked == []
    assert _told(capsys)["arms"][0]["win_rate"] == 0.25
    assert (bench.comparisons / "comparison-1.json").exists()
    bench.leave_out(("one", "with_skill", 1), excluded=False)
    assert bench.compare(BETTER) == 0
    assert bench.asked == []
    assert _told(capsys) == {**before, "asked": 0}


def test_analyses_keep_away_from_it(bench: Bench) -> None:
    """Of two comparisons with a winner one is read; where none is left, that is said."""
    bench.fill(MESSAGES)
    assert bench.compare(BETTER) == 0
    bench.leave_out(("one", "with_skill", 1))
    assert bench.analyse([{"reply": analysis()}]) == 0
    assert [path.name for path in bench.comparisons.glob("analysis-*")] == ["analysis-3.json"]
    with pytest.raises(SpecError, match="people left out a trial of each"):
        bench.analyse([{"reply": analysis()}], comparison=1)


def test_the_report_tells_what_was_preferred(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """One note with the win rate and its interval; none before anything is compared."""
    bench.fill(MESSAGES)
    request = ReportRequest(workspace=bench.folder, form="json")
    report_workspace(request)
    assert not any("compared blind" in each for each in _told(capsys)["notices"])
    assert bench.compare(BETTER) == 0
    (arm,) = _told(capsys)["arms"]
    assert 0 < arm["low"] < 0.01
    report_workspace(request)
    (notice,) = [each for each in _told(capsys)["notices"] if "compared blind" in each]
    assert notice == (
        "Outputs compared blind by openai:m, when `skilltrial compare` last ran: The judge prefers neither beyond doubt: "
        f"with_skill won 38 % against without_skill (95 % interval <1 % to "
        f"{round(100 * arm['high'])} %; of 3 comparisons on 2 cases, a tie being half)."
    )
