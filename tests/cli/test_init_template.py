"""`skilltrial init` without a model: a template that can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skilltrial.cli.first_evals import init_and_print
from skilltrial.errors import SpecError, StoreError
from skilltrial.spec.schema import schema
from skilltrial.spec.skill import load_skill
from skilltrial.spec.template import headings, template
from skilltrial.spec.validate import validate

SKILL = """---
name: csv-report
description: Turns a CSV file into a Markdown report. Use when the user asks to summarise a CSV.
---
# CSV report

## Counting

```sh
# not a heading
```
"""


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill without evals."""
    folder = tmp_path / "csv-report"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL)
    return folder


def _init(folder: Path, *, n_cases: int = 3, force: bool = False, as_json: bool = False) -> int:
    return init_and_print(folder, model=None, base_url=None, n_cases=n_cases, force=force, as_json=as_json)


def _written(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "evals/evals.json").read_text())


@pytest.mark.parametrize("n_cases", [1, 2, 3, 7])
def test_the_template_is_valid_with_as_many_cases_as_asked(skill: Path, n_cases: int) -> None:
    """No error, no repair; all that lint says is that there are places to fill in, and it is said of every case."""
    assert _init(skill, n_cases=n_cases) == 0
    found = validate(skill / "evals/evals.json")
    assert found.suite is not None
    assert (found.suite.dialect, len(found.suite.cases)) == ("agentskills", n_cases)
    assert [problem.code for problem in found.problems if problem.severity != "note"] == ["not-filled-in"] * n_cases
    assert Draft202012Validator(schema("evals")).is_valid(_written(skill))


def test_the_last_case_is_negative(skill: Path) -> None:
    """From two cases on there is one that the skill is not for."""
    _init(skill)
    assert [case.get("skill_should_trigger", True) for case in _written(skill)["evals"]] == [True, True, False]


def test_the_template_is_about_this_skill(skill: Path) -> None:
    """Name, description and headings stand in it."""
    _init(skill)
    written = _written(skill)
    assert written["skill_name"] == "csv-report"
    assert "Turns a CSV file into a Markdown report" in written["evals"][0]["prompt"]
    assert any("CSV report, Counting." in remark for remark in written["$comment"])


def test_statements_answers_and_files_are_shown(skill: Path) -> None:
    """One example of each that people need first."""
    _init(skill)
    kinds = {
        "text" if isinstance(each, str) else each["type"]
        for case in _written(skill)["evals"]
        for each in case["assertions"]
    }
    assert kinds == {"text", "answer_matches", "file_matches"}


def test_headings_in_code_are_none() -> None:
    """A comment of a shell script is no heading; closing hashes are not part of one."""
    assert headings("# A\n```\n# b\n```\n### C ##\n#### too deep\n#none\n") == ["A", "C"]


def test_a_filled_in_case_is_said_to_be_done(skill: Path) -> None:
    """The remark goes away with the last place of its case."""
    _init(skill, n_cases=1)
    file = skill / "evals/evals.json"
    written = _written(skill)
    written["evals"][0] = {"id": "a", "prompt": "Summarise sales.csv", "assertions": ["The answer names 4,210."]}
    file.write_text(json.dumps(written))
    assert "not-filled-in" not in {problem.code for problem in validate(file).problems}


def test_an_eval_file_that_is_there_stays(skill: Path) -> None:
    """The error says where it is and how to replace it; nothing is changed."""
    (skill / "evals").mkdir()
    file = skill / "evals/evals.json"
    file.write_text("{}")
    with pytest.raises(SpecError, match=r"evals\.json: the skill has an eval file already.*--force"):
        _init(skill)
    assert file.read_text() == "{}"
    assert _init(skill, force=True) == 0
    assert len(_written(skill)["evals"]) == 3


def test_a_link_to_nowhere_counts_as_there(skill: Path) -> None:
    """What it points to is not made by surprise."""
    (skill / "evals").mkdir()
    (skill / "evals/evals.json").symlink_to(skill.parent / "elsewhere.json")
    with pytest.raises(SpecError, match="already"):
        _init(skill)
    assert not (skill.parent / "elsewhere.json").exists()


@pytest.mark.parametrize("link", ["evals", "evals/evals.json"])
def test_a_link_out_of_the_skill_is_not_followed(skill: Path, link: str) -> None:
    """Not even with --force: a skill from elsewhere may point anywhere."""
    target = skill.parent / "precious"
    if link == "evals":
        target.mkdir()
    else:
        (skill / "evals").mkdir()
        target.write_text("mine")
    (skill / link).symlink_to(target)
    with pytest.raises(SpecError, match="leaves the skill"):
        _init(skill, force=True)
    assert target.is_dir() or target.read_text() == "mine"
    assert not (target / "evals.json").exists()


def test_evals_that_is_a_file(skill: Path) -> None:
    """The folder cannot be made where a file stands."""
    (skill / "evals").write_text("")
    with pytest.raises(SpecError, match="no folder"):
        _init(skill)


def test_a_folder_that_cannot_be_written(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said before a model is asked. Rights do not hold root back, so the answer of the system is set here."""
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(StoreError, match="cannot be written"):
        init_and_print(skill, model="openai:m", base_url=None, n_cases=3, force=False, as_json=False)


def test_a_base_url_without_a_model(skill: Path) -> None:
    """It would do nothing, so it is refused."""
    with pytest.raises(SpecError, match="--model"):
        init_and_print(skill, model=None, base_url="http://127.0.0.1:1", n_cases=3, force=False, as_json=False)
    assert not (skill / "evals").exists()


def test_a_skill_without_a_description(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The template is written, and the person hears what comes first."""
    (skill / "SKILL.md").write_text("---\nname: csv-report\n---\n")
    assert _init(skill) == 0
    assert "no description" in capsys.readouterr().out
    assert template(load_skill(skill))["evals"]


def test_the_summary_for_programs(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Path and counts, and that there is something to fill in."""
    assert _init(skill, as_json=True) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["path"] == str(skill / "evals/evals.json")
    assert (said["cases"], said["negative_cases"], said["assertions"], said["to_fill_in"]) == (3, 1, 5, True)


def test_the_summary_for_people_fits_the_screen(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No line is longer than 80 characters, apart from paths."""
    _init(skill)
    said = capsys.readouterr().out
    assert "3 cases (1 that the skill is not for), 5 assertions" in said
    assert all(len(each) <= 80 for each in said.splitlines() if str(skill) not in each)
