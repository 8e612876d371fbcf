"""Whether the doubles of a run's cases can be put up."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest

from skilltrial.errors import PlanError
from skilltrial.ports import Capabilities, Harness
from skilltrial.records.doubles import Doubles
from skilltrial.records.suite import Case
from skilltrial.stand_ins import check_doubles

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


def test_those_that_take_servers_are_named() -> None:
    """As their descriptors say."""
    with pytest.raises(PlanError) as refused:
        check("mcp", takes_servers=False)
    assert "claude-code, codex, copilot-cli, gemini-cli, opencode, qwen-code" in refused.value.hint
