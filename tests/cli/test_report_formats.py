"""`skilltrial report` in every form, of a workspace of two iterations that came from another tool."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from skilltrial.cli.workspace_report import ReportRequest, report_workspace
from skilltrial.errors import SpecError, StoreError
from skilltrial.interchange.incoming import ImportRequest, import_workspace
from skilltrial.records.benchmark import Benchmark
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two iterations of two cases, two arms and two runs: eight trials each."""
    folder = tmp_path_factory.mktemp("workspace")
    write_workspace(folder / "theirs", WorkspaceOptions(evals=2, runs=2, iterations=2))
    return import_workspace(ImportRequest(path=folder / "theirs/workspace", to=folder / "ours")).workspace


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("terminal", "cannot tell – these trials"),
        ("markdown", "# "),
        ("html", "<!doctype html>"),
        ("json", "{"),
        ("junit", "<?xml "),
        ("csv", "iteration,case,arm,role,repeat,"),
        ("jsonl", '{"iteration": 1, "case": '),
    ],
)
def test_a_file_has_what_the_screen_has(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, start: str
) -> None:
    """Twice the same bytes; with a file the screen stays empty."""
    file = tmp_path / "report"
    report_workspace(ReportRequest(workspace=workspace, form=form, out=file))
    assert capsys.readouterr().out == ""
    text = file.read_text(encoding="utf-8")
    assert text.startswith(start)
    if form != "terminal":
        report_workspace(ReportRequest(workspace=workspace, form=form))
        assert capsys.readouterr().out == text


def test_rows_are_of_all_iterations(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless one is named."""
    report_workspace(ReportRequest(workspace=workspace, form="csv"))
    every = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["iteration"] for row in every] == ["1"] * 8 + ["2"] * 8
    report_workspace(ReportRequest(workspace=workspace, form="jsonl", iteration=1))
    assert [json.loads(row)["iteration"] for row in capsys.readouterr().out.splitlines()] == [1] * 8


def test_rows_say_what_the_benchmark_says(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scores, times and tokens of every run, trial by trial."""
    report_workspace(ReportRequest(workspace=workspace, form="json"))
    runs = Benchmark.model_validate_json(capsys.readouterr().out).runs
    report_workspace(ReportRequest(workspace=workspace, form="jsonl", iteration=2))
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    theirs = {(run.configuration, run.eval_id, run.run_number): run.result for run in runs}
    assert len(rows) == len(theirs) == 8
    for row in rows:
        result = theirs[row["arm"], int(row["case"]), row["repeat"]]
        figures = (result.pass_rate, result.passed, result.failed, result.time_seconds, result.tokens)
        assert (row["score"], row["passed"], row["failed"], row["seconds"], row["tokens"]) == figures


def test_assertions_of_all_trials(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As many as there are verdicts."""
    report_workspace(ReportRequest(workspace=workspace, form="csv", table="assertions", iteration=2))
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    report_workspace(ReportRequest(workspace=workspace, form="json"))
    counts = Benchmark.model_validate_json(capsys.readouterr().out).verdict_counts
    assert {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in counts} == dict(counts)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"form": "xml"}, "--format: there is no format 'xml'. There are: terminal, markdown,"),
        ({"form": "csv", "table": "runs"}, "--table: there is no table 'runs'. There are: trials, assertions."),
        ({"form": "csv", "iteration": 9}, "there is no iteration 9 here. It has: 1, 2."),
    ],
)
def test_what_is_not_there(workspace: Path, wish: dict[str, str | int], said: str) -> None:
    """One message, with what there is."""
    with pytest.raises(SpecError) as caught:
        report_workspace(ReportRequest(workspace=workspace, **wish))  # pyright: ignore[reportArgumentType] - by kind
    assert said in str(caught.value)


def test_a_file_that_cannot_be_written(workspace: Path, tmp_path: Path) -> None:
    """The folder is not there: nothing is made."""
    with pytest.raises(StoreError, match="cannot be written"):
        report_workspace(ReportRequest(workspace=workspace, form="csv", out=tmp_path / "none/report.csv"))
    assert not list(tmp_path.iterdir())
