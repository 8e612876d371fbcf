"""`skilltrial audit`, the way a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Person

from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Person(home=home, variables={})


def test_a_clean_workspace_is_fine(person: Person, tmp_path: Path) -> None:
    """The figures, no finding, exit code 0, at most 80 columns."""
    write_workspace(tmp_path, WorkspaceOptions())
    done = person.run("audit", tmp_path / "workspace")
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *_ = done.stdout.splitlines()
    assert first == "No wrong number, nothing hidden or lost."
    assert second == "18 runs in 1 iteration (skill-creator)."
    assert "nothing to mend" in done.stdout
    shown = [line for line in done.stdout.splitlines() if str(tmp_path) not in line]
    assert max(map(len, shown)) <= 80


def test_a_wrong_number_is_exit_code_1(person: Person, tmp_path: Path) -> None:
    """With old and right value, and the place where it stands."""
    write_workspace(tmp_path, WorkspaceOptions(faults=frozenset(["wrong-summary"])))
    done = person.run("audit", tmp_path / "workspace")
    assert done.returncode == 1
    assert done.stdout.startswith("1 wrong number, ")
    assert "SA115 summary-wrong" in done.stdout
    assert "#summary.pass_rate" in done.stdout


def test_a_warning_is_no_wrong_number(person: Person, tmp_path: Path) -> None:
    """Exit code 0; the finding is shown."""
    write_workspace(tmp_path, WorkspaceOptions(faults=frozenset(["nested-outputs"])))
    done = person.run("audit", tmp_path / "workspace")
    assert done.returncode == 0
    assert "SA214 nested-outputs" in done.stdout


def test_json_is_the_audit(person: Person, tmp_path: Path) -> None:
    """NaN and everything: valid JSON, with the old value as text."""
    write_workspace(tmp_path, WorkspaceOptions(faults=frozenset(["nan-rate"])))
    done = person.run("audit", tmp_path / "workspace", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    (finding,) = found["findings"]
    assert (finding["code"], finding["old"]) == ("SA111", "nan")


def test_names_that_are_no_unicode_can_be_written_as_json(person: Person, tmp_path: Path) -> None:
    """A folder's name may hold any bytes, a text any surrogate."""
    write_workspace(tmp_path, WorkspaceOptions(evals=2, runs=1))
    iteration = tmp_path / "workspace/iteration-1"
    (iteration / "eval-1/eval_metadata.json").unlink()
    try:
        (iteration / "eval-1").rename(iteration / "eval-\udc80")
    except OSError:
        pytest.skip("this file system takes no such name")
    grading = iteration / "eval-0/with_skill/run-1/grading.json"
    grading.write_text(grading.read_text().replace('"text": "', '"text": "\\ud800 '))
    done = person.run("audit", tmp_path / "workspace", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert {finding["code"] for finding in json.loads(done.stdout)["findings"]} == {"SA212", "SA308"}
    assert person.run("audit", tmp_path / "workspace").stderr == ""


def test_our_own_workspace_has_nothing_to_mend(person: Person, tmp_path: Path) -> None:
    """The two shapes in our benchmark.json say what its gradings give, counted by other code."""
    person.run("demo", "--workspace", tmp_path / "workspace")
    done = person.run("audit", tmp_path / "workspace", "--json")
    found = json.loads(done.stdout)
    assert (found["family"], found["findings"]) == ("native", [])
    assert found["n_runs"] > 10


def test_roles_are_asked_for_and_given(person: Person, tmp_path: Path) -> None:
    """The last line says how; an unknown name is exit code 2 and lists the arms."""
    write_workspace(tmp_path, WorkspaceOptions(configs=("beta", "alpha")))
    asked = person.run("audit", tmp_path / "workspace")
    assert "--treatment NAME --baseline NAME" in " ".join(asked.stdout.split())
    given = person.run("audit", tmp_path / "workspace", "--treatment", "beta", "--baseline", "alpha", "--json")
    assert json.loads(given.stdout)["iterations"][0]["lift"]["treatment"] == "beta"
    wrong = person.run("audit", tmp_path / "workspace", "--treatment", "gamma")
    assert wrong.returncode == 2
    assert "'alpha', 'beta'" in wrong.stderr


def test_names_in_the_files_cannot_act_on_the_terminal(person: Person, tmp_path: Path) -> None:
    """An arm and a folder with escape sequences are shown as text."""
    write_workspace(tmp_path, WorkspaceOptions(evals=1, runs=1, configs=("with_skill", "with\x1b[2Jout")))
    done = person.run("audit", tmp_path / "workspace")
    assert "\x1b" not in done.stdout
    assert "\\x1b[2J" in done.stdout


def test_nothing_to_audit(person: Person, tmp_path: Path) -> None:
    """One paragraph, exit code 2."""
    done = person.run("audit", tmp_path / "home")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert person.run("audit", tmp_path / "none").returncode == 2
