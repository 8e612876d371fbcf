"""`skilltrial gate` and `skilltrial baseline`, with the exit code of every outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from skilltrial.cli.app import make_app
from skilltrial.errors import SpecError
from skilltrial.records.matrix import Matrix, MatrixCell


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill's folder with a place for settings."""
    folder = tmp_path / "tidy"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\n")
    (folder / "evals/evals.json").write_text("{}")
    return folder


def _do(*arguments: object, **env: str) -> Result:
    plain = {"COLUMNS": "80", "GITHUB_STEP_SUMMARY": None, "GITHUB_WORKSPACE": None}
    return CliRunner().invoke(make_app(["gate", "baseline"]), [str(each) for each in arguments], env=plain | env)


def test_exit_code_of_every_outcome(even, written) -> None:
    """0 pass, 1 regression, 3 incomplete, 4 cannot tell; without a [gate] the default one, and it is said."""
    harm = {f"c{i}": ["F", "F"] for i in range(21)}
    passed = _do("gate", written(even(21), "p"))
    assert passed.exit_code == 0
    assert "the default gate" in passed.stdout
    assert _do("gate", written(even(21, **harm), "r")).exit_code == 1
    assert _do("gate", written(even(22, c0=["P", "harness_error"]), "i")).exit_code == 3
    undecided = _do("gate", written(even(5), "u"))
    assert undecided.exit_code == 4
    assert "21 cases in all are enough" in " ".join(undecided.stdout.split())
    assert max(map(len, undecided.stdout.splitlines())) <= 80


def test_what_cannot_be_used_is_code_2(even, written, tmp_path: Path) -> None:
    """A wrong path, an empty folder, a setting that is not known, another file than a promoted one."""
    work, bad = written(even(2)), tmp_path / "bad.toml"
    bad.write_text("[gate]\nmin_passrate = 0.5\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.json").write_text('{"a": 1}')
    for arguments in (
        [tmp_path / "no"],
        [tmp_path / "empty"],
        [work, "--config", bad],
        [work, "--against", tmp_path / "other.json"],
    ):
        found = _do("gate", *arguments)
        assert isinstance(found.exception, SpecError)
        assert found.exception.exit_code == 2
    assert "min_pass_rate" in str(_do("gate", work, "--config", bad).exception)
    assert ":2:" in str(_do("gate", work, "--config", bad).exception)


def test_the_skills_settings_are_found(even, written, skill: Path) -> None:
    """Each rule is printed with the line that asks for it."""
    file = skill / "evals/skilltrial.toml"
    file.write_text('[gate]\nprimary = "none"\n\nmax_seconds = 29\n')
    found = _do("gate", written(even(2), skill=skill), "--json")
    told = json.loads(found.stdout)
    assert found.exit_code == 1
    assert (told["settings"], told["rules"][0]["place"], told["rules"][0]["figure"]) == (str(file), f"{file}:4", 30.0)


def test_files_and_commands_for_a_build_server(even, written, skill: Path, tmp_path: Path) -> None:
    """JUnit, Markdown, annotations with places, and the summary, which is added to."""
    (skill / "evals/skilltrial.toml").write_text("[gate]\nmax_seconds = 29\n")
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    found = _do(
        *(
            "gate",
            written(even(21), skill=skill),
            "--github",
            "--junit",
            tmp_path / "j.xml",
            "--markdown",
            tmp_path / "m.md",
        ),
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_WORKSPACE=str(tmp_path),
    )
    assert (
        "::error file=tidy/evals/skilltrial.toml,line=2,title=tidy%3A max_seconds%3A with_skill::30.0 s" in found.stdout
    )
    assert summary.read_text() == "before\n" + (tmp_path / "m.md").read_text()
    assert "<testsuites" in (tmp_path / "j.xml").read_text()


def test_markdown_names_files_from_the_checkout(even, written, skill: Path, tmp_path: Path) -> None:
    """Also outside of GitHub: the repository is the folder with `.git`. The settings are given by an absolute path."""
    (tmp_path / ".git").mkdir()
    (skill / "evals/skilltrial.toml").write_text("[gate]\nmax_seconds = 29\n")
    _do("gate", written(even(21), skill=skill), "--markdown", tmp_path / "m.md")
    told = (tmp_path / "m.md").read_text().replace("\\", "")
    assert "rules of tidy/evals/skilltrial.toml" in told
    assert "| tidy/evals/skilltrial.toml:2 |" in told
    assert str(tmp_path) not in told


@pytest.mark.parametrize("more", ["", "no_invalid_findings = false\n"])
def test_a_gate_that_checks_nothing_is_refused(even, written, tmp_path: Path, more: str) -> None:
    """It would pass whatever the skill does. The rule that is always there is none that anybody asked for."""
    file = tmp_path / "none.toml"
    file.write_text(f'[gate]\nprimary = "none"\n{more}')
    found = _do("gate", written(even(2)), "--config", file).exception
    assert isinstance(found, SpecError)
    assert found.exit_code == 2
    assert "nothing is checked" in str(found)
    assert f"{file}:2" in str(found)


