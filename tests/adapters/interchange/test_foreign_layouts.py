"""Runs are found by what lies in folders, in every layout that has been seen."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.interchange import json_files, tree
from skilltrial.adapters.interchange.reader import read
from skilltrial.errors import SpecError
from skilltrial.records.foreign import ForeignWorkspace

Plant = Callable[[Mapping[str, Any]], Path]

HELD = {"expectations": [{"text": "It adds up", "passed": True, "evidence": "row 9"}]}
BROKEN = {"expectations": [{"text": "It adds up", "passed": False, "evidence": "row 9"}]}


def runs_of(workspace: ForeignWorkspace) -> list[tuple[str, str, int, bool | None]]:
    """Case, arm, number and first verdict of each run, in order."""
    found: list[tuple[str, str, int, bool | None]] = []
    for iteration in workspace.iterations:
        for run in iteration.runs:
            verdict = run.grading.statements[0].passed if run.grading and run.grading.statements else None
            found.append((run.case, run.arm, run.run_number, verdict))
    return found


EXPECTED = [("eval-0", "with_skill", 1, True), ("eval-0", "without_skill", 1, False)]
LAYOUTS = {
    "flat": ("eval-0/with_skill/grading.json", "eval-0/without_skill/grading.json"),
    "run-N": ("eval-0/with_skill/run-1/grading.json", "eval-0/without_skill/run-1/grading.json"),
    "zero-padded": ("eval-0/with_skill/run-001/grading.json", "eval-0/without_skill/run-001/grading.json"),
    "below runs": ("runs/eval-0/with_skill/run-1/grading.json", "runs/eval-0/without_skill/run-1/grading.json"),
    "arm outside": ("with_skill/eval-0/grading.json", "without_skill/eval-0/grading.json"),
    "file in arm": ("with_skill/eval-0-grading.json", "without_skill/eval-0-grading.json"),
    "arm in file": ("eval-0-with_skill-grading.json", "eval-0-without_skill-grading.json"),
    "run in file": ("eval-0-with_skill-run-1-grading.json", "eval-0_without_skill_run1_grading.json"),
    "in outputs": ("eval-0/with_skill/outputs/grading.json", "eval-0/without_skill/outputs/grading.json"),
    "too high": ("eval-0/with_skill/grading.json", "eval-0/without_skill/grading.json"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_say_the_same(plant: Plant, layout: str) -> None:
    """The same two runs, wherever their gradings lie."""
    held, broken = LAYOUTS[layout]
    files: dict[str, Any] = {f"iteration-1/{held}": HELD, f"iteration-1/{broken}": BROKEN}
    if layout == "too high":
        files |= {f"iteration-1/eval-0/{arm}/run-1/outputs/a.txt": "a" for arm in ("with_skill", "without_skill")}
    workspace = read(plant(files))
    assert runs_of(workspace) == EXPECTED
    assert [(arm.name, arm.role) for arm in workspace.iterations[0].arms] == [
        ("with_skill", "treatment"),
        ("without_skill", "baseline"),
    ]


def test_eval_folders_may_be_called_after_their_topic(plant: Plant) -> None:
    """No prefix is needed."""
    root = plant({"iteration-1/sales/with_skill/grading.json": HELD, "iteration-1/sales/old/grading.json": BROKEN})
    assert runs_of(read(root)) == [("sales", "with_skill", 1, True), ("sales", "old", 1, False)]


def test_order_is_natural(plant: Plant) -> None:
    """Case 10 comes after case 2, and so do iterations and runs."""
    root = plant(
        {f"iteration-{number}/eval-{number}/with_skill/run-{number}/grading.json": HELD for number in (10, 2, 1)}
    )
    workspace = read(root)
    assert [each.number for each in workspace.iterations] == [1, 2, 10]
    assert [run[0] for run in runs_of(workspace)] == ["eval-1", "eval-2", "eval-10"]


def test_padded_iterations_have_their_number(plant: Plant) -> None:
    """`iteration-003` is the third."""
    workspace = read(plant({"iteration-003/eval-01/with_skill/grading.json": HELD}))
    assert workspace.iterations[0].number == 3
    assert workspace.iterations[0].cases[0].id == 1


def test_one_iteration_may_be_pointed_at(plant: Plant) -> None:
    """The root is then the round itself."""
    root = plant({"iteration-2/eval-0/with_skill/run-1/grading.json": HELD})
    workspace = read(root / "iteration-2")
    assert workspace.iterations[0].number == 2
    assert workspace.iterations[0].place == "."
    assert runs_of(workspace) == [("eval-0", "with_skill", 1, True)]


def test_one_eval_may_be_pointed_at(plant: Plant) -> None:
    """Its own name is the case."""
    root = plant({"eval-7/with_skill/run-1/grading.json": HELD, "eval-7/without_skill/run-1/grading.json": BROKEN})
    assert runs_of(read(root / "eval-7")) == [("eval-7", "with_skill", 1, True), ("eval-7", "without_skill", 1, False)]


def test_a_skill_has_its_workspace_beside(plant: Plant) -> None:
    """Pointing at the skill finds it, and the skill is known."""
    root = plant(
        {
            "pdf/SKILL.md": "---\nname: pdf\n---\n",
            "pdf-workspace/iteration-1/eval-0/with_skill/grading.json": HELD,
        }
    )
    workspace = read(root / "pdf")
    assert workspace.skill_path == str(root / "pdf")
    assert workspace.skill_name == "pdf"
    assert runs_of(workspace) == [("eval-0", "with_skill", 1, True)]


def test_a_skill_has_its_results_inside(plant: Plant) -> None:
    """Where nothing lies beside it."""
    root = plant(
        {
            "pdf/SKILL.md": "---\nname: pdf\n---\n",
            "pdf/evals/iteration-1/eval-0/with_skill/grading.json": HELD,
        }
    )
    assert runs_of(read(root / "pdf")) == [("eval-0", "with_skill", 1, True)]


def test_a_single_grading_may_be_pointed_at(plant: Plant) -> None:
    """One file, one run; nothing says which arm it is."""
    root = plant({"grading.json": HELD})
    workspace = read(root / "grading.json")
    assert runs_of(workspace) == [("planted", "unsaid", 1, True)]
    assert workspace.iterations[0].arms[0].role is None


def test_several_workspaces_below_one_root(plant: Plant) -> None:
    """Each round says where it lies."""
    root = plant(
        {
            "a-workspace/iteration-1/eval-0/with_skill/grading.json": HELD,
            "b-workspace/iteration-1/eval-0/with_skill/grading.json": BROKEN,
        }
    )
    assert [each.place for each in read(root).iterations] == ["a-workspace/iteration-1", "b-workspace/iteration-1"]


def test_stamped_benchmarks_are_rounds(plant: Plant) -> None:
    """`benchmarks/<stamp>/` with its own benchmark.json."""
    root = plant(
        {
            "benchmarks/2026-01-15/benchmark.json": {"metadata": {}, "runs": [], "run_summary": {}},
            "benchmarks/2026-01-15/runs/eval-1/with_skill/run-1/grading.json": HELD,
        }
    )
    workspace = read(root)
    assert [each.place for each in workspace.iterations] == ["benchmarks/2026-01-15"]
    assert runs_of(workspace) == [("eval-1", "with_skill", 1, True)]


def test_both_arms_in_one_file(plant: Plant) -> None:
    """Each arm's verdicts are a run, with its place in the file."""
    root = plant({"iteration-1/eval-0/grading.json": {"with_skill": HELD, "without_skill": BROKEN}})
    workspace = read(root)
    assert runs_of(workspace) == EXPECTED
    assert workspace.iterations[0].runs[1].place == "iteration-1/eval-0/grading.json#without_skill"


