"""Cases with more than one turn through the command line, with the built-in agent and a model that plays the user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Person, write_skill

from skilltrial.testing.mock_llm import MockLLM

AGENT = {
    "name": "agent",
    "usage": {"input": 100, "output": 10},
    "rules": [
        {"when": {"prompt": "^CSV"}, "reply": {"text": "Here is your CSV."}},
        {"when": {"prompt": "quietly"}, "reply": {"text": "Done."}},
        {"reply": {"text": "Which format do you want?"}},
    ],
}


def move(action: str, text: str = "") -> dict[str, Any]:
    """What the player decides."""
    given = {"action": action, "message": text, "rationale": "so"}
    return {"calls": [{"tool": "final_result", "input": given}]}


PLAYER = {
    "name": "player",
    "usage": {"input": 50, "output": 5},
    "rules": [
        {"when": {"prompt": "Here is your CSV"}, "reply": move("done")},
        {"reply": move("message", "CSV, please.")},
    ],
}
ASKS = {"prompt": "CSV.", "deliver_when": "agent_asks"}
CHECK = {"id": "c", "type": "answer_matches", "pattern": "CSV"}
CASES: list[dict[str, Any]] = [
    {"id": "scripted", "prompt": "Convert it.", "turns": [ASKS], "assertions": [CHECK]},
    {"id": "quiet", "prompt": "Convert it quietly.", "turns": [ASKS], "assertions": [CHECK]},
    {"id": "played", "prompt": "Convert it all.", "responder": {"type": "llm"}, "assertions": [CHECK]},
]
OPTIONS = ("--harness", "builtin", "--model", "anthropic:m", "--runs", "1", "--arms", "with_skill", "--json")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """The skill with the three cases."""
    write_skill(tmp_path / "csv-report", CASES)
    (tmp_path / "home").mkdir()
    return tmp_path / "csv-report"


def test_conversations_run_and_are_recorded(skill: Path, tmp_path: Path) -> None:
    """By a script and by a model: what was said, how it ended, what it took, and streams of every message."""
    with MockLLM(AGENT) as agent, MockLLM(PLAYER) as player:
        urls = {"ANTHROPIC_BASE_URL": agent.url(), "OPENAI_BASE_URL": player.url(openai=True)}
        keys = {"ANTHROPIC_API_KEY": "dummy", "OPENAI_API_KEY": "dummy"}
        person = Person(home=tmp_path / "home", variables={**urls, **keys})
        done = person.run("run", skill, *OPTIONS, "--responder", "openai:p", "--workspace", tmp_path / "w")
        assert done.returncode == 0, done.stderr
        agents_requests = json.dumps([record["body"] for record in agent.log.select()])
    benchmark = json.loads(done.stdout)
    assert benchmark["verdict_counts"] == {"PASS": 2, "FAIL": 1, "UNGRADED": 0}
    assert "Conversations stopped early: with_skill 1 of 3 (agent_did_not_ask)" in done.stdout
    trials = {
        case: json.loads((tmp_path / f"w/iteration-1/eval-{case}/with_skill/run-1/run.json").read_text())
        for case in ("scripted", "quiet", "played")
    }
    assert {case: trial["conversation"]["stop"] for case, trial in trials.items()} == {
        "scripted": None,
        "quiet": "agent_did_not_ask",
        "played": "responder_done",
    }
    played = trials["played"]
    assert [each["prompt"] for each in played["conversation"]["rounds"]] == ["Convert it all.", "CSV, please."]
    assert (played["final_message"], played["n_turns"], played["usage"]["input_tokens"]) == (
        "Here is your CSV.",
        2,
        200,
    )
    assert played["conversation"]["responder_usage"]["input_tokens"] == 100
    assert played["attempts"][-1]["responder_usage"] == played["conversation"]["responder_usage"]
    folder = tmp_path / "w/iteration-1/eval-played/with_skill/run-1"
    kinds = [json.loads(line)["kind"] for line in (folder / "transcript.jsonl").read_text().splitlines()]
    assert kinds == ["session_started", "user_message", "assistant_message"] * 2
    assert (folder / "turn-2/stream.jsonl").stat().st_size > 0
    assert not any(word in agents_requests for word in ("responder", "with_skill", "agent_asks", "openai:p"))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "'played' has a responder, and no model was given to play it."),
        (("--responder", "embedded"), "the embedded model is too small to play a user."),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_spent(
    skill: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    """No player, a player that cannot play: exit code 2, and no workspace."""
    person = Person(home=tmp_path / "home", variables={"ANTHROPIC_API_KEY": "dummy"})
    done = person.run("run", skill, *OPTIONS, *more, "--workspace", tmp_path / "w")
    assert done.returncode == 2, done.stderr
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "w").exists()
