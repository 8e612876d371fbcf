"""`skilltrial run --judge` through the command line: what a run costs the judge, and what a person hears when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Person, write_skill

from skilltrial.testing.mock_llm import MockLLM

AGENT = {"name": "agent", "rules": [{"reply": {"text": "Hello from the agent."}}]}
CASES: list[dict[str, Any]] = [
    {"id": "one", "prompt": "hi", "assertions": [{"id": "greets", "rubric": "It greets."}]},
    {"id": "two", "prompt": "ho", "assertions": [{"id": "greets", "rubric": "It greets."}]},
]
GREETS = {
    "calls": [
        {
            "tool": "final_result",
            "input": {"verdicts": [{"id": "greets", "verdict": "PASS", "evidence": "Hello from the agent."}]},
        }
    ]
}


@dataclass(kw_only=True)
class Bench:
    """A person with the built-in agent, whose model always greets, and a judge that replies from a script."""

    folder: Path
    agent: MockLLM

    def run(
        self, cases: list[dict[str, Any]], reply: dict[str, Any], *more: str
    ) -> tuple[int, dict[str, Any], str, int]:
        """Exit code, benchmark, standard error, and how often the judge was asked."""
        skill = self.folder / "csv-report"
        if not skill.exists():
            write_skill(skill, cases)
        (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "csv-report", "evals": cases}))
        (self.folder / "home").mkdir(exist_ok=True)
        with MockLLM({"name": "judge", "rules": [{"reply": reply}]}) as judge:
            variables = {
                "ANTHROPIC_API_KEY": "dummy",
                "ANTHROPIC_BASE_URL": self.agent.url(),
                "OPENAI_API_KEY": "dummy",
                "OPENAI_BASE_URL": judge.url(openai=True),
            }
            person = Person(home=self.folder / "home", variables=variables)
            options = ("--harness", "builtin", "--model", "anthropic:m", "--judge", "openai:m", "--runs", "1", "--json")
            done = person.run("run", skill, *options, "--workspace", self.folder / "w", *more)
            n_asked = len([call for call in judge.log.select() if call["method"] == "POST"])
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr, n_asked


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """An agent that answers, and nothing else yet."""
    with MockLLM(AGENT) as agent:
        yield Bench(folder=tmp_path, agent=agent)


def test_the_judge_is_asked_only_for_what_is_new(bench: Bench) -> None:
    """Four trials, four calls; again: none; one case's assertion changed: that case's two trials, and no agent runs."""
    code, benchmark, said, n_asked = bench.run(CASES, GREETS)
    assert code == 0, said
    assert benchmark["verdict_counts"] == {"PASS": 4, "FAIL": 0, "UNGRADED": 0}
    assert n_asked == 4
    n_runs = len(bench.agent.log.select())
    assert bench.run(CASES, GREETS)[3] == 0
    changed = [CASES[0], {**CASES[1], "assertions": [{"id": "greets", "rubric": "It says hello."}]}]
    code, benchmark, said, n_asked = bench.run(changed, GREETS)
    assert (code, n_asked) == (0, 2), said
    assert len(bench.agent.log.select()) == n_runs
    assert not (bench.folder / "w/iteration-2").exists()


def test_a_judge_that_refuses_leaves_prose_open_and_the_run_reported(bench: Bench) -> None:
    """Asked once; nothing fails by it; the next run, with a judge that answers, fills the gap."""
    code, benchmark, said, n_asked = bench.run(CASES, {"error": {"status": 401}}, "--concurrency", "1")
    assert benchmark["verdict_counts"] == {"PASS": 0, "FAIL": 0, "UNGRADED": 4}, said
    assert n_asked == 1
    assert "the judge cannot be used" in benchmark["ungraded"][0]["reason"]
    assert code == 3, "a tool that was asked for did not work"
    code, benchmark, said, n_asked = bench.run(CASES, GREETS)
    assert (code, n_asked) == (0, 4), said
    assert benchmark["verdict_counts"] == {"PASS": 4, "FAIL": 0, "UNGRADED": 0}


def test_a_judge_in_trouble_is_asked_again_by_the_next_run(bench: Bench) -> None:
    """500 for ever: two requests more for each call, no verdict, no failure of the skill's."""
    trouble = {"error": {"status": 500, "headers": {"retry-after-ms": "1"}}}
    code, benchmark, said, n_asked = bench.run(CASES[:1], trouble)
    assert benchmark["verdict_counts"] == {"PASS": 0, "FAIL": 0, "UNGRADED": 2}, said
    assert n_asked == 6
    assert code == 3, "a tool that was asked for did not work"
    code, benchmark, said, n_asked = bench.run(CASES[:1], GREETS)
    assert (code, n_asked) == (0, 2), said