def test_a_whole_round_in_one_file(plant: Plant) -> None:
    """A list of runs, each with its case and arm."""
    rows = [
        {"eval_id": 0, "configuration": "with_skill", "run_number": 2, **HELD},
        {"eval_id": 0, "configuration": "without_skill", "run_number": 2, **BROKEN},
    ]
    workspace = read(plant({"iteration-1/results.json": {"runs": rows}}))
    assert runs_of(workspace) == [("0", "with_skill", 2, True), ("0", "without_skill", 2, False)]


def test_a_slow_powers_baseline(plant: Plant) -> None:
    """`grading/<case>__<arm>__r<k>.json`."""
    graded = {"assertion_results": [{"id": "wrote_test", "passed": True, "evidence": "e", "confidence": 0.9}]}
    root = plant({"baseline/benchmark.json": {"run_summary": {}}, "baseline/grading/a-b__old_skill__r2.json": graded})
    assert runs_of(read(root)) == [("a-b", "old_skill", 2, True)]


def test_a_run_that_left_nothing_is_a_run(plant: Plant) -> None:
    """It crashed, and is not forgotten."""
    root = plant({"iteration-1/eval-0/with_skill/run-1/grading.json": HELD, "iteration-1/eval-0/with_skill/run-2/": ""})
    assert runs_of(read(root)) == [("eval-0", "with_skill", 1, True), ("eval-0", "with_skill", 2, None)]


