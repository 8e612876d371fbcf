"""Real agent programs that descriptors describe pass the harness contract.

Five of them `make agents` installs, with Mistral Vibe where there is a Python for it; the others `make agents-all`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anyio
import pytest
from harness_contract import SECRET, SPILLS_KEY, Bench, HarnessContract, TurnLimitContract
from situations import ALWAYS_429, FAILING_TOOLS, End

from skilltrial.adapters.harness.described import Descriptor, create, read_catalogue
from skilltrial.errors import SpecError
from skilltrial.ports import Harness, HarnessSettings
from skilltrial.testing.mock_llm import SCENARIOS, MockLLM
from skilltrial.wiring.skill_folders import skill_folder_of

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
PATH = f"{AGENTS}{os.pathsep}{os.environ['PATH']}"
SLOW_TO_BEGIN = MappingProxyType({"slow_tool": 15.0})
"""It has to get as far as its tool."""
LIMITED = End("harness_error", "rate_limited", "excluded")


def find(name: str) -> Descriptor:
    """The descriptor of a program; skips where the program is not installed."""
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    for program in (entry.descriptor.program, *entry.descriptor.needs):
        if shutil.which(program, path=PATH) is None:
            pytest.skip(f"{program} is not installed: run make agents, or make agents-all")
    return entry.descriptor


def make(descriptor: Descriptor, base_url: str, *args: str) -> Harness:
    """The harness with a model behind an address."""
    env = {"PATH": PATH, "OPENAI_API_KEY": SECRET}
    return create(descriptor, HarnessSettings(model="mock-model", args=args, env=env), base_url=base_url)


class DescribedContract(HarnessContract):
    """The contract, for a program that is found by its descriptor."""

    harness = ""
    openai = True
    """Whether the address ends in `/v1`."""

    @pytest.fixture(autouse=True)
    def persons_folder(self) -> None:
        """As `skilltrial skill install` has it."""
        with suppress(SpecError):
            self.persons_skills = skill_folder_of(self.harness, project=None, env={"HOME": "/home"}).below

    @pytest.fixture
    def descriptor(self) -> Descriptor:
        """Of the program."""
        return find(self.harness)

    @pytest.fixture
    def bench(self, descriptor: Descriptor) -> Bench:
        """Harnesses whose model is a scenario of the scripted server."""
        return lambda mock, scenario, name: make(descriptor, mock.url(scenario, name, openai=self.openai))

    def test_the_version_is_told(self, descriptor: Descriptor) -> None:
        """The descriptor was tried with the version that is pinned."""
        status = anyio.run(make(descriptor, "http://127.0.0.1:1").probe)
        assert (status.ready, status.version) == (True, descriptor.checked_with)


@pytest.mark.agent
class TestPi(DescribedContract):
    """On OpenAI's chat wire, without a tool for skills. It has no limit of turns."""

    harness = "pi"
    word = ".pi"


@pytest.mark.agent
class TestCodex(DescribedContract):
    """On OpenAI's responses wire, without a tool for skills. It has no limit of turns."""

    harness = "codex"
    word = "codex"
    differs = MappingProxyType({"rate_limit_then_ok": LIMITED})  # it does not wait for a rate limit


@pytest.mark.agent
class TestGeminiCli(DescribedContract, TurnLimitContract):
    """On Gemini's wire, with a tool for skills; the skill is in its home."""

    harness = "gemini-cli"
    word = "gemini"
    times_s = SLOW_TO_BEGIN
    openai = False
    # It does not ask again where a stream breaks off, and then tells no tokens.
    differs = MappingProxyType(
        {
            "cut_stream": End(
                "harness_error", "api_error", "excluded", None, 0, "This sentence is long enough to be cut s"
            )
        }
    )

    @pytest.fixture
    def limited(self, descriptor: Descriptor) -> Bench:
        """Its limit is a setting."""
        (file,) = descriptor.files
        content = json.dumps({**json.loads(file.content), "model": {"maxSessionTurns": 2}})
        limited = descriptor.model_copy(update={"files": (file.model_copy(update={"content": content}),)})
        return lambda mock, scenario, name: make(limited, mock.url(scenario, name))


