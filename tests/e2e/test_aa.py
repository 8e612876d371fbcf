"""`skilltrial aa`: the baseline against itself through the whole pipeline, judge included."""

from __future__ import annotations

import json
from pathlib import Path

from command import Person, trial_records, write_skill

from skilltrial.testing.mock_llm import MockLLM

AGENT = {"name": "agent", "rules": [{"reply": {"text": "Hello from the agent."}}]}
VERDICT = {"id": "greets", "verdict": "PASS", "evidence": "Hello from the agent."}
GREETS = {"calls": [{"tool": "final_result", "input": {"verdicts": [VERDICT]}}]}


def test_both_arms_are_the_same_and_the_judge_is_asked_again(tmp_path: Path) -> None:
    """Two cases, two arms, one run: four trials without the skill, four calls of the judge, and four again.

    Two cases are too few for any alarm. All of it lies in the folder aa: no iteration of the workspace is touched.
    """
    cases = [
        {"id": name, "prompt": "hi", "assertions": [{"id": "greets", "rubric": "It greets."}]} for name in ("c", "d")
    ]
    skill = write_skill(tmp_path / "csv-report", cases)
    (tmp_path / "home").mkdir()
    options = ["--harness", "builtin", "--model", "anthropic:m", "--judge", "openai:m", "--runs", "1"]
    with MockLLM(AGENT) as agent, MockLLM({"name": "judge", "rules": [{"reply": GREETS}]}) as judge:
        variables = {
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": agent.url(),
            "OPENAI_API_KEY": "dummy",
            "OPENAI_BASE_URL": judge.url(openai=True),
        }
        person = Person(home=tmp_path / "home", variables=variables)
        done = person.run("aa", skill, *options, "--workspace", tmp_path / "w", "--json")
        n_asked = len([call for call in judge.log.select() if call["method"] == "POST"])
    assert done.returncode == 4, done.stderr
    told = json.loads(done.stdout)
    assert (told["word"], told["estimate"], told["what"], told["noise"]) == ("cannot tell", 0, "no skill", 0)
    assert (told["judge"]["n"], told["judge"]["flipped"], n_asked) == (4, 0, 8)
    assert {record["key"]["arm"] for record in trial_records(tmp_path / "w/aa")} == {"twin_a", "twin_b"}
    kept = json.loads((tmp_path / "w/aa/check.json").read_text())
    assert kept == {name: told[name] for name in kept}
    assert [path.name for path in (tmp_path / "w").iterdir()] == ["aa"]
    page = " ".join((tmp_path / "w/aa/iteration-1/benchmark.md").read_text().split())
    assert "Both arms are the same: this is a check for false alarms" in page
    assert "the baseline of csv-report against itself: measured 0 points" in page
