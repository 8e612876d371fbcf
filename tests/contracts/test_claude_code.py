"""The real Claude Code passes the harness contract."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness_contract import SECRET, Bench, HarnessContract

from skilltrial.adapters.harness.claude_code import create
from skilltrial.ports import Harness, HarnessSettings
from skilltrial.testing.mock_llm import MockLLM


@pytest.mark.agent
class TestClaudeCode(HarnessContract):
    """Every behaviour of the contract, with the program as it is installed."""

    @pytest.fixture
    def bench(self, claude: Path) -> Bench:
        """Harnesses whose model is a scenario of the scripted server."""

        def make(mock: MockLLM, scenario: str, run: str) -> Harness:
            env = {
                "PATH": os.environ["PATH"],
                "SKILLTRIAL_CLAUDE": str(claude),
                "ANTHROPIC_API_KEY": SECRET,
                "ANTHROPIC_BASE_URL": mock.url(scenario, run),
            }
            return create(HarnessSettings(env=env))

        return make
