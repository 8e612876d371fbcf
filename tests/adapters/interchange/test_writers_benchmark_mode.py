"""skill-creator's Benchmark mode is a view of the same data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial import wiring
from skilltrial.interchange.incoming import ImportRequest, import_workspace
from skilltrial.interchange.outgoing import ExportRequest, export_workspace
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A workspace of two iterations, both imported in the same second or not."""
    write_workspace(tmp_path, WorkspaceOptions(evals=2, runs=2, iterations=2))
    return import_workspace(ImportRequest(path=tmp_path / "workspace", to=tmp_path / "ours")).workspace


def exported(workspace: Path, target: str, out: Path) -> Path:
    """The export, whatever is lost."""
    export_workspace(ExportRequest(workspace=workspace, target=target, to=out, lossy=True))
    return out


def test_each_iteration_has_a_folder_with_the_same_files(ours: Path, tmp_path: Path) -> None:
    """Named by the time of its plan; the runs below `runs/`."""
    usual = exported(ours, "skill-creator", tmp_path / "usual")
    mode = exported(ours, "skill-creator-benchmark", tmp_path / "mode")
    folders = sorted((mode / "benchmarks").iterdir())
    assert len(folders) == 2
    assert ":" not in folders[0].name
    for number, folder in enumerate(folders, start=1):
        whole = usual / f"iteration-{number}"
        assert json.loads((folder / "benchmark.json").read_text()) == json.loads((whole / "benchmark.json").read_text())
        assert sorted(path.name for path in (folder / "runs").iterdir()) == ["eval-0", "eval-1"]
        for path in whole.glob("eval-*/**/grading.json"):
            assert (folder / "runs" / path.relative_to(whole)).read_bytes() == path.read_bytes()


def test_it_is_read_back(ours: Path, tmp_path: Path) -> None:
    """By our own reader, with every run."""
    mode = exported(ours, "skill-creator-benchmark", tmp_path / "mode")
    foreign = wiring.read_foreign(mode)
    assert [len(each.runs) for each in foreign.iterations] == [8, 8]
    assert all(run.grading is not None for each in foreign.iterations for run in each.runs)