@pytest.mark.agent
class TestOpenCode(DescribedContract):
    """On OpenAI's chat wire, with a tool for skills. It tells a call when it has ended; its limit of turns is an advice."""

    harness = "opencode"
    word = "opencode"
    # It shows a call when that has ended, so that nobody can tell whether the model has answered.
    differs = MappingProxyType(
        {
            "slow_tool": End("timed_out", "timeout", "graded", None, 0, "This takes a while."),
            "hang": End("timed_out", "timeout", "graded"),
        }
    )
    times_s = SLOW_TO_BEGIN
    patience_s = 20.0  # it tries again for more than a minute, and says so on stderr alone


class MoreContract(DescribedContract):
    """For programs with a limit of turns that is an argument."""

    limit: tuple[str, ...] = ()

    @pytest.fixture
    def limited(self, descriptor: Descriptor) -> Bench:
        """A limit of two turns."""
        return lambda mock, scenario, name: make(descriptor, mock.url(scenario, name, openai=True), *self.limit)


@pytest.mark.agent
@pytest.mark.vibe
class TestMistralVibe(MoreContract, TurnLimitContract):
    """On OpenAI's chat wire, with a tool for skills."""

    harness = "mistral-vibe"
    word = "vibe"
    times_s = SLOW_TO_BEGIN
    limit = ("--max-turns", "2")


@pytest.mark.agent
@pytest.mark.more_agents
class TestQwenCode(MoreContract, TurnLimitContract):
    """On OpenAI's chat wire, with a tool for skills; the skill is in its home."""

    harness = "qwen-code"
    word = "qwen"
    times_s = SLOW_TO_BEGIN
    patience_s = 240.0  # it tries again for long and says nothing of it
    # It puts a broken answer and the next into one.
    differs = MappingProxyType(
        {
            "cut_stream": End(
                "completed",
                None,
                "graded",
                (300, 10),
                0,
                "This sentence is long enough to be cut somewhere in the middle of it.Now it is whole.",
            )
        }
    )
    limit = ("--max-session-turns", "2")


@pytest.mark.agent
@pytest.mark.more_agents
class TestCopilotCli(DescribedContract):
    """On OpenAI's chat wire, with a tool for skills. It has no limit of turns."""

    harness = "copilot-cli"
    word = "copilot"
    times_s = SLOW_TO_BEGIN


@pytest.mark.agent
@pytest.mark.more_agents
class TestKimiCode(DescribedContract):
    """On OpenAI's chat wire, with a tool for skills; the skill is in its home. It has no limit of turns."""

    harness = "kimi-code"
    word = "kimi"
    times_s = SLOW_TO_BEGIN
    patience_s = 240.0


def submitting(scenario: dict[str, Any]) -> dict[str, Any]:
    """The scenario for mini-swe-agent: it takes an answer without a call for a mistake, and our listing is in its task."""
    done = {"calls": [{"tool": "$run", "input": {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}}]}
    rules = [
        {**rule, "reply": rule["reply"] if {"calls", "error"} & rule["reply"].keys() else {**rule["reply"], **done}}
        for rule in scenario["rules"]
    ]
    first: list[dict[str, Any]] = []
    for key, instead in (("skill_listed", {"prompt": "csv-report: Turns a CSV"}), ("skill_not_listed", {})):
        found = [rule for rule in rules if key in rule.get("when", {})]
        kept = ({name: value for name, value in rule["when"].items() if name != key} for rule in found)
        first += [{**rule, "when": {**when, **instead}} for rule, when in zip(found, kept, strict=True)]
        rules = [rule for rule in rules if rule not in found]
    return {**scenario, "rules": first + rules}


@pytest.mark.agent
@pytest.mark.more_agents
class TestMiniSweAgent(DescribedContract):
    """On OpenAI's chat wire, with a shell as its one tool; we list the skill in front of the task. It has no limit of turns."""

    harness = "mini-swe-agent"
    word = "mini"
    tells_late = True
    times_s = SLOW_TO_BEGIN
    n_last_calls = 1
    # Its trajectory is written when it ends, so that nobody can tell whether the model has answered.
    differs = MappingProxyType({"hang": End("timed_out", "timeout", "graded")})

    @pytest.fixture
    def mock(self) -> Iterator[MockLLM]:
        """The scripted model server, with last answers that call."""
        shipped = [{"name": file.stem, **json.loads(file.read_text())} for file in sorted(SCENARIOS.glob("*.json"))]
        with MockLLM(*map(submitting, [*shipped, SPILLS_KEY, FAILING_TOOLS]), ALWAYS_429) as server:
            yield server
