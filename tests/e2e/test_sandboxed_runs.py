"""`skilltrial run --sandbox`: real agents that try to get out, against the scripted model server."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Person, trial_records, write_skill

import skilltrial
from skilltrial import wiring
from skilltrial.testing.mock_llm import MockLLM

pytestmark = pytest.mark.sandbox
LEVELS = ("bwrap", "landlock")
EACH_LEVEL = [pytest.param(level, marks=getattr(pytest.mark, level)) for level in LEVELS]
AGENTS = ("claude-code", "builtin")
DONE = {"id": "done", "type": "file_exists", "path": "inside.txt"}


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with a secret in their home and a file outside of every trial."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret.txt").write_text("hunter2-of-the-home")
    (tmp_path / "outside.txt").write_text("untouched")
    source = str(Path(skilltrial.__file__).parent.parent)  # the tree that these tests belong to
    return Person(home=home, variables={"PYTHONPATH": source})


@pytest.fixture
def mock(tmp_path: Path) -> Iterator[MockLLM]:
    """A model that wants to read the home, the skill's evals and the workspace, and to write outside."""
    places = [
        tmp_path / "home/secret.txt",
        tmp_path / "csv-report/evals/evals.json",
        tmp_path / "w/iteration-1/plan.json",
    ]
    reads = "; ".join(f"cat {shlex.quote(str(place))}" for place in places)
    outside = shlex.quote(str(tmp_path / "outside.txt"))
    script = f"{reads}; echo broken > {outside}; touch {shlex.quote(str(tmp_path / 'new.txt'))}; echo ok > inside.txt"
    rules: list[dict[str, Any]] = [
        {"when": {"step": 0}, "reply": {"text": "Looking.", "calls": [{"tool": "$run", "input": {"command": script}}]}},
        {"reply": {"text": "Looked."}},
    ]
    harmless = [
        {**rules[0], "reply": {"calls": [{"tool": "$run", "input": {"command": "echo ok > inside.txt"}}]}},
        rules[1],
    ]
    with MockLLM({"name": "escape", "rules": rules}, {"name": "harmless", "rules": harmless}) as server:
        yield server


def trial(
    tmp_path: Path,
    person: Person,
    mock: MockLLM,
    agent: str,
    level: str,
    request: pytest.FixtureRequest,
    *,
    scenario: str = "escape",
) -> tuple[dict[str, Any], str]:
    """The record of one trial at a level, and everything that its transcript holds."""
    person.variables.update(ANTHROPIC_API_KEY="dummy-key-1234", OPENAI_API_KEY="dummy-key-1234")
    if agent == "claude-code":
        person.variables["SKILLTRIAL_CLAUDE"] = str(request.getfixturevalue("claude"))
        person.variables["ANTHROPIC_BASE_URL"] = mock.url(scenario, level)
        options = ["--harness", agent]
    else:
        address = mock.url(scenario, level, openai=True)
        options = ["--harness", agent, "--model", "openai:m"]
        person.variables["OPENAI_BASE_URL"] = address
    skill = tmp_path / "csv-report"
    if not skill.exists():
        case = {"id": "c", "prompt": "Look around", "files": {"data.csv": "a,b\n"}, "assertions": [DONE]}
        write_skill(skill, [case])
    workspace = ["--workspace", tmp_path / "w", "--iteration", "new"]
    done = person.run(
        "run", skill, *options, "--sandbox", level, "--runs", "1", "--arms", "with_skill", *workspace, "--json"
    )
    assert done.returncode == 0, done.stderr
    iteration = json.loads(done.stdout)["iteration"]
    (record,) = trial_records(tmp_path / "w", iteration)
    (stream,) = (tmp_path / "w").glob(f"iteration-{iteration}/eval-*/*/run-1/transcript.jsonl")
    return record, stream.read_text()


def works(level: str, person: Person) -> None:
    """Skip where a level does not hold here."""
    env = {**person.env, "PATH": os.environ["PATH"]}
    found = next(each for each in wiring.sandboxes(env) if each.level == level)
    if found.confinement is None:
        pytest.skip(f"the sandbox {level} does not hold here: {found.detail}")


@pytest.mark.agent
@pytest.mark.parametrize("level", EACH_LEVEL)
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_wants_out_stays_in(
    tmp_path: Path, person: Person, mock: MockLLM, agent: str, level: str, request: pytest.FixtureRequest
) -> None:
    """Nothing of the person's is read or written, and the trial succeeds; without the sandbox it would be otherwise."""
    works(level, person)
    record, said = trial(tmp_path, person, mock, agent, level, request)
    assert (record["outcome"], record["isolation"].split()[0]) == ("completed", level)
    assert "the network is open" in record["isolation"]
    assert "hunter2" not in said
    assert "skill_name" not in said
    assert (tmp_path / "outside.txt").read_text() == "untouched"
    assert not (tmp_path / "new.txt").exists()
    assert [file["path"] for file in record["files"]] == ["inside.txt"]
    assert record["n_strays"] == 0

    open_record, open_said = trial(tmp_path, person, mock, agent, "none", request)
    assert open_record["isolation"] == "folder"
    assert "hunter2" in open_said, "without a sandbox it can be read: the test above can fail"
    assert "skill_name" in open_said
    assert (tmp_path / "new.txt").exists()


