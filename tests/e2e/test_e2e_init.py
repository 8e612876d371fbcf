"""`skilltrial init` and `skilltrial schema` as a person runs them."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from command import SKILL, Person

from skilltrial.testing.mock_llm import MockLLM

CASE: dict[str, Any] = {
    "id": "two-regions",
    "prompt": "Summarise sales.csv for my boss.",
    "files": [{"path": "sales.csv", "content": "region,total\nnorth,4\n"}],
    "assertions": [{"type": "file_exists", "text": "There is a report.", "path": "report.md"}],
}
NEGATIVE: dict[str, Any] = {
    "id": "what-is-csv",
    "prompt": "What does CSV stand for?",
    "skill_should_trigger": False,
    "assertions": [{"type": "statement", "text": "The answer says 'comma'."}],
}
DRAFT = {"calls": [{"tool": "final_result", "input": {"cases": [CASE, NEGATIVE]}}]}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill without evals."""
    folder = tmp_path / "csv-report"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL)
    return folder


def _person(tmp_path: Path, **variables: str) -> Person:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Person(home=home, variables=variables)


def test_from_a_template_to_a_validated_file(tmp_path: Path, skill: Path) -> None:
    """The template is written, validates, and is not replaced without being asked."""
    person = _person(tmp_path)
    made = person.run("init", skill)
    assert (made.returncode, made.stderr) == (0, "")
    assert "FILL IN:" in made.stdout
    checked = person.run("validate", skill)
    assert checked.returncode == 0, checked.stdout
    again = person.run("init", skill)
    assert again.returncode == 2
    assert "already" in again.stderr


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "compatible"])
def test_a_model_drafts_the_cases(tmp_path: Path, skill: Path, vendor: str) -> None:
    """Each family of APIs, by its own variables or by --base-url; what was spent is told."""
    with MockLLM({"name": "drafter", "rules": [{"reply": DRAFT}], "usage": {"input": 900, "output": 100}}) as model:
        variables = {
            "openai": {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": model.url(openai=True)},
            "anthropic": {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": model.url()},
            "compatible": {},
        }[vendor]
        name = ["m", "--base-url", model.url(openai=True)] if vendor == "compatible" else [f"{vendor}:m"]
        done = _person(tmp_path, **variables).run("init", skill, "--cases", "2", "--json", "--model", *name)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["cases"], said["negative_cases"], said["to_fill_in"]) == (2, 1, False)
    assert (said["draft"]["calls"], said["draft"]["input_tokens"], said["draft"]["output_tokens"]) == (1, 900, 100)
    written = json.loads((skill / "evals/evals.json").read_text())
    assert [case["id"] for case in written["evals"]] == ["two-regions", "what-is-csv"]


def test_a_model_that_does_not_answer(tmp_path: Path, skill: Path) -> None:
    """Exit code 3, one paragraph, and nothing is written."""
    refused = {"rules": [{"reply": {"error": {"status": 401, "message": "bad key"}}}]}
    with MockLLM({"name": "drafter", **refused}) as model:
        person = _person(tmp_path, OPENAI_API_KEY="dummy", OPENAI_BASE_URL=model.url(openai=True))
        done = person.run("init", skill, "--model", "openai:m")
    assert done.returncode == 3
    assert "refused the key" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (skill / "evals").exists()


def test_the_embedded_model_is_refused(tmp_path: Path, skill: Path) -> None:
    """It is too small, and the person hears what to give instead."""
    done = _person(tmp_path).run("init", skill, "--model", "embedded")
    assert done.returncode == 2
    assert "too small" in done.stderr


def test_ctrl_c_while_the_model_thinks(tmp_path: Path, skill: Path) -> None:
    """Exit code 130, and nothing is written."""
    with MockLLM({"name": "drafter", "rules": [{"reply": {"fault": "hang"}}]}) as model:
        person = _person(tmp_path, OPENAI_API_KEY="dummy", OPENAI_BASE_URL=model.url(openai=True))
        process = person.start("init", skill, "--model", "openai:m")
        while not any(call["method"] == "POST" for call in model.log.select()) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "stopped; nothing was written." in said
    assert "Traceback" not in said
    assert not (skill / "evals").exists()


def test_schemas_are_listed_and_printed(tmp_path: Path) -> None:
    """The list has one line a name, --json has all, and an unknown name is answered with the known ones."""
    person = _person(tmp_path)
    names = [line.split()[0] for line in person.run("schema").stdout.splitlines()]
    assert {"evals", "grading", "benchmark"} <= set(names)
    printed = json.loads(person.run("schema", "grading").stdout)
    everything = json.loads(person.run("schema", "--json").stdout)
    assert list(everything) == names
    assert everything["grading"] == printed
    wrong = person.run("schema", "gradings")
    assert wrong.returncode == 2
    assert "'gradings'" in wrong.stderr
