"""One workspace of each family, with the right values worked out by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.interchange.reader import read
from skilltrial.records.foreign import ForeignRun, ForeignWorkspace

Plant = Callable[[Mapping[str, Any]], Path]


@pytest.fixture
def published(shared: Path, tmp_path: Path) -> Callable[[str], Path]:
    """The tree of a repository of the corpus."""

    def rebuild(repo: str) -> Path:
        for line in (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["kind"] == "workspaces" and row["repo"] == repo:
                target = tmp_path / "tree" / row["path"]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(shared / "corpus" / row["file"], target)
        return tmp_path / "tree"

    return rebuild


def run_of(workspace: ForeignWorkspace, place: str, case: str, arm: str) -> ForeignRun:
    """The only run of a case in an arm of a round."""
    (found,) = [
        run
        for iteration in workspace.iterations
        if iteration.place == place
        for run in iteration.runs
        if (run.case, run.arm) == (case, arm)
    ]
    return found


def verdicts(run: ForeignRun) -> list[bool | None]:
    """In order."""
    assert run.grading is not None
    return [each.passed for each in run.grading.statements or ()]


def test_skill_builder(plant: Plant) -> None:
    """The documented tree: metadata of the round, two benchmarks, feedback at the root."""
    root = plant({
        "iteration-1/eval-basic/with_skill/grading.json": {
            "eval_id": "basic", "config": "with_skill",
            "expectations": [{"assertion": "A", "verdict": "PASS", "evidence": "e", "confidence": "LOW"}],
            "pass_count": 1, "fail_count": 0, "pass_rate": 1.0, "claims": [], "summary": "good",
        },
        "iteration-1/eval-basic/with_skill/timing.json": {
            "eval_id": "basic", "config": "with_skill", "total_tokens": 4523, "duration_ms": 12450,
            "timestamp": "2025-01-15T10:30:00Z",
        },
        "iteration-1/eval-basic/with_skill/outputs/a.ts": "x",
        "iteration-1/eval_metadata.json": [{"id": "basic", "prompt": "Write it", "assertions": ["A"]}],
        "iteration-1/benchmark.json": {"iteration": 1, "configs": {"with_skill": {"evals": []}}, "comparison": {}},
        "benchmark.json": {"configs": {"with_skill": {"evals": []}}, "comparison": {}},
        "feedback.json": {"iteration": 1, "eval_feedback": [{"eval_id": "basic", "rating": "good", "comment": ""}],
                          "general_feedback": "", "action": "iterate"},
    })  # fmt: skip
    workspace = read(root)
    assert workspace.family == "skill-builder"
    (iteration,) = workspace.iterations
    run = run_of(workspace, "iteration-1", "eval-basic", "with_skill")
    assert verdicts(run) == [True]
    assert run.grading is not None
    assert run.grading.statements is not None
    assert run.grading.statements[0].confidence == "LOW"
    assert run.timing is not None
    assert (run.timing.total_tokens, run.timing.duration_s, run.timing.started_at) == (
        4523,
        12.45,
        "2025-01-15T10:30:00Z",
    )
    assert run.outputs == "iteration-1/eval-basic/with_skill/outputs"
    (case,) = iteration.cases
    assert (case.id, case.prompt, case.metadata) == ("basic", "Write it", "iteration-1/eval_metadata.json#[0]")
    assert [(each.place, each.kind) for each in workspace.documents] == [
        ("benchmark.json", "benchmark"), ("feedback.json", "feedback"),
    ]  # fmt: skip
    assert [(each.place, each.kind) for each in iteration.documents] == [
        ("iteration-1/benchmark.json", "benchmark"), ("iteration-1/eval_metadata.json", "eval_metadata"),
    ]  # fmt: skip


def test_agentskills(plant: Plant) -> None:
    """The guide's flat tree; feedback is a remark by eval."""
    rows = [{"text": "A", "passed": True, "evidence": "e"}, {"text": "B", "passed": False, "evidence": "f"}]
    graded = {"assertion_results": rows,
              "summary": {"passed": 1, "failed": 1, "total": 2, "pass_rate": 0.5}}  # fmt: skip
    root = plant({
        "iteration-1/eval-top-months/with_skill/grading.json": graded,
        "iteration-1/eval-top-months/with_skill/timing.json": {"total_tokens": 84852, "duration_ms": 23332},
        "iteration-1/benchmark.json": {"run_summary": {"with_skill": {"pass_rate": {"mean": 0.5}}, "delta": {"pass_rate": 0.5}}},
        "iteration-1/feedback.json": {"eval-top-months": "axis labels are missing"},
    })  # fmt: skip
    workspace = read(root)
    run = run_of(workspace, "iteration-1", "eval-top-months", "with_skill")
    assert workspace.family == "agentskills"
    assert verdicts(run) == [True, False]
    assert run.timing is not None
    assert (run.timing.total_tokens, run.timing.duration_s) == (84852, 23.332)
    assert [each.kind for each in workspace.iterations[0].documents] == ["benchmark", "feedback"]
    assert workspace.iterations[0].cases[0].id == "top-months"


