"""From a plan to one folder a trial."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from doubles import ScriptedHarness, a_plan, completes, fails, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.errors import AuthFailed, Crashed, HarnessError, SpecError
from skilltrial.execute.resume import read_trials
from skilltrial.ports import TrialRequest
from skilltrial.records.events import AssistantMessage, ToolCall
from skilltrial.records.skill import Skill
from skilltrial.records.trial import HarnessResult
from skilltrial.spec.skill import load_skill


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    """A skill with a script and evals, of which only the first may reach an agent."""
    folder = tmp_path / "tidy"
    (folder / "scripts").mkdir(parents=True)
    (folder / "evals").mkdir()
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n")
    (folder / "scripts/go.sh").write_text("#!/bin/sh\n")
    (folder / "evals/evals.json").write_text("{}")
    return load_skill(folder)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """An empty workspace."""
    return FolderStore(tmp_path / "w", write=True)


def test_a_trials_folder_holds_what_the_formats_name(skill: Skill, store: FolderStore) -> None:
    """run.json, transcript, raw stream, timing, outputs with metrics, patch."""
    run_plan(a_plan(skill), store, ScriptedHarness(), skill)
    folder = "iteration-1/eval-c0/with_skill/run-1"
    names = {Path(path).name for path in store.find(f"{folder}/**/*")}
    assert {
        "run.json",
        "transcript.jsonl",
        "stream.jsonl",
        "timing.json",
        "diff.patch",
        "outputs",
        "metrics.json",
    } <= names
    assert store.read(f"{folder}/outputs/answer.txt") == b"42\n"
    assert not store.find(f"{folder}/outputs/data/*"), "files that did not change are no outputs"


def test_timing_and_metrics_hold_the_numbers_of_the_trial(skill: Skill, store: FolderStore) -> None:
    """100 + 20 tokens; two calls, one of them an error; one file of three characters."""
    run_plan(a_plan(skill), store, ScriptedHarness(), skill)
    folder = "iteration-1/eval-c0/with_skill/run-1"
    timing = json.loads(store.read(f"{folder}/timing.json") or b"")
    assert (timing["eval_id"], timing["config"], timing["total_tokens"]) == (0, "with_skill", 120)
    assert (timing["duration_ms"], timing["timestamp"]) == (0, "2026-01-02T00:00:00.000Z")
    metrics = json.loads(store.read(f"{folder}/outputs/metrics.json") or b"")
    assert metrics["tool_calls"] == {"Read": 1, "Write": 1}
    assert (metrics["total_tool_calls"], metrics["errors_encountered"], metrics["output_chars"]) == (2, 1, 3)
    assert metrics["files_created"] == ["answer.txt"]


def test_the_record_says_who_did_it(skill: Skill, store: FolderStore) -> None:
    """Asked and served model, version, cost, evidence, seed and plan."""
    plan = a_plan(skill)
    run_plan(plan, store, ScriptedHarness(), skill)
    first = {trial.key.arm: trial for trial in read_trials(store, plan, 1)}["with_skill"]
    assert (first.harness.model_asked, first.harness.model_served, first.harness.version) == ("asked", "served", "9")
    assert (first.cost_usd, first.n_turns, first.n_tool_errors, first.evidence.loaded) == (0.25, 3, 1, True)
    assert (first.seed, first.plan_digest) == (plan.trials[0].seed, plan.digest)


def test_only_the_treatment_gets_the_skill_and_nobody_gets_the_evals(skill: Skill, store: FolderStore) -> None:
    """Same files and prompt in both arms; the one difference is the skill's folder, without evals."""
    seen: dict[bool, tuple[str, list[str]]] = {}

    def look(request: TrialRequest, number: int) -> HarnessResult:
        files = sorted(
            path.relative_to(request.work).as_posix()
            for path in request.work.rglob("*")
            if path.is_file() and ".git/" not in path.as_posix()
        )
        seen[request.skill is not None] = (request.prompt, files)
        return completes(request, number)

    run_plan(a_plan(skill), store, ScriptedHarness(look), skill)
    assert seen[False] == ("task 0", ["data/start.txt"])
    assert seen[True] == (
        "task 0",
        [".agents/skills/tidy/SKILL.md", ".agents/skills/tidy/scripts/go.sh", "data/start.txt"],
    )


def test_nothing_an_agent_sees_names_the_arm_or_us(skill: Skill, store: FolderStore) -> None:
    """Paths and marks are neutral in both arms."""
    harness = ScriptedHarness()
    run_plan(a_plan(skill), store, harness, skill)
    for request in harness.requests:
        seen = f"{request.work} {request.home} {request.tmp} {request.mark} {request.prompt}".lower()
        assert not [word for word in ("skill", "trial", "eval", "baseline", "arm", "tidy", "test") if word in seen]