def test_a_gate_on_findings_alone_is_one_where_it_is_asked_for(even, written, tmp_path: Path) -> None:
    """Somebody wrote it."""
    file = tmp_path / "valid.toml"
    file.write_text('[gate]\nprimary = "none"\nno_invalid_findings = true\n')
    assert _do("gate", written(even(2)), "--config", file).exit_code == 0


def test_words_of_authors_are_no_commands(scene, written, tmp_path: Path) -> None:
    """Only our own lines begin with two colons, also after leading space, which GitHub takes off."""
    case = "::error::owned"
    file = tmp_path / "golden.toml"
    file.write_text(f'[gate]\nprimary = "none"\ngolden = ["{case}"]\n')
    work = written(scene({case: {"with_skill": ["F"], "without_skill": ["P"]}}))
    found = _do("gate", work, "--github", "--config", file)
    lines = [row.strip() for row in found.stdout.splitlines()]
    assert [row for row in lines if row.startswith("::error::")] == []
    assert sum("owned" in row for row in lines) == 2


def test_words_of_authors_are_no_commands_in_json(scene, written, tmp_path: Path) -> None:
    """The old form of a command acts anywhere in a line; the document says the same without it."""
    case = "a ##[error]owned"
    file = tmp_path / "golden.toml"
    file.write_text(f'[gate]\ngolden = ["{case}"]\n')
    work = written(scene({case: {"with_skill": ["F"], "without_skill": ["P"]}}))
    found = _do("gate", work, "--github", "--json", "--config", file)
    assert "##[" not in found.stdout + found.stderr
    assert case in [rule["about"] for rule in json.loads(found.stdout)["rules"]]


def test_commands_stand_beside_a_json_document(even, written) -> None:
    """Standard output is the document alone."""
    found = _do("gate", written(even(5)), "--github", "--json")
    assert json.loads(found.stdout)["outcome"] == "cannot tell"
    assert found.stderr.startswith("::warning ")


def test_a_promoted_baseline_is_what_the_next_version_is_held_to(even, written, skill: Path) -> None:
    """Promoted beside the eval file; the same again passes with enough cases, a worse one is a regression."""
    first = written(even(21), "first", skill)
    assert _do("baseline", "promote", first).exit_code == 0
    file = skill / "evals/baseline.json"
    assert json.loads(file.read_text())["arms"]["with_skill"]["cases"]["c0"]["score"] == 1.0
    same = _do("gate", first, "--against", file)
    assert same.exit_code == 0
    assert "byte for byte" in " ".join(same.stdout.split())
    worse = written(even(21, **{f"c{i}": ["F", "F"] for i in range(15)}), "worse", skill)
    assert _do("gate", worse, "--against", skill).exit_code == 1
    told = _do("baseline", "diff", worse)
    assert told.exit_code == 0
    assert "0 better, 15 worse, 6 the same" in " ".join(told.stdout.split())
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_a_promoted_baseline_is_shown(even, written, tmp_path: Path) -> None:
    """With what each case came to, in 80 columns."""
    _do("baseline", "promote", written(even(2)), "--to", tmp_path / "b.json")
    shown = _do("baseline", "show", tmp_path / "b.json")
    assert "100 %    2 of 2      30.0 s    $0.0200  c0" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert json.loads(_do("baseline", "show", tmp_path / "b.json", "--json").stdout)["skill"] == "tidy"


def test_nothing_graded_is_not_promoted(scene, written, tmp_path: Path) -> None:
    """And no file is written."""
    empty = written(scene({"a": {"with_skill": ["-"], "without_skill": ["-"]}}))
    assert isinstance(_do("baseline", "promote", empty, "--to", tmp_path / "b.json").exception, SpecError)
    assert not (tmp_path / "b.json").exists()
    assert _do("gate", empty).exit_code == 3


def test_an_import_is_only_promoted_to_a_named_file(even, written, tmp_path: Path) -> None:
    """What its plan names is another tool's folder, in which nothing is written."""
    found = _do("baseline", "promote", written(even(2)))
    assert isinstance(found.exception, SpecError)
    assert "--to FILE" in str(found.exception)


def test_replays_are_only_promoted_to_a_named_file(even, written, skill: Path, tmp_path: Path) -> None:
    """Nobody's agent ran."""
    replayed = even(2).with_trials(
        lambda trial: {"harness": trial.harness.model_copy(update={"discovery": "recorded"})}
    )
    workspace = written(replayed, "replayed", skill)
    assert "replays" in str(_do("baseline", "promote", workspace).exception)
    assert not (skill / "evals/baseline.json").exists()
    assert _do("baseline", "promote", workspace, "--to", tmp_path / "b.json").exit_code == 0


def test_of_several_runs_each_is_named(tmp_path: Path) -> None:
    """A matrix has no figures of its own."""
    cell = MatrixCell(name="a", harness=None, model="a", workspace="/w/cells/a")
    (tmp_path / "matrix.json").write_text(Matrix(skill="tidy", cells=(cell,), notice="").model_dump_json())
    found = _do("gate", tmp_path)
    assert isinstance(found.exception, SpecError)
    assert "Name the workspace of one: /w/cells/a." in str(found.exception)
