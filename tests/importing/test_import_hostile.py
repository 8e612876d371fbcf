"""Import and export where the file system is against them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.errors import SpecError, StoreError
from skilltrial.interchange.incoming import ImportRequest, import_workspace
from skilltrial.interchange.outgoing import ExportRequest, export_workspace


def put(path: Path, value: Any) -> None:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def workspace(top: Path, *, case: str = "eval-0", rounds: int = 1) -> Path:
    """One case, one run in each of two arms, in each round."""
    root = top / "tidy-workspace"
    for number in range(1, rounds + 1):
        for arm in ("with_skill", "without_skill"):
            run = root / f"iteration-{number}" / case / arm / "run-1"
            put(run / "grading.json", {"expectations": [{"text": "a", "passed": True, "evidence": "seen"}]})
            (run / "outputs").mkdir()
            (run / "outputs/report.md").write_text("done\n")
            (run / "transcript.md").write_text("It went well.\n")
    put(root / "history.json", {"iterations": []})
    return root


@pytest.mark.parametrize(
    "case", ["eval-#5", "eval-a#b#c", os.fsdecode(b"eval-\xff"), "eval-\\udcff", "eval-\n\x1b[31m"]
)
def test_outputs_come_along_from_folders_of_any_name(tmp_path: Path, case: str) -> None:
    """A sharp is no mark of a place inside a file, and bytes that are no text still name the folder."""
    done = import_workspace(ImportRequest(path=workspace(tmp_path, case=case)))
    (run,) = (done.workspace / "iteration-1").glob("eval-*/with_skill/run-1")
    assert (run / "outputs/report.md").read_text() == "done\n"
    assert (run / "stream.md").read_text() == "It went well.\n"


def test_names_that_differ_in_bytes_that_are_no_text_are_two_cases(tmp_path: Path) -> None:
    """They would be one if both became the same sign."""
    for name in (b"eval-\xfe", b"eval-\xff"):
        root = workspace(tmp_path, case=os.fsdecode(name))
    (round_,) = import_workspace(ImportRequest(path=root)).iterations
    assert len({run.eval_id for run in round_.benchmark.runs}) == 2


def test_a_transcript_that_is_too_large_is_told(tmp_path: Path) -> None:
    """It is left out of the copy, and on the list of what was left."""
    root = workspace(tmp_path)
    place = "iteration-1/eval-0/with_skill/run-1/transcript.md"
    with (root / place).open("wb") as file:
        file.truncate(21_000_000)
    done = import_workspace(ImportRequest(path=root))
    assert [refused.place for refused in done.foreign.refused] == [place]
    record = json.loads((done.workspace / "iteration-1/imported/import.json").read_text())
    assert [refused["place"] for refused in record["refused"]] == [place]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StoreError("cannot be put in its place (No space left).")])
def test_an_import_that_ends_half_way_leaves_no_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """Run again it would have the first round twice, under two numbers."""
    root, target, publish = workspace(tmp_path, rounds=2), tmp_path / "new", FolderStore.publish

    def stops_at_the_second(self: FolderStore, staged: Path, path: str) -> Path:
        if path == "iteration-2":
            raise error
        return publish(self, staged, path)

    with monkeypatch.context() as patched:
        patched.setattr(FolderStore, "publish", stops_at_the_second)
        with pytest.raises(type(error)):
            import_workspace(ImportRequest(path=root, to=target))
    assert {path.name for path in target.iterdir()} <= {".gitignore", ".lock"}
    done = import_workspace(ImportRequest(path=root, to=target))
    assert [each.number for each in done.iterations] == [1, 2]
    assert (target / "history.json").is_file()


def test_rounds_that_were_there_outlive_an_import_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what it made itself is taken away."""
    root, target = workspace(tmp_path), tmp_path / "new"
    import_workspace(ImportRequest(path=root, to=target))

    def fails(_self: FolderStore, _staged: Path, _path: str) -> Path:
        raise StoreError("cannot be put in its place (No space left on device).")

    monkeypatch.setattr(FolderStore, "publish", fails)
    with pytest.raises(StoreError, match="No space left"):
        import_workspace(ImportRequest(path=root, to=target))
    assert (target / "iteration-1/plan.json").is_file()
    assert (target / "history.json").is_file()


def test_an_export_into_its_own_workspace_is_refused(tmp_path: Path) -> None:
    """An export does not change the workspace."""
    made = import_workspace(ImportRequest(path=workspace(tmp_path))).workspace
    request = ExportRequest(workspace=made, target="skill-creator", to=made / "iteration-1/out", lossy=True)
    with pytest.raises(SpecError, match="would lie in the workspace"):
        export_workspace(request)
    assert not (made / "iteration-1/out").exists()


def test_what_a_killed_export_left_does_not_stop_the_next(tmp_path: Path) -> None:
    """The folder counts as empty."""
    made = import_workspace(ImportRequest(path=workspace(tmp_path))).workspace
    (tmp_path / "out/.export-0.part/iteration-1").mkdir(parents=True)
    request = ExportRequest(workspace=made, target="skill-creator", to=tmp_path / "out", lossy=True)
    assert export_workspace(request).written
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"iteration-1", "history.json"}
