"""`skilltrial prepare` and `skilltrial collect` through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command import Person, write_skill

from skilltrial.testing.mock_llm import MockLLM

CASE: dict[str, Any] = {"id": "one", "prompt": "hi", "assertions": [{"id": "greets", "rubric": "It greets."}]}
VERDICT = {"id": "greets", "verdict": "PASS", "evidence": "Hello from somewhere."}
GREETS = {"calls": [{"tool": "final_result", "input": {"verdicts": [VERDICT]}}]}


def test_what_somebody_else_ran_is_judged_like_a_run(tmp_path: Path) -> None:
    """Handed out, handed back in part and then whole, judged, reported; a change afterwards is exit code 1."""
    skill = write_skill(tmp_path / "csv-report", [CASE])
    (tmp_path / "home").mkdir()
    out = tmp_path / "out"
    with MockLLM({"name": "judge", "rules": [{"reply": GREETS}]}) as judge:
        variables = {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": judge.url(openai=True)}
        person = Person(home=tmp_path / "home", variables=variables)
        done = person.run("prepare", skill, "--runs", "1", "--workspace", tmp_path / "w", "--out", out, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["tasks"] == 2
        tasks = json.loads((out / "manifest.json").read_text())["tasks"]
        for task in tasks:
            (out / task["final_message"]).write_text("Hello from somewhere.")
        (tmp_path / "skilltrial.toml").write_text('[judge]\nmodels = ["openai:m"]\n')
        done = person.run("collect", out, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [task["state"] for task in told["tasks"]] == ["collected", "collected"]
    assert told["benchmark"]["lift"]["estimate"] == 0.0
    assert told["benchmark"]["metadata"]["isolation"].startswith("operator")
    (out / tasks[0]["final_message"]).write_text("Hello again.")
    done = person.run("collect", out)  # what is judged already stays so; the judge has gone by now
    assert done.returncode == 1
    gradings = [json.loads(file.read_text()) for file in (tmp_path / "w").rglob("grading.json")]
    assert [grading["summary"]["passed"] for grading in gradings] == [1, 1]
    assert "changed after it had been collected" in " ".join(done.stdout.split())
    assert "did not isolate" in " ".join(done.stdout.split())


def test_a_folder_that_nobody_prepared_is_invalid(tmp_path: Path) -> None:
    """Exit code 2, and what to give instead."""
    (tmp_path / "home").mkdir()
    done = Person(home=tmp_path / "home", variables={}).run("collect", tmp_path)
    assert done.returncode == 2
    assert "manifest.json" in done.stderr
