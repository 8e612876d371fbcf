"""`skilltrial run --harness NAME` with agent programs that files describe."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Person, kill, trial_records, write_skill
from fake_agent import LINUX, processes_in

from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
CASE: dict[str, Any] = {
    "id": "report",
    "prompt": "Summarise data.csv",
    "files": {"data.csv": "name,count\napples,3\npears,4\n"},
    "assertions": [{"id": "rows", "type": "file_matches", "path": "report.md", "pattern": "Rows: 2"}],
}
MINE = """schema = 1
name = "my-agent"
title = "My agent"
program = "PROGRAM"

[stream]
format = "text"
"""


@pytest.fixture
def mock() -> Iterator[MockLLM]:
    """The scripted model server with its shipped scenarios."""
    with MockLLM(SCENARIOS) as server:
        yield server


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Person(home=home, variables={"PATH": f"{AGENTS}{os.pathsep}{os.environ['PATH']}"})


def add_harness(person: Person, script: str) -> None:
    """Puts a descriptor into the person's config folder, and its program somewhere."""
    program = person.home.parent / "agent"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    folder = person.home / ".config/skilltrial/harnesses"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(MINE.replace("PROGRAM", str(program)))


@pytest.mark.agent
@pytest.mark.parametrize("name", ["codex", "pi"])
def test_a_described_agent_is_put_on_trial(tmp_path: Path, person: Person, mock: MockLLM, name: str) -> None:
    """The skill works in one arm, and nothing of it is in the other."""
    if not (AGENTS / name).exists():
        pytest.skip(f"{name} is not installed: run make agents")
    skill = write_skill(tmp_path / "csv-report", [CASE])
    url = mock.url("skill", openai=True)
    options = ("--harness", name, "--model", "mock-model", "--base-url", url, "--runs", "1")
    done = person.run("run", skill, *options, "--workspace", tmp_path / "w", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["lift"]["estimate"] == 1.0
    records = {record["key"]["arm"]: record for record in trial_records(tmp_path / "w")}
    assert {record["outcome"] for record in records.values()} == {"completed"}
    assert records["with_skill"]["evidence"]["loaded"] is True
    assert records["without_skill"]["evidence"]["loaded"] is False
    assert records["with_skill"]["harness"]["name"] == name


@pytest.mark.agent
@pytest.mark.skipif(not LINUX, reason="looks for processes in /proc")
def test_after_a_kill_no_agent_is_left_and_the_rest_is_done(tmp_path: Path, person: Person) -> None:
    """SIGKILL while an agent's tool runs: the next start ends what that left, and every trial gets its result."""
    if not (AGENTS / "pi").exists():
        pytest.skip("pi is not installed: run make agents")
    slow = {"tool": "$run", "input": {"command": "python3 -c 'import time; time.sleep(600)'"}}
    sleeps_once = {
        "rules": [{"when": {"step": 0}, "times": 1, "reply": {"calls": [slow]}}, {"reply": {"text": "Done."}}],
        "usage": {"input": 900, "output": 60},
    }
    (tmp_path / "temporary").mkdir()
    person.variables["TMPDIR"] = str(tmp_path / "temporary")
    skill = write_skill(tmp_path / "csv-report", [CASE])
    with MockLLM(sleeps_once) as mock:
        command = ["run", skill, "--harness", "pi", "--model", "mock-model", "--base-url", mock.url(openai=True)]
        command += ["--runs", "1", "--concurrency", "1", "--workspace", tmp_path / "w", "--json"]
        process = person.start(*command)
        while not any("time.sleep(600)" in each for each in processes_in(tmp_path)) and process.poll() is None:
            time.sleep(0.1)
        kill(process)
        done = person.run(*command)
    assert done.returncode == 0, done.stderr
    assert [record["outcome"] for record in trial_records(tmp_path / "w")] == ["completed", "completed"]
    assert processes_in(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_an_agent_of_ones_own_is_put_on_trial(tmp_path: Path, person: Person) -> None:
    """A file in the config folder is enough."""
    add_harness(
        person, "if [ -d .agents ]; then echo 'Rows: 2' > report.md; fi; [ $1 = --version ] && echo 1.0 || echo ok"
    )
    skill = write_skill(tmp_path / "csv-report", [CASE])
    done = person.run("run", skill, "--harness", "my-agent", "--runs", "1", "--workspace", tmp_path / "w", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["lift"]["estimate"] == 1.0


def test_a_key_of_any_name_is_masked_in_what_the_agent_leaves(tmp_path: Path, person: Person) -> None:
    """A descriptor says which variables are keys; their names need not end in KEY."""
    add_harness(
        person,
        'echo "$MY_LOGIN" > report.md; [ "$1" != --version ] || echo 1.2.3; echo Rows: 2 >> report.md; echo done',
    )
    file = person.home / ".config/skilltrial/harnesses/mine.toml"
    file.write_text(file.read_text().replace("[stream]", '[environment]\nkeys = ["MY_LOGIN"]\n[stream]'))
    person.variables["MY_LOGIN"] = "correct-horse-battery"
    skill = write_skill(tmp_path / "csv-report", [CASE])
    done = person.run("run", skill, "--harness", "my-agent", "--runs", "1", "--workspace", tmp_path / "w", "--json")
    assert done.returncode == 0, done.stderr
    files = [path for path in (tmp_path / "w").rglob("*") if path.is_file()]
    assert any(path.name == "report.md" and "***" in path.read_text() for path in files)
    assert not [path for path in files if "correct-horse-battery" in path.read_text(errors="replace")]


def test_list_names_them_all(person: Person) -> None:
    """Ours, and the person's with its file."""
    add_harness(person, "echo")
    done = person.run("harness", "list", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["my-agent"]["source"] == "user"
    assert rows["my-agent"]["program"] == str(person.home.parent / "agent")
    assert rows["codex"]["source"] == "built-in"
    assert rows["claude-code"]["source"] == "code"
    assert "my-agent" in person.run("harness", "list").stdout


def test_show_says_what_one_needs(person: Person) -> None:
    """Keys and the place of skills, for people and for programs."""
    said = person.run("harness", "show", "gemini-cli").stdout
    assert "GEMINI_API_KEY" in said
    assert ".gemini/skills" in said
    assert "docs/harnesses.md" in person.run("harness", "show", "claude-code").stdout
    shown = json.loads(person.run("harness", "show", "pi", "--json").stdout)
    assert shown["descriptor"]["stream"]["format"] == "pi"


def test_a_name_that_no_harness_can_have_is_refused_before_a_file_is_written(tmp_path: Path, person: Person) -> None:
    """What a name may be, and no folder."""
    done = person.run("harness", "init", "My Agent", "--out", tmp_path / "x/mine.toml")
    assert done.returncode == 2
    assert "'My Agent' is no name for a harness." in done.stderr
    assert not (tmp_path / "x").exists()


def test_an_unknown_harness_is_invalid(tmp_path: Path, person: Person) -> None:
    """The known ones are named."""
    done = person.run("run", write_skill(tmp_path / "csv-report", [CASE]), "--harness", "nobody")
    assert done.returncode == 2
    assert "opencode" in done.stderr
    done = person.run("harness", "show", "nobody")
    assert done.returncode == 2


def test_lint_says_what_is_wrong(tmp_path: Path, person: Person) -> None:
    """Exit code 2 and the place, or 0."""
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    assert person.run("harness", "lint", file).returncode == 0
    file.write_text(MINE.replace('"text"', '"txt"'))
    done = person.run("harness", "lint", file)
    assert done.returncode == 2
    assert "txt" in done.stderr
    file.write_text(MINE.replace("my-agent", "codex"))
    assert json.loads(person.run("harness", "lint", file, "--json").stdout)["ok"] is False


def test_doctor_names_what_is_installed(person: Person) -> None:
    """Programs that files describe are named and not started."""
    add_harness(person, "touch $HOME/started")
    done = person.run("doctor", "--json")
    assert "my-agent" in json.loads(done.stdout)["other_programs"]
    assert not (person.home / "started").exists()


def test_any_command_is_put_on_trial(tmp_path: Path, person: Person) -> None:
    """Without a file that describes it; what it is given by name is in no record, and in no file that it leaves."""
    person.variables["MY_LOGIN"] = "correct-horse-battery"
    line = "LOGIN=$MY_LOGIN sh -c 'cat; echo $LOGIN > note; if [ -d .agents ]; then echo Rows: 2 > report.md; fi'"
    skill = write_skill(tmp_path / "csv-report", [CASE])
    options = ("--harness", "command", "--harness-arg", line, "--runs", "1", "--workspace", tmp_path / "w", "--json")
    done = person.run("run", skill, *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["lift"]["estimate"] == 1.0
    assert {record["final_message"] for record in trial_records(tmp_path / "w")} == {"Summarise data.csv"}
    assert not [
        path for path in (tmp_path / "w").rglob("*") if path.is_file() and b"correct-horse" in path.read_bytes()
    ]


def test_init_writes_a_descriptor_once(tmp_path: Path, person: Person) -> None:
    """It is right, and what is there stays; a name that is taken leaves no file."""
    file = tmp_path / "mine.toml"
    assert person.run("harness", "init", "my-own", "--out", file).returncode == 0
    assert person.run("harness", "lint", file).returncode == 0
    file.write_text("mine")
    assert person.run("harness", "init", "my-own", "--out", file).returncode == 2
    assert file.read_text() == "mine"
    assert person.run("harness", "init", "codex", "--out", tmp_path / "other.toml").returncode == 2
    assert not (tmp_path / "other.toml").exists()


def test_a_copy_of_the_skill_for_everybody_is_refused_before_anything_starts(tmp_path: Path, person: Person) -> None:
    """Both arms would have it: exit code 2, the place, and what to do."""
    add_harness(person, "[ $1 = --version ] && echo 1.0 || echo started >> ../../started")
    copy = tmp_path / "etc/skills/csv-report"
    copy.mkdir(parents=True)
    (copy / "SKILL.md").write_text("---\nname: csv-report\ndescription: d\n---\n")
    mine = person.home / ".config/skilltrial/harnesses/mine.toml"
    mine.write_text(mine.read_text().replace("\n[stream]", f'system = ["{tmp_path}/etc"]\n\n[stream]'))
    skill = write_skill(tmp_path / "csv-report", [CASE])
    done = person.run("run", skill, "--harness", "my-agent", "--runs", "1", "--workspace", tmp_path / "w")
    assert done.returncode == 2
    assert "finds a skill of this name in every arm" in " ".join(done.stderr.split())
    assert not (tmp_path / "w/iteration-1").exists()
