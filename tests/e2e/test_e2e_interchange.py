"""Import and export the way a person uses them; a real workspace goes out and comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Person

TARGETS = ("skill-creator", "skill-builder", "slow-powers", "agentskills")
FLAT = {"skill-builder", "agentskills"}


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Somebody without any agent, key or model."""
    return Person(home=tmp_path_factory.mktemp("home"), variables={"SKILLTRIAL_EMBEDDED_MODEL": ""})


@pytest.fixture(scope="module")
def demo(person: Person, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of ours: the recorded demo."""
    workspace = tmp_path_factory.mktemp("demo") / "w"
    done = person.run("demo", "--workspace", workspace)
    assert done.returncode == 0, done.stderr
    return workspace


def report(person: Person, workspace: Path) -> dict[str, Any]:
    """The benchmark of a workspace."""
    done = person.run("report", workspace, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_run(benchmark: dict[str, Any], name: str) -> dict[tuple[str, str, int], Any]:
    """Verdicts by `name` (text or id), rate, seconds and tokens of each run. A case goes by its text id, or its name."""
    found: dict[tuple[str, str, int], Any] = {}
    for run in benchmark["runs"]:
        case = run["eval_id"] if isinstance(run["eval_id"], str) else run["eval_name"]
        verdicts = sorted((each[name], each["verdict"]) for each in run["expectations"])
        result = run["result"]
        figures = (result["pass_rate"], result["time_seconds"], result["tokens"])
        found[case, run["configuration"], run["run_number"]] = (verdicts, *figures)
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_a_round_trip_keeps_verdicts_rates_times_and_tokens(
    person: Person, demo: Path, tmp_path: Path, target: str
) -> None:
    """Of everything that is not on the list of losses: in flat trees, of the first run of each case and arm."""
    out, back = tmp_path / "out", tmp_path / "back"
    exported = person.run("export", demo, "--as", target, "--out", out, "--lossy")
    assert exported.returncode == 0, exported.stderr
    imported = person.run("import", out, "--out", back)
    assert imported.returncode == 0, imported.stderr
    name = "id" if target == "slow-powers" else "text"
    before, after = by_run(report(person, demo), name), by_run(report(person, back), name)
    kept = {key: value for key, value in before.items() if target not in FLAT or key[2] == 1}
    assert after == kept
    assert len(after) == (12 if target in FLAT else 24)


def test_losses_stop_an_export(person: Person, demo: Path, tmp_path: Path) -> None:
    """Exit code 2, the list, and not even the folder."""
    done = person.run("export", demo, "--as", "agentskills", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "12 repeats" in done.stdout
    assert done.stdout.startswith("Nothing was written: agentskills cannot hold ")
    assert not (tmp_path / "out").exists()


def test_losses_for_programs(person: Person, demo: Path, tmp_path: Path) -> None:
    """`--json` has the same list, and says that nothing was written."""
    done = person.run("export", demo, "--as", "agentskills", "--out", tmp_path / "out", "--json")
    assert done.returncode == 2
    said = json.loads(done.stdout)
    assert (said["written"], said["files"]) == (False, [])
    assert all(set(loss) == {"place", "what"} for loss in said["losses"])


def test_a_folder_that_is_not_empty_is_left_alone(person: Person, demo: Path, tmp_path: Path) -> None:
    """Nobody's files are mixed with others."""
    (tmp_path / "mine.txt").write_text("mine")
    done = person.run("export", demo, "--as", "skill-creator", "--out", tmp_path, "--lossy")
    assert done.returncode == 2
    assert "not empty" in " ".join(done.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--as", "excel"), "Known: agentskills, skill-builder, skill-creator, skill-creator-benchmark, slow-powers."),
        (("--as", "skill-creator", "--iteration", "7"), "there is no iteration 7 here. It has: 1."),
        (("--as", "skill-creator", "--iteration", "first"), "--iteration is 'first'. Give a number, or all."),
    ],
)
def test_mistakes_in_the_request(
    person: Person, demo: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """One paragraph with what is possible, exit code 2."""
    done = person.run("export", demo, *arguments, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


def test_the_report_of_an_import_says_what_it_is(person: Person, demo: Path, tmp_path: Path) -> None:
    """Where it is from, by which tool, and what could not be known; the next step is none that cannot be taken."""
    person.run("export", demo, "--as", "agentskills", "--out", tmp_path / "out", "--lossy")
    person.run("import", tmp_path / "out", "--out", tmp_path / "back")
    text = " ".join(person.run("report", tmp_path / "back").stdout.split())
    assert "(agentskills), iteration-1: verdicts, times and tokens are those of that tool." in text
    assert "Not known: how the trials were kept apart; the model; whether the agent read the skill" in text
    assert "run the same command again" not in text


def test_imported_names_cannot_act_on_the_terminal(person: Person, tmp_path: Path) -> None:
    """An arm called by an escape sequence is shown as text."""
    run = tmp_path / "w/iteration-1/eval-0/\x1b[31mred/run-1"
    run.mkdir(parents=True)
    (run / "grading.json").write_text('{"expectations": [{"text": "\\u001b[2J", "passed": true, "evidence": "e"}]}')
    done = person.run("import", tmp_path / "w")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + person.run("report", tmp_path / "w-imported").stdout