def test_a_copy_of_the_skill_is_no_run(plant: Plant) -> None:
    """Also where it is called like an arm; its files are no documents either."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/grading.json": HELD,
            "iteration-1/skills/with_skill/SKILL.md": "---\nname: pdf\n---\n",
            "iteration-1/skills/with_skill/references/a.md": "x",
        }
    )
    workspace = read(root)
    assert runs_of(workspace) == [("eval-0", "with_skill", 1, True)]
    assert workspace.iterations[0].documents == ()


def test_folders_have_a_greatest_depth(plant: Plant) -> None:
    """What lies deeper is refused, and said."""
    deep = "/".join("abcdefghijklm")
    workspace = read(plant({"iteration-1/eval-0/with_skill/grading.json": HELD, f"{deep}/grading.json": HELD}))
    assert [each.reason for each in workspace.refused] == ["more than 12 folders deep"]


def test_files_have_a_greatest_size(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger one is a fault of its run, and is not read."""
    monkeypatch.setattr(json_files, "MAX_BYTES", 16)
    grading = read(plant({"iteration-1/eval-0/with_skill/grading.json": HELD})).iterations[0].runs[0].grading
    assert grading is not None
    assert grading.fault.startswith("larger than")


def test_entries_have_a_greatest_number(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after it is not looked at, and said once."""
    monkeypatch.setattr(tree, "MAX_ENTRIES", 14)
    files: dict[str, Any] = {f"eval-{number}/with_skill/grading.json": HELD for number in range(9)}
    workspace = read(plant({"iteration-1/a/with_skill/grading.json": HELD, **files}))
    assert len(runs_of(workspace)) < 10
    assert [each.reason for each in workspace.refused] == ["more than 14 files: the rest was not looked at"]


def test_a_broken_benchmark_is_refused_with_the_line(plant: Plant) -> None:
    """And the runs are there."""
    root = plant({"iteration-1/eval-0/with_skill/grading.json": HELD, "iteration-1/benchmark.json": "{"})
    workspace = read(root)
    assert [(each.place, each.reason[:24]) for each in workspace.refused] == [
        ("iteration-1/benchmark.json", "no valid JSON: Expecting"),
    ]
    assert len(runs_of(workspace)) == 1


def test_two_folders_of_one_run_number(plant: Plant) -> None:
    """`run-1` and `run-01` are two runs; the second gets the next number."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/run-1/grading.json": HELD,
            "iteration-1/eval-0/with_skill/run-01/grading.json": BROKEN,
        }
    )
    assert sorted(run[2] for run in runs_of(read(root))) == [1, 2]


def test_odd_names_are_stray(plant: Plant) -> None:
    """A folder run-retry without verdicts, and a file beside the evals that is called like one."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/run-1/grading.json": HELD,
            "iteration-1/eval-0/with_skill/run-retry/outputs/left.md": "x",
            "iteration-1/eval-notes.md": "x",
        }
    )
    workspace = read(root)
    assert runs_of(workspace) == [("eval-0", "with_skill", 1, True)]
    assert workspace.stray == ("iteration-1/eval-notes.md", "iteration-1/eval-0/with_skill/run-retry")


def test_an_oddly_named_run_with_verdicts_counts(plant: Plant) -> None:
    """It gets the next number, and keeps its name."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/run-1/grading.json": HELD,
            "iteration-1/eval-0/with_skill/run-retry/grading.json": BROKEN,
        }
    )
    run = read(root).iterations[0].runs[1]
    assert (run.run_number, run.written_as) == (2, "run-retry")


def test_runs_called_after_their_time(plant: Plant) -> None:
    """Also where nothing was graded; they are numbered in order."""
    root = plant(
        {
            "results/sales/20260818T034137Z/with_skill/timing.json": {"duration_ms": 1},
            "results/sales/20260819T034137Z/with_skill/grading.json": HELD,
        }
    )
    workspace = read(root)
    assert runs_of(workspace) == [("sales", "with_skill", 1, None), ("sales", "with_skill", 2, True)]
    assert workspace.iterations[0].runs[1].written_as == "20260819T034137Z"


def test_an_empty_folder_runs_hides_nothing(plant: Plant) -> None:
    """The runs beside it are found."""
    root = plant({"iteration-1/runs/": "", "iteration-1/eval-0/with_skill/grading.json": HELD})
    assert runs_of(read(root)) == [("eval-0", "with_skill", 1, True)]


