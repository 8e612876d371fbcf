"""The loop with one JSON action a turn, on the scripted model server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builtin_bench import BODY, KEY, NAME, action, bodies, make_request, run, script

from skilltrial.records.events import AssistantMessage, SessionStarted, ToolCall, ToolResult
from skilltrial.records.trial import SkillEvidence
from skilltrial.testing.mock_llm import MockLLM

LOAD = action(action="load_skill", name=NAME)
WRITE = action(action="write_file", path="out/letter.txt", content="Dear mayor\n")
FINISH = action(action="finish", answer="The letter is written.")


def test_load_write_finish(tmp_path: Path) -> None:
    """The skill's text comes when asked for, the file is in the folder, the answer is the final message."""
    request = make_request(tmp_path, skill=True)
    with MockLLM(script(LOAD, WRITE, FINISH)) as mock:
        result = run(mock, request)
    assert (result.outcome, result.final_message) == ("completed", "The letter is written.")
    assert (request.work / "out" / "letter.txt").read_text() == "Dear mayor\n"
    assert result.evidence == SkillEvidence(offered=True, attempted=True, loaded=True, read=False)
    assert [event.name for event in result.events if isinstance(event, ToolCall)] == ["load_skill", "write_file"]
    loaded = next(event for event in result.events if isinstance(event, ToolResult))
    assert loaded.text == f"{BODY}\n\nFiles of this skill:\n- .agents/skills/{NAME}/notes/animals.md"
    assert BODY not in json.dumps(bodies(mock)[0])
    assert BODY in json.dumps(bodies(mock)[1])


def test_the_start_says_what_was_offered(tmp_path: Path) -> None:
    """Tools and skills stand in the first event, the model's facts in the result."""
    with MockLLM(script(FINISH)) as mock:
        result = run(mock, make_request(tmp_path, skill=True))
    start = result.events[0]
    assert isinstance(start, SessionStarted)
    assert (start.tools, start.skills) == (("load_skill", "write_file"), (NAME,))
    assert result.facts == {"engine": "scripted", "mode": "schema"}


def test_a_skill_that_was_offered_and_not_taken_shows_in_the_evidence(tmp_path: Path) -> None:
    """Offered, not attempted."""
    with MockLLM(script(FINISH)) as mock:
        result = run(mock, make_request(tmp_path, skill=True))
    assert result.evidence == SkillEvidence(offered=True, attempted=False, loaded=False, read=False)


def test_a_wrong_skill_name_is_an_attempt_without_a_text(tmp_path: Path) -> None:
    """The answer is an error, and the skill was not loaded."""
    with MockLLM(script(action(action="load_skill", name="other"), FINISH)) as mock:
        result = run(mock, make_request(tmp_path, skill=True))
    assert (result.evidence.attempted, result.evidence.loaded) == (True, False)


def test_the_seed_goes_to_the_model(tmp_path: Path) -> None:
    """Repeats differ by it, and a repeat can be done again."""
    with MockLLM(script(FINISH)) as mock:
        run(mock, make_request(tmp_path, skill=False, seed=4711))
    assert bodies(mock)[0]["seed"] == 4711


def test_an_agent_that_never_finishes_meets_the_turn_limit(tmp_path: Path) -> None:
    """It is the agent's failure; what it did until then is kept."""
    with MockLLM({"name": "loops", "rules": [{"reply": WRITE}]}) as mock:
        result = run(mock, make_request(tmp_path, skill=False))
    assert result.outcome == "agent_failed"
    assert result.reason is not None
    assert result.reason.code == "turn_limit"
    assert result.usage.requests == 6


def test_an_answer_that_is_no_action_is_the_agents_failure(tmp_path: Path) -> None:
    """Plain words are kept as a message."""
    with MockLLM(script({"text": "I would rather talk."})) as mock:
        result = run(mock, make_request(tmp_path, skill=False))
    assert result.outcome == "agent_failed"
    assert [event.text for event in result.events if isinstance(event, AssistantMessage)] == ["I would rather talk."]


def test_an_answer_cut_at_its_limit_is_the_agents_failure(tmp_path: Path) -> None:
    """Half an action is none."""
    with MockLLM(script({"text": '{"action": "fini', "stop": "max_tokens"})) as mock:
        result = run(mock, make_request(tmp_path, skill=False))
    assert result.reason is not None
    assert (result.outcome, result.reason.code) == ("agent_failed", "output_limit")


def test_a_context_that_is_full_is_the_agents_failure(tmp_path: Path) -> None:
    """The engine's word for it is understood."""
    full = {
        "status": 400,
        "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error",
    }
    with MockLLM(script({"error": full})) as mock:
        result = run(mock, make_request(tmp_path, skill=False))
    assert result.reason is not None
    assert (result.outcome, result.reason.code) == ("agent_failed", "context_limit")


def test_a_lost_connection_is_a_network_error(tmp_path: Path) -> None:
    """It says nothing about the agent."""
    with MockLLM({"name": "resets", "rules": [{"reply": {"fault": "reset"}}]}) as mock:
        result = run(mock, make_request(tmp_path, skill=False))
    assert result.reason is not None
    assert (result.outcome, result.reason.code) == ("harness_error", "network_error")


def test_the_stream_has_a_line_for_every_request_and_answer(tmp_path: Path) -> None:
    """In order, as JSON, without the key."""
    request = make_request(tmp_path, skill=True)
    with MockLLM(script(LOAD, action(action="finish", answer=f"The key is {KEY}."))) as mock:
        result = run(mock, request)
    text = (request.capture / "stream.jsonl").read_text()
    kinds = [json.loads(line)["type"] for line in text.splitlines()]
    assert kinds == ["start", "request", "response", "request", "response"]
    assert KEY not in text
    assert result.final_message == "The key is ***."


def test_injected_puts_the_text_into_the_prompt(tmp_path: Path) -> None:
    """One answer, no actions; the result says that nothing about discovery follows."""
    with MockLLM(script({"text": "Dear mayor"})) as mock:
        result = run(mock, make_request(tmp_path, skill=True), args=("inject",))
    assert result.final_message == "Dear mayor"
    assert result.discovery == "injected"
    assert (result.evidence.injected, result.evidence.offered, result.evidence.reached) == (True, False, True)
    assert BODY in bodies(mock)[0]["messages"][0]["content"]
    assert "tools" not in bodies(mock)[0]


def test_a_request_that_was_cut_off_makes_tokens_and_cost_unknown(tmp_path: Path) -> None:
    """What it took is not nothing, so that the sum of the others is no sum of all."""
    request = make_request(tmp_path, skill=True, timeout_s=5.0)
    with MockLLM(script(LOAD, {"fault": "hang"})) as mock:
        result = run(mock, request)
    assert result.outcome == "timed_out"
    assert (result.usage.input_tokens, result.usage.output_tokens, result.cost_usd) == (None, None, None)


def test_no_folder_on_the_search_path_names_this_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout's environment may be active; the agent must not see it."""
    monkeypatch.setattr("builtin_bench.PATH", "/opt/skilltrial/.venv/bin:/usr/bin:/bin")
    with MockLLM(script({"calls": [{"tool": "shell", "input": {"command": "echo $PATH"}}]}, {"text": "Done."})) as mock:
        result = run(mock, make_request(tmp_path, skill=False), mode="tools")
    assert [event.text for event in result.events if isinstance(event, ToolResult)] == ["/usr/bin:/bin\n"]
