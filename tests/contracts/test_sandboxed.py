"""Real agent programs that descriptors describe do their work in the best sandbox that holds on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from harness_contract import SECRET, make_request, run

from skilltrial import wiring
from skilltrial.adapters.harness.described import create, read_catalogue
from skilltrial.ports import HarnessSettings
from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"


@pytest.mark.agent
@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["codex", "gemini-cli", "opencode", "pi"])
def test_the_skill_is_found_and_loaded(name: str, tmp_path: Path) -> None:
    """With all its parts, interpreters and needed programs in reach: the same result as without a sandbox."""
    env = {"PATH": f"{AGENTS}{os.pathsep}{os.environ['PATH']}", "OPENAI_API_KEY": SECRET, "HOME": str(tmp_path)}
    found = [each.confinement for each in wiring.sandboxes(env) if each.confinement]
    if not found:
        pytest.skip("no sandbox holds here")
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    descriptor = entry.descriptor
    for program in (descriptor.program, *descriptor.needs):
        if shutil.which(program, path=env["PATH"]) is None:
            pytest.skip(f"{program} is not installed: run make agents")
    with MockLLM(SCENARIOS) as mock:
        settings = HarnessSettings(model="mock-model", env=env, confinement=found[0])
        harness = create(descriptor, settings, base_url=mock.url("skill", "s", openai=name != "gemini-cli"))
        request = make_request(tmp_path, skill_root=harness.capabilities.skill_root)
        result = run(harness, request)
    assert result.outcome == "completed", result.reason
    assert result.evidence.loaded is True
    assert (request.work / "report.md").read_text() == "# Report\n\nRows: 2\n"
