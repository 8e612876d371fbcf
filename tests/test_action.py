"""The action for GitHub: its shell parts as they run there, with stand-ins for `skilltrial` and `gh`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
DOCS = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

FAKE_TRIAL = """#!/bin/bash
echo "$*" >> "$CALLS"
case "$1" in
  validate) exit "${VALIDATE:-0}" ;;
  oracle) exit "${ORACLE:-0}" ;;
  run) mkdir -p "$4/iteration-1"; echo "::error::said by an agent"; exit "${RAN:-0}" ;;
  gate) while [ $# -gt 0 ]; do if [ "$1" = --markdown ]; then echo "told" > "$2"; fi; shift; done
        codes=($GATES); n=$(grep -c '^gate ' "$CALLS"); exit "${codes[$((n - 1))]}" ;;
esac
"""
FAKE_GH = """#!/bin/bash
echo "$*" >> "$CALLS"
if [ -n "$REFUSED" ]; then exit 1; fi
if [[ "$*" == *--paginate* ]]; then printf '%s' "$OLD"; fi
"""


def _shell(name: str) -> str:
    return next(step["run"] for step in STEPS if step["name"] == name)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A checkout with two skills, one of them changed against `base`, and stand-ins on the path."""
    for name, text in (("skilltrial", FAKE_TRIAL), ("gh", FAKE_GH)):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    (tmp_path / "temp/skilltrial").mkdir(parents=True)
    repo = tmp_path / "repo"
    for skill in ("skills/a b", "skills/c"):
        (repo / skill / "evals").mkdir(parents=True)
        (repo / skill / "SKILL.md").write_text("x")
        (repo / skill / "evals/evals.json").write_text("{}")
    _git(repo, "init", "-q")
    _commit(repo)
    _git(repo, "branch", "base")
    (repo / "skills/a b/evals/evals.json").write_text("{ }")
    (repo / "README.md").write_text("x")
    _commit(repo)
    return tmp_path


def _git(repo: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True, env={**os.environ, **GIT})


def _commit(repo: Path) -> None:
    _git(repo, "add", "-A")
    _git(repo, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x")


def _do(name: str, place: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A step as the runner starts it."""
    plain = {
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "HOME": str(place),
        "CALLS": str(place / "calls"),
        "RUNNER_TEMP": str(place / "temp"),
        "GITHUB_OUTPUT": str(place / "output"),
        "GITHUB_STEP_SUMMARY": str(place / "summary"),
        "GITHUB_WORKSPACE": str(place / "repo"),
        "GITHUB_REPOSITORY": "o/r",
        **GIT,
    }
    bash = shutil.which("bash")
    assert bash
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", _shell(name)],
        cwd=place / "repo",
        env=plain | env,
        capture_output=True,
        text=True,
        check=False,
    )


def _output(place: Path) -> str:
    return (place / "output").read_text()


def _calls(place: Path) -> list[str]:
    file = place / "calls"
    return file.read_text().splitlines() if file.exists() else []


@pytest.mark.parametrize("step", [step for step in STEPS if "run" in step], ids=lambda step: step["name"])
def test_every_shell_part_is_bash_and_holds_no_expression(step: dict[str, Any]) -> None:
    """What a pull request can write to (titles, branches, paths) reaches the shell as a variable, never as its text."""
    checked = subprocess.run(["bash", "-n"], input=step["run"], text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "${{" not in step["run"]
    assert step["shell"] == "bash"


def test_no_third_party_is_trusted() -> None:
    """Actions of GitHub itself alone."""
    assert {step["uses"].split("@")[0] for step in STEPS if "uses" in step} == {
        "actions/setup-python",
        "actions/upload-artifact",
    }


def test_the_docs_have_every_input_with_its_default() -> None:
    """And no other."""
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (.*?) \| .* \|$", DOCS.partition("### Inputs")[2].partition("###")[0], re.MULTILINE
    )
    shown = {name: default.strip("`") for name, default in rows}
    assert shown == {name: each["default"] or "–" for name, each in ACTION["inputs"].items()}


def test_the_workflow_of_the_docs_is_safe() -> None:
    """It parses, runs on `pull_request` alone, gives no more rights than needed, and its inputs exist."""
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)]
    assert blocks
    for flow in blocks:
        # YAML 1.1 reads the key `on` as true.
        assert "pull_request_target" not in flow[True]
        assert flow["permissions"] == {"contents": "read", "pull-requests": "write"}
        steps = [step for job in flow["jobs"].values() for step in job["steps"]]
        ours = [step for step in steps if "skilltrial" in step.get("uses", "")]
        assert ours
        assert all(set(step.get("with", {})) <= set(ACTION["inputs"]) for step in ours)


def test_the_changed_skills_are_found(place: Path) -> None:
    """Also with a space in the path; other changed files are of no skill."""
    done = _do("Find the skills", place, SKILLS="", BASE="base")
    assert done.returncode == 0, done.stderr
    assert _output(place).splitlines()[1:-1] == ["./skills/a b"]


def test_without_a_pull_request_all_with_evals_are_taken(place: Path) -> None:
    """And named ones as they are named."""
    assert _do("Find the skills", place, SKILLS="", BASE="").returncode == 0
    assert _output(place).splitlines()[1:-1] == ["./skills/a b", "./skills/c"]
    (place / "output").unlink()
    assert _do("Find the skills", place, SKILLS="  x/y \n\nz\n", BASE="base").returncode == 0
    assert _output(place).splitlines()[1:-1] == ["x/y", "z"]


def test_a_shallow_checkout_is_told_what_to_do(place: Path) -> None:
    """Instead of finding nothing."""
    done = _do("Find the skills", place, SKILLS="", BASE="1" * 40)
    assert done.returncode == 2
    assert "fetch-depth: 0" in done.stdout


@pytest.mark.parametrize(
    ("env", "mode", "said"),
    [
        ({"KEYS": "A_KEY", "FORK": "false", "A_KEY": "x"}, "trial", ""),
        ({"KEYS": "A_KEY", "FORK": "false"}, "checks", "A_KEY is empty"),
        ({"KEYS": "", "FORK": "false"}, "trial", ""),
        ({"KEYS": "A_KEY", "FORK": "true", "A_KEY": "x"}, "checks", "comes from a fork"),
    ],
)
def test_without_keys_only_checks_are_run_and_it_is_said(
    place: Path, env: dict[str, str], mode: str, said: str
) -> None:
    """A fork never gets further, whatever its environment holds."""
    done = _do("See what can be run", place, **env)
    assert _output(place) == f"mode={mode}\n"
    assert said in done.stdout
    assert bool(said) == ("::notice" in done.stdout)


def test_checks_without_a_model(place: Path) -> None:
    """An invalid skill ends the job; a check that proves nothing is a warning; the summary says what was not done."""
    done = _do("Check without a model", place, SKILLS="./skills/c", MODE="checks", ORACLE="1")
    assert done.returncode == 0
    assert "::warning" in done.stdout
    assert _calls(place) == ["validate ./skills/c", "oracle ./skills/c"]
    assert "nothing is said about whether the skill helps" in (place / "summary").read_text()
    assert _do("Check without a model", place, SKILLS="./skills/c", MODE="trial", VALIDATE="2").returncode == 2


def test_skills_are_run_and_held_to_their_gate(place: Path) -> None:
    """Arguments stay whole; what an agent says between the marks is no command."""
    done = _do(
        *("Put on trial", place),
        SKILLS="./skills/a b",
        RUN_ARGS="--model\nbig one\n",
        AGAINST="baseline-arm",
        CONFIG="",
        GATES="0",
    )
    assert done.returncode == 0, done.stderr
    run, gate = _calls(place)
    assert run == f"run ./skills/a b --workspace {place}/temp/skilltrial/1/workspace --yes --model big one"
    assert gate.startswith(f"gate {place}/temp/skilltrial/1/workspace --github --markdown")
    assert _output(place) == "exit-code=0\n"
    lines = done.stdout.splitlines()
    mark = lines[0].removeprefix("::stop-commands::")
    assert lines == [f"::stop-commands::{mark}", "::error::said by an agent", f"::{mark}::"]


@pytest.mark.parametrize(("gates", "code"), [("0 4", 4), ("4 1", 1), ("3 4", 3), ("2 3", 2), ("0 0", 0)])
def test_the_gravest_outcome_counts(place: Path, gates: str, code: int) -> None:
    """Of several skills."""
    env = {"RUN_ARGS": "", "AGAINST": "evals/baseline.json", "CONFIG": "g.toml"}
    _do("Put on trial", place, SKILLS="./skills/a b\n./skills/c", GATES=gates, **env)
    assert _output(place) == f"exit-code={code}\n"
    assert _calls(place)[-1].endswith("--config g.toml --against ./skills/c/evals/baseline.json")


@pytest.mark.parametrize(
    ("code", "undecided", "ends"), [("4", "warn", 0), ("4", "fail", 4), ("1", "warn", 1), ("", "warn", 3)]
)
def test_how_the_job_ends(place: Path, code: str, undecided: str, ends: int) -> None:
    """A regression fails it; "cannot tell" where that is wanted."""
    assert _do("Outcome", place, CODE=code, UNDECIDED=undecided).returncode == ends


def _comment(place: Path, **env: str) -> subprocess.CompletedProcess[str]:
    (place / "temp/skilltrial/1.md").write_text("told " * 20_000)
    return _do(
        "Comment",
        place,
        NUMBER="7",
        NAME="skill trial",
        URL="https://example.com/1",
        **({"OLD": "", "REFUSED": ""} | env),
    )


def test_the_first_comment_is_made_and_the_next_updates_it(place: Path) -> None:
    """By a mark at its start, in a comment that a program wrote; never longer than GitHub takes."""
    assert _comment(place).returncode == 0
    assert "--method POST repos/o/r/issues/7/comments" in _calls(place)[-1]
    body = (place / "temp/skilltrial-comment.md").read_text()
    assert body.startswith("<!-- skilltrial skilltrial -->\ntold ")
    assert body.endswith("[Reports and workspaces](https://example.com/1)\n")
    assert len(body) < 65_536
    assert _comment(place, OLD="11\n12\n").returncode == 0
    assert "--method PATCH repos/o/r/issues/comments/11" in _calls(place)[-1]


def test_a_comment_that_is_refused_fails_nothing(place: Path) -> None:
    """The permission that is missing is named."""
    done = _comment(place, REFUSED="1")
    assert done.returncode == 0
    assert "pull-requests: write" in done.stdout


def test_nothing_told_is_no_comment(place: Path) -> None:
    """No skill changed."""
    assert _do("Comment", place, NUMBER="7", NAME="x", URL="u").returncode == 0
    assert _calls(place) == []
