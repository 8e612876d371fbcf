"""What a person sees of a matrix, after a run and later."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.cli.workspace_report import ReportRequest, report_workspace
from skilltrial.errors import SpecError, StoreError
from skilltrial.records.matrix import Matrix, MatrixCell


def test_report_of_a_matrix_is_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The workspace of a matrix has no iteration of its own; cells that prove nothing say so, and where their pages lie."""
    cells = (
        MatrixCell(
            name="codex--a",
            harness="codex",
            model="a",
            workspace="/w/cells/codex--a",
            iteration=2,
            word="cannot tell",
            invalid=("skill-shadowed",),
        ),
        MatrixCell(name="codex--b", harness="codex", model="b", workspace="/w/cells/codex--b", error="no such model."),
    )
    matrix = Matrix(skill="tidy", cells=cells, notice="Each word is about its own cell.")
    (tmp_path / "matrix.json").write_text(matrix.model_dump_json())
    report_workspace(ReportRequest(workspace=tmp_path))
    shown = " ".join(capsys.readouterr().out.split())
    assert "codex--a: the comparison itself is not valid (skill-shadowed); see its report." in shown
    assert "codex--b: no such model." in shown
    assert "Report: /w/cells/codex--a/iteration-2/report.html" in shown
    assert "/w/cells/codex--b" not in shown
    report_workspace(ReportRequest(workspace=tmp_path, form="json"))
    assert Matrix.model_validate_json(capsys.readouterr().out) == matrix
    report_workspace(ReportRequest(workspace=tmp_path, form="markdown"))
    assert "| codex, a | cannot tell |" in capsys.readouterr().out
    with pytest.raises(SpecError, match="here is their table alone, without any trials"):
        report_workspace(ReportRequest(workspace=tmp_path, form="csv"))


def test_a_matrix_of_another_form_is_no_defect(tmp_path: Path) -> None:
    """One message, and how to see the runs."""
    (tmp_path / "matrix.json").write_text("{}")
    with pytest.raises(StoreError, match="this matrix cannot be read"):
        report_workspace(ReportRequest(workspace=tmp_path))
