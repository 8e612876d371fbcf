"""Real agent programs that descriptors describe pass the harness contract."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from harness_contract import SECRET, Bench, HarnessContract

from skilltrial.adapters.harness.described import create, read_catalogue
from skilltrial.ports import Harness, HarnessSettings
from skilltrial.testing.mock_llm import MockLLM

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"


def bench_for(name: str, *, openai: bool = True, model: str = "mock-model") -> Bench:
    """Makes harnesses of the program that a descriptor names; skips where it is not installed."""
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    descriptor = entry.descriptor
    path = f"{AGENTS}{os.pathsep}{os.environ['PATH']}"
    for program in (descriptor.program, *descriptor.needs):
        if shutil.which(program, path=path) is None:
            pytest.skip(f"{program} is not installed: run make agents")

    def make(mock: MockLLM, scenario: str, run: str) -> Harness:
        settings = HarnessSettings(model=model, env={"PATH": path, "OPENAI_API_KEY": SECRET})
        return create(descriptor, settings, base_url=mock.url(scenario, run, openai=openai))

    return make


@pytest.mark.agent
class TestPi(HarnessContract):
    """pi, which has no tool for skills."""

    @pytest.fixture
    def bench(self) -> Bench:
        """Harnesses on OpenAI's chat wire."""
        return bench_for("pi")


@pytest.mark.agent
class TestCodex(HarnessContract):
    """Codex, which has no tool for skills."""

    @pytest.fixture
    def bench(self) -> Bench:
        """Harnesses on OpenAI's responses wire."""
        return bench_for("codex")


@pytest.mark.agent
class TestOpenCode(HarnessContract):
    """OpenCode, with a tool for skills."""

    shows_running_calls = False

    @pytest.fixture
    def bench(self) -> Bench:
        """Harnesses on OpenAI's chat wire."""
        return bench_for("opencode")


@pytest.mark.agent
class TestGeminiCli(HarnessContract):
    """Gemini CLI, with a tool for skills; the skill is in its home."""

    @pytest.fixture
    def bench(self) -> Bench:
        """Harnesses on Gemini's wire."""
        return bench_for("gemini-cli", openai=False)
