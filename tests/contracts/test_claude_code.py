"""The real Claude Code passes the harness contract."""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType

import pytest
from harness_contract import SECRET, Bench, HarnessContract, TurnLimitContract, make_request, run
from situations import ENDS

from skilltrial.adapters.harness.claude_code import create
from skilltrial.ports import Harness, HarnessSettings
from skilltrial.records.events import ToolResult
from skilltrial.testing.mock_llm import MockLLM

TOUCHES = {
    "name": "touches",
    "rules": [
        {"when": {"step": 0}, "reply": {"calls": [{"tool": "$run", "input": {"command": "touch made.txt"}}]}},
        {"reply": {"text": "I may not."}},
    ],
}


def bench_with(claude: Path, *args: str) -> Bench:
    """Harnesses whose model is a scenario of the scripted server, with more arguments for the program."""

    def make(mock: MockLLM, scenario: str, run: str) -> Harness:
        env = {
            "PATH": os.environ["PATH"],
            "SKILLTRIAL_CLAUDE": str(claude),
            "ANTHROPIC_API_KEY": SECRET,
            "ANTHROPIC_BASE_URL": mock.url(scenario, run),
        }
        return create(HarnessSettings(env=env, args=args))

    return make


@pytest.mark.agent
class TestClaudeCode(HarnessContract, TurnLimitContract):
    """Every behaviour of the contract, with the program as it is installed."""

    times_s = MappingProxyType({"slow_tool": 20.0})
    # Two requests are made; its total has the first one's tokens at times and at times not, with the same script.
    at_times = MappingProxyType({"cut_stream": ENDS["cut_stream"]._replace(tokens=(600, 23))})

    @pytest.fixture
    def bench(self, claude: Path) -> Bench:
        """As it is used."""
        return bench_with(claude)

    @pytest.fixture
    def limited(self, claude: Path) -> Bench:
        """A limit of two turns."""
        return bench_with(claude, "--max-turns", "2")

    def test_what_its_own_rules_deny_is_told_and_graded(self, claude: Path, tmp_path: Path) -> None:
        """The agent hears that it may not, nothing is done, and its answer is a result."""
        request = make_request(tmp_path)
        with MockLLM(TOUCHES) as mock:
            result = run(bench_with(claude, "--disallowedTools", "Bash(touch:*)")(mock, "touches", "denied"), request)
        assert (result.outcome, result.final_message) == ("completed", "I may not.")
        (answer,) = [event for event in result.events if isinstance(event, ToolResult)]
        assert answer.is_error is True
        assert "denied" in answer.text
        assert not (request.work / "made.txt").exists()
