"""Real agent programs reach the doubles of a case: a fake command from their shell, an MCP tool, a service by its variable."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from harness_contract import SECRET, make_request

from skilltrial import wiring
from skilltrial.adapters.doubles.boundary import LocalBoundary
from skilltrial.adapters.harness import claude_code
from skilltrial.adapters.harness.described import create, read_catalogue
from skilltrial.execute.stand_ins import reaching
from skilltrial.ports import Confinement, Harness, HarnessSettings, TrialFolders, TrialRequest
from skilltrial.records.doubles import DoubleCall, Doubles
from skilltrial.records.trial import HarnessResult
from skilltrial.testing.mock_llm import MockLLM

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
ENV = {"PATH": f"{AGENTS}{os.pathsep}{os.environ['PATH']}", "OPENAI_API_KEY": SECRET}
DOUBLES = Doubles.model_validate(
    {
        "commands": [{"name": "kubectl", "replies": [{"args_match": "^apply", "stdout": "web configured\n"}]}],
        "http": [
            {"name": "status", "env": "STATUS_URL", "replies": [{"path_matches": "^/web$", "json": {"up": True}}]}
        ],
        "mcp": [
            {
                "name": "tickets",
                "tools": [
                    {
                        "name": "close",
                        "description": "Closes a ticket.",
                        "input_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
                        "replies": [{"stdout": "closed"}],
                    }
                ],
            }
        ],
    }
)


COMMAND = r"""kubectl apply -f web.yaml && bash -c 'exec 3<>/dev/tcp/127.0.0.1/${STATUS_URL##*:}
printf "GET /web HTTP/1.0\r\n\r\n" >&3; cat <&3'"""
SCRIPT = "async function main() { return await tools.mcp_tickets.close({id: 7}); }"


def deploys(tool: str, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """A model that calls the command, asks the service and closes the ticket."""
    call = {"tool": tool, "input": given or {"id": 7}}
    return {
        "name": "deploys",
        "rules": [
            {"when": {"step": 0}, "reply": {"calls": [{"tool": "$run", "input": {"command": COMMAND}}]}},
            {"when": {"step": 1}, "reply": {"calls": [call]}},
            {"reply": {"text": "Deployed."}},
        ],
    }


def trial(harness: Harness, request: TrialRequest) -> tuple[HarnessResult, list[DoubleCall]]:
    """One execution with the doubles around it."""
    folders = TrialFolders(
        root=request.work.parent, work=request.work, home=request.home, tmp=request.tmp, skill=request.skill
    )

    async def once() -> tuple[HarnessResult, list[DoubleCall]]:
        async with LocalBoundary({}).open(DOUBLES, folders) as stand_ins:
            try:
                result = await harness.run(reaching(request, stand_ins))
            finally:
                await harness.aclose()
            return result, list(stand_ins.calls())

    return anyio.run(once)


def told(calls: list[DoubleCall]) -> list[tuple[str, str, str, bool]]:
    """What matters of the calls."""
    return [(call.kind, call.name, call.input, call.expected) for call in calls]


USED = [
    ("command", "kubectl", "apply -f web.yaml", True),
    ("http", "status", "GET /web", True),
    ("mcp", "tickets/close", '{"id":7}', True),
]


@pytest.mark.agent
def test_claude_code_uses_all_kinds(claude: Path, tmp_path: Path) -> None:
    """Its shell finds the fake command first, its tools have the service's address, and its MCP client starts the server."""
    with MockLLM(deploys("mcp__tickets__close")) as mock:
        env = {"PATH": os.environ["PATH"], "SKILLTRIAL_CLAUDE": str(claude), "ANTHROPIC_API_KEY": SECRET}
        harness = claude_code.create(HarnessSettings(env={**env, "ANTHROPIC_BASE_URL": mock.url(run="d")}))
        result, calls = trial(harness, make_request(tmp_path))
    assert result.outcome == "completed", result.reason
    assert told(calls) == USED


def described(name: str, mock: MockLLM, env: dict[str, str], confinement: Confinement | None = None) -> Harness:
    """A program by its descriptor; skips where it is not installed."""
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    if shutil.which(entry.descriptor.program, path=env["PATH"]) is None:
        pytest.skip(f"{name} is not installed: run make agents, or make agents-all")
    settings = HarnessSettings(model="mock-model", env=env, confinement=confinement)
    return create(entry.descriptor, settings, base_url=mock.url(run="d", openai=True))


@pytest.mark.agent
def test_codex_uses_all_kinds(tmp_path: Path) -> None:
    """Its shell is a login shell, which begins with the system's search path."""
    with MockLLM(deploys("close")) as mock:
        result, calls = trial(described("codex", mock, ENV), make_request(tmp_path))
    assert result.outcome == "completed", result.reason
    assert told(calls) == USED


@pytest.mark.agent
@pytest.mark.parametrize(
    ("name", "tool", "given"),
    [
        pytest.param("mistral-vibe", "run_typescript", {"code": SCRIPT}, marks=pytest.mark.vibe),
        pytest.param("qwen-code", "mcp__tickets__close", None, marks=pytest.mark.more_agents),
        pytest.param("kimi-code", "mcp__tickets__close", None, marks=pytest.mark.more_agents),
        pytest.param("copilot-cli", "tickets-close", None, marks=pytest.mark.more_agents),
    ],
)
def test_others_use_all_kinds(name: str, tool: str, given: dict[str, Any] | None, tmp_path: Path) -> None:
    """Each finds the server in its own settings; Mistral Vibe calls tools of servers from a script."""
    with MockLLM(deploys(tool, given)) as mock:
        result, calls = trial(described(name, mock, ENV), make_request(tmp_path))
    assert result.outcome == "completed", result.reason
    assert told(calls) == USED


@pytest.mark.agent
@pytest.mark.sandbox
@pytest.mark.bwrap
def test_doubles_are_reached_from_a_sandbox(tmp_path: Path) -> None:
    """Pipes and loopback go through the walls of a name space."""
    found = next((one.confinement for one in wiring.sandboxes(ENV) if one.level == "bwrap"), None)
    if found is None:
        pytest.skip("bwrap does not hold here")
    with MockLLM(deploys("close")) as mock:
        result, calls = trial(described("codex", mock, ENV, found), make_request(tmp_path))
    assert result.outcome == "completed", result.reason
    assert told(calls) == USED
