"""Whether the doubles of a run's cases can be put up."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest

from skilltrial.errors import PlanError
from skilltrial.ports import Capabilities, Harness
from skilltrial.preparing.stand_ins import check_asked, check_doubles
from skilltrial.records.doubles import Doubles
from skilltrial.records.suite import Case, DoubleCalled

ABLE = Capabilities(skill_root="s", takes_environment=True, takes_path=True, takes_servers=True)


@dataclasses.dataclass
class Named:
    """Of a harness, what is looked at."""

    name: str
    capabilities: Capabilities


def check(kind: str, **changes: Any) -> None:
    """A case with a double of a kind, and a harness that can all but what is changed."""
    doubles = {
        "commands": [{"name": "kubectl"}],
        "http": [{"name": "api", "env": "API_URL"}],
        "mcp": [{"name": "tickets"}],
    }
    case = Case(id="deploy", prompt="P", doubles=Doubles.model_validate({kind: doubles[kind]}))
    harness = cast("Harness", Named("mine", dataclasses.replace(ABLE, **changes)))
    check_doubles([Case(id="plain", prompt="P"), case], {"with_skill": harness}, {})


@pytest.mark.parametrize(
    ("kind", "lacks", "said"),
    [
        ("mcp", "takes_servers", r"'deploy' has an MCP double \(tickets\), and mine is given no servers"),
        ("commands", "takes_path", r"'deploy' has a fake command \(kubectl\)"),
        ("http", "takes_environment", "would not see API_URL"),
    ],
)
def test_an_agent_that_would_not_reach_a_double_is_refused(kind: str, lacks: str, said: str) -> None:
    """It might reach the real thing. A replay reaches nothing."""
    check(kind)
    check(kind, **{lacks: False, "discovery": "recorded"})
    with pytest.raises(PlanError, match=said):
        check(kind, **{lacks: False})


@pytest.mark.parametrize(
    ("doubles", "hint"),
    [
        (None, "It has none: give it `doubles`, or"),
        ({"commands": [{"name": "git"}]}, "It has command:git, git: name one of them, or"),
    ],
)
def test_a_check_of_a_double_that_is_not_there_is_refused(doubles: dict[str, Any] | None, hint: str) -> None:
    """Before anything is spent: its verdict would stay open for ever."""
    asked = DoubleCalled(id="used", text="T", double="kubectl")
    case = Case(
        id="deploy", prompt="P", assertions=(asked,), doubles=Doubles.model_validate(doubles) if doubles else None
    )
    with pytest.raises(
        PlanError, match=r"^evals\.json: the assertion 'used' counts .* 'kubectl'.* 'deploy'"
    ) as refused:
        check_asked([case], where="evals.json")
    assert refused.value.hint.startswith(hint)
    there = case.model_copy(update={"assertions": (asked.model_copy(update={"double": "command:git"}),)})
    if doubles:
        check_asked([there], where="evals.json")


def test_those_that_take_servers_are_named() -> None:
    """As their descriptors say."""
    with pytest.raises(PlanError) as refused:
        check("mcp", takes_servers=False)
    assert (
        "claude-code, codex, copilot-cli, gemini-cli, kimi-code, mistral-vibe, opencode, qwen-code"
        in refused.value.hint
    )