def test_a_harness_may_know_the_time_better_than_our_clock(skill: Skill, store: FolderStore) -> None:
    """A replay has the time of the recorded trial; the clock of these tests stands still."""

    def took_long(request: TrialRequest, number: int) -> HarnessResult:
        return completes(request, number).model_copy(update={"duration_ms": 1234})

    plan = a_plan(skill, arms=("with_skill",))
    run_plan(plan, store, ScriptedHarness(took_long), skill)
    (trial,) = read_trials(store, plan, 1)
    assert (trial.duration_ms, trial.attempts[0].duration_ms) == (1234, 1234)


def test_an_error_of_a_tool_is_tried_again_and_every_attempt_is_kept(skill: Skill, store: FolderStore) -> None:
    """429 once, with the wait that the service asked for; then a result."""
    waits: list[float] = []

    def once_busy(request: TrialRequest, number: int) -> HarnessResult:
        (request.capture / "stream.jsonl").write_text(f"{number}\n")
        return fails("rate_limited", retry_after_s=7) if number == 1 else completes(request, number)

    plan = a_plan(skill, arms=("with_skill",))
    run_plan(plan, store, ScriptedHarness(once_busy), skill, waits=waits)
    (trial,) = read_trials(store, plan, 1)
    assert trial.outcome == "completed"
    assert [attempt.outcome for attempt in trial.attempts] == ["harness_error", "completed"]
    assert waits == [7]
    assert store.read("iteration-1/eval-c0/with_skill/run-1/attempts/1/stream.jsonl") == b"1\n"


def test_retries_end_and_the_error_is_no_result(skill: Skill, store: FolderStore) -> None:
    """Three tries in all; the record says harness_error, and nothing was collected."""
    harness = ScriptedHarness(lambda _request, _number: fails("api_error"))
    plan = a_plan(skill, arms=("with_skill",))
    run_plan(plan, store, harness, skill, waits=[])
    (trial,) = read_trials(store, plan, 1)
    assert (trial.outcome, len(trial.attempts), len(harness.requests)) == ("harness_error", 3, 3)
    assert trial.files == ()


@pytest.mark.parametrize("outcome", ["timed_out", "agent_failed"])
def test_a_failure_of_the_agent_is_a_result_and_never_repeated(skill: Skill, store: FolderStore, outcome: str) -> None:
    """What it left is kept, to be graded."""

    def stops(request: TrialRequest, number: int) -> HarnessResult:
        return completes(request, number).model_copy(update={"outcome": outcome})

    plan = a_plan(skill, arms=("with_skill",))
    harness = ScriptedHarness(stops)
    run_plan(plan, store, harness, skill)
    run_plan(plan, store, harness, skill)
    (trial,) = read_trials(store, plan, 1)
    assert (trial.outcome, len(harness.requests), [file.path for file in trial.files]) == (outcome, 1, ["answer.txt"])


def test_a_refused_key_stops_everything_at_once(skill: Skill, store: FolderStore) -> None:
    """One request, one clear error, no plan burnt."""
    harness = ScriptedHarness(lambda _request, _number: fails("auth_failed"))
    with pytest.raises(AuthFailed, match=r"scripted was refused: it was auth_failed\..*Finished trials are kept"):
        run_plan(a_plan(skill, n_cases=5), store, harness, skill)
    assert len(harness.requests) == 1


def test_an_unknown_model_stops_everything_too(skill: Skill, store: FolderStore) -> None:
    """No other trial would find it either."""
    harness = ScriptedHarness(lambda _request, _number: fails("model_not_found"))
    with pytest.raises(HarnessError, match="Give another --model"):
        run_plan(a_plan(skill, n_cases=5), store, harness, skill)
    assert len(harness.requests) == 1


def test_four_failures_in_a_row_stop_the_rest(skill: Skill, store: FolderStore) -> None:
    """A broken set-up is found before hundreds of trials have failed; 4 trials of 3 tries each."""
    harness = ScriptedHarness(lambda _request, _number: fails("crashed"))
    with pytest.raises(Crashed, match="failed 4 times in a row"):
        run_plan(a_plan(skill, n_cases=9), store, harness, skill, waits=[])
    # While one waits for a retry, the next has its place: it may have had two tries when the fourth has had its last.
    assert 12 <= len(harness.requests) <= 14


def test_the_same_plan_again_does_only_what_is_missing(skill: Skill, store: FolderStore) -> None:
    """Stopped by a refused key after three results: three are kept, five are done, the failed one among them."""

    def refused_at_four(request: TrialRequest, number: int) -> HarnessResult:
        return fails("auth_failed") if number == 4 else completes(request, number)

    plan = a_plan(skill, n_cases=4)
    first, second = ScriptedHarness(refused_at_four), ScriptedHarness()
    with pytest.raises(AuthFailed):
        run_plan(plan, store, first, skill)
    kept = {str(trial.key): trial for trial in read_trials(store, plan, 1) if trial.outcome == "completed"}
    assert len(kept) == 3
    run_plan(plan, store, second, skill)
    trials = {str(trial.key): trial for trial in read_trials(store, plan, 1)}
    assert len(trials) == 8
    assert len(second.requests) == 5
    assert all(trials[key] == trial for key, trial in kept.items())
    (redone,) = [trial for trial in trials.values() if len(trial.attempts) == 2]
    assert [attempt.outcome for attempt in redone.attempts] == ["harness_error", "completed"]
    assert len(store.find("iteration-1/superseded/*")) == 1, "the failed trial's folder is kept beside"


