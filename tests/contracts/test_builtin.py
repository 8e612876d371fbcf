"""The built-in agent with native tool calls, on both vendors' wires."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

import pytest
from harness_contract import SECRET, Bench, HarnessContract, TurnLimitContract
from situations import End

from skilltrial.adapters.harness.builtin import create
from skilltrial.adapters.llm.models import open_model
from skilltrial.ports import Harness, HarnessSettings
from skilltrial.testing.mock_llm import MockLLM

QUICK = MappingProxyType({"slow_tool": 5.0})
"""No program has to start."""


def bench_for(vendor: Literal["anthropic", "openai"]) -> Bench:
    """Makes harnesses whose model speaks the vendor's wire."""

    def make(mock: MockLLM, scenario: str, run: str) -> Harness:
        env = {"ANTHROPIC_API_KEY": SECRET, "OPENAI_API_KEY": SECRET, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        url = mock.url(scenario, run, openai=vendor == "openai")
        spec = f"{vendor}:mock-model"
        return create(HarnessSettings(model=spec, env=env, open_model=lambda: open_model(spec, base_url=url, env=env)))

    return make


class TestAnthropicWire(HarnessContract, TurnLimitContract):
    """Messages."""

    times_s = QUICK
    at_its_limit = End("agent_failed", "turn_limit", "graded", (20_000, 800), 40, "Step 39.")

    @pytest.fixture
    def bench(self) -> Bench:
        """Harnesses on Anthropic's wire."""
        return bench_for("anthropic")

    @pytest.fixture
    def limited(self, bench: Bench) -> Bench:
        """Its limit is always 40 turns."""
        return bench


class TestOpenAiWire(HarnessContract):
    """Chat Completions."""

    times_s = QUICK

    @pytest.fixture
    def bench(self) -> Bench:
        """Harnesses on OpenAI's wire."""
        return bench_for("openai")