def test_outputs_in_outputs_are_stray(plant: Plant) -> None:
    """And are not entered."""
    root = plant({"iteration-1/eval-0/with_skill/outputs/outputs/a.md": "x"})
    workspace = read(root)
    assert workspace.iterations[0].runs[0].outputs == "iteration-1/eval-0/with_skill/outputs"
    assert workspace.stray == ("iteration-1/eval-0/with_skill/outputs/outputs",)


def test_outputs_of_the_arm_are_those_of_its_only_run(plant: Plant) -> None:
    """Grading in run-1, outputs beside it."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/run-1/grading.json": HELD,
            "iteration-1/eval-0/with_skill/outputs/a.md": "x",
        }
    )
    assert read(root).iterations[0].runs[0].outputs == "iteration-1/eval-0/with_skill/outputs"


def test_a_grading_above_two_arms_is_of_no_arm(plant: Plant) -> None:
    """Which of the two it is of is not guessed."""
    root = plant(
        {
            "iteration-1/eval-0/grading.json": HELD,
            "iteration-1/eval-0/with_skill/outputs/a.md": "x",
            "iteration-1/eval-0/without_skill/outputs/a.md": "x",
        }
    )
    workspace = read(root)
    assert ("eval-0", "unsaid", 1, True) in runs_of(workspace)
    assert [each.code for each in workspace.repairs] == ["grading-above-runs"]


METADATA = {
    "eval_id": 4,
    "eval_name": "Sales",
    "prompt": "Sum it",
    "assertions": ["It adds up", {"id": "b", "text": "B"}],
}


@pytest.mark.parametrize(
    "place",
    ["eval-0/eval_metadata.json", "eval-0/with_skill/eval_metadata.json", "eval-0/with_skill/run-1/eval_metadata.json"],
)
def test_metadata_at_any_level(plant: Plant, place: str) -> None:
    """Beside the arms, in the arm, or in the run."""
    root = plant({"iteration-1/eval-0/with_skill/run-1/grading.json": HELD, f"iteration-1/{place}": METADATA})
    case = read(root).iterations[0].cases[0]
    assert (case.key, case.id, case.name, case.prompt) == ("eval-0", 4, "Sales", "Sum it")
    assert [each.text for each in case.criteria or ()] == ["It adds up", "B"]
    assert case.metadata == f"iteration-1/{place}"


def test_metadata_of_the_whole_round(plant: Plant) -> None:
    """As skill-builder has it: matched by the ids in the folders' names."""
    root = plant(
        {
            "iteration-1/eval-basic/with_skill/grading.json": HELD,
            "iteration-1/eval_metadata.json": {
                "evals": [{"id": "other", "prompt": "no"}, {"id": "basic", "prompt": "yes"}]
            },
        }
    )
    cases = {case.key: case for case in read(root).iterations[0].cases}
    assert cases["eval-basic"].prompt == "yes"
    assert cases["eval-basic"].metadata == "iteration-1/eval_metadata.json#evals[1]"
    assert cases["other"].prompt == "no"


def test_a_benchmark_stands_in_for_missing_gradings(plant: Plant) -> None:
    """Its runs are the runs, with their place in it."""
    row = {"eval_id": 3, "eval_name": "Ocean", "configuration": "with_skill", "run_number": 2,
           "result": {"pass_rate": 0.5, "passed": 1, "failed": 1, "total": 2, "time_seconds": 4.5, "tokens": 12}}  # fmt: skip
    workspace = read(plant({"benchmark.json": {"metadata": {}, "runs": [row], "run_summary": {}, "notes": []}}))
    run = workspace.iterations[0].runs[0]
    assert (run.case, run.arm, run.run_number, run.place) == ("3", "with_skill", 2, "benchmark.json#runs[0]")
    assert run.grading is not None
    assert run.grading.statements is None
    assert run.grading.tally is not None
    assert (run.grading.tally.passed, run.grading.tally.total) == (1, 2)
    assert run.timing is not None
    assert (run.timing.duration_s, run.timing.total_tokens) == (4.5, 12)
    assert workspace.iterations[0].cases[0].name == "Ocean"


