"""An agent program as the judge: a prompt in, one JSON object out, and every other end said for what it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from skilltrial import wiring
from skilltrial.adapters.llm.agent_judge import AgentJudge
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.errors import AuthFailed, HarnessError, NotInstalled, RateLimited, SpecError, TimedOut, Unparsable
from skilltrial.ports import Answer, Capabilities, TrialRequest
from skilltrial.records.trial import HarnessResult, Reason
from skilltrial.records.usage import Usage

SCRIPT = """#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
cat > "{seen}"
echo '{{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0","tools":[],"skills":[]}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":"{{\\\\"word\\\\":\\\\"yes\\\\"}}"}}'
"""


class Said(BaseModel):
    """What is asked for."""

    word: str


@dataclass
class Program:
    """A harness whose results are scripted, the last for ever."""

    results: list[HarnessResult]
    requests: list[TrialRequest] = field(default_factory=list)
    found: list[list[str]] = field(default_factory=list)
    name: str = "program"
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(skill_root=".agents/skills"))

    async def run(self, request: TrialRequest) -> HarnessResult:
        self.requests.append(request)
        self.found.append([path.name for path in request.work.iterdir() if path.name != ".git"])
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


def _text(text: str, **more: Any) -> HarnessResult:
    return HarnessResult(
        outcome="completed", final_message=text, usage=Usage(input_tokens=10, output_tokens=2), cost_usd=0.5, **more
    )


def _trouble(code: Any, outcome: Any = "harness_error") -> HarnessResult:
    return HarnessResult(outcome=outcome, reason=Reason(code=code, message="it said so", retry_after_s=7.0))


@dataclass
class Bench:
    """A judge in folders of its own, that sleeps without waiting."""

    folder: Path
    slept: list[float] = field(default_factory=list)

    def ask(self, program: Any) -> Answer[Said]:
        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        async def main() -> Answer[Said]:
            judge = AgentJudge(program, FolderWorkspace(self.folder), name="program:m", model="m", sleep=sleep)
            return await judge.ask(system="Be fair.", prompt="What is it?", output=Said)

        return anyio.run(main)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Nothing is left below it afterwards."""
    (tmp_path / "t").mkdir()
    return Bench(tmp_path / "t")


@pytest.mark.parametrize("text", ['{"word": "yes"}', ' {"word":"yes"}\n', 'Here:\n```json\n{"word": "yes"}\n```'])
def test_the_last_message_is_the_answer(bench: Bench, text: str) -> None:
    """The agent has an empty folder and no skill, and is told the form; what it took is counted."""
    program = Program([_text(text)])
    answer = bench.ask(program)
    assert (answer.value.word, answer.cost_usd, answer.input_tokens, answer.output_tokens) == ("yes", 0.5, 10, 2)
    request = program.requests[0]
    assert request.prompt.startswith("Be fair.\n\nWhat is it?\n\n")
    assert json.dumps(Said.model_json_schema()) in request.prompt
    assert (request.skill, request.model, program.found) == (None, "m", [[]])
    assert list(bench.folder.iterdir()) == []


@pytest.mark.parametrize("text", ["I would say yes.", '{"verdict": "yes"}', '["yes"]', "", '{"word": "yes"} and more'])
def test_what_is_no_such_object_is_asked_again_once(bench: Bench, text: str) -> None:
    """With the reason; both are paid for. The second time it is an error, not an answer."""
    program = Program([_text(text), _text('{"word": "no"}')])
    answer = bench.ask(program)
    assert (answer.value.word, answer.cost_usd) == ("no", 1.0)
    assert "your answer was no such object" in program.requests[1].prompt
    with pytest.raises(Unparsable, match="no answer of the asked form"):
        bench.ask(Program([_text(text)]))


@pytest.mark.parametrize(
    ("result", "kind", "n"),
    [
        (_trouble("auth_failed"), AuthFailed, 1),
        (_trouble("not_installed"), NotInstalled, 1),
        (_trouble("timeout", "timed_out"), TimedOut, 1),
        (_trouble("refusal", "agent_failed"), HarnessError, 1),
        (_trouble("rate_limited"), RateLimited, 3),
        (_trouble("api_error"), HarnessError, 3),
    ],
)
def test_other_ends_are_errors(bench: Bench, result: HarnessResult, kind: type[Exception], n: int) -> None:
    """What may pass is tried three times, as long after each other as the service asks for."""
    program = Program([result])
    with pytest.raises(kind, match="'program:m' could not judge: it said so"):
        bench.ask(program)
    assert len(program.requests) == n
    assert bench.slept == [7.0] * (n - 1)


def test_trouble_that_passes_costs_a_wait(bench: Bench) -> None:
    """No more."""
    assert bench.ask(Program([_trouble("rate_limited"), _text('{"word": "yes"}')])).value.word == "yes"


def _open(spec: str, env: dict[str, str]) -> Callable[[], Any]:
    async def main() -> Answer[Said]:
        async with wiring.open_judge(spec, base_url=None, env=env) as judge:
            assert (judge.name, judge.sees_images) == (spec, False)
            return await judge.ask(system="Be fair.", prompt="What?", output=Said)

    return main


def test_claude_code_judges(tmp_path: Path) -> None:
    """By the name of the harness, with a model behind it."""
    program = tmp_path / "claude"
    program.write_text(SCRIPT.format(seen=tmp_path / "seen"))
    program.chmod(0o755)
    env = {"SKILLTRIAL_CLAUDE": str(program), "ANTHROPIC_API_KEY": "dummy", "PATH": "/usr/bin:/bin"}
    answer = anyio.run(_open("claude-code:haiku", env))
    assert answer.value.word == "yes"
    assert (tmp_path / "seen").read_text().startswith("Be fair.\n\nWhat?")


@pytest.mark.parametrize("spec", ["builtin", "embedded", "nobody"])
def test_what_cannot_judge_is_refused(spec: str) -> None:
    """With what to do instead."""
    with pytest.raises(SpecError):
        anyio.run(_open(spec, {}))
