"""`skilltrial improve` with the real Claude Code, and a scripted model for agent and proposer alike."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Person, kill, write_skill

from skilltrial.testing.mock_llm import MockLLM

pytestmark = pytest.mark.agent

SKILL = """---
name: csv-report
description: Turns a CSV file into a short Markdown report.
---
# CSV report

Count the rows. The header line is a row too: FAULTY-RULE.
"""
"""With a planted fault."""
BETTER = SKILL.replace("The header line is a row too: FAULTY-RULE.", "The header line is no row: RIGHT-RULE.")
LUCKY = SKILL.replace("FAULTY-RULE", "FAULTY-RULE, but LUCKY-RULE")
LOAD: dict[str, Any] = {"calls": [{"tool": "$skill", "input": {"name": "csv-report"}}]}


def _written(text: str, summary: str) -> dict[str, Any]:
    files = [{"path": "SKILL.md", "content": text}]
    answer = {"diagnosis": "", "summary": summary, "files": files, "deleted": []}
    return {"calls": [{"tool": "final_result", "input": answer}]}


SCENARIO: dict[str, Any] = {
    "name": "improve",
    "rules": [
        {"name": "side request", "when": {"tools_offered": False}, "reply": {"text": "Title"}},
        {"when": {"context": "You improve an Agent Skill"}, "times": 1, "reply": _written(SKILL, "nothing")},
        {"when": {"context": "You improve an Agent Skill"}, "times": 1, "reply": _written(LUCKY, "lucky words")},
        {"when": {"context": "You improve an Agent Skill"}, "reply": _written(BETTER, "the header is no row")},
        {"when": {"prompt": "How many", "step": 0}, "reply": LOAD},
        {"when": {"context": "RIGHT-RULE"}, "reply": {"text": "There are 3 rows: RIGHT."}},
        {"name": "finish", "reply": {"text": "There are 4 rows: WRONG."}},
    ],
}  # fmt: skip
CASES: list[dict[str, Any]] = [
    {
        "id": f"case-{n}",
        "prompt": f"How many rows has table{n}.csv of order ZX{n}Q?",
        "expected_output": f"Result TOKEN{n}E",
        "assertions": [{"id": "right", "type": "answer_matches", "pattern": ": RIGHT", "text": f"right ASRT{n}N"}],
    }
    for n in range(8)
]


N_BEFORE_KILL = 2 + 6 + 2
"""All of train and select, two of hold-out."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """An improvement that a ceiling stopped, then a kill, and that the same command went on with each time; what each left."""

    skill: Path
    workspace: Path
    user: Person
    stopped: subprocess.CompletedProcess[str]
    n_at_kill: int
    """Finished trials at that time."""
    done: subprocess.CompletedProcess[str]
    told: list[dict[str, Any]]

    @property
    def state(self) -> dict[str, Any]:
        """`improve.json`."""
        return json.loads((self.workspace / "improve/improvement-1/improve.json").read_text())

    @property
    def proposals(self) -> list[str]:
        """Requests to the proposing model."""
        texts = [json.dumps(call["body"]) for call in self.told]
        return [text for text in texts if "You improve an Agent Skill" in text]


def command(skill: Path, workspace: Path) -> list[str | Path]:
    """What a person types."""
    return [
        "improve", skill, "--proposer", "anthropic:writer", "--harness", "claude-code", "--runs", "1", "--rounds", "1",
        "--candidates", "2", "--workspace", workspace, "--concurrency", "4",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, claude: Path) -> Iterator[Whole]:
    """Five trials, then some more until kill -9, then the rest."""
    root = tmp_path_factory.mktemp("improve")
    skill = write_skill(root / "csv-report", CASES, text=SKILL)
    (skill / "logo.bin").write_bytes(b"\xff\x00\x01")
    with MockLLM(SCENARIO) as mock:
        key = {"ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": mock.url()}
        user = Person(home=root / "home", variables={"SKILLTRIAL_CLAUDE": str(claude), **key})
        user.home.mkdir()
        arguments = command(skill, root / "w")
        stopped = user.run(*arguments, "--max-trials", "5")
        process = user.start(*arguments)
        deadline = time.monotonic() + 120
        while len(list((root / "w").rglob("run.json"))) < N_BEFORE_KILL and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.02)
        kill(process)
        n_at_kill = len(list((root / "w").rglob("run.json")))
        done = user.run(*arguments)
        told = [call for call in mock.log.select() if call["method"] == "POST"]
        yield Whole(
            skill=skill, workspace=root / "w", user=user, stopped=stopped, n_at_kill=n_at_kill, done=done, told=told
        )


def test_the_better_version_is_accepted_on_the_hold_out_cases(whole: Whole) -> None:
    """One lucky version that is no better is dropped on select; the right one wins 4 of 4."""
    assert whole.done.returncode == 0, whole.done.stderr
    head = " ".join(whole.done.stdout.split())
    assert head.startswith("csv-report: v2 is better than v0: +100 points (+5 to +100) on 4 cases")
    assert [(each["name"], each["result"]) for each in whole.state["versions"]] == [
        ("v0", "baseline"), ("v1", "tie"), ("v2", "won"),
    ]  # fmt: skip
    paths = (str(whole.workspace), str(whole.skill))
    assert max(len(row) for row in whole.done.stdout.splitlines() if not any(path in row for path in paths)) <= 80


def test_a_ceiling_and_a_kill_stop_it_and_nothing_is_paid_for_twice(whole: Whole) -> None:
    """2 train trials, 3 × 2 on select, 2 × 4 on hold-out; three answers of the proposer, the first refused."""
    assert whole.stopped.returncode == 4, whole.stopped.stderr
    assert "--max-trials 5 is reached" in " ".join(whole.stopped.stdout.split())
    assert N_BEFORE_KILL <= whole.n_at_kill < 16, "killed in the middle of the hold-out trials"
    records = list((whole.workspace / "improve/improvement-1/trials").rglob("run.json"))
    assert len(records) == 2 + 6 + 8
    assert [len(json.loads(path.read_text())["attempts"]) for path in records] == [1] * 16
    assert len(whole.proposals) == 3
    assert "nothing is different from the version" in whole.proposals[1]


def test_the_proposer_is_told_of_train_alone(whole: Whole) -> None:
    """Each request is searched for the words of each case: prompt, expected output, assertion, id."""
    parts = {each["id"]: each["part"] for each in whole.state["cases"]}
    assert sorted(parts.values()) == ["holdout"] * 4 + ["select"] * 2 + ["train"] * 2
    for text in whole.proposals:
        for n in range(8):
            shown = {word in text for word in (f"ZX{n}Q", f"TOKEN{n}E", f"ASRT{n}N", f"case-{n}")}
            assert shown == {parts[f"case-{n}"] == "train"}


def test_history_is_in_skill_creators_shape(whole: Whole) -> None:
    """And `skilltrial history` reads it."""
    told = json.loads((whole.workspace / "history.json").read_text())
    assert told["current_best"] == "v2"
    keys = ("version", "parent", "expectation_pass_rate", "grading_result", "is_current_best")
    assert [tuple(each[key] for key in keys) for each in told["iterations"]] == [
        ("v0", None, 0.0, "baseline", False), ("v1", "v0", 0.0, "tie", False), ("v2", "v0", 1.0, "won", True),
    ]  # fmt: skip
    shown = whole.user.run("history", whole.workspace)
    assert shown.returncode == 0, shown.stderr
    assert "v2" in shown.stdout


def test_a_finished_improvement_costs_nothing_more(whole: Whole) -> None:
    """The same words again, without a trial."""
    again = whole.user.run(*command(whole.skill, whole.workspace))
    assert (again.returncode, again.stdout, again.stderr) == (0, whole.done.stdout, "")


def test_the_patch_and_apply_say_the_same(whole: Whole, tmp_path: Path) -> None:
    """`git apply` takes the patch; --apply writes the same, and refuses a file that was changed since."""
    (tmp_path / "SKILL.md").write_text(SKILL)
    subprocess.run(["git", "apply", str(whole.workspace / "versions/v2.patch")], cwd=tmp_path, check=True)
    assert (tmp_path / "SKILL.md").read_text() == BETTER
    assert (whole.workspace / "versions/v2/csv-report/logo.bin").read_bytes() == b"\xff\x00\x01"
    file = whole.skill / "SKILL.md"
    try:
        file.write_text(SKILL + "More.\n")
        apply = ["improve", whole.skill, "--workspace", whole.workspace, "--apply", "v2"]
        refused = whole.user.run(*apply)
        assert (refused.returncode, file.read_text()) == (2, SKILL + "More.\n")
        assert "SKILL.md changed since the version was made" in " ".join(refused.stderr.split())
        file.write_text(SKILL)
        assert whole.user.run(*apply).returncode == 0
        assert file.read_text() == BETTER
        assert (whole.skill / "evals/evals.json").exists()
    finally:
        file.write_text(SKILL)  # for the other tests


def test_a_version_by_hand_goes_through_the_same_trial(tmp_path: Path, claude: Path) -> None:
    """`history add`: all cases with both, a row in history.json; the same again runs nothing; the next number is the next one."""
    skill = write_skill(tmp_path / "csv-report", CASES[:4], text=SKILL)
    (tmp_path / "by-hand").mkdir()
    (tmp_path / "by-hand/SKILL.md").write_text(BETTER)
    with MockLLM(SCENARIO) as mock:
        key = {"ANTHROPIC_API_KEY": "dummy-key-1234", "ANTHROPIC_BASE_URL": mock.url()}
        user = Person(home=tmp_path / "home", variables={"SKILLTRIAL_CLAUDE": str(claude), **key})
        user.home.mkdir()
        add = ["history", "add", tmp_path / "by-hand", "--skill", skill, "--harness", "claude-code", "--runs", "1",
               "--workspace", tmp_path / "w"]  # fmt: skip
        done = user.run(*add)
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stdout.split()).startswith(
        "csv-report: v1 is better than v0: +100 points (+5 to +100) on 4 cases"
    )
    told = json.loads((tmp_path / "w/history.json").read_text())
    rows = [(each["version"], each["grading_result"], each["iteration"]) for each in told["iterations"]]
    assert (rows, told["current_best"]) == ([("v0", "baseline", 1), ("v1", "won", 1)], "v1")
    (tmp_path / "git").mkdir()
    (tmp_path / "git/SKILL.md").write_text(SKILL)
    subprocess.run(["git", "apply", str(tmp_path / "w/versions/v1.patch")], cwd=tmp_path / "git", check=True)
    assert (tmp_path / "git/SKILL.md").read_text() == BETTER
    again = user.run(*add)
    assert (again.returncode, "this is v1, the best version so far" in " ".join(again.stderr.split())) == (2, True)
    shown = user.run("history", tmp_path / "w")
    assert shown.returncode == 0
    assert "current best" in shown.stdout


def test_history_add_without_anything_to_compare_with_is_refused(tmp_path: Path) -> None:
    """The skill itself, before there is a history: what to do is said, and nothing is run."""
    skill = write_skill(tmp_path / "csv-report", CASES[:4], text=SKILL)
    done = Person(home=tmp_path, variables={}).run("history", "add", skill, "--workspace", tmp_path / "w")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no other version to compare with" in " ".join(done.stderr.split())


def test_too_few_cases_are_refused_before_anything_is_spent(tmp_path: Path) -> None:
    """With the numbers."""
    skill = write_skill(tmp_path / "csv-report", CASES[:5], text=SKILL)
    done = Person(home=tmp_path, variables={}).run(*command(skill, tmp_path / "w"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "there are 5 independent cases; 8 are needed" in " ".join(done.stderr.split())
    assert not (tmp_path / "w").exists()


def test_a_history_that_cannot_be_added_to_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    """No model and no agent is there to be asked."""
    skill = write_skill(tmp_path / "csv-report", CASES, text=SKILL)
    (tmp_path / "w").mkdir()
    (tmp_path / "w/history.json").write_text("[]")
    done = Person(home=tmp_path, variables={}).run(*command(skill, tmp_path / "w"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no history of versions" in " ".join(done.stderr.split())
