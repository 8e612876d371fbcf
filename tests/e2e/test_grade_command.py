"""`skilltrial grade`: finished trials get other verdicts without any agent, and a person hears which and why."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Person, write_skill

from skilltrial.testing.mock_llm import MockLLM

AGENT = {"name": "agent", "rules": [{"reply": {"text": "Hello from the agent."}}]}
GREETS = {"id": "greets", "rubric": "It greets."}
CASE: dict[str, Any] = {
    "id": "one",
    "prompt": "hi",
    "assertions": [GREETS, {"id": "hello", "type": "answer_matches", "pattern": "Hello"}],
}


def _reply(verdict: str) -> dict[str, Any]:
    said = {"id": "greets", "verdict": verdict, "evidence": "Hello from the agent.", "reason": "So."}
    return {"calls": [{"tool": "final_result", "input": {"verdicts": [said]}}]}


@dataclass(kw_only=True)
class Bench:
    """Two finished trials without a judge, and a person."""

    folder: Path
    person: Person
    agent: MockLLM
    judge: MockLLM

    def grade(self, *options: str | Path) -> tuple[int, dict[str, Any]]:
        """Exit code and what is printed."""
        done = self.person.run("grade", self.folder / "w", *options, "--json")
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}

    @property
    def n_asked(self) -> int:
        """How often the judge was."""
        return len([call for call in self.judge.log.select() if call["method"] == "POST"])


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """The judge says PASS twice, and then FAIL for ever."""
    rules = [{"reply": _reply("PASS"), "times": 2}, {"reply": _reply("FAIL")}]
    with MockLLM(AGENT) as agent, MockLLM({"name": "judge", "rules": rules}) as judge:
        variables = {
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": agent.url(),
            "OPENAI_API_KEY": "dummy",
            "OPENAI_BASE_URL": judge.url(openai=True),
        }
        (tmp_path / "home").mkdir()
        person = Person(home=tmp_path / "home", variables=variables)
        skill = write_skill(tmp_path / "csv-report", [CASE])
        options = ("--harness", "builtin", "--model", "anthropic:m", "--runs", "1", "--workspace", tmp_path / "w")
        assert person.run("run", skill, *options).returncode == 0
        yield Bench(folder=tmp_path, person=person, agent=agent, judge=judge)


def test_verdicts_change_without_an_agent_and_with_a_reason(bench: Bench) -> None:
    """A judge; nothing; the same by force; a changed assertion; and the workspace says the same afterwards."""
    n_runs = len(bench.agent.log.select())
    done = bench.person.run("grade", bench.folder / "w", "--judge", "openai:m")
    assert (done.returncode, bench.n_asked) == (0, 2), done.stderr
    text = " ".join(done.stdout.split())
    assert "2 graded trials, 2 anew; 2 verdicts changed" in text
    assert "one/with_skill/run-1 greets: UNGRADED → PASS (the judge changed)" in text
    code, told = bench.grade()
    assert (code, told["renewed"], told["changes"], bench.n_asked) == (0, 0, [], 2), "the judge of before is known"
    code, told = bench.grade("--force", "--only", "greets")
    assert (code, bench.n_asked, {each["why"] for each in told["changes"]}) == (0, 4, {"evidence"})
    changed = {**CASE, "assertions": [GREETS, {"id": "hello", "type": "answer_matches", "pattern": "Good day"}]}
    evals = bench.folder / "changed.json"
    evals.write_text(json.dumps({"skill_name": "csv-report", "evals": [changed]}))
    code, told = bench.grade("--evals", evals)
    assert {(each["id"], each["after"], each["why"]) for each in told["changes"]} == {("hello", "FAIL", "assertion")}
    assert bench.n_asked == 4
    assert len(bench.agent.log.select()) == n_runs
    report = json.loads(bench.person.run("report", bench.folder / "w", "--json").stdout)
    assert report["verdict_counts"] == {"PASS": 0, "FAIL": 4, "UNGRADED": 0}
    assert report["metadata"]["judge_calls"] == 4


def test_what_cannot_be_meant_is_said(bench: Bench) -> None:
    """Unknown ids, other tasks, no workspace, a prompt that lacks its places: exit code 2, and nothing is asked."""
    prompt = bench.folder / "prompt.md"
    prompt.write_text("Be nice.")
    other = bench.folder / "other.json"
    other.write_text(json.dumps({"skill_name": "csv-report", "evals": [{**CASE, "prompt": "ho"}]}))
    for options, words in (
        (("--only", "nothing"), "no case and no assertion is called 'nothing'"),
        (("--evals", other), "is not the one that was run"),
        (("--judge", "openai:m", "--judge-prompt", prompt), "no prompt for the judge"),
        (("--judge", "builtin"), "no judge of its own"),
    ):
        code, told = bench.grade(*options)
        assert code == 2, told
        assert words in " ".join(told["error"].split())
    assert bench.n_asked == 0


def test_a_person_hears_beforehand_who_will_be_asked_and_how_often(bench: Bench) -> None:
    """The skill's settings say it where nobody else does; who judged before stays. Too many dollars are asked about."""
    settings = bench.folder / "skilltrial.toml"
    settings.write_text('[judge]\nmodels = ["openai:gpt-4o"]\nsamples = 3\n')
    first = " ".join(bench.person.run("grade", bench.folder / "w").stderr.split())
    assert f"settings of {settings}: judge openai:gpt-4o, judge samples 3" in first
    assert "2 finished trials; 6 calls of the judge openai:gpt-4o for 2 trials, cost unknown" in first
    assert bench.n_asked == 6
    settings.write_text('[judge]\nmodels = ["openai:other"]\n')
    forced = bench.person.run("grade", bench.folder / "w", "--force", "--ask-above", "0").stderr
    assert "6 calls of the judge openai:gpt-4o for 2 trials, about $" in forced
    assert "is more than --ask-above $0; nobody can be asked here, so it goes on (--only limits it)" in forced


def test_a_stop_keeps_what_is_graded(bench: Bench) -> None:
    """One trial is judged when Ctrl-C comes, the other waits for the judge: exit code 130, and then one more call."""
    rules = [{"reply": _reply("PASS"), "times": 1}, {"reply": {"fault": "hang"}}]
    options = ("--judge", "openai:gpt-4o")
    with MockLLM({"name": "slow", "rules": rules}) as slow:
        bench.person.variables["OPENAI_BASE_URL"] = slow.url(openai=True)
        process = bench.person.start("grade", bench.folder / "w", *options)
        deadline = time.monotonic() + 120
        while _n_judged(bench.folder / "w") < 1:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "of 2 trials have their gradings, which are kept. The same command goes on from there." in " ".join(
        err.split()
    )
    bench.person.variables["OPENAI_BASE_URL"] = bench.judge.url(openai=True)
    assert bench.person.run("grade", bench.folder / "w", *options).returncode == 0
    assert bench.n_asked == 1


def _n_judged(workspace: Path) -> int:
    files = [json.loads(path.read_text()) for path in workspace.rglob("grading.json")]
    return sum(file["judge"] is not None for file in files)
