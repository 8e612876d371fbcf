"""Arms with the real Claude Code against the scripted model server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command import SKILL, Person, trial_records, write_skill

from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

pytestmark = pytest.mark.agent


def test_each_arm_of_a_real_agent_has_its_own_version(tmp_path: Path, claude: Path) -> None:
    """The model acts only where a skill named csv-report is listed; at v1 it had another name. Then the old arm is reused."""
    case = {"prompt": "Summarise data.csv", "files": {"data.csv": "name,count\napples,3\npears,4\n"}}
    assertions = [{"id": "file", "type": "file_exists", "path": "report.md"}]
    cases = [{"id": f"report-{n}", **case, "assertions": assertions} for n in range(2)]
    skill = write_skill(tmp_path / "repo/csv-report", cases, text=SKILL.replace("name: csv-report", "name: tables"))
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "v1"), ("tag", "v1")):
        argv = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments]
        subprocess.run(argv, cwd=tmp_path / "repo", check=True, capture_output=True)
    (skill / "SKILL.md").write_text(SKILL)
    (tmp_path / "home").mkdir()
    options = ("--harness", "claude-code", "--runs", "1", "--json", "--workspace", tmp_path / "w")
    with MockLLM(SCENARIOS) as mock:
        variables = {
            "SKILLTRIAL_CLAUDE": str(claude),
            "ANTHROPIC_API_KEY": "dummy-key-1234",
            "ANTHROPIC_BASE_URL": mock.url("skill"),
        }
        user = Person(home=tmp_path / "home", variables=variables)
        done = user.run("run", skill, *options, "--baseline", "git:v1")
        assert done.returncode == 0, done.stderr
        benchmark = json.loads(done.stdout)
        assert (benchmark["lift"]["treatment"], benchmark["lift"]["baseline"]) == ("new_skill", "old_skill")
        assert benchmark["lift"]["estimate"] == 1.0
        offered = {(r["key"]["arm"], r["evidence"]["offered"]) for r in trial_records(tmp_path / "w")}
        assert offered == {("new_skill", True), ("old_skill", True)}, "each was offered under its own name"
        n_calls = len(mock.log.select())
        (skill / "SKILL.md").write_text(SKILL + "\nMore.\n")
        done = user.run("run", skill, *options, "--baseline", "git:v1", "--reuse-baseline")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["lift"]["estimate"] == 1.0
        second = {r["key"]["arm"]: r["reused_from"] for r in trial_records(tmp_path / "w", 2)}
        assert second["new_skill"] is None
        assert second["old_skill"]["iteration"] == 1
        assert len(mock.log.select()) > n_calls
