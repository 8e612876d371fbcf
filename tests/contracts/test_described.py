"""Real agent programs that descriptors describe pass the harness contract."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import anyio
import pytest
from harness_contract import SECRET, Bench, HarnessContract, make_request, run

from skilltrial.adapters.harness.described import Descriptor, create, read_catalogue
from skilltrial.ports import Harness, HarnessSettings
from skilltrial.testing.mock_llm import MockLLM

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
PATH = f"{AGENTS}{os.pathsep}{os.environ['PATH']}"


def make(descriptor: Descriptor, base_url: str) -> Harness:
    """The harness with a model behind an address."""
    return create(
        descriptor, HarnessSettings(model="mock-model", env={"PATH": PATH, "OPENAI_API_KEY": SECRET}), base_url=base_url
    )


def refusing_url() -> str:
    """An address of this machine where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


class DescribedContract(HarnessContract):
    """The contract, for a program that is found by its descriptor."""

    harness = ""
    openai = True
    """Whether the address ends in `/v1`."""
    patience_s = 90.0
    """How long a failing service is waited for."""

    @pytest.fixture
    def descriptor(self) -> Descriptor:
        """Of the program; skips where it is not installed."""
        entry = read_catalogue(user=None, project=None).find(self.harness)
        assert entry is not None
        assert entry.descriptor is not None
        for program in (entry.descriptor.program, *entry.descriptor.needs):
            if shutil.which(program, path=PATH) is None:
                pytest.skip(f"{program} is not installed: run make agents")
        return entry.descriptor

    @pytest.fixture
    def bench(self, descriptor: Descriptor) -> Bench:
        """Harnesses whose model is a scenario of the scripted server."""
        return lambda mock, scenario, name: make(descriptor, mock.url(scenario, name, openai=self.openai))

    def test_a_broken_service_is_a_tool_error(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """500 for ever is `api_error`, also where the time is over before the program gives up."""
        result = run(bench(mock, "server_500", "500"), make_request(tmp_path, timeout_s=self.patience_s))
        assert result.outcome == "harness_error", result.reason
        assert result.reason is not None
        assert result.reason.code == "api_error"
        assert result.final_message is None

    def test_a_refused_connection_is_a_tool_error(self, descriptor: Descriptor, tmp_path: Path) -> None:
        """Nobody listens: `network_error`."""
        result = run(make(descriptor, refusing_url()), make_request(tmp_path, timeout_s=self.patience_s))
        assert result.outcome == "harness_error", result.reason
        assert result.reason is not None
        assert result.reason.code == "network_error", result.reason

    def test_the_version_is_told(self, descriptor: Descriptor) -> None:
        """The descriptor was tried with the version that is pinned."""
        status = anyio.run(make(descriptor, refusing_url()).probe)
        assert (status.ready, status.version) == (True, descriptor.checked_with)


@pytest.mark.agent
class TestPi(DescribedContract):
    """On OpenAI's chat wire, without a tool for skills."""

    harness = "pi"


@pytest.mark.agent
class TestCodex(DescribedContract):
    """On OpenAI's responses wire, without a tool for skills."""

    harness = "codex"


@pytest.mark.agent
class TestGeminiCli(DescribedContract):
    """On Gemini's wire, with a tool for skills; the skill is in its home."""

    harness = "gemini-cli"
    openai = False


@pytest.mark.agent
class TestOpenCode(DescribedContract):
    """On OpenAI's chat wire, with a tool for skills."""

    harness = "opencode"
    shows_running_calls = False
    patience_s = 30.0  # it tries again for more than a minute, and says so on stderr alone
