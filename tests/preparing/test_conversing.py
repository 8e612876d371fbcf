"""What is asked of a run whose cases have more than one turn."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from skilltrial.errors import PlanError
from skilltrial.ports import Capabilities, Harness
from skilltrial.preparing.conversing import check_conversations, responder_of
from skilltrial.records.conversation import Turn
from skilltrial.records.suite import Case
from skilltrial.request import RunRequest

ONE = Case(id="one", prompt="P")
TWO = Case(id="two", prompt="P", turns=(Turn(prompt="Q"),))


class Agent:
    """A harness as far as it is looked at."""

    def __init__(self, name: str, *, resumes: bool) -> None:
        self.name = name
        self.capabilities = Capabilities(skill_root=".agents/skills", resumes=resumes)


def check(case: Case, *agents: Agent) -> None:
    """As for a run with an arm each, by a person without any settings."""
    harnesses = {agent.name: cast("Harness", agent) for agent in agents}
    check_conversations([case], harnesses, {"HOME": str(Path(__file__).parent)})


def test_cases_with_one_prompt_ask_for_nothing() -> None:
    """Any agent program can run them."""
    check(ONE, Agent("old", resumes=False))


def test_every_arm_has_to_go_on_with_its_session() -> None:
    """One program that cannot is enough to refuse; those that can are named."""
    check(TWO, Agent("a", resumes=True))
    with pytest.raises(PlanError, match="'two' has more than one turn, and old cannot go on with a session") as error:
        check(TWO, Agent("a", resumes=True), Agent("old", resumes=False))
    assert (
        "claude-code, builtin, codex, copilot-cli, gemini-cli, kimi-code, mistral-vibe, opencode, pi"
        in error.value.hint
    )


def test_a_login_that_keeps_no_session_is_named() -> None:
    """Claude Code can, but not with the login in the person's own folder."""
    with pytest.raises(PlanError) as error:
        check(TWO, Agent("claude-code", resumes=False))
    assert "set ANTHROPIC_API_KEY" in error.value.hint


def test_a_responder_that_plays_nobody_is_refused() -> None:
    """Somebody expects a model there that nothing would ask, and its name was never looked at."""
    request = RunRequest(skill=Path("s"), env={}, responder="foo")
    with pytest.raises(PlanError, match="--responder is 'foo', and no case of this run has a user to play"):
        responder_of([ONE, TWO], request)
    assert responder_of([ONE], RunRequest(skill=Path("s"), env={}, judge="openai:m")) is None
