"""From a tree on the disk to a workspace that `report` reads."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from skilltrial import wiring
from skilltrial.errors import PlanError, SpecError
from skilltrial.interchange.incoming import ImportRequest, import_workspace
from skilltrial.interchange.outgoing import ExportRequest, export_workspace
from skilltrial.pipeline import summarise
from skilltrial.records.benchmark import ArmSummary, Benchmark
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions


def put(path: Path, value: Any) -> None:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def small(top: Path, arms: tuple[str, ...] = ("with_skill", "without_skill")) -> Path:
    """One case, one run in each arm; the first arm passes."""
    root = top / "tidy-workspace"
    for place, arm in enumerate(arms):
        run = root / "iteration-1/eval-0" / arm / "run-1"
        put(run / "grading.json", {"expectations": [{"text": "a", "passed": place == 0, "evidence": "seen"}]})
        put(run / "timing.json", {"total_tokens": 100 + place, "duration_ms": 1500})
        (run / "outputs").mkdir()
        (run / "outputs/report.md").write_text("done\n")
    return root


def tree(folder: Path) -> dict[str, str]:
    """Every file with its digest and its time of change."""
    return {
        path.relative_to(
            folder
        ).as_posix(): f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mtime_ns}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def reported(workspace: Path, iteration: int) -> Benchmark:
    """What `skilltrial report` is made from."""
    return summarise(wiring.open_store(workspace, write=False), iteration)


def test_the_report_has_the_right_figures(tmp_path: Path) -> None:
    """Means and spreads of the newest round agree with the generator's own truth."""
    truth = write_workspace(tmp_path / "made", WorkspaceOptions(iterations=3))
    done = import_workspace(ImportRequest(path=tmp_path / "made/workspace"))
    assert [each.number for each in done.iterations] == [1, 2, 3]
    benchmark = reported(done.workspace, 3)
    for arm, expected in truth["last_iteration"].items():
        found = benchmark.run_summary[arm]
        assert isinstance(found, ArmSummary)
        for ours, theirs in ((found.pass_rate, "pass_rate_of_graded_runs"), (found.time_seconds, "time_seconds")):
            assert ours.mean == pytest.approx(expected[theirs]["mean"], abs=1e-6)
            assert ours.stddev == pytest.approx(expected[theirs]["stddev"], abs=1e-6)
        assert found.tokens.mean == pytest.approx(expected["tokens"]["mean"], abs=1e-6)


def test_faults_of_every_kind_are_counted_and_stop_nothing(tmp_path: Path) -> None:
    """Rates are over the runs that have verdicts; the others are excluded, not failed."""
    faults = frozenset({"missing-grading", "broken-json", "null-fields", "string-passed", "odd-run-dir", "mixed-ids"})
    truth = write_workspace(tmp_path / "made", WorkspaceOptions(faults=faults))
    done = import_workspace(ImportRequest(path=tmp_path / "made/workspace"))
    benchmark = done.iterations[0].benchmark
    for arm, expected in truth["last_iteration"].items():
        found = benchmark.run_summary[arm]
        assert isinstance(found, ArmSummary)
        assert found.pass_rate.mean == pytest.approx(expected["pass_rate_of_graded_runs"]["mean"], abs=1e-6)
        assert found.trials_planned - found.trials_graded == expected["not_graded"]


def test_the_original_is_only_read(tmp_path: Path) -> None:
    """Not a byte and not a time of change."""
    write_workspace(tmp_path / "made", WorkspaceOptions(iterations=2))
    before = tree(tmp_path / "made")
    import_workspace(ImportRequest(path=tmp_path / "made/workspace", to=tmp_path / "new"))
    assert tree(tmp_path / "made") == before


def test_outputs_and_documents_come_along(tmp_path: Path) -> None:
    """Outputs, the raw transcript, history, feedback and comparisons are where ours are."""
    write_workspace(tmp_path / "made", WorkspaceOptions(iterations=2, runs=1))
    new = import_workspace(ImportRequest(path=tmp_path / "made/workspace", to=tmp_path / "new")).workspace
    run = new / "iteration-1/eval-0/with_skill/run-1"
    old = tmp_path / "made/workspace/iteration-1/eval-0/with_skill/run-1"
    assert (run / "outputs/report.md").read_bytes() == (old / "outputs/report.md").read_bytes()
    assert (run / "stream.md").read_bytes() == (old / "transcript.md").read_bytes()
    for place in ("history.json", "iteration-2/feedback.json", "iteration-1/comparisons/comparison-1.json"):
        assert (new / place).read_bytes() == (tmp_path / "made/workspace" / place).read_bytes()
    assert {file["path"] for file in json.loads((run / "run.json").read_text())["files"]} >= {"report.md", "rows.csv"}


