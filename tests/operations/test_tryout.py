"""What one small trial shows of an agent program."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Person

from skilltrial.operations.tryout import findings_of
from skilltrial.ports import Capabilities
from skilltrial.records.trial import HarnessResult, Reason, ReasonCode, SkillEvidence
from skilltrial.records.usage import Usage
from skilltrial.testing.mock_llm import MockLLM

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
LOADS_THE_SKILL: dict[str, Any] = {
    "vars": {"skill": "greeting-word"},
    "rules": [
        {"when": {"tools_offered": False}, "reply": {"text": "A title"}},
        {
            "when": {"step": 0, "skill_listed": "{{skill}}"},
            "reply": {"calls": [{"tool": "$skill", "input": {"name": "{{skill}}"}}]},
        },
        {"reply": {"text": "ok"}},
    ],
}


def words(result: HarnessResult, *, word: str = "w0") -> dict[str, str]:
    """The findings, without their reasons."""
    return {what: said for what, said, _ in findings_of(result, Capabilities(skill_root="s"), word=word)}


def test_the_skills_own_word_in_the_answer_shows_that_it_was_loaded() -> None:
    """Whatever the stream shows of it."""
    got = words(HarnessResult(outcome="completed", final_message="It is w0.", exit_code=0))
    assert (got["finds a skill"], got["loads it"], got["ends cleanly"]) == ("yes", "yes", "yes")
    assert (got["tells tokens"], got["tells cost"]) == ("no", "no")


@pytest.mark.parametrize(
    ("evidence", "finds", "loads"),
    [
        (SkillEvidence(), "cannot tell", "cannot tell"),
        (SkillEvidence(offered=True, loaded=False, read=False), "yes", "no"),
        (SkillEvidence(offered=False, loaded=False, read=False), "no", "no"),
        (SkillEvidence(loaded=False, read=True), "yes", "yes"),
    ],
)
def test_without_that_word_the_stream_has_to_show_it(evidence: SkillEvidence, finds: str, loads: str) -> None:
    """And what it does not show is not denied."""
    usage = Usage(input_tokens=10, output_tokens=2)
    got = words(HarnessResult(outcome="completed", final_message="ok", evidence=evidence, usage=usage, cost_usd=0.1))
    assert (got["finds a skill"], got["loads it"]) == (finds, loads)
    assert (got["tells tokens"], got["tells cost"]) == ("yes", "yes")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("crashed", {"starts": "no"}),
        ("auth_failed", {"starts": "yes", "logs in": "no"}),
        ("network_error", {"starts": "yes", "logs in": "cannot tell", "answers": "no"}),
    ],
)
def test_an_error_of_a_tool_says_how_far_it_came(code: ReasonCode, expected: dict[str, str]) -> None:
    """Nothing is said of what comes after."""
    result = HarnessResult(outcome="harness_error", reason=Reason(code=code, message="so it was."))
    assert words(result) == expected


def test_strays_and_a_time_out_are_no_clean_end() -> None:
    """Each with the reason."""
    assert words(HarnessResult(outcome="completed", final_message="w0", n_strays=2))["ends cleanly"] == "no"
    late = HarnessResult(outcome="timed_out", reason=Reason(code="timeout", message="late"), final_message="w0")
    assert words(late)["ends cleanly"] == "no"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with the agents on PATH and an empty home."""
    (tmp_path / "home").mkdir()
    path = f"{AGENTS}{os.pathsep}{os.environ['PATH']}"
    return Person(home=tmp_path / "home", variables={"PATH": path, "TMPDIR": str(tmp_path)})


@pytest.fixture
def mock() -> Iterator[MockLLM]:
    """A model that loads the skill where it is listed."""
    with MockLLM(LOADS_THE_SKILL) as server:
        yield server


@pytest.mark.agent
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_real_agent_program_is_tried(person: Person, mock: MockLLM, name: str) -> None:
    """It starts, logs in, answers, finds and loads the skill, tells its tokens, ends; nothing is left behind."""
    if not (AGENTS / name.removesuffix("-code")).exists():
        pytest.skip(f"{name} is not installed: run make agents")
    person.variables.update({"ANTHROPIC_API_KEY": "dummy-key-1234", "OPENAI_API_KEY": "dummy-key-1234"})
    url = mock.url(openai=name == "codex")
    done = person.run("harness", "probe", name, "--model", "mock-model", "--base-url", url, "--yes", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    got = {row["what"]: row["word"] for row in json.loads(done.stdout)["findings"]}
    assert got.pop("tells cost") == "no"
    assert set(got.values()) == {"yes"}
    assert [path.name for path in person.home.parent.iterdir() if path.name != "home"] == []


def test_it_costs_nothing_without_a_yes(person: Person) -> None:
    """Where nobody can be asked, nothing is started."""
    done = person.run("harness", "probe", "command", "--harness-arg", f"sh -c 'touch {person.home}/started'")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert not (person.home / "started").exists()


def test_a_program_that_is_not_there_is_said(person: Person) -> None:
    """With what to do, and exit code 3."""
    done = person.run("harness", "probe", "command", "--harness-arg", "no-such-agent", "--yes")
    assert done.returncode == 3
    assert "no-such-agent" in done.stdout
