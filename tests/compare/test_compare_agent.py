"""An agent program as the judge of a comparison: the real Claude Code against the scripted model server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from comparison_bench import Bench
from comparison_words import BETTER, GOOD, POOR

from skilltrial.cli.compare_page import compare_and_print
from skilltrial.operations.comparing import CompareRequest
from skilltrial.testing.mock_llm import MockLLM


def _as_text(rule: dict[str, Any]) -> dict[str, Any]:
    """The same answer, as an agent program gives it: one JSON object in its last message."""
    return {**rule, "reply": {"json": rule["reply"]["calls"][0]["input"]}}


@pytest.mark.agent
def test_claude_code_compares(bench: Bench, claude: Path) -> None:
    """A rubric and both orders; what it is asked names no arm and no skill."""
    bench.fill({"one": {"with_skill": [GOOD], "without_skill": [POOR]}})
    with MockLLM({"name": "judge", "rules": [_as_text(rule) for rule in BETTER]}) as mock:
        env = {
            "PATH": os.environ["PATH"],
            "SKILLTRIAL_CLAUDE": str(claude),
            "ANTHROPIC_API_KEY": "dummy-key",
            "ANTHROPIC_BASE_URL": mock.url(),
        }
        request = CompareRequest(workspace=bench.folder, env=env, judge="claude-code")
        assert compare_and_print(request, as_json=True) == 0
        bodies = [str(call["body"]) for call in mock.log.select() if call["method"] == "POST"]
    labels, found = bench.read("key.json")["labels"]["comparison-1"], bench.read("comparison-1.json")
    assert labels[found["winner"]]["arm"] == "with_skill"
    assert [order["winner"] for order in found["skilltrial"]["orders"]] == [found["winner"]] * 2
    assert not any(word in body for body in bodies for word in ("with_skill", "without_skill", "csv-sum"))
