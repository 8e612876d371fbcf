"""Real agent programs as judges: right verdicts, without tools, without a word on skill or arm; and no verdict where they fail."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial import wiring
from skilltrial.adapters.harness.described import create, read_catalogue
from skilltrial.adapters.llm.agent_judge import AgentJudge
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.errors import AuthFailed
from skilltrial.grade.material import Material
from skilltrial.grade.panel import Judged, Panel, judge_trial
from skilltrial.ports import HarnessSettings, LanguageModel
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult
from skilltrial.records.suite import LlmJudge
from skilltrial.testing.mock_llm import MockLLM
from skilltrial.wiring.judges import WITHOUT_TOOLS

pytestmark = pytest.mark.agent
Make = Callable[..., Material]
AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
PATH = f"{AGENTS}{os.pathsep}{os.environ['PATH']}"
KEY = "dummy-key-of-the-judge"
ASKED = (
    LlmJudge(id="total", text="The total is named.", rubric="The total is named."),
    LlmJudge(id="polite", text="It is polite.", rubric="It is polite."),
)
SAID = {
    "verdicts": [
        {"id": "total", "verdict": "PASS", "evidence": "total is 42", "reason": "So it is."},
        {"id": "polite", "verdict": "FAIL", "evidence": "", "reason": "No greeting."},
    ]
}
EVENTS = (
    ToolCall(ordinal=0, call_id="s", name="Skill", input={"skill": "csv-sum"}),
    ToolResult(ordinal=1, call_id="s", text="Launching skill: csv-sum"),
    AssistantMessage(ordinal=2, text="By the csv-sum skill, the total is 42."),
)


@asynccontextmanager
async def _opened(
    name: str, mock: MockLLM, claude: Path, folder: Path, timeout_s: float
) -> AsyncGenerator[LanguageModel]:
    if name == "claude-code":
        env = {
            "PATH": PATH,
            "SKILLTRIAL_CLAUDE": str(claude),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": mock.url(),
        }
        async with wiring.open_judge(name, base_url=None, env=env) as judge:
            yield judge
        return
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    settings = HarnessSettings(model="m", args=WITHOUT_TOOLS[name], env={"PATH": PATH, "OPENAI_API_KEY": KEY})
    harness = create(entry.descriptor, settings, base_url=mock.url(openai=True))
    yield AgentJudge(harness, FolderWorkspace(folder), name=name, model="m", timeout_s=timeout_s, sleep=_no_wait)


async def _no_wait(_seconds: float) -> None:
    """The program's own waits are long enough."""


@pytest.fixture
def judged(material: Make, claude: Path, tmp_path: Path) -> Callable[..., Judged]:
    """What an agent program comes to about a trial with a skill, with a model that gives one reply for ever."""

    def judge(name: str, mock: MockLLM, *, timeout_s: float = 300.0) -> Judged:
        if shutil.which(name.partition("-")[0], path=PATH) is None:
            pytest.skip(f"{name} is not installed: run make agents")
        folder = tmp_path / "judging"
        folder.mkdir()
        made = material({"sum.txt": b"42"}, events=EVENTS, final_message="The total is 42.")

        async def main() -> Judged:
            async with _opened(name, mock, claude, folder, timeout_s) as opened:
                return await judge_trial(made, ASKED, panel=Panel(judges=(opened,)))

        return anyio.run(main)

    return judge


def _requests(mock: MockLLM) -> list[dict[str, Any]]:
    return [call["body"] for call in mock.log.select() if call["method"] == "POST" and "count" not in call["path"]]


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_an_agent_program_judges_blind_and_without_tools(
    judged: Callable[..., Judged], name: str, tmp_path: Path
) -> None:
    """One request about all statements; in nothing that the program sends is there the skill, the arm or the trial's place."""
    with MockLLM({"name": "judge", "rules": [{"reply": {"text": json.dumps(SAID)}}]}) as mock:
        result = judged(name, mock)
        sent = _requests(mock)
    assert {id_: each.verdict for id_, each in result.results.items()} == {"total": "PASS", "polite": "FAIL"}
    assert "(final message)" in result.results["total"].evidence
    assert len(sent) == 1
    assert {tool.get("name") for tool in sent[0].get("tools", [])} <= {"request_user_input"}
    text = json.dumps(sent)
    assert "By the guide, the total is 42." in text
    assert not [word for word in ("csv-sum", "with_skill", "run-1", str(tmp_path / "run-1")) if word in text]


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_refused_key_is_the_judges_and_no_verdict(judged: Callable[..., Judged], name: str) -> None:
    """So that no further trial asks, and nothing is a FAIL."""
    with (
        MockLLM({"name": "judge", "rules": [{"reply": {"error": {"status": 401}}}]}) as mock,
        pytest.raises(AuthFailed),
    ):
        judged(name, mock)


def test_a_judge_that_does_not_answer_in_time_leaves_all_open(judged: Callable[..., Judged]) -> None:
    """And is asked again at the next run."""
    with MockLLM({"name": "judge", "rules": [{"reply": {"fault": "hang"}}]}) as mock:
        result = judged("codex", mock, timeout_s=3.0)
    assert {each.verdict for each in result.results.values()} == {"UNGRADED"}
    assert {each.grader for each in result.results.values()} == {"none"}
    assert not result.complete
