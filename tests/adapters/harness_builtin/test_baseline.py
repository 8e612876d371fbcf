"""Without the skill nothing of it can be reached: no listing, no action, no file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from builtin_bench import BODY, DESCRIPTION, NAME, action, bodies, make_request, run, script

from skilltrial.records.trial import SkillEvidence
from skilltrial.testing.mock_llm import MockLLM

WRITES = script(
    action(action="write_file", path="letter.txt", content="Dear mayor"), action(action="finish", answer="Done.")
)
SAYS = script({"text": "Dear mayor"})


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_no_tool_and_no_listing_in_tools_mode(vendor: Literal["openai", "anthropic"], tmp_path: Path) -> None:
    """The request bodies hold neither name, description nor text of the skill, nor a tool to load one."""
    with MockLLM(SAYS) as mock:
        result = run(mock, make_request(tmp_path, skill=False), mode="tools", vendor=vendor)
    said = json.dumps(bodies(mock))
    assert result.outcome == "completed"
    assert not [word for word in (NAME, DESCRIPTION, BODY, "skill") if word in said.lower()]


def test_no_action_and_no_listing_in_schema_mode(tmp_path: Path) -> None:
    """The schema knows no action that loads a skill, so that the model cannot even name one."""
    with MockLLM(WRITES) as mock:
        run(mock, make_request(tmp_path, skill=False))
    body = bodies(mock)[0]
    actions = body["response_format"]["json_schema"]["schema"]["oneOf"]
    assert [item["properties"]["action"]["const"] for item in actions] == ["write_file", "finish"]
    assert not [word for word in (NAME, DESCRIPTION, BODY, "skill") if word in json.dumps(bodies(mock)).lower()]


def test_with_the_skill_only_its_listing_is_added(tmp_path: Path) -> None:
    """Both arms get the same words but for the action and the listing; the body is not among them."""
    with MockLLM(WRITES) as mock:
        run(mock, make_request(tmp_path / "a", skill=False))
        run(mock, make_request(tmp_path / "b", skill=True))
    without, _, with_skill, _ = (body["messages"] for body in bodies(mock))
    assert without[1] == with_skill[1]
    known = without[0]["content"].splitlines()
    added = [line for line in with_skill[0]["content"].splitlines() if line and line not in known]
    assert added == [
        '{"action": "load_skill", "name": NAME} shows the instructions of a skill.',
        "First load the skill whose description fits the task, then follow it.",
        "Skills:",
        f"- {NAME}: {DESCRIPTION}",
    ]
    assert BODY not in json.dumps(with_skill)


def test_a_model_that_asks_for_a_skill_all_the_same_gets_none(tmp_path: Path) -> None:
    """An engine that does not hold the schema cannot reach a skill either."""
    asks = script(action(action="load_skill", name=NAME), action(action="finish", answer="Done."))
    with MockLLM(asks) as mock:
        result = run(mock, make_request(tmp_path, skill=False))
    assert result.evidence == SkillEvidence(offered=False, attempted=False, loaded=False, read=False)
    assert "There is no tool 'load_skill'." in json.dumps(bodies(mock)[1])
