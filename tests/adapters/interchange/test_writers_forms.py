"""The exact forms of the four targets: field lists as data, from a workspace with known figures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from skilltrial import wiring
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import SpecError
from skilltrial.ports import Export, Trialled
from skilltrial.records import layout
from skilltrial.records.grading import AssertionResult, Claim, Grading, JudgeFacts
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, LlmJudge, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, OutputFile, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage

NOW = "2026-03-01T12:00:00Z"
SKILL = SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:1")
TARGETS = ("skill-creator", "skill-builder", "slow-powers", "agentskills")
WITH, WITHOUT = Arm(name="with_skill", role="treatment", skill=SKILL), Arm(name="without_skill", role="baseline")

Cells = Mapping[str, Sequence[str]]
"""Arm -> one text a repeat: a letter an assertion, P, F or U."""


class Bench:
    """Makes iterations. Case `one` has two assertions; a trial with the skill takes 3 s and 300 tokens, without 2 s and 200."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def trialled(self, cells: Cells, *, arms: Sequence[Arm] = (WITH, WITHOUT), **options: Any) -> Trialled:
        """One iteration. `trial` and `case` are fields that differ from the usual."""
        assertions = tuple(LlmJudge(id=f"a{n}", text=f"Holds {n}", rubric=f"Holds {n}") for n in (1, 2))
        case = Case(id="one", written_id=options.get("written_id", "one"), prompt="Do one.", assertions=assertions)
        case = case.model_copy(update=options.get("case", {}))
        keys = [
            TrialKey(case_id="one", arm=arm, repeat=n) for arm, row in cells.items() for n in range(1, len(row) + 1)
        ]
        trials = [self._trial(key, options.get("trial", {})) for key in keys]
        letters = {key: cells[key.arm][key.repeat - 1] for key in keys}
        gradings = [self._grading(case, key, text, options.get("grading", {})) for key, text in letters.items() if text]
        plan = Plan(
            skilltrial_version="1",
            created_at=NOW,
            skill=SKILL,
            suite=Suite(dialect=options.get("dialect", "mixed"), path="/evals.json", digest="sha256:s", cases=(case,)),
            arms=tuple(arms),
            trials=tuple(PlannedTrial(key=key, seed=1) for key in keys),
            harness=HarnessChoice(name="stub", model="model-a"),
            judge="judge-b",
            seed=1,
            runs=1,
            timeout_s=60,
            digest="sha256:p",
        )
        benchmark = aggregate(plan, 1, trials, gradings, now=NOW)
        return Trialled(
            plan=plan,
            iteration=1,
            trials=tuple(trials),
            gradings=tuple(gradings),
            benchmark=benchmark,
            folder=self.root.joinpath,
            documents=options.get("documents", {}),
        )

    def _trial(self, key: TrialKey, fields: Mapping[str, Any]) -> Trial:
        has_skill = key.arm.startswith(("with_skill", "new"))
        seconds = 3 if has_skill else 2
        folder = self.root / layout.trial_dir(1, key)
        (folder / "outputs").mkdir(parents=True, exist_ok=True)
        (folder / "outputs/report.md").write_text("done\n")
        trial = Trial(
            key=key,
            outcome="completed",
            final_message="Done.",
            started_at=NOW,
            duration_ms=seconds * 1000,
            usage=Usage(input_tokens=seconds * 100 - 50, output_tokens=50),
            harness=HarnessFacts(name="stub", model_served="model-a"),
            evidence=SkillEvidence(),
            attempts=(Attempt(outcome="completed", started_at=NOW, duration_ms=seconds * 1000),),
            files=(OutputFile(path="report.md", change="created", size=5, sha256="0"),),
            tool_calls={"Write": 1},
            isolation="folder",
            seed=1,
            plan_digest="sha256:p",
        )
        return trial.model_copy(update=dict(fields))

    def _grading(self, case: Case, key: TrialKey, letters: str, fields: Mapping[str, Any]) -> Grading:
        verdicts = {"P": "PASS", "F": "FAIL", "U": "UNGRADED"}
        results = [
            AssertionResult.model_validate(
                {
                    "id": assertion.id,
                    "text": assertion.text,
                    "type": assertion.type,
                    "verdict": verdicts[letter],
                    "evidence": "seen",
                    "confidence": "HIGH",
                    "grader": "none" if letter == "U" else "judge",
                }
            )
            for assertion, letter in zip(case.assertions, letters, strict=True)
        ]
        return Grading(key=key, results=tuple(results), digest="sha256:g").model_copy(update=dict(fields))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A bench with a folder of its own."""
    return Bench(tmp_path / "w")


def export(target: str, *iterations: Trialled) -> Export:
    """By the name under which the exporter is registered."""
    return wiring.exporter(target).export(iterations)


def content(made: Export, path: str) -> Any:
    """The content of one file of an export."""
    found = [file.content for file in made.files if file.path == path]
    assert len(found) == 1, [file.path for file in made.files]
    return found[0]


def tree(made: Export) -> set[str]:
    """All paths."""
    paths = [file.path for file in made.files]
    assert len(set(paths)) == len(paths)
    return set(paths)


JUDGED = {
    "grading": {
        "claims": (Claim(claim="12 rows", verified=True, evidence="counted"),),
        "eval_feedback": {"suggestions": [{"assertion": "Holds 1", "reason": "too weak"}], "overall": "Fine."},
        "judge": JudgeFacts(model="judge-b", calls=1, duration_ms=500),
    }
}

SKILL_CREATOR_FIELDS = {
    "eval_metadata.json": {"eval_id", "eval_name", "prompt", "assertions"},
    "timing.json": {
        "total_tokens",
        "duration_ms",
        "total_duration_seconds",
        "executor_start",
        "executor_end",
        "executor_duration_seconds",
        "grader_start",
        "grader_end",
        "grader_duration_seconds",
    },
    "metrics.json": {
        "tool_calls",
        "total_tool_calls",
        "total_steps",
        "files_created",
        "errors_encountered",
        "output_chars",
        "transcript_chars",
    },
    "grading.json": {
        "expectations",
        "summary",
        "execution_metrics",
        "timing",
        "claims",
        "user_notes_summary",
        "eval_feedback",
    },
    "benchmark.json": {"metadata", "runs", "run_summary", "notes"},
    "feedback.json": {"reviews", "status"},
}
"""research on skill-creator, section 2: every field by file."""
METADATA = {
    "skill_name",
    "skill_path",
    "executor_model",
    "analyzer_model",
    "timestamp",
    "evals_run",
    "runs_per_configuration",
}
RUN = {"eval_id", "eval_name", "configuration", "run_number", "result", "expectations", "notes"}
RESULT = {"pass_rate", "passed", "failed", "total", "time_seconds", "tokens", "tool_calls", "errors"}


def test_skill_creator_tree(bench: Bench) -> None:
    """eval-N/<config>/run-N, with everything in its place."""
    made = export("skill-creator", bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}))
    files = {"grading.json", "timing.json", "transcript.md", "outputs/report.md", "outputs/metrics.json"}
    runs = {f"iteration-1/eval-1/{arm}/run-1/{name}" for arm in ("with_skill", "without_skill") for name in files}
    top = {"iteration-1/eval-1/eval_metadata.json", "iteration-1/benchmark.json", "iteration-1/benchmark.md"}
    assert tree(made) == runs | top


def test_skill_creator_files_have_no_other_fields(bench: Bench) -> None:
    """Each JSON file of the tree is held against the list."""
    feedback = {
        "reviews": [{"run_id": "eval-one-with_skill-run-1", "feedback": "good", "timestamp": NOW}],
        "status": "complete",
    }
    documents = {"iteration-1/feedback.json": feedback}
    made = export(
        "skill-creator", bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}, documents=documents, **JUDGED)
    )
    seen: set[str] = set()
    for file in made.files:
        name = file.path.rpartition("/")[2]
        if name in SKILL_CREATOR_FIELDS:
            assert isinstance(file.content, dict)
            assert set(file.content) <= SKILL_CREATOR_FIELDS[name], file.path
            seen.add(name)
    assert seen == set(SKILL_CREATOR_FIELDS)


def test_skill_creator_grading(bench: Bench) -> None:
    """Its spelling and its units."""
    made = export("skill-creator", bench.trialled({"with_skill": ["PF"], "without_skill": ["PF"]}, **JUDGED))
    assert content(made, "iteration-1/eval-1/with_skill/run-1/grading.json") == {
        "expectations": [
            {"text": "Holds 1", "passed": True, "evidence": "seen"},
            {"text": "Holds 2", "passed": False, "evidence": "seen"},
        ],
        "summary": {"passed": 1, "failed": 1, "total": 2, "pass_rate": 0.5},
        "execution_metrics": {"tool_calls": {"Write": 1}, "total_tool_calls": 1, "errors_encountered": 0},
        "timing": {"executor_duration_seconds": 3.0, "grader_duration_seconds": 0.5},
        "claims": [{"claim": "12 rows", "type": "factual", "verified": True, "evidence": "counted"}],
        "user_notes_summary": {"uncertainties": [], "needs_review": [], "workarounds": []},
        "eval_feedback": {"suggestions": [{"assertion": "Holds 1", "reason": "too weak"}], "overall": "Fine."},
    }


def test_skill_creator_timing(bench: Bench) -> None:
    """Milliseconds and seconds, start and end."""
    made = export("skill-creator", bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}))
    assert content(made, "iteration-1/eval-1/with_skill/run-1/timing.json") == {
        "total_tokens": 300,
        "duration_ms": 3000,
        "total_duration_seconds": 3.0,
        "executor_start": NOW,
        "executor_end": "2026-03-01T12:00:03.000Z",
        "executor_duration_seconds": 3.0,
    }


def test_skill_creator_benchmark(bench: Bench) -> None:
    """All numbers are numbers, the lists are lists, the treatment comes first, and the delta is text with its sign."""
    source = bench.trialled({"with_skill": ["PP", "PF"], "without_skill": ["FF", "PF"]})
    benchmark = content(export("skill-creator", source), "iteration-1/benchmark.json")
    assert set(benchmark["metadata"]) == METADATA
    assert benchmark["metadata"]["evals_run"] == [1]
    assert benchmark["metadata"]["runs_per_configuration"] == 2
    assert [set(run) for run in benchmark["runs"]] == [RUN] * 4
    assert [set(run["result"]) for run in benchmark["runs"]] == [RESULT] * 4
    assert list(benchmark["run_summary"]) == ["with_skill", "without_skill", "delta"]
    rate = benchmark["run_summary"]["with_skill"]["pass_rate"]
    assert rate == {"mean": 0.75, "stddev": pytest.approx(0.353553, abs=1e-6), "min": 0.5, "max": 1.0}
    assert benchmark["run_summary"]["without_skill"]["tokens"] == {"mean": 200, "stddev": 0, "min": 200, "max": 200}
    assert benchmark["run_summary"]["delta"] == {"pass_rate": "+0.50", "time_seconds": "+1.0", "tokens": "+100"}


def test_skill_creator_ids_are_whole_numbers(bench: Bench) -> None:
    """Those written stay; a text id becomes the name of its case."""
    cells = {"with_skill": ["PP"], "without_skill": ["PP"]}
    numbered = content(
        export("skill-creator", bench.trialled(cells, written_id=7)), "iteration-1/eval-7/eval_metadata.json"
    )
    assert (numbered["eval_id"], numbered["eval_name"]) == (7, "eval-7")
    text = content(export("skill-creator", bench.trialled(cells)), "iteration-1/eval-1/eval_metadata.json")
    assert (text["eval_id"], text["eval_name"]) == (1, "one")


def test_skill_creator_transcript_has_the_prompt_where_the_viewer_looks(bench: Bench) -> None:
    """It reads the section "Eval Prompt"."""
    made = export("skill-creator", bench.trialled({"with_skill": ["PP"], "without_skill": ["PP"]}))
    text = content(made, "iteration-1/eval-1/with_skill/run-1/transcript.md")
    assert text == "## Eval Prompt\n\nDo one.\n\n## Final Result\n\nDone.\n"


def test_skill_creator_feedback_names_runs_of_the_new_tree(bench: Bench) -> None:
    """The run id is the path of the run with dashes."""
    feedback = {
        "reviews": [{"run_id": "eval-one-with_skill-run-1", "feedback": "", "timestamp": NOW}],
        "status": "complete",
    }
    source = bench.trialled(
        {"with_skill": ["PP"], "without_skill": ["PP"]}, documents={"iteration-1/feedback.json": feedback}
    )
    assert content(export("skill-creator", source), "iteration-1/feedback.json") == {
        "reviews": [{"run_id": "eval-1-with_skill-run-1", "feedback": "", "timestamp": NOW}],
        "status": "complete",
    }


def test_skill_creator_keeps_the_notes_of_an_imported_run(bench: Bench) -> None:
    """Where its aggregator collects them, and where it puts them."""
    record = {"runs": [{"trial": "one/with_skill/run-1", "user_notes": ["old data"]}]}
    cells = {"with_skill": ["PP"], "without_skill": ["PP"]}
    source = bench.trialled(cells, documents={"iteration-1/imported/import.json": record})
    made = export("skill-creator", source)
    grading = content(made, "iteration-1/eval-1/with_skill/run-1/grading.json")
    assert grading["user_notes_summary"]["uncertainties"] == ["old data"]
    assert [run["notes"] for run in content(made, "iteration-1/benchmark.json")["runs"]] == [["old data"], []]
    assert any("notes on 1 trial" in loss.what for loss in export("agentskills", source).losses)


def test_skill_builder_tree(bench: Bench) -> None:
    """Flat runs, eval_metadata.json at the iteration, benchmark.json at both, feedback.json at the root."""
    documents = {
        "feedback.json": {"reviews": [{"run_id": "eval-one-with_skill", "feedback": "Short.", "timestamp": NOW}]}
    }
    made = export("skill-builder", bench.trialled({"with_skill": ["PP"], "without_skill": ["PP"]}, documents=documents))
    runs = {
        f"iteration-1/eval-one/{arm}/{name}"
        for arm in ("with_skill", "without_skill")
        for name in ("grading.json", "timing.json", "outputs/report.md")
    }
    top = {"iteration-1/eval_metadata.json", "iteration-1/benchmark.json", "benchmark.json", "feedback.json"}
    assert tree(made) == runs | top
    assert content(made, "feedback.json") == {
        "timestamp": NOW,
        "iteration": 1,
        "eval_feedback": [{"eval_id": "one", "comment": "with_skill, run 1: Short."}],
        "general_feedback": "",
    }


def test_skill_builder_files(bench: Bench) -> None:
    """Grading, timing and benchmark, field by field."""
    made = export("skill-builder", bench.trialled({"with_skill": ["PF"], "without_skill": ["PF"]}, **JUDGED))
    assert content(made, "iteration-1/eval-one/with_skill/grading.json") == {
        "eval_id": "one",
        "config": "with_skill",
        "expectations": [
            {"assertion": "Holds 1", "verdict": "PASS", "evidence": "seen", "confidence": "HIGH"},
            {"assertion": "Holds 2", "verdict": "FAIL", "evidence": "seen", "confidence": "HIGH"},
        ],
        "pass_count": 1,
        "fail_count": 1,
        "pass_rate": 0.5,
        "claims": [{"claim": "12 rows", "verified": True, "evidence": "counted"}],
        "eval_feedback": {
            "weak_assertions": [],
            "missing_assertions": [],
            "suggested_additions": ["Holds 1: too weak", "Fine."],
        },
        "summary": "1 of 2 assertions hold, 1 do not.",
    }
    assert content(made, "iteration-1/eval-one/with_skill/timing.json") == {
        "eval_id": "one",
        "config": "with_skill",
        "total_tokens": 300,
        "duration_ms": 3000,
        "timestamp": NOW,
    }
    benchmark = content(made, "iteration-1/benchmark.json")
    assert content(made, "benchmark.json") == benchmark
    assert benchmark["configs"]["without_skill"] == {
        "overall_pass_rate": 0.5,
        "total_tokens_mean": 200,
        "total_tokens_stddev": 0,
        "duration_ms_mean": 2000,
        "duration_ms_stddev": 0,
        "evals": [
            {"eval_id": "one", "pass_rate": 0.5, "pass_count": 1, "fail_count": 1, "tokens": 200, "duration_ms": 2000}
        ],
    }
    assert benchmark["comparison"] == {
        "pass_rate_delta": 0,
        "token_overhead_percent": 50,
        "time_overhead_percent": 50,
        "non_discriminating_assertions": ["Holds 1"],
    }
    assert (benchmark["iteration"], benchmark["timestamp"]) == (1, NOW)


def test_slow_powers_files(bench: Bench) -> None:
    """The keys of its schemas and no other."""
    evidence = SkillEvidence(loaded=True)
    source = bench.trialled({"with_skill": ["PF"], "without_skill": ["PF"]}, trial={"evidence": evidence})
    made = export("slow-powers", source)
    slot = "iteration-1/eval-one/with_skill"
    assert content(made, f"{slot}/timing.json") == {"total_tokens": 300, "duration_ms": 3000, "source": "transcript"}
    assert content(made, f"{slot}/run.json") == {
        "eval_id": "one",
        "condition": "with_skill",
        "skill_path": "/skills/tidy",
        "prompt": "Do one.",
        "files": [],
        "final_message": "Done.",
        "tool_invocations": [],
        "total_tokens": None,
        "duration_ms": None,
    }
    grading = content(made, f"{slot}/grading.json")
    assert grading["assertion_results"][0] == {
        "id": "a1",
        "passed": True,
        "evidence": "seen",
        "confidence": 0.9,
        "grader": "llm_judge",
    }
    assert grading["summary"] == {"passed": 1, "failed": 1, "total": 2, "pass_rate": 0.5}
    assert grading["meta_results"][0]["id"] == "__skill_invoked"
    assert grading["meta_summary"] == {"passed": 1, "failed": 0, "total": 1, "skill_invoked": True}
    assert set(content(made, "iteration-1/eval-one/without_skill/grading.json")) == {"assertion_results", "summary"}


@pytest.mark.parametrize("stays_out", [True, False])
def test_slow_powers_tells_whether_the_skill_stayed_out(bench: Bench, *, stays_out: bool) -> None:
    """Of a task that it is not for; in no pass rate. A verdict that is open is not told."""
    meta = AssertionResult(
        id="__skill_not_invoked",
        text="The agent does not load the skill",
        type="skill_not_invoked",
        verdict="PASS" if stays_out else "FAIL",
        evidence="as seen",
        grader="code",
    )
    for open_one in (False, True):
        shown = meta.model_copy(update={"verdict": "UNGRADED"}) if open_one else meta
        options = {"case": {"skill_should_trigger": False}, "grading": {"meta_results": (shown,)}}
        made = export("slow-powers", bench.trialled({"with_skill": ["PF"], "without_skill": []}, **options))
        (grading,) = [file.content for file in made.files if file.path.endswith("with_skill/grading.json")]
        assert isinstance(grading, dict)
        assert grading["summary"]["pass_rate"] == 0.5
        if open_one:
            assert "meta_results" not in grading
            continue
        row = {"id": "__skill_not_invoked", "passed": stays_out, "evidence": "as seen", "grader": "transcript_check"}
        assert grading["meta_results"] == [row]
        counts = {"passed": int(stays_out), "failed": int(not stays_out), "total": 1, "skill_invoked": not stays_out}
        assert grading["meta_summary"] == counts


def test_slow_powers_conditions_and_benchmark(bench: Bench) -> None:
    """Two conditions with the path of the skill or null; first minus second, said in words."""
    made = export("slow-powers", bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}))
    assert content(made, "iteration-1/conditions.json") == {
        "mode": "new-skill",
        "conditions": [
            {"name": "with_skill", "skill_path": "/skills/tidy"},
            {"name": "without_skill", "skill_path": None},
        ],
        "timestamp": NOW,
        "harness": "stub",
        "runs": 1,
        "agent_model": "model-a",
        "judge_model": "judge-b",
    }
    benchmark = content(made, "iteration-1/benchmark.json")
    assert set(benchmark) == {
        "generated",
        "mode",
        "conditions_compared",
        "missing_gradings",
        "validity_warnings",
        "run_summary",
        "assertions",
        "delta",
    }
    assert benchmark["run_summary"]["without_skill"]["pass_rate"] == {"mean": 0.5, "stddev": 0.0, "n": 1}
    assert benchmark["assertions"]["one"]["a2"] == {
        "with_skill": {"passed": 1, "n": 1},
        "without_skill": {"passed": 0, "n": 1},
    }
    assert benchmark["delta"] == {
        "direction": "with_skill - without_skill",
        "pass_rate": 0.5,
        "duration_ms": 1000,
        "total_tokens": 100,
    }


def test_slow_powers_revision_mode_is_old_minus_new(bench: Bench) -> None:
    """As that tool has it, and as `direction` says: an improvement is negative there."""
    arms = (Arm(name="new_skill", role="treatment", skill=SKILL), Arm(name="old_skill", role="baseline", skill=SKILL))
    made = export("slow-powers", bench.trialled({"new_skill": ["PP"], "old_skill": ["PF"]}, arms=arms))
    benchmark = content(made, "iteration-1/benchmark.json")
    assert (benchmark["mode"], benchmark["conditions_compared"]) == ("revision", ["old_skill", "new_skill"])
    assert benchmark["delta"]["direction"] == "old_skill - new_skill"
    assert benchmark["delta"]["pass_rate"] == -0.5


def test_slow_powers_nests_runs_only_where_there_are_several(bench: Bench) -> None:
    """A single run lies flat; `run_index` is there with the folders."""
    made = export("slow-powers", bench.trialled({"with_skill": ["PP", "PP"], "without_skill": ["PP"]}))
    paths = {path for path in tree(made) if path.endswith("run.json")}
    assert paths == {
        "iteration-1/eval-one/with_skill/run-1/run.json",
        "iteration-1/eval-one/with_skill/run-2/run.json",
        "iteration-1/eval-one/without_skill/run.json",
    }
    assert content(made, "iteration-1/eval-one/with_skill/run-2/run.json")["run_index"] == 2


def test_agentskills_files(bench: Bench) -> None:
    """As few fields as the guide has; the delta is numbers; feedback is a map by folder."""
    documents = {"feedback.json": {"reviews": [{"run_id": "eval-one-with_skill-run-1", "feedback": "Short."}]}}
    made = export("agentskills", bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}, documents=documents))
    slot = "iteration-1/eval-one/without_skill"
    assert content(made, f"{slot}/timing.json") == {"total_tokens": 200, "duration_ms": 2000}
    assert content(made, f"{slot}/grading.json") == {
        "assertion_results": [
            {"text": "Holds 1", "passed": True, "evidence": "seen"},
            {"text": "Holds 2", "passed": False, "evidence": "seen"},
        ],
        "summary": {"passed": 1, "failed": 1, "total": 2, "pass_rate": 0.5},
    }
    assert content(made, "iteration-1/benchmark.json") == {
        "run_summary": {
            "with_skill": {
                "pass_rate": {"mean": 1.0, "stddev": 0.0},
                "time_seconds": {"mean": 3.0, "stddev": 0.0},
                "tokens": {"mean": 300, "stddev": 0.0},
            },
            "without_skill": {
                "pass_rate": {"mean": 0.5, "stddev": 0.0},
                "time_seconds": {"mean": 2.0, "stddev": 0.0},
                "tokens": {"mean": 200, "stddev": 0.0},
            },
            "delta": {"pass_rate": 0.5, "time_seconds": 1.0, "tokens": 100},
        }
    }
    assert content(made, "iteration-1/feedback.json") == {"eval-one": "Short."}


@pytest.mark.parametrize("target", TARGETS)
def test_no_export_holds_null_where_a_number_belongs(bench: Bench, target: str) -> None:
    """What is not known has no key; only slow-powers has places for null."""
    source = bench.trialled(
        {"with_skill": ["PP"], "without_skill": ["PF"]},
        trial={"duration_ms": None, "usage": Usage(), "started_at": None},
    )
    made = export(target, source)
    for file in made.files:
        if isinstance(file.content, dict) and target != "slow-powers":
            assert "null" not in json.dumps(file.content), file.path
    assert any("not known" in loss.what for loss in made.losses) is (target != "slow-powers")


LOSSY: dict[str, tuple[Callable[[Bench], Trialled], str]] = {
    "ungraded": (
        lambda bench: bench.trialled({"with_skill": ["PU"], "without_skill": ["PF"]}),
        "1 assertion without a verdict",
    ),
    "outcome": (
        lambda bench: bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}, trial={"outcome": "timed_out"}),
        "2 trials that did not complete",
    ),
    "error": (
        lambda bench: bench.trialled({"with_skill": [""], "without_skill": [""]}, trial={"outcome": "harness_error"}),
        "2 trials that ended in an error",
    ),
    "third": (
        lambda bench: bench.trialled(
            {"with_skill": ["PP"], "rival": ["PP"], "without_skill": ["PF"]},
            arms=(WITH, Arm(name="rival", role="treatment", skill=SKILL), WITHOUT),
        ),
        "1 trial of a third arm, 'rival'",
    ),
    "name": (
        lambda bench: bench.trialled(
            {"with_skill_2": ["PP"], "plain": ["PF"]},
            arms=(
                Arm(name="with_skill_2", role="treatment", skill=SKILL),
                Arm(name="plain", role="baseline"),
            ),
        ),
        "the name of the arm 'plain': it is written as 'without_skill'",
    ),
    "cost": (
        lambda bench: bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]}, trial={"cost_usd": 0.1}),
        "the cost of 2 trials",
    ),
    "file": (
        lambda bench: bench.trialled(
            {"with_skill": ["PP"], "without_skill": ["PF"]},
            trial={"files": (OutputFile(path="../../escape.md", change="created", size=1, sha256="0"),)},
        ),
        "2 output files, not there any more or with an unsafe name",
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", LOSSY)
def test_what_no_target_holds_is_on_the_list(bench: Bench, target: str, kind: str) -> None:
    """With the iteration, a count and places."""
    make, words = LOSSY[kind]
    losses = export(target, make(bench)).losses
    assert any(words in loss.what and loss.place == "iteration-1" for loss in losses), losses


@pytest.mark.parametrize("target", ["skill-builder", "agentskills"])
def test_repeats_are_lost_in_a_flat_tree(bench: Bench, target: str) -> None:
    """The first run is taken, and the figures are of what is written."""
    made = export(target, bench.trialled({"with_skill": ["PP", "FF"], "without_skill": ["PF", "PF"]}))
    assert any(loss.what.startswith("2 repeats") for loss in made.losses)
    path = "iteration-1/benchmark.json"
    benchmark = content(made, path)
    rate = (
        benchmark["configs"]["with_skill"]["overall_pass_rate"]
        if target == "skill-builder"
        else benchmark["run_summary"]["with_skill"]["pass_rate"]["mean"]
    )
    assert rate == 1.0


def test_a_whole_workspace_loses_nothing_to_skill_creator(bench: Bench) -> None:
    """Intervals, lift and findings can be worked out again."""
    assert (
        export("skill-creator", bench.trialled({"with_skill": ["PP", "PF"], "without_skill": ["FF", "PF"]})).losses
        == ()
    )


def test_a_whole_workspace_of_its_own_dialect_loses_nothing_to_agentskills(bench: Bench) -> None:
    """The prompts are in the skill's own eval file then."""
    cells = {"with_skill": ["PP"], "without_skill": ["PF"]}
    assert export("agentskills", bench.trialled(cells, dialect="agentskills")).losses == ()


