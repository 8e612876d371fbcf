"""`skilltrial run --sandbox bwrap --network model`: a real agent that reaches its model and nothing else."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from command import Person, trial_records, write_skill

import skilltrial
from skilltrial import wiring
from skilltrial.testing.mock_llm import MockLLM

TRY = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' && echo open > net.txt || echo shut > net.txt"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Person(home=home, variables={"PYTHONPATH": str(Path(skilltrial.__file__).parent.parent)})


@pytest.mark.agent
@pytest.mark.sandbox
@pytest.mark.bwrap
def test_the_model_is_reached_and_another_service_is_not(tmp_path: Path, person: Person, claude: Path) -> None:
    """The trial goes on to its end, the open port stays out of reach, and the record and the check's evidence say so."""
    (found,) = [each for each in wiring.sandboxes({**person.env, "PATH": os.environ["PATH"]}) if each.level == "bwrap"]
    if found.confinement is None:
        pytest.skip(f"bwrap does not hold here: {found.detail}")
    check = {"id": "shut", "type": "command_check", "command": "grep -qx shut net.txt"}
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "Look", "assertions": [check]}])
    with socket.create_server(("127.0.0.1", 0)) as other:
        call = {"tool": "$run", "input": {"command": TRY.format(port=other.getsockname()[1])}}
        rules: list[dict[str, Any]] = [
            {"when": {"step": 0}, "reply": {"calls": [call]}},
            {"reply": {"text": "Looked."}},
        ]
        with MockLLM({"name": "look", "rules": rules}) as mock:
            url = mock.url("look", "n")
            person.variables.update(
                ANTHROPIC_API_KEY="dummy-key-1234", ANTHROPIC_BASE_URL=url, SKILLTRIAL_CLAUDE=str(claude)
            )
            done = person.run(
                "run", skill, "--harness", "claude-code", "--sandbox", "bwrap", "--network", "model", "--runs", "1",
                "--arms", "with_skill", "--workspace", tmp_path / "w", "--json",
            )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (record,) = trial_records(tmp_path / "w", 1)
    place = url.removeprefix("http://").partition("/")[0]
    assert record["outcome"] == "completed", record["reason"]
    assert f"reaches of the network only {place}" in record["isolation"]
    assert json.loads((tmp_path / "w/iteration-1/plan.json").read_text())["harness"]["sandbox"] == (
        f"bwrap, network: {place}"
    )
    (graded,) = (tmp_path / "w").glob("iteration-1/eval-*/*/run-1/grading.json")
    (result,) = json.loads(graded.read_text())["expectations"]
    assert (result["passed"], result["evidence"]) == (True, "exit code 0 (in the sandbox bwrap, network: none)")


def test_a_limited_network_without_a_sandbox_is_invalid_input(tmp_path: Path, person: Person) -> None:
    """Exit code 2, with what to do, before anything starts."""
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "x", "assertions": ["It is done"]}])
    done = person.run("run", skill, "--harness", "builtin", "--network", "model", "--workspace", tmp_path / "w")
    assert done.returncode == 2, done.stderr
    assert "Add --sandbox auto" in " ".join(done.stderr.split())
    assert not (tmp_path / "w").exists()
