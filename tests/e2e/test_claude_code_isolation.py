"""The real Claude Code in the real workspace, against the scripted model: nothing leaks, nothing is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest

from skilltrial.adapters.harness.claude_code import create
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.ports import HarnessSettings, SkillSource, TrialRequest
from skilltrial.processes.strays import marked
from skilltrial.records.events import SessionStarted, ToolCall
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import HarnessResult, OutputFile
from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

pytestmark = pytest.mark.agent

DATA = CaseFile(
    path="data.csv",
    content="name,count\napples,3\npears,4\n",
    sha256="b7601fa0a8125a047be24a0e89ff9ad14af709272757b3caf6786f466b00f07f",
)
SKILL = """---
name: csv-report
description: {0} Turns a CSV file into a short Markdown report. Use when the user asks to summarise a CSV.
---
# CSV report

{0}: read the CSV, count the rows, write report.md.
"""
DETACHES = {
    "name": "detaches",
    "rules": [
        {
            "when": {"step": 0},
            "reply": {
                "calls": [{"tool": "$run", "input": {"command": "setsid sleep 600 >/dev/null 2>&1 & echo started"}}]
            },
        },
        {"reply": {"text": "It runs in the background."}},
    ],
}

Trial = Callable[..., tuple[HarnessResult, tuple[OutputFile, ...], TrialRequest]]


@pytest.fixture
def mock() -> Iterator[MockLLM]:
    """The scripted model server."""
    with MockLLM(SCENARIOS, DETACHES) as server:
        yield server


@pytest.fixture
def trial(claude: Path, mock: MockLLM, tmp_path: Path) -> Trial:
    """Runs one trial as the product does, in a person's home that has a skill of the same name and more."""
    person = tmp_path / "person"
    mine = person / ".claude/skills/csv-report"
    mine.mkdir(parents=True)
    (mine / "SKILL.md").write_text(SKILL.format("PERSONAL"))
    (person / ".claude/CLAUDE.md").write_text("Always answer with the word PERSONAL.\n")
    (person / ".claude/settings.json").write_text('{"model": "opus", "env": {"PERSONAL": "1"}}')
    source = tmp_path / "source/csv-report"
    source.mkdir(parents=True)
    (source / "SKILL.md").write_text(SKILL.format("UNDER-REVIEW"))
    skill = SkillSource(name="csv-report", description="d", folder=source, root=".claude/skills", files=("SKILL.md",))

    def run(
        scenario: str, *, with_skill: bool = False, timeout_s: float = 120.0, prompt: str = "Summarise data.csv"
    ) -> tuple[HarnessResult, tuple[OutputFile, ...], TrialRequest]:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(person),
            "SKILLTRIAL_CLAUDE": str(claude),
            "ANTHROPIC_API_KEY": "sk-e2e-0123456789",
            "ANTHROPIC_BASE_URL": mock.url(scenario, scenario),
        }
        harness, workspace = create(HarnessSettings(env=env)), FolderWorkspace()
        capture = tmp_path / "capture"
        capture.mkdir(exist_ok=True)

        async def once() -> tuple[HarnessResult, tuple[OutputFile, ...], TrialRequest]:
            async with workspace.open([DATA], skill if with_skill else None, skill_root=".claude/skills") as folders:
                request = TrialRequest(
                    prompt=prompt,
                    work=folders.work,
                    home=folders.home,
                    tmp=folders.tmp,
                    capture=capture,
                    skill=folders.skill,
                    model=None,
                    timeout_s=timeout_s,
                    seed=1,
                    mark=f"mark-{os.urandom(8).hex()}",
                    under_trial="csv-report",
                )
                result = await harness.run(request)
                return result, await workspace.collect(folders, capture), request

        return anyio.run(once)

    return run


def said_to_the_model(mock: MockLLM, run: str) -> str:
    """Everything that the program sent in a run."""
    return "\n".join(str(record["body"]) for record in mock.log.select(run) if "body" in record)


def test_with_the_skill_it_is_the_one_under_trial(trial: Trial, mock: MockLLM) -> None:
    """Found, loaded, not shadowed by the person's of the same name; the report is brought home."""
    result, files, _request = trial("skill", with_skill=True)
    assert result.outcome == "completed", result.reason
    evidence = result.evidence
    assert (evidence.offered, evidence.attempted, evidence.loaded) == (True, True, True)
    assert [(file.path, file.change, file.kept) for file in files] == [("report.md", "created", True)]
    sent = said_to_the_model(mock, "skill")
    assert "UNDER-REVIEW" in sent
    assert "PERSONAL" not in sent
    assert result.version


def test_without_the_skill_nothing_of_it_is_there(trial: Trial, mock: MockLLM) -> None:
    """The person's skill of the same name, memory and settings do not leak into the baseline."""
    result, files, _request = trial("skill")
    assert result.outcome == "completed", result.reason
    evidence = result.evidence
    assert (evidence.offered, evidence.attempted, evidence.loaded, evidence.read) == (False, False, False, False)
    assert files == ()
    sent = said_to_the_model(mock, "skill")
    assert "csv-report" not in sent
    assert "PERSONAL" not in sent


def test_the_agent_is_not_told(trial: Trial, mock: MockLLM) -> None:
    """No request says what is going on: no name of ours, no arm, no evaluation, in paths or words of ours."""
    _result, _files, request = trial("text", with_skill=True)
    sent = said_to_the_model(mock, "text").lower()
    assert str(request.work).lower() in sent
    for word in ("skilltrial", "baseline", "with_skill", "without_skill", "session_mark", request.mark):
        assert word not in sent


def test_only_the_skill_differs_between_the_arms(trial: Trial) -> None:
    """The program lists this one skill, and no other."""
    result, _files, _request = trial("text", with_skill=True)
    (session,) = [event for event in result.events if isinstance(event, SessionStarted)]
    assert session.skills == ("csv-report",)


def test_a_skill_called_by_its_name_was_injected(trial: Trial, mock: MockLLM) -> None:
    """A prompt `/name` puts the skill's text before the model without any call: nothing follows about discovery."""
    result, _files, _request = trial("text", with_skill=True, prompt="/csv-report for data.csv")
    assert "UNDER-REVIEW: read the CSV" in said_to_the_model(mock, "text")
    assert result.evidence.injected
    assert result.evidence.reached is True


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_what_a_tool_detached_is_killed(trial: Trial) -> None:
    """A process in its own session survives a normal end of the program, but not of the trial."""
    result, _files, request = trial("detaches")
    assert result.outcome == "completed", result.reason
    assert result.n_strays >= 1
    assert marked(request.mark) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_hang_times_out_and_leaves_nothing(trial: Trial) -> None:
    """A tool that runs for ten minutes: the time-out keeps the call, the process is gone, the outputs are collected."""
    for limit in (8.0, 60.0):  # the longer one where the machine is busy
        result, _files, request = trial("slow_tool", timeout_s=limit)
        assert result.outcome == "timed_out"
        assert marked(request.mark) == []
        assert not request.work.exists()
        called = [event.name for event in result.events if isinstance(event, ToolCall)]
        if called:
            break
    assert called == ["Bash"]


def test_a_broken_service_is_never_a_result(trial: Trial) -> None:
    """500 again and again is an error of the tool."""
    result, files, _request = trial("server_500")
    assert result.outcome == "harness_error"
    assert files == ()
