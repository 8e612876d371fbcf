"""`skilltrial run` with the real Claude Code against the scripted model server."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from command import Person, kill, trial_records, write_skill

from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

pytestmark = pytest.mark.agent

REPORT_CASE: dict[str, Any] = {
    "id": "report",
    "prompt": "Summarise data.csv",
    "files": {"data.csv": "name,count\napples,3\npears,4\n"},
    "assertions": [
        {"id": "file", "type": "file_exists", "path": "report.md"},
        {"id": "rows", "type": "file_matches", "path": "report.md", "pattern": "Rows: 2"},
        {"id": "checked", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "wc -l"},
        "The report is pleasant to read",
    ],
}


@pytest.fixture
def mock() -> Any:
    """The scripted model server with its shipped scenarios."""
    with MockLLM(SCENARIOS) as server:
        yield server


def person(tmp_path: Path, claude: Path, url: str) -> Person:
    """A person with Claude Code, a dummy key and an empty home."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Person(
        home=home,
        variables={"SKILLTRIAL_CLAUDE": str(claude), "ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": url},
    )


def test_a_skill_that_helps_is_called_better(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """The model writes the report only where the skill is listed: six cases, all or nothing, so the interval is above 0."""
    skill = write_skill(tmp_path / "csv-report", [{**REPORT_CASE, "id": f"report-{n}"} for n in range(6)])
    user = person(tmp_path, claude, mock.url("skill"))
    # The same name in the user's own folder must neither leak into the baseline nor shadow the skill under trial.
    planted = user.home / ".claude/skills/csv-report"
    planted.mkdir(parents=True)
    (planted / "SKILL.md").write_text("---\nname: csv-report\ndescription: Planted.\n---\nPLANTED\n")
    done = user.run("run", skill, "--harness", "claude-code", "--runs", "1", "--workspace", tmp_path / "w", "--json")
    assert done.returncode == 0, done.stderr
    benchmark = json.loads(done.stdout)
    assert benchmark["lift"]["word"] == "better"
    assert benchmark["lift"]["estimate"] == 1.0
    # By hand, E = 6, d = 1, u = 1: m² = 7/7 = 1, v = 7/7 − (6/7)² = 13/49, t(5) = 2.5706, low = 1 − 2.5706·sqrt(13/49/6).
    assert benchmark["lift"]["low"] == pytest.approx(1 - 2.570581836 * (13 / 49 / 6) ** 0.5)
    assert benchmark["lift"]["high"] == 1.0
    records = trial_records(tmp_path / "w")
    evidence = {record["key"]["arm"]: record["evidence"] for record in records}
    assert evidence["with_skill"]["loaded"] is True
    assert evidence["without_skill"]["loaded"] is False
    assert evidence["without_skill"]["offered"] is False
    assert {record["outcome"] for record in records} == {"completed"}
    streams = "".join(path.read_text() for path in (tmp_path / "w").rglob("stream.jsonl"))
    assert "PLANTED" not in streams
    assert "dummy-key-1234" not in streams
    assert benchmark["ungraded"][0]["count"] == 12, "one prose assertion in each of 12 trials, and no judge"
    page = (tmp_path / "w/iteration-1/report.html").read_text()
    assert "better" in page


def test_twenty_trials_killed_in_the_middle_end_as_twenty_outcomes(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """After kill -9, with the same command: none twice, none lost, what was finished is as it was."""
    cases = [{"id": f"c{n}", "prompt": f"task {n}", "assertions": [ANSWERED]} for n in range(5)]
    skill = write_skill(tmp_path / "csv-report", cases)
    user = person(tmp_path, claude, mock.url("text", run="kill"))
    command = (
        "run",
        skill,
        "--harness",
        "claude-code",
        "--runs",
        "2",
        "--workspace",
        tmp_path / "w",
        "--concurrency",
        "2",
    )
    process = user.start(*command)
    deadline = time.monotonic() + 120
    while len(trial_records(tmp_path / "w")) < 6 and time.monotonic() < deadline:
        time.sleep(0.05)
    kill(process)
    before = {json.dumps(record["key"]): record for record in trial_records(tmp_path / "w")}
    assert 6 <= len(before) < 20
    done = user.run(*command)
    assert done.returncode == 0, done.stderr
    after = {json.dumps(record["key"]): record for record in trial_records(tmp_path / "w")}
    assert len(after) == 20
    assert all(after[key] == record for key, record in before.items())
    assert f"{len(before)} of them are finished already" in done.stderr
    assert not list((tmp_path / "w").glob("iteration-1/superseded/*"))
    assert not list((tmp_path / "w").glob("iteration-2"))


ANSWERED = {"id": "said", "type": "answer_matches", "pattern": "Hello"}


def test_a_refused_key_stops_at_once_and_fails_nobody(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """401: exit code 3, one trial recorded as an error of the tool, no verdict at all."""
    skill = write_skill(
        tmp_path / "csv-report", [{"id": f"c{n}", "prompt": "hi", "assertions": [ANSWERED]} for n in range(4)]
    )
    user = person(tmp_path, claude, mock.url("auth_401"))
    done = user.run("run", skill, "--harness", "claude-code", "--concurrency", "1", "--workspace", tmp_path / "w")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "claude-code was refused" in done.stderr
    (record,) = trial_records(tmp_path / "w")
    assert (record["outcome"], record["reason"]["code"]) == ("harness_error", "auth_failed")
    assert not list((tmp_path / "w").rglob("grading.json"))


def test_a_rate_limit_is_waited_for(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """429 twice, then an answer: completed."""
    skill = write_skill(
        tmp_path / "csv-report", [{"id": "c", "prompt": "hi", "assertions": [{**ANSWERED, "pattern": "lucky"}]}]
    )
    user = person(tmp_path, claude, mock.url("rate_limit_then_ok", run="r"))
    done = user.run(
        "run",
        skill,
        "--harness",
        "claude-code",
        "--runs",
        "1",
        "--arms",
        "with_skill",
        "--workspace",
        tmp_path / "w",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    benchmark = json.loads(done.stdout)
    assert benchmark["lift"] is None, "one arm has no lift"
    assert [run["result"]["pass_rate"] for run in benchmark["runs"]] == [1.0]


def test_errors_of_the_service_are_never_failures_of_the_skill(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """500 for ever: harness errors, excluded from every rate, exit code 3."""
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "hi", "assertions": [ANSWERED]}])
    user = person(tmp_path, claude, mock.url("server_500"))
    user.variables["CLAUDE_CODE_MAX_RETRIES"] = "0"
    done = user.run(
        "run", skill, "--harness", "claude-code", "--runs", "1", "--arms", "with_skill", "--workspace", tmp_path / "w"
    )
    assert done.returncode == 3
    (record,) = trial_records(tmp_path / "w")
    assert (record["outcome"], record["reason"]["code"], len(record["attempts"])) == ("harness_error", "api_error", 3)
    report = user.run("report", tmp_path / "w", "--json")
    benchmark = json.loads(report.stdout)
    assert benchmark["runs"] == []
    assert benchmark["excluded"][0]["outcome"] == "harness_error"
    assert benchmark["run_summary"]["with_skill"]["pass_rate"]["mean"] is None


def test_a_hang_is_an_error_of_the_service_and_leaves_no_process(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """The API never answers: that says nothing about the agent, the trial counts nowhere, and no agent is left."""
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "hi", "assertions": [ANSWERED]}])
    user = person(tmp_path, claude, mock.url("hang", run="h"))
    done = user.run(
        "run",
        skill,
        "--harness",
        "claude-code",
        "--runs",
        "1",
        "--arms",
        "with_skill",
        "--timeout",
        "4",
        "--workspace",
        tmp_path / "w",
    )
    assert done.returncode == 3, done.stderr
    (record,) = trial_records(tmp_path / "w")
    assert (record["outcome"], record["reason"]["code"]) == ("harness_error", "no_answer")
    assert record["reason"]["message"] == "stopped after 4 s, and the model had not answered once."
    assert len(record["attempts"]) == 1
    assert not _agents_of(mock.url("hang", run="h"))


def test_prose_is_graded_by_a_blind_judge(tmp_path: Path, claude: Path, mock: MockLLM) -> None:
    """One call a trial; the judge's verdicts are bound to their ids, and it hears neither the arm nor the skill's name."""
    skill = write_skill(
        tmp_path / "csv-report", [{"id": "c", "prompt": "hi", "assertions": ["It greets the person", ANSWERED]}]
    )
    user = person(tmp_path, claude, mock.url("text", run="agent"))
    scenario = {
        "name": "judge",
        "rules": [
            {
                "reply": {
                    "calls": [
                        {
                            "tool": "final_result",
                            "input": {
                                "verdicts": [
                                    {
                                        "id": "it-greets-the-person",
                                        "verdict": "PASS",
                                        "evidence": "Hello from the mock model.",
                                        "confidence": "HIGH",
                                    }
                                ],
                                "claims": [],
                                "eval_feedback": {"suggestions": [], "overall": ""},
                            },
                        }
                    ]
                }
            }
        ],
    }
    with MockLLM(scenario) as judge:
        user.variables.update(OPENAI_API_KEY="dummy", OPENAI_BASE_URL=judge.url(openai=True))
        done = user.run(
            "run",
            skill,
            "--harness",
            "claude-code",
            "--judge",
            "openai:m",
            "--runs",
            "1",
            "--workspace",
            tmp_path / "w",
            "--json",
        )
        calls = [call for call in judge.log.select() if call["method"] == "POST"]
        assert done.returncode == 0, done.stderr
    benchmark = json.loads(done.stdout)
    assert benchmark["verdict_counts"] == {"PASS": 4, "FAIL": 0, "UNGRADED": 0}
    assert len(calls) == 2
    said = json.dumps([call["body"] for call in calls])
    assert not [word for word in ("with_skill", "without_skill", "csv-report", "skilltrial") if word in said]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("dekoza__dekoza-skills__skills-django-evals-evals.json", "skill-creator"),
        ("slowdini__slow-powers__skills-using-git-worktrees-evals-evals.json", "slow-powers"),
        ("vercel-labs__agent-skills__skills-ethereum-token-verification-evals-evals.json", "agentskills"),
    ],
)
def test_real_suites_give_complete_workspaces(
    tmp_path: Path, claude: Path, mock: MockLLM, shared: Path, name: str, dialect: str
) -> None:
    """Eval files of public repositories, as they are: every trial completed, everything either graded or said why not."""
    skill = tmp_path / "some-skill"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: some-skill\ndescription: Does something.\n---\nDo it.\n")
    shutil.copy(shared / "corpus/evals" / name, skill / "evals/evals.json")
    user = person(tmp_path, claude, mock.url("text", run="corpus"))
    done = user.run("run", skill, "--harness", "claude-code", "--runs", "1", "--workspace", tmp_path / "w", "--json")
    assert done.returncode == 0, done.stderr
    benchmark = json.loads(done.stdout)
    plan = json.loads((tmp_path / "w/iteration-1/plan.json").read_text())
    assert plan["suite"]["dialect"] == dialect
    n_assertions = sum(len(case["assertions"]) for case in plan["suite"]["cases"])
    assert len(trial_records(tmp_path / "w")) == 2 * len(plan["suite"]["cases"])
    assert sum(benchmark["verdict_counts"].values()) == 2 * n_assertions
    for folder in (tmp_path / "w").glob("iteration-1/eval-*/*/run-1"):
        names = {path.name for path in folder.iterdir()}
        expected = {
            "run.json",
            "transcript.jsonl",
            "stream.jsonl",
            "stderr.txt",
            "timing.json",
            "grading.json",
            "outputs",
        }
        assert expected <= names, folder
    assert {"benchmark.json", "benchmark.md", "report.html", "plan.json"} <= {
        path.name for path in (tmp_path / "w/iteration-1").iterdir()
    }


def _agents_of(url: str) -> list[int]:
    """Processes whose environment names this address."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if url.encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found
