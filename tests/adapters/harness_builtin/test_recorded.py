"""The replay of recorded trials."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import anyio
import pytest
from builtin_bench import NAME, make_request

from skilltrial.adapters.harness.recorded import NOTICE, Recording, create, sha256_of
from skilltrial.errors import SpecError
from skilltrial.ports import HarnessSettings, TrialRequest
from skilltrial.records.events import AssistantMessage
from skilltrial.records.trial import HarnessResult, SkillEvidence
from skilltrial.records.usage import Usage

PROMPT = "Write a letter to the mayor."
RESULT = HarnessResult(
    outcome="completed",
    events=(AssistantMessage(ordinal=0, text="Done."),),
    final_message="Done.",
    usage=Usage(input_tokens=10, output_tokens=2, requests=1),
    model="small-model",
    evidence=SkillEvidence(offered=True, attempted=True, loaded=True, read=False),
    facts={"engine": "scripted"},
)


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A folder with one recorded trial, with the skill and the seed 7."""
    skill = (make_request(tmp_path / "like", skill=True).work / ".agents" / "skills" / NAME / "SKILL.md").read_bytes()
    recording = Recording(
        prompt_sha256=sha256_of(PROMPT.encode()),
        skill_sha256=sha256_of(skill),
        seed=7,
        result=RESULT,
        files={"out/letter.txt": "Dear mayor\n"},
        stream='{"type": "start"}\n',
    )
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "one.json").write_text(recording.model_dump_json())
    return folder


def replay(recordings: Path, request: TrialRequest) -> HarnessResult:
    """Runs a request on the replay."""
    return anyio.run(create(HarnessSettings(env={}, recordings=recordings)).run, request)


def test_a_recorded_trial_is_replayed_with_its_files(recordings: Path, tmp_path: Path) -> None:
    """Result, stream and files are those recorded; the label is ours."""
    request = make_request(tmp_path / "now", skill=True)
    result = replay(recordings, request)
    assert result == RESULT.model_copy(
        update={"discovery": "recorded", "facts": {"engine": "scripted", "recorded": "yes"}}
    )
    assert (request.work / "out" / "letter.txt").read_text() == "Dear mayor\n"
    assert (request.capture / "stream.jsonl").read_text() == '{"type": "start"}\n'
    assert (request.capture / "stderr.txt").exists()


def test_another_arm_seed_prompt_or_skill_text_is_not_replayed(recordings: Path, tmp_path: Path) -> None:
    """There is no nearest match: it is an error of the harness, and nothing is written."""
    changed = make_request(tmp_path / "changed", skill=True)
    (changed.work / ".agents" / "skills" / NAME / "SKILL.md").write_text("another text")
    with_skill = make_request(tmp_path / "prompt", skill=True)
    others = [
        make_request(tmp_path / "arm", skill=False),
        make_request(tmp_path / "seed", skill=True, seed=8),
        dataclasses.replace(with_skill, prompt="Write a poem."),
        changed,
    ]
    for request in others:
        result = replay(recordings, request)
        assert result.reason is not None
        assert (result.outcome, result.reason.code) == ("harness_error", "setup_failed")
        assert not (request.work / "out").exists()


def test_the_notice_says_that_it_is_a_replay(recordings: Path) -> None:
    """Reports show it."""
    status = anyio.run(create(HarnessSettings(env={}, recordings=recordings)).probe)
    assert (status.ready, status.notices) == (True, (NOTICE,))


def test_a_file_that_is_no_recording_is_named(recordings: Path) -> None:
    """Where, and what is wrong."""
    (recordings / "two.json").write_text(json.dumps({"seed": 1}))
    with pytest.raises(SpecError, match=r"two\.json"):
        create(HarnessSettings(env={}, recordings=recordings))


def test_a_recording_cannot_write_outside_the_folder(recordings: Path) -> None:
    """Paths that lead out are refused when the recording is read."""
    recording = json.loads((recordings / "one.json").read_text())
    (recordings / "one.json").write_text(json.dumps({**recording, "files": {"../out.txt": "x"}}))
    with pytest.raises(SpecError, match=r"one\.json"):
        create(HarnessSettings(env={}, recordings=recordings))


def test_without_recordings_there_is_no_replay() -> None:
    """The message says what to run."""
    with pytest.raises(SpecError, match="skilltrial demo"):
        create(HarnessSettings(env={}))
