"""All shell steps of the action in their order, as a runner does them, with the real program; `gh` alone is a stand-in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import Person, write_skill
from fake_agent import ANSWERED, a_person

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
NOT_HERE = {"Install"}
"""What would fetch packages; the program that it installs is the one under test."""
GH = """#!/bin/bash
echo "$*" >> "$HOME/gh"
"""


class Runner:
    """What a runner of GitHub keeps between steps."""

    def __init__(self, folder: Path, person: Person, base: str, inputs: Mapping[str, str]) -> None:
        self.folder, self._person = folder, person
        self._known = {
            **{f"inputs.{name}": each["default"] for name, each in ACTION["inputs"].items()},
            **{f"inputs.{name}": value for name, value in inputs.items()},
            "github.event.pull_request.base.sha": base,
            "github.event.pull_request.number": "7",
            "github.repository": "o/r",
            "github.run_id": "1",
            "github.server_url": "https://example.com",
            "runner.temp": str(folder / "temp"),
            ACTION_FORK: "false",
        }

    def do(self) -> dict[str, subprocess.CompletedProcess[str]]:
        """Every shell step whose condition holds, by name; what fails ends none of the `always()` ones."""
        done: dict[str, subprocess.CompletedProcess[str]] = {}
        failed = False
        for step in ACTION["runs"]["steps"]:
            condition = str(step.get("if", ""))
            wanted = self._known.get("steps.mode.outputs.mode") == "trial" or "mode.outputs" not in condition
            if "run" not in step or step["name"] in NOT_HERE or not wanted or (failed and "always()" not in condition):
                continue
            done[step["name"]] = self._step(step)
            failed = failed or done[step["name"]].returncode != 0
        return done

    def _step(self, step: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        output = self.folder / "output"
        output.write_text("")
        bash = shutil.which("bash")
        assert bash
        env = self._person.env | {name: self._value(value) for name, value in step.get("env", {}).items()}
        env |= {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{env['PATH']}",
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_WORKSPACE": str(self.folder / "repo"),
            "GITHUB_REPOSITORY": "o/r",
        }
        done = subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder / "repo",
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        self._keep(step.get("id", ""), output.read_text())
        return done

    def _keep(self, step: str, text: str) -> None:
        for name, _, value in re.findall(r"^([a-z-]+)<<(\S+)\n(.*?)\n\2$", text, re.MULTILINE | re.DOTALL):
            self._known[f"steps.{step}.outputs.{name}"] = value
        for name, value in re.findall(r"^([a-z-]+)=(.*)$", text, re.MULTILINE):
            self._known[f"steps.{step}.outputs.{name}"] = value

    def _value(self, text: str) -> str:
        """With every expression replaced; one that is not known here is an error of this test."""
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda at: self._known[at[1]], text)


ACTION_FORK = (
    "github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name != github.repository"
)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A pull request that changes a skill, whose agent answers every task alike."""
    person = a_person(tmp_path)
    repo = tmp_path / "repo"
    skill = write_skill(repo / "skills/csv-report", [{"id": "old", "prompt": "Say hello.", "assertions": [ANSWERED]}])
    _git(repo, "init", "-q")
    base = _commit(repo)
    cases = [{"id": f"c{n}", "prompt": f"Say hello {n}.", "assertions": [ANSWERED]} for n in range(2)]
    shutil.rmtree(skill)
    write_skill(skill, cases)
    (skill / "evals/skilltrial.toml").write_text('[gate]\nprimary = "none"\nmin_pass_rate = 0.5\nmax_cost_usd = 0.2\n')
    _commit(repo)
    program = tmp_path / "bin/gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    (tmp_path / "temp").mkdir()
    return Runner(tmp_path, person, base, {"run-args": "--runs\n1\n--harness\nclaude-code\n", "token": "t"})


def _git(repo: Path, *arguments: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *arguments], cwd=repo, check=True, capture_output=True, text=True, env=env
    ).stdout.strip()


def _commit(repo: Path) -> str:
    _git(repo, "add", "-A")
    _git(repo, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x")
    return _git(repo, "rev-parse", "HEAD")


def test_a_changed_skill_is_tried_gated_and_told_of(runner: Runner) -> None:
    """The floor holds, the ceiling of 0.20 dollars does not at 0.25 a trial: exit code 1, annotated, in summary and comment."""
    done = runner.do()
    assert list(done) == [
        "Find the skills",
        "See what can be run",
        "Check without a model",
        "Put on trial",
        "Comment",
        "Outcome",
    ]
    tried = done["Put on trial"]
    assert tried.returncode == 0, tried.stderr
    assert (
        "::error file=skills/csv-report/evals/skilltrial.toml,line=4,title=csv-report%3A max_cost_usd" in tried.stdout
    )
    body = (runner.folder / "temp/skilltrial-comment.md").read_text()
    assert body.startswith("<!-- skilltrial skilltrial -->\n### csv-report: REGRESSION")
    assert str(runner.folder) not in body
    assert (runner.folder / "summary").read_text() in body
    assert (runner.folder / "temp/skilltrial/1/junit.xml").read_text().startswith("<?xml")
    assert "repos/o/r/issues/7/comments" in (runner.folder / "home/gh").read_text()
    assert done["Outcome"].returncode == 1