def test_eval_magic(plant: Plant) -> None:
    """A slot with everything that its runner and graders leave."""
    slot = "iteration-1/eval-a/old_skill/run-2"
    root = plant({
        "iteration-1/conditions.json": {"mode": "revision", "agent_model": "m-9", "harness": "codex", "conditions": [
            {"name": "old_skill", "skill_path": "/o"}, {"name": "new_skill", "skill_path": "/n"}]},
        "iteration-1/dispatch.json": {"run_nonce": "x", "tasks": []},
        "iteration-1/skill-snapshot.md": "x",
        f"{slot}/run.json": {"eval_id": "a", "prompt": "Do a", "final_message": "done", "tool_invocations": []},
        f"{slot}/timing.json": {"total_tokens": 7, "duration_ms": 1500, "source": "transcript"},
        f"{slot}/conversation.json": {"status": "completed", "events": []},
        f"{slot}/grading.json": {"assertion_results": [{"id": "x", "passed": False, "evidence": "e"}],
                                 "summary": {"passed": 0, "failed": 1, "total": 1, "pass_rate": 0}},
        f"{slot}/diff-scope.json": {"files_touched": 2},
        f"{slot}/command-checks/x.json": {"id": "x", "passed": False},
        f"{slot}/judge-responses/y.json": {"passed": True},
        ".promoted.json": {"promoted_at": "2026-01-01"},
    })  # fmt: skip
    workspace = read(root)
    run = run_of(workspace, "iteration-1", "eval-a", "old_skill")
    assert (workspace.family, workspace.model, workspace.harness) == ("slow-powers", "m-9", "codex")
    assert (run.run_number, run.final_message) == (2, "done")
    assert run.transcript == f"{slot}/conversation.json"
    assert set(run.extra) == {"run.json", "diff-scope.json", "command-checks/x.json", "judge-responses/y.json"}
    assert run.timing is not None
    assert (run.timing.total_tokens, run.timing.duration_s, run.timing.extra) == (7, 1.5, {"source": "transcript"})
    assert workspace.iterations[0].arms[0].role == "baseline"
    assert workspace.iterations[0].cases[0].prompt == "Do a"
    assert not workspace.refused


def test_a_loop_of_descriptions(plant: Plant) -> None:
    """Results of trigger tests are documents, by what is in them."""
    root = plant({
        "loop/results.json": {"exit_reason": "x", "best_description": "d", "history": []},
        "loop/eval_set.json": [{"query": "q", "should_trigger": True}],
        "out.json": {"skill_name": "s", "results": [{"query": "q", "should_trigger": True, "trigger_rate": 0.5}]},
    })  # fmt: skip
    workspace = read(root)
    assert workspace.iterations == ()
    assert {each.place: each.kind for each in workspace.documents} == {
        "loop/results.json": "loop_result", "loop/eval_set.json": "suite", "out.json": "trigger_result",
    }  # fmt: skip


@pytest.mark.shared
def test_published_skill_creator(published: Callable[[str], Path]) -> None:
    """Eval 1 without the skill: 7 of 11 hold, 217.75 seconds, 37,941 tokens."""
    workspace = read(published("Izziebly/advertorial"))
    run = run_of(workspace, "iteration-1", "eval-1", "without_skill")
    assert workspace.family == "skill-creator"
    assert verdicts(run) == [True, True, False, True, True, True, True, False, False, False, True]
    assert run.timing is not None
    assert (run.timing.duration_s, run.timing.total_tokens) == (217.75, 37941)
    assert workspace.iterations[0].cases[0].id == 1


@pytest.mark.shared
def test_published_slow_powers(published: Callable[[str], Path]) -> None:
    """Of four checks one fails with the skill, and three fail without it."""
    workspace = read(published("slowdini/slow-powers"))
    place = "skills/test-driven-development/evals/baseline"
    run = run_of(workspace, place, "slugify-under-time-pressure", "with_skill")
    assert workspace.family == "slow-powers"
    assert verdicts(run) == [True, False, True, True]
    assert run.grading is not None
    assert [each.id for each in run.grading.meta] == ["__skill_invoked"]
    assert run.grading.statements is not None
    assert run.grading.statements[1].grader == "transcript_check"
    assert verdicts(run_of(workspace, place, "slugify-under-time-pressure", "without_skill")) == [
        False,
        False,
        False,
        True,
    ]


@pytest.mark.shared
def test_published_files_in_arm_folders(published: Callable[[str], Path]) -> None:
    """The configuration beside the grading has the times, the tokens, the model and the prompt."""
    workspace = read(published("geoffsdesk/gke-upgrades-skill"))
    run = run_of(workspace, "workspace/iteration-11", "eval-1", "with_skill")
    assert verdicts(run) == [False, True, True, True, True, True, True, True, False, True]
    assert run.timing is not None
    assert (run.timing.input_tokens, run.timing.output_tokens, run.timing.total_tokens) == (11360, 1891, 13251)
    assert (run.timing.duration_s, run.model) == (33.79, "claude-sonnet-4-20250514")
    (iteration,) = [each for each in workspace.iterations if each.number == 11]
    assert (iteration.cases[0].prompt or "").startswith("We have a Standard GKE cluster")


@pytest.mark.shared
def test_published_harbor(published: Callable[[str], Path]) -> None:
    """Five of six tests pass; 126,898 tokens in and 6,013 out; 12:59:39.10 to 13:01:25.66."""
    workspace = read(published("Etelis/skillsbench-replay"))
    run = run_of(workspace, "data/raw-trajectories", "dialogue-parser", "haiku-45-solved")
    assert verdicts(run).count(True) == 5
    assert run.timing is not None
    assert run.timing.total_tokens == 132911
    assert run.timing.duration_s == pytest.approx(106.562, abs=1e-3)
    assert run.grading is not None
    assert run.grading.extra["reward"] == 0.833


@pytest.mark.shared
def test_published_results_of_one_arm_a_file(published: Callable[[str], Path]) -> None:
    """Eight objective checks hold; tokens are input, caches and output: 27 + 25,721 + 553,526 + 7,148."""
    workspace = read(published("Adam-S-Daniel/skills-evals"))
    run = run_of(workspace, "results", "workflow-path-audit", "with_skill")
    assert verdicts(run) == [True] * 8
    assert run.timing is not None
    assert (run.timing.total_tokens, run.timing.duration_s) == (586422, 80.559)
    assert run.timing.cost_usd == pytest.approx(0.37043255)