@pytest.mark.parametrize("target", TARGETS)
def test_no_path_leaves_the_target(bench: Bench, target: str) -> None:
    """Whatever ids, arms and files are called."""
    source = bench.trialled(
        {"with_skill": ["PP"], "../../etc": ["PF"]},
        arms=(WITH, Arm(name="../../etc", role="baseline")),
        case={"name": "../../x", "written_id": "../../y"},
        trial={
            "files": tuple(
                OutputFile(path=path, change="created", size=1, sha256="0")
                for path in ("../up.md", "/abs.md", "a\\b.md", "a//b", "./c")
            )
        },
    )
    for path in tree(export(target, source)):
        assert re.fullmatch(r"[A-Za-z0-9._/-]+", path)
        assert not any(part in {"", ".", ".."} for part in path.split("/"))


def test_results_on_words_that_changed_are_not_exported(bench: Bench) -> None:
    """A verdict on another text under the same id counts nowhere, here as in the reports."""
    source = bench.trialled({"with_skill": ["PP"], "without_skill": ["PF"]})
    stale = source.gradings[0]
    renamed = (stale.results[0].model_copy(update={"text": "Held before"}), stale.results[1])
    gradings = (stale.model_copy(update={"results": renamed}), *source.gradings[1:])
    made = export(
        "agentskills", Trialled(**{**{f: getattr(source, f) for f in source.__slots__}, "gradings": gradings})
    )
    grading = content(made, "iteration-1/eval-one/with_skill/grading.json")
    assert [result["text"] for result in grading["assertion_results"]] == ["Holds 2"]


def test_an_unknown_target_is_named_with_the_known_ones() -> None:
    """As every plug-in."""
    with pytest.raises(
        SpecError,
        match=r"no exporter named 'excel'.*skill-builder, skill-creator, skill-creator-benchmark, slow-powers",
    ):
        wiring.exporter("excel")