@pytest.mark.agent
@pytest.mark.parametrize("level", EACH_LEVEL)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_sandbox_costs_no_token(
    tmp_path: Path, person: Person, mock: MockLLM, agent: str, level: str, request: pytest.FixtureRequest
) -> None:
    """The scripted model counts the words that it is sent: in the sandbox the agent is told nothing else."""
    works(level, person)
    inside, _ = trial(tmp_path, person, mock, agent, level, request, scenario="harmless")
    without, _ = trial(tmp_path, person, mock, agent, "none", request, scenario="harmless")
    assert inside["usage"]["input_tokens"] > 0
    assert inside["usage"] == without["usage"]
    assert inside["tool_calls"] == without["tool_calls"]
    assert (inside["outcome"], inside["exit_code"]) == (without["outcome"], without["exit_code"])


@pytest.mark.agent
def test_the_level_is_part_of_the_plan_and_stands_in_the_report(
    tmp_path: Path, person: Person, mock: MockLLM, request: pytest.FixtureRequest
) -> None:
    """`auto` takes the best that works; trials of different levels are not mixed in one iteration."""
    if all(each.confinement is None for each in wiring.sandboxes({**person.env, "PATH": os.environ["PATH"]})):
        pytest.skip("no sandbox holds here")
    record, _ = trial(tmp_path, person, mock, "builtin", "auto", request)
    level = record["isolation"].split()[0]
    plan = json.loads((tmp_path / "w/iteration-1/plan.json").read_text())
    assert plan["harness"]["sandbox"] == level
    for name in ("report.html", "benchmark.md"):
        assert "the network is open" in (tmp_path / "w/iteration-1" / name).read_text(), name
    again = person.run(
        "run", tmp_path / "csv-report", "--harness", "builtin", "--model", "openai:m", "--sandbox", level, "--runs", "1",
        "--arms", "with_skill", "--workspace", tmp_path / "w", "--json",
    )  # fmt: skip
    assert json.loads(again.stdout)["iteration"] == 1, "the same level by name goes on"


def test_a_sandbox_that_is_not_there_ends_it_before_anything_starts(tmp_path: Path, person: Person) -> None:
    """Exit code 3, with what to do, and no workspace."""
    fake = tmp_path / "bin/bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    person.variables.update(PATH=f"{fake.parent}:{os.environ['PATH']}", OPENAI_API_KEY="dummy")
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "x", "assertions": [DONE]}])
    options = ["--harness", "builtin", "--model", "openai:m", "--workspace", tmp_path / "w"]
    done = person.run("run", skill, *options, "--sandbox", "bwrap")
    assert done.returncode == 3, done.stderr
    said = " ".join(done.stderr.split())
    assert "bwrap: No permissions to create new namespace" in said
    assert "skilltrial doctor" in said
    assert "Traceback" not in said
    assert not (tmp_path / "w").exists()


def test_an_unknown_level_is_invalid_input(tmp_path: Path, person: Person) -> None:
    """Exit code 2, with the levels."""
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "x", "assertions": [DONE]}])
    done = person.run("run", skill, "--harness", "builtin", "--sandbox", "jail")
    assert done.returncode == 2, done.stderr
    assert "none, auto, bwrap, landlock" in " ".join(done.stderr.split())


@pytest.mark.agent
def test_a_login_in_the_home_and_a_sandbox_exclude_each_other(tmp_path: Path, person: Person, claude: Path) -> None:
    """The home is out of reach; said before anything starts, with the way out."""
    if all(each.confinement is None for each in wiring.sandboxes({**person.env, "PATH": os.environ["PATH"]})):
        pytest.skip("no sandbox holds here")
    (person.home / ".claude").mkdir()
    (person.home / ".claude/.credentials.json").write_text("{}")
    person.variables["SKILLTRIAL_CLAUDE"] = str(claude)
    skill = write_skill(tmp_path / "csv-report", [{"id": "c", "prompt": "x", "assertions": [DONE]}])
    done = person.run("run", skill, "--harness", "claude-code", "--sandbox", "auto", "--workspace", tmp_path / "w")
    assert done.returncode == 3, done.stderr
    assert "claude setup-token" in " ".join(done.stderr.split())


def test_doctor_says_which_levels_work(person: Person) -> None:
    """Each with a sentence; an open one is never among them."""
    found = json.loads(person.run("doctor", "--json").stdout)["sandboxes"]
    assert [each["level"] for each in found] == [*LEVELS, "docker:IMAGE", "podman:IMAGE"]
    assert all(each["detail"] for each in found)