def test_an_iteration_that_is_there_is_never_written(tmp_path: Path) -> None:
    """The second import gets the next free number, and the first one's bytes stay."""
    root = small(tmp_path)
    import_workspace(ImportRequest(path=root, to=tmp_path / "new"))
    before = tree(tmp_path / "new/iteration-1")
    again = import_workspace(ImportRequest(path=root, to=tmp_path / "new"))
    assert [each.number for each in again.iterations] == [2]
    assert tree(tmp_path / "new/iteration-1") == before


def test_nothing_is_written_where_roles_are_asked_for(tmp_path: Path) -> None:
    """The error comes before the folder is made."""
    root = small(tmp_path, ("alpha", "beta"))
    with pytest.raises(PlanError, match="'alpha'"):
        import_workspace(ImportRequest(path=root, to=tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_the_person_tells_the_roles(tmp_path: Path) -> None:
    """Against the order of the alphabet too."""
    root = small(tmp_path, ("beta", "alpha"))
    done = import_workspace(ImportRequest(path=root, treatment="beta", baseline="alpha"))
    lift = done.iterations[0].benchmark.lift
    assert lift is not None
    assert (lift.treatment, lift.baseline, lift.estimate) == ("beta", "alpha", 1.0)


def test_the_new_workspace_may_not_lie_in_the_old_one(tmp_path: Path) -> None:
    """Else the original would not stay as it was."""
    root = small(tmp_path)
    with pytest.raises(SpecError, match="outside of it with --out"):
        import_workspace(ImportRequest(path=root, to=root / "inner"))


def test_a_workspace_of_ours_is_none_of_others(tmp_path: Path) -> None:
    """Importing what an import wrote is refused."""
    done = import_workspace(ImportRequest(path=small(tmp_path)))
    with pytest.raises(SpecError, match="a workspace of ours already"):
        import_workspace(ImportRequest(path=done.workspace, to=tmp_path / "other"))


def test_links_in_outputs_are_not_followed(tmp_path: Path) -> None:
    """Neither a link to a file nor one to a folder; both are on the record with the reason."""
    root, secret = small(tmp_path), tmp_path / "secret.txt"
    secret.write_text("key")
    outputs = root / "iteration-1/eval-0/with_skill/run-1/outputs"
    (outputs / "link.txt").symlink_to(secret)
    (outputs / "folder").symlink_to(tmp_path)
    os.mkfifo(outputs / "pipe")
    done = import_workspace(ImportRequest(path=root))
    run = done.workspace / "iteration-1/eval-0/with_skill/run-1"
    assert sorted(path.name for path in (run / "outputs").iterdir()) == ["report.md"]
    files = {file["path"]: file for file in json.loads((run / "run.json").read_text())["files"]}
    assert {name: files[name]["kept"] for name in files} == {
        "folder": False,
        "link.txt": False,
        "pipe": False,
        "report.md": True,
    }


def test_names_and_texts_that_no_file_system_takes(tmp_path: Path) -> None:
    """Half characters in a file of the other tool, and an arm with spaces and dots in its name."""
    root = small(tmp_path, ("with skill ../x".replace("/", "_"), "without_skill"))
    arm = "with skill .._x"
    grading = root / "iteration-1/eval-0" / arm / "run-1/grading.json"
    grading.write_text('{"expectations": [{"text": "a", "passed": true, "evidence": "\\ud800 half \\u001b[2J"}]}')
    done = import_workspace(ImportRequest(path=root, treatment=arm, baseline="without_skill"))
    lift = reported(done.workspace, 1).lift
    assert lift is not None
    assert lift.estimate == 1.0


def test_the_skill_is_named_by_the_person(tmp_path: Path) -> None:
    """Its fingerprint is that of the folder given."""
    skill = tmp_path / "tidy"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies up. Use when things lie about.\n---\nTidy.\n")
    meta = import_workspace(ImportRequest(path=small(tmp_path), skill=skill)).iterations[0].benchmark.metadata
    assert (meta.skill_name, meta.skill_fingerprint[:7]) == ("tidy", "sha256:")


def test_the_skill_is_called_as_its_workspace(tmp_path: Path) -> None:
    """Where no file names it; nothing is known of its version."""
    meta = import_workspace(ImportRequest(path=small(tmp_path))).iterations[0].benchmark.metadata
    assert (meta.skill_name, meta.skill_fingerprint) == ("tidy", "unknown (imported)")


def test_slow_powers_tool_calls_become_a_transcript(tmp_path: Path) -> None:
    """Its run.json has the prompt, the calls and the final message."""
    root = tmp_path / "w"
    condition = {"mode": "new-skill", "conditions": [{"name": "with_skill", "skill_path": "/s/tidy"}]}
    put(root / "iteration-1/conditions.json", condition)
    slot = root / "iteration-1/eval-a/with_skill"
    call = {"name": "Bash", "ordinal": 1, "args": {"command": "ls"}, "result": "x"}
    put(
        slot / "run.json",
        {
            "eval_id": "a",
            "condition": "with_skill",
            "skill_path": "/s/tidy",
            "prompt": "Do it.",
            "files": [],
            "final_message": "Done.",
            "tool_invocations": [call],
        },
    )
    put(slot / "grading.json", {"assertion_results": [{"id": "x", "passed": True, "evidence": "e"}]})
    done = import_workspace(ImportRequest(path=root))
    run = done.workspace / "iteration-1/eval-a/with_skill/run-1"
    kinds = [json.loads(line)["kind"] for line in (run / "transcript.jsonl").read_text().splitlines()]
    assert kinds == ["user_message", "tool_call", "tool_result", "assistant_message"]
    assert json.loads((run / "run.json").read_text())["tool_calls"] == {"Bash": 1}
    assert json.loads((done.workspace / "iteration-1/eval-a/eval_metadata.json").read_text())["prompt"] == "Do it."


def test_documents_that_are_no_strict_json_can_be_exported(tmp_path: Path) -> None:
    """Python's own writer makes NaN; no JSON has it."""
    root = small(tmp_path)
    (root / "history.json").write_text('{"iterations": [{"version": "v0", "expectation_pass_rate": NaN}]}')
    new = import_workspace(ImportRequest(path=root)).workspace
    export_workspace(ExportRequest(workspace=new, target="skill-creator", to=tmp_path / "out", lossy=True))
    assert "NaN" not in (tmp_path / "out/history.json").read_text()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    """A workspace makes itself invisible for git: nobody's project may become one."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project/code.py").write_text("1")
    with pytest.raises(SpecError, match="neither empty nor a workspace of ours"):
        import_workspace(ImportRequest(path=small(tmp_path), to=tmp_path / "project"))
    assert [path.name for path in (tmp_path / "project").iterdir()] == ["code.py"]


def test_a_single_file_of_results(tmp_path: Path) -> None:
    """The runs of a benchmark with their criteria are enough, where nothing else is left."""
    expectation = {"text": "a", "passed": True, "evidence": "seen"}
    runs = [
        {
            "eval_id": 1,
            "eval_name": "Ocean",
            "configuration": arm,
            "run_number": 1,
            "result": {"pass_rate": rate, "passed": rate, "total": 1, "time_seconds": 42.5, "tokens": 3800},
            "expectations": [{**expectation, "passed": bool(rate)}],
        }
        for arm, rate in (("with_skill", 1), ("without_skill", 0))
    ]
    put(tmp_path / "old/benchmark.json", {"metadata": {"skill_name": "pdf"}, "runs": runs})
    done = import_workspace(ImportRequest(path=tmp_path / "old/benchmark.json"))
    benchmark = reported(done.workspace, 1)
    assert done.workspace.name == "old-imported"
    assert benchmark.lift is not None
    assert (benchmark.metadata.skill_name, benchmark.lift.estimate) == ("pdf", 1.0)
    assert {(run.result.time_seconds, run.result.tokens) for run in benchmark.runs} == {(42.5, 3800)}
