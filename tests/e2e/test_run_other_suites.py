"""`skilltrial run` on eval files in other forms: the command line, an agent, and checks by code, to the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Person, write_skill

from skilltrial.testing.mock_llm import MockLLM

AGENT = {"name": "agent", "rules": [{"reply": {"text": "Hello from the agent."}}]}
FILES = {
    "suite.yaml": "skill_name: csv-report\nevals:\n- id: a\n  prompt: hi\n  assertions: [{type: answer_matches, pattern: Hello}]\n"
    "- {id: b, prompt: ho, assertions: [{type: answer_matches, pattern: Nothing}]}\n",
    "suite.jsonl": '{"id": "a", "prompt": "hi", "checks": [{"type": "contains", "value": "Hello"}]}\n'
    '{"id": "b", "prompt": "ho", "checks": [{"type": "contains", "value": "Nothing"}]}\n',
    "folder/a.yaml": "id: a\ninputs: {prompt: hi}\ngraders: [{type: text, config: {contains: [hello]}}]\n",
    "folder/b.yaml": "id: b\ninputs: {prompt: ho}\ngraders: [{type: text, config: {contains: [nothing]}}]\n",
}


@pytest.mark.parametrize("evals", ["suite.yaml", "suite.jsonl", "folder"])
def test_a_suite_in_another_form_is_run_and_graded(tmp_path: Path, evals: str) -> None:
    """One of two cases alone, in both arms; then the other, in the same workspace. Case `a` passes, and `b` fails."""
    skill = write_skill(tmp_path / "csv-report", [])
    for name, text in FILES.items():
        (skill / "evals" / name).parent.mkdir(exist_ok=True)
        (skill / "evals" / name).write_text(text, encoding="utf-8")
    (tmp_path / "home").mkdir()
    rates: list[dict[str, float]] = []
    with MockLLM(AGENT) as agent:
        variables = {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": agent.url()}
        person = Person(home=tmp_path / "home", variables=variables)
        for only in ("a", "b"):
            options = ("--harness", "builtin", "--model", "anthropic:m", "--runs", "1", "--json", "--only", only)
            done = person.run("run", skill, "--evals", skill / "evals" / evals, *options, "--workspace", tmp_path / "w")
            assert done.returncode == 0, done.stderr
            runs = json.loads(done.stdout)["runs"]
            rates.append({run["configuration"]: run["result"]["pass_rate"] for run in runs})
    assert rates == [{"with_skill": 1.0, "without_skill": 1.0}, {"with_skill": 0.0, "without_skill": 0.0}]
