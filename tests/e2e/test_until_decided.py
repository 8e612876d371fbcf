"""`run --until-decided`, with an agent whose success depends on what it finds in its folder alone."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from command import Person, kill, trial_records, write_skill
from fake_agent import ANSWERED, a_person

_AGENT = """#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
prompt=$(cat)
sleep {seconds}
said=Sorry
listed='[]'
[ -d .claude/skills/csv-report ] && listed='["csv-report"]'
case "$prompt" in
*easy*) said=Hello;;
*) [ -d .claude/skills/csv-report ] && said=Hello;;
esac
echo '{{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0","tools":[],"skills":'$listed'}}'
echo '{{"type":"assistant","message":{{"id":"1","role":"assistant","content":[{{"type":"text","text":"'$said'"}}]}}}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":"'$said'","total_cost_usd":0.25,\
"modelUsage":{{"m":{{"inputTokens":100,"outputTokens":20,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.25}}}}}}'
"""


def _person(folder: Path, *, seconds: float = 0.0) -> Person:
    person = a_person(folder)
    (folder / "agent").write_text(_AGENT.format(seconds=seconds))
    return person


def _command(folder: Path, *, task: str, n_cases: int = 3) -> list[str | Path]:
    cases = [{"id": f"c{n}", "prompt": f"{task} task {n}", "assertions": [ANSWERED]} for n in range(n_cases)]
    skill = write_skill(folder / "csv-report", cases)
    return ["run", skill, "--harness", "claude-code", "--concurrency", "2", "--workspace", folder / "w"]


def _stop(workspace: Path) -> Any:
    path = workspace / "iteration-1/stop.json"
    return json.loads(path.read_text()) if path.exists() else None


def test_pairs_that_all_go_to_the_skill_stop_after_two_rounds(tmp_path: Path) -> None:
    """Six wins of six have the chance 1/64, and round 2 of 3 may spend 0.05 (2/3)^1.5 = 1/37; 6 trials are not needed.

    The same command again runs nothing; without the option, the rest is run, and the decision is said to be over.
    """
    person, command = _person(tmp_path), _command(tmp_path, task="hard")
    done = person.run(*command, "--until-decided", "--max-rounds", "3", "--json")
    assert done.returncode == 0, done.stderr
    decision = json.loads(done.stdout)["stop"]["decision"]
    assert (decision["verdict"], decision["round"], decision["max_rounds"]) == ("effect", 2, 3)
    assert (decision["wins"], decision["losses"], decision["ties"]) == (6, 0, 0)
    told = json.loads(done.stdout)
    assert {item["reason"] for item in told["excluded"]} == {
        "decided after round 2 of 3 (with_skill won 6 of the 6 pairs that differ)."
    }
    assert "unfinished" not in {finding["code"] for finding in told["findings"]}
    page = " ".join(person.run("report", tmp_path / "w").stdout.split())
    assert "Stopped early after 2 of 3 rounds (with_skill won 6 of the 6 pairs that differ): the interval may" in page
    assert "overstate the lift. 6 trials of the plan were not needed." in page

    planned = person.run("power", tmp_path / "w")
    assert "3 cases × 2 runs cannot find any lift with that chance" in planned.stdout
    assert "about $" in planned.stdout
    assert "All of it is the usual value: nothing varies in these trials" in " ".join(planned.stdout.split())

    again = person.run(*command, "--until-decided", "--runs", "3")
    assert (again.returncode, len(trial_records(tmp_path / "w"))) == (0, 12)
    rest = person.run(*command)
    assert (rest.returncode, len(trial_records(tmp_path / "w"))) == (0, 18)
    assert "that early decision no longer applies" in " ".join(rest.stderr.split())
    assert _stop(tmp_path / "w") is None


def test_pairs_that_never_differ_are_futile(tmp_path: Path) -> None:
    """After three rounds in which both arms did the same."""
    person, command = _person(tmp_path), _command(tmp_path, task="easy", n_cases=2)
    done = person.run(*command, "--until-decided", "--max-rounds", "4")
    assert (done.returncode, len(trial_records(tmp_path / "w"))) == (0, 12)
    shown = " ".join(done.stdout.split())
    assert "Stopped early after 3 of 4 rounds (futile: no pair of 6 differs" in shown
    assert "the interval may understate the lift. 4 trials of the plan were not needed" in shown


def test_a_ceiling_comes_before_a_decision(tmp_path: Path) -> None:
    """Five trials are less than a round of six: exit code 4, as without the option; a higher one goes on to the decision."""
    person, command = _person(tmp_path), _command(tmp_path, task="hard")
    low = person.run(*command, "--until-decided", "--max-rounds", "3", "--max-trials", "5", "--json")
    assert (low.returncode, json.loads(low.stdout)["stop"]["ceiling"]) == (4, "--max-trials")
    assert json.loads(low.stdout)["stop"]["decision"] is None
    high = person.run(*command, "--until-decided", "--max-rounds", "3", "--max-trials", "12")
    assert (high.returncode, _stop(tmp_path / "w")["decision"]["round"]) == (0, 2)


def test_a_killed_run_decides_as_one_that_was_not(tmp_path: Path) -> None:
    """Killed in the second round."""
    person, command = _person(tmp_path, seconds=0.3), _command(tmp_path, task="hard")
    command += ["--until-decided", "--max-rounds", "3"]
    process = person.start(*command)
    while len(trial_records(tmp_path / "w")) < 8 and process.poll() is None:
        time.sleep(0.05)
    kill(process)
    assert 8 <= len(trial_records(tmp_path / "w")) < 12
    assert _stop(tmp_path / "w") is None
    done = person.run(*command)
    decision = _stop(tmp_path / "w")["decision"]
    assert (done.returncode, len(trial_records(tmp_path / "w"))) == (0, 12), done.stderr
    assert (decision["round"], decision["wins"], decision["losses"]) == (2, 6, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-rounds", "3"], "it is for --until-decided"),
        (["--until-decided", "--max-rounds", "3", "--runs", "4"], "--runs is 4: leave one of them out"),
        (["--until-decided", "--runs", "1"], "needs at least two rounds"),
        (["--until-decided", "--arms", "with_skill"], "compares two arms"),
    ],
)
def test_what_cannot_decide_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    """Before anything is written."""
    person, command = _person(tmp_path), _command(tmp_path, task="hard", n_cases=1)
    done = person.run(*command, *options)
    assert (done.returncode, (tmp_path / "w").exists()) == (2, False)
    words = " ".join(done.stderr.replace("│", " ").split())
    assert said in words


def test_prose_alone_decides_nothing_without_a_judge(tmp_path: Path) -> None:
    """It is said before an agent is started."""
    person = _person(tmp_path)
    cases = [{"id": "c", "prompt": "task", "assertions": ["The answer is kind."]}]
    skill = write_skill(tmp_path / "csv-report", cases)
    done = person.run("run", skill, "--harness", "claude-code", "--until-decided", "--workspace", tmp_path / "w")
    assert (done.returncode, (tmp_path / "w").exists()) == (2, False)
    assert "--until-decided needs verdicts" in " ".join(done.stderr.split())