def test_a_crash_of_ours_leaves_nothing_half_done(skill: Skill, store: FolderStore) -> None:
    """A defect in a harness ends the run; no folder of that trial appears, and nothing is staged."""

    def breaks(_request: TrialRequest, _number: int) -> HarnessResult:
        raise ZeroDivisionError

    with pytest.raises(BaseExceptionGroup):
        run_plan(a_plan(skill), store, ScriptedHarness(breaks), skill)
    assert not store.find("iteration-1/eval-*/*/run-*")
    assert not store.find(".staging/*")


def test_a_skill_edited_during_the_run_does_not_reach_half_of_its_trials(skill: Skill, store: FolderStore) -> None:
    """All trials of an arm get the skill as it was planned."""
    texts: list[str] = []

    def edits(request: TrialRequest, number: int) -> HarnessResult:
        assert request.skill
        texts.append((request.skill.folder / "SKILL.md").read_text())
        Path(skill.folder, "SKILL.md").write_text("---\nname: tidy\ndescription: Other.\n---\n")
        return completes(request, number)

    run_plan(a_plan(skill, n_cases=3, arms=("with_skill",)), store, ScriptedHarness(edits), skill)
    assert texts == ["---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n"] * 3


def test_an_agents_own_metrics_file_is_not_overwritten(skill: Skill, store: FolderStore) -> None:
    """Outputs are the agent's; ours makes way."""

    def writes_metrics(request: TrialRequest, number: int) -> HarnessResult:
        (request.work / "metrics.json").write_text('{"mine": 1}')
        return completes(request, number)

    run_plan(a_plan(skill, arms=("with_skill",)), store, ScriptedHarness(writes_metrics), skill)
    assert store.read("iteration-1/eval-c0/with_skill/run-1/outputs/metrics.json") == b'{"mine": 1}'


@pytest.mark.parametrize(("own_limit", "most"), [(1, 1), (None, 3)])
def test_the_harness_own_limit_wins_over_concurrency(
    skill: Skill, store: FolderStore, own_limit: int | None, most: int
) -> None:
    """Three at a time where the harness takes them, one where it does not."""
    harness = ScriptedHarness(max_concurrency=own_limit, gate=most)
    run_plan(a_plan(skill, n_cases=4), store, harness, skill, concurrency=3)
    assert harness.most_running == most


def test_case_metadata_carries_id_name_prompt_and_criteria(skill: Skill, store: FolderStore) -> None:
    """Where skill-creator's programs look for it."""
    run_plan(a_plan(skill), store, ScriptedHarness(), skill)
    metadata = json.loads(store.read("iteration-1/eval-c0/eval_metadata.json") or b"")
    assert {key: metadata[key] for key in ("eval_id", "eval_name", "prompt", "assertions")} == {
        "eval_id": 0,
        "eval_name": "c0",
        "prompt": "task 0",
        "assertions": [],
    }


def test_half_characters_in_a_stream_lose_no_trial(skill: Skill, store: FolderStore) -> None:
    """A lone surrogate cannot be written to a file; it becomes U+FFFD, and the rest stays."""

    def says_half(request: TrialRequest, number: int) -> HarnessResult:
        events = (
            AssistantMessage(ordinal=0, text="a\ud800b"),
            ToolCall(ordinal=1, call_id="1", name="x", input={"k\udc00": ["\ud800"]}),
        )
        return completes(request, number).model_copy(update={"final_message": "a\ud800b", "events": events})

    plan = a_plan(skill, arms=("with_skill",))
    run_plan(plan, store, ScriptedHarness(says_half), skill)
    (trial,) = read_trials(store, plan, 1)
    assert trial.final_message == "a\ufffdb"
    transcript = (store.read("iteration-1/eval-c0/with_skill/run-1/transcript.jsonl") or b"").decode()
    assert json.loads(transcript.splitlines()[1])["input"] == {"k\ufffd": ["\ufffd"]}


def test_odd_file_names_lose_no_trial(skill: Skill, store: FolderStore) -> None:
    """Names that are not UTF-8, or hold a newline, are recorded."""

    def odd_names(request: TrialRequest, number: int) -> HarnessResult:
        (request.work / os.fsdecode(b"bad-\xff")).write_text("x")
        (request.work / "two\nlines").write_text("x")
        return completes(request, number)

    plan = a_plan(skill, arms=("with_skill",))
    run_plan(plan, store, ScriptedHarness(odd_names), skill)
    (trial,) = read_trials(store, plan, 1)
    assert len(trial.files) == 3


def test_a_skill_that_changed_since_it_was_read_is_not_tried(skill: Skill, store: FolderStore) -> None:
    """Its trials would stand under the fingerprint of another text."""
    (Path(skill.folder) / "scripts/go.sh").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(SpecError, match=r"go\.sh: the file is not what it was"):
        run_plan(a_plan(skill), store, ScriptedHarness(), skill)
    assert not store.find("iteration-1/skills/*")