def test_a_benchmark_adds_no_runs_to_graded_ones(plant: Plant) -> None:
    """Where there are gradings, its rows are only its own claim."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/grading.json": HELD,
            "iteration-1/benchmark.json": {"run_summary": {}, "runs": [{"eval_id": 9, "configuration": "x", **BROKEN}]},
        }
    )
    assert runs_of(read(root)) == [("eval-0", "with_skill", 1, True)]


def test_the_root_benchmark_of_skill_builder_is_of_the_whole(plant: Plant) -> None:
    """It is no round of its own."""
    summary = {"configs": {"with_skill": {"overall_pass_rate": 1, "evals": []}}, "comparison": {}}
    root = plant({"benchmark.json": summary, "iteration-1/eval-a/with_skill/grading.json": HELD})
    workspace = read(root)
    assert [each.place for each in workspace.iterations] == ["iteration-1"]
    assert [(each.place, each.kind) for each in workspace.documents] == [("benchmark.json", "benchmark")]


def test_no_such_path(tmp_path: Path) -> None:
    """One sentence with the path."""
    with pytest.raises(SpecError, match="no such file or folder"):
        read(tmp_path / "nowhere")


def test_nothing_found_says_what_was_looked_for(plant: Plant) -> None:
    """An empty result is an error, never 0 %."""
    with pytest.raises(SpecError, match=r"Looked for runs with a grading\.json"):
        read(plant({"README.md": "x", "package.json": {"name": "x"}}))


def test_links_are_not_followed(plant: Plant, tmp_path: Path) -> None:
    """Neither folders nor files."""
    root = plant({"iteration-1/eval-0/with_skill/grading.json": HELD})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "grading.json").write_text('{"expectations": []}', encoding="utf-8")
    (root / "iteration-1/eval-1").symlink_to(outside)
    (root / "iteration-1/eval-0/with_skill/timing.json").symlink_to(outside / "grading.json")
    workspace = read(root)
    assert runs_of(workspace) == [("eval-0", "with_skill", 1, True)]
    assert {each.place: each.reason for each in workspace.refused} == {
        "iteration-1/eval-1": "a link; links are not followed",
        "iteration-1/eval-0/with_skill/timing.json": "a link; links are not followed",
    }


def test_a_pipe_is_refused(plant: Plant) -> None:
    """And not waited for."""
    root = plant({"iteration-1/eval-0/with_skill/grading.json": HELD})
    os.mkfifo(root / "iteration-1/eval-0/with_skill/timing.json")
    assert [each.reason for each in read(root).refused] == ["no file and no folder"]


def test_caches_and_agents_folders_are_left_alone(plant: Plant) -> None:
    """What an agent worked in may look like a workspace."""
    root = plant(
        {
            "iteration-1/eval-0/with_skill/grading.json": HELD,
            "iteration-1/conditions.json": {"conditions": []},
            "iteration-1/env-g1-with_skill/iteration-1/eval-9/with_skill/grading.json": BROKEN,
            "node_modules/iteration-1/eval-9/with_skill/grading.json": BROKEN,
        }
    )
    workspace = read(root)
    assert runs_of(workspace) == [("eval-0", "with_skill", 1, True)]
    assert [each.place for each in workspace.refused] == ["iteration-1/env-g1-with_skill"]


def test_a_cut_off_grading_is_a_fault_of_its_run(plant: Plant) -> None:
    """With the line where it stops; the run is there."""
    root = plant({"iteration-1/eval-0/with_skill/grading.json": '{"expectations": [\n{"text": "It'})
    grading = read(root).iterations[0].runs[0].grading
    assert grading is not None
    assert grading.statements is None
    assert grading.fault == "no valid JSON: Unterminated string starting at, line 2 column 10"


def test_a_trial_of_harbor(plant: Plant) -> None:
    """The task is the case, the job the arm, the tests the criteria."""
    tests = [
        {"name": "a", "status": "passed"},
        {"name": "b", "status": "failed", "message": "no"},
        {"name": "c", "status": "skipped"},
    ]
    root = plant({
        "jobs/night/parse__aB3dE/config.json": {"trial_name": "parse__aB3dE", "agent": {"model_name": "m-1"}},
        "jobs/night/parse__aB3dE/result.json": {
            "trial_name": "parse__aB3dE", "agent_info": {"name": "x"},
            "agent_result": {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": None},
            "agent_execution": {"started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:01:30Z"},
        },
        "jobs/night/parse__aB3dE/verifier/ctrf.json": {"results": {"tests": tests, "summary": {"tests": 3}}},
        "jobs/night/parse__aB3dE/verifier/reward.txt": "0\n",
    })  # fmt: skip
    run = read(root).iterations[0].runs[0]
    assert (run.case, run.arm, run.written_as, run.model) == ("parse", "night", "parse__aB3dE", "m-1")
    assert run.timing is not None
    assert (run.timing.total_tokens, run.timing.duration_s) == (15, 90.0)
    assert run.grading is not None
    assert [each.passed for each in run.grading.statements or ()] == [True, False, None]
    assert run.grading.extra["reward"] == 0
