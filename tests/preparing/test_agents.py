"""Which agent program does the trials of each arm."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skilltrial import wiring
from skilltrial.errors import PlanError, SpecError
from skilltrial.preparing.agents import Agents, choose_agents
from skilltrial.preparing.lineup import LineUp
from skilltrial.records.budget import Ceilings
from skilltrial.records.plan import Arm
from skilltrial.records.settings import ArmSettings
from skilltrial.records.skill import SkillRef

TOML = Path("/project/skilltrial.toml")
SKILL = SkillRef(name="tidy", folder="/s", fingerprint="sha256:aa")
ARMS = (Arm(name="new", role="treatment", skill=SKILL), Arm(name="old", role="baseline"))


@pytest.fixture
def wanted(tmp_path: Path) -> wiring.Wanted:
    """Somebody with a Claude Code that only tells its version, and a key for the built-in agent."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 2.1.0\n")
    program.chmod(0o755)
    env = {"SKILLTRIAL_CLAUDE": str(program), "ANTHROPIC_API_KEY": "dummy-key-1234", "HOME": str(tmp_path)}
    return wiring.Wanted(harness="claude-code", model="opus", args=("--effort", "high"), env=env)


def agents_of(wanted: wiring.Wanted, *, arms: tuple[Arm, ...] = ARMS, **said: ArmSettings) -> Agents:
    """The agents of these arms."""

    async def choose() -> Agents:
        async with AsyncExitStack() as stack:
            lineup = LineUp(arms=arms, skills={}, settings=said)
            return await choose_agents(wanted, lineup, settings=TOML, ceilings=Ceilings(), stack=stack)

    return anyio.run(choose)


def test_arms_that_say_nothing_share_the_runs_agent(wanted: wiring.Wanted) -> None:
    """One object, and no choice of their own in the plan."""
    agents = agents_of(wanted)
    assert agents.harnesses["new"] is agents.harnesses["old"]
    assert agents.arms == ARMS
    assert (agents.choice.name, agents.choice.model) == ("claude-code", "opus")


def test_a_model_of_its_own_keeps_the_runs_program_and_arguments(wanted: wiring.Wanted) -> None:
    """Only what the arm says is another."""
    agents = agents_of(wanted, new=ArmSettings(model="haiku"))
    own = agents.arms[0].harness
    assert own is not None
    assert (own.name, own.version, own.model, own.args) == ("claude-code", "2.1.0", "haiku", ("--effort", "high"))
    assert agents.harnesses["new"] is not agents.harnesses["old"]


def test_another_program_gets_neither_the_runs_model_nor_its_arguments(wanted: wiring.Wanted) -> None:
    """They are words of the other program."""
    agents = agents_of(wanted, new=ArmSettings(harness="builtin"))
    own = agents.arms[0].harness
    assert own is not None
    assert (own.name, own.model, own.args) == ("builtin", "anthropic:claude-sonnet-4-5", ())


def test_an_arm_that_names_what_the_run_has_shares_its_object(wanted: wiring.Wanted) -> None:
    """So that one service gets one client."""
    agents = agents_of(wanted, new=ArmSettings(harness="claude-code", model="opus"))
    assert agents.harnesses["new"] is agents.harnesses["old"]
    assert len(agents.choices) == 2


def test_where_every_arm_names_a_program_the_runs_is_not_looked_for(wanted: wiring.Wanted) -> None:
    """Nothing is installed that the run would take by itself; the first arm's is the plan's."""
    nobody = replace(wanted, harness=None, model=None, args=())
    both = ArmSettings(harness="builtin", model="anthropic:a")
    agents = agents_of(nobody, new=both, old=ArmSettings(harness="builtin", model="anthropic:b"))
    assert (agents.choice.name, agents.choice.model) == ("builtin", "anthropic:a")
    assert [arm.harness and arm.harness.model for arm in agents.arms] == ["anthropic:a", "anthropic:b"]


def test_a_program_that_offers_one_skill_is_refused_for_an_arm_with_siblings(wanted: wiring.Wanted) -> None:
    """Before anything is spent."""
    arms = (ARMS[0].model_copy(update={"beside": (SKILL.model_copy(update={"name": "other"}),)}), ARMS[1])
    with pytest.raises(PlanError, match="new has skills beside the one on trial, and builtin offers only that one"):
        agents_of(wanted, arms=arms, new=ArmSettings(harness="builtin"))


def test_an_unknown_program_of_an_arm_is_refused_with_those_that_there_are(wanted: wiring.Wanted) -> None:
    """As on the command line."""
    with pytest.raises(SpecError, match="there is no harness named 'nope'"):
        agents_of(wanted, new=ArmSettings(harness="nope"))
