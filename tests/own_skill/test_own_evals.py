"""The evals of our own skill: clean, right about right and wrong work, and passed by an agent that does what the skill says."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command import Person

from skilltrial.own_skill.place import own_skill
from skilltrial.testing.mock_llm import MockLLM

SUITE: dict[str, Any] = json.loads((own_skill() / "evals/evals.json").read_text(encoding="utf-8"))
LOOKS = {
    "write-evals": "skilltrial validate release-notes",
    "ask-before-spending": "skilltrial run release-notes --dry-run",
}
"""What the agent looks at before it answers."""


def _person(home: Path, **variables: str) -> Person:
    home.mkdir()
    return Person(home=home, variables=variables)


def test_nothing_is_remarked_on(tmp_path: Path) -> None:
    """No error, warning or note about the skill, its evals or its trigger set."""
    done = _person(tmp_path / "home").run("validate", own_skill(), own_skill() / "evals/triggers.json")
    assert done.returncode == 0
    assert "0 errors, 0 warnings, 0 notes" in done.stdout.splitlines(), done.stdout


def test_the_skill_is_short() -> None:
    """Its body is read whole whenever it is loaded."""
    assert len((own_skill() / "SKILL.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_there_are_ten_queries_of_each_kind() -> None:
    """As the guide of agentskills.io advises, and none names the skill."""
    queries = json.loads((own_skill() / "evals/triggers.json").read_text(encoding="utf-8"))
    assert sum(query["should_trigger"] for query in queries) >= 10
    assert sum(not query["should_trigger"] for query in queries) >= 10
    assert not any("skilltrial" in query["query"].lower() for query in queries)


def test_checks_tell_right_work_from_none(tmp_path: Path) -> None:
    """Checks of files and commands hold on the reference; before any work only the one of a file that is to stay as it is."""
    done = _person(tmp_path / "home").run("oracle", own_skill(), "--json")
    checks = [(case["id"], row) for case in json.loads(done.stdout)["cases"] for row in case["assertions"]]
    decided = [(name, row) for name, row in checks if row["type"] in {"command_check", "file_exists", "file_matches"}]
    assert len(decided) == 5 + 3 + 0 + 3 + 4 + 1 + 2 + 1, "of the eight cases, in order"
    assert {row["reference"]["verdict"] for _name, row in decided} == {"PASS"}
    assert [name for name, row in decided if row["untouched"]["verdict"] != "FAIL"] == ["make-it-green"]


def _rules(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What an agent with the skill does: load it where it should, leave the reference solution, look, say the answer."""
    solution = own_skill() / "evals/reference" / case["id"]
    files = sorted(path for path in solution.rglob("*") if path.is_file() and path.name != "answer.md")
    steps: list[list[dict[str, Any]]] = []
    if case.get("skill_should_trigger", True):
        steps.append([{"tool": "$skill", "input": {"name": "skilltrial"}}])
    for path in files:
        where = path.relative_to(solution).as_posix()
        # Through the shell: the agent's own tool wants to have read a file before it replaces it.
        text = path.read_text(encoding="utf-8")
        command = f"mkdir -p \"$(dirname {where})\" && cat >{where} <<'END'\n{text}END"
        steps.append([{"tool": "$run", "input": {"command": command}}])
    if case["id"] in LOOKS:
        steps.append([{"tool": "$run", "input": {"command": LOOKS[case["id"]]}}])
    prompt = {"prompt": _pattern(case["prompt"])}
    rules = [
        {"name": f"{case['id']} {step}", "when": {**prompt, "step": step}, "reply": {"calls": calls}}
        for step, calls in enumerate(steps)
    ]
    answer = (solution / "answer.md").read_text(encoding="utf-8")
    return [*rules, {"name": f"{case['id']} answer", "when": prompt, "reply": {"text": answer}}]


def _pattern(prompt: str) -> str:
    return "".join(letter if letter.isalnum() or letter == " " else "." for letter in prompt[:60])


@pytest.mark.agent
def test_an_agent_that_does_what_the_skill_says_passes_every_check(tmp_path: Path, claude: Path) -> None:
    """All eight cases with the real Claude Code; what it wrote is validated by the real command, in the trial and after it."""
    side: list[dict[str, Any]] = [{"name": "side", "when": {"tools_offered": False}, "reply": {"text": "A title"}}]
    scenario = {"name": "own", "rules": side + [rule for case in SUITE["evals"] for rule in _rules(case)]}
    with MockLLM(scenario) as mock:
        person = _person(
            tmp_path / "home",
            SKILLTRIAL_CLAUDE=str(claude),
            ANTHROPIC_API_KEY="dummy-key-1234",
            ANTHROPIC_BASE_URL=mock.url(run="own"),
        )
        done = person.run(
            "run", own_skill(), "--harness", "claude-code", "--runs", "1", "--arms", "with_skill", "--workspace",
            tmp_path / "w", "--json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert not [call["problems"] for call in mock.log.select(run="own") if call.get("problems")]
    gradings = {path.parts[-4]: json.loads(path.read_text()) for path in (tmp_path / "w").rglob("grading.json")}
    assert len(gradings) == len(SUITE["evals"]) == 8
    verdicts = [(name, row["text"], row["verdict"]) for name, grading in gradings.items() for row in _rows(grading)]
    assert [row for row in verdicts if row[2] == "FAIL"] == []
    # By hand: 32 assertions, of which 4 are sentences that only a judge grades.
    assert sum(row[2] == "PASS" for row in verdicts) == 28
    (stream,) = (tmp_path / "w").glob("iteration-1/eval-write-evals/with_skill/run-1/stream.jsonl")
    assert "eval file (" in stream.read_text(), f"the real command ({sys.executable}) ran inside the trial"


def _rows(grading: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return grading["expectations"]
