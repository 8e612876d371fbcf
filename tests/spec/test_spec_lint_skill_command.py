"""`skilltrial validate` and `skilltrial package` as people and programs see them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from skilltrial.cli.app import make_app
from skilltrial.spec.lint.rules import RULES

BROKEN = "---\nname: My_Skill\ndescription: Use this: when a file is asked for\n---\nSee [a](references/a b.md).\n[x](x.md)\n"


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A skill with two errors that can be fixed and one warning; the current folder is the one that holds it."""
    skill = tmp_path / "my-skill"
    skill.mkdir()
    (skill / "SKILL.md").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    return skill


def _run(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(make_app(), [str(argument) for argument in arguments], env={"COLUMNS": "80"})
    return result.exit_code, result.stdout


def _json(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code, out = _run(*arguments)
    return code, json.loads(out)


def test_findings_are_grouped_and_fit_the_screen(broken: Path) -> None:
    """File and line relative to the current folder, severity, code, name; then what is wrong and what to do."""
    code, out = _run("validate", "my-skill")
    assert code == 2
    lines = out.splitlines()
    assert lines[0] == "my-skill/SKILL.md:2  error  ST109 name-differs"
    assert "my-skill/SKILL.md:3  error  ST107 bare-colon" in lines
    assert "my-skill/SKILL.md:6  warning  ST140 reference-missing" in lines
    assert "    'x.md' is not in the skill." in lines
    assert lines[-2:] == ["3 errors, 2 warnings, 0 notes", "`skilltrial validate --fix` can put right 2 things."]
    assert [line for line in lines if len(line) > 80 and str(broken) not in line] == []


def test_many_findings_of_a_kind_are_counted_and_not_listed(broken: Path) -> None:
    """Three of them are shown where nothing is broken; the JSON has them all."""
    (broken / "SKILL.md").write_text(
        "---\nname: my-skill\ndescription: Use it when a file is asked for.\n---\n"
        + "".join(f"See [it](missing-{n}.md).\n" for n in range(9))
    )
    _, out = _run("validate", "my-skill")
    assert [line for line in out.splitlines() if "is not in the skill" in line] == [
        f"    'missing-{n}.md' is not in the skill." for n in range(3)
    ]
    assert "and 6 more warning  ST140 reference-missing  (--json lists all)" in out.splitlines()
    assert len(_json("validate", "my-skill", "--json")[1]["problems"]) == 10


def test_a_single_finding_is_not_counted_instead(broken: Path) -> None:
    """The line that counts it would be as long."""
    (broken / "SKILL.md").write_text(
        "---\nname: my-skill\ndescription: Use it when a file is asked for.\n---\n"
        + "".join(f"See [it](missing-{n}.md).\n" for n in range(4))
    )
    _, out = _run("validate", "my-skill")
    assert out.count("is not in the skill") == 4
    assert "more" not in out


def test_the_next_step_is_said_where_there_is_one(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A skill with cases can be run; without cases, or with those of the template, it cannot."""
    monkeypatch.chdir(skill.parent)
    next_step = "Next: skilltrial run pdf"
    assert next_step not in _run("validate", "pdf")[1].splitlines()
    _run("init", "pdf")
    assert next_step not in _run("validate", "pdf")[1].splitlines()
    (skill / "evals/evals.json").write_text(
        '{"evals": [{"id": "a", "prompt": "P", "assertions": ["It names a place."]}]}'
    )
    assert _run("validate", "pdf")[1].splitlines()[-1] == next_step


def test_hostile_names_cannot_act_on_the_terminal(broken: Path) -> None:
    """Escapes are shown, in places too."""
    (broken / "SKILL.md").write_text(
        '---\nname: my-skill\ndescription: Use when asked to do it\n"\\e[2Jx": 1\n---\nB\n'
    )
    _, out = _run("validate", broken)
    assert "\x1b" not in out
    assert r"\x1b[2Jx" in out


def test_json_has_counts_problems_and_paths(broken: Path) -> None:
    """One object, whatever the number of paths; the same finding is told once."""
    code, found = _json("validate", broken, broken / "SKILL.md", "--json")
    assert (code, found["schema_version"], found["ok"]) == (2, 1, False)
    assert found["counts"] == {"error": 3, "warning": 2, "note": 0}
    assert found["problems"][0] == {
        "severity": "error",
        "code": "name-differs",
        "rule": "ST109",
        "message": "the name 'My_Skill' differs from the folder's name 'my-skill'; the former is used.",
        "file": str(broken / "SKILL.md"),
        "line": 2,
        "place": "name",
        "value": "'My_Skill'",
        "hint": "",
    }
    assert [(path["ok"], path["skill"]["name"], path["suite"]) for path in found["paths"]] == [
        (False, "My_Skill", None)
    ] * 2


def test_fix_says_what_it_changed_and_checks_again(broken: Path) -> None:
    """What is left is printed; a second time nothing is fixed."""
    code, found = _json("validate", broken, "--fix", "--json")
    assert code == 0
    assert [(fix["rule"], fix["line"], fix["after"]) for fix in found["fixed"]] == [
        ("ST107", 3, "\"'Use this: when a file is asked for'\""),
        ("ST111", 2, "'my-skill'"),
    ]
    assert (broken / "SKILL.md").read_text() == BROKEN.replace("My_Skill", "my-skill").replace(
        "Use this: when a file is asked for", "'Use this: when a file is asked for'"
    )
    _, again = _run("validate", broken, "--fix")
    assert "fixed" not in again
    assert "--fix" not in again


def test_sarif_has_what_code_scanning_needs(broken: Path) -> None:
    """The required properties of SARIF 2.1.0; relative addresses; every result's rule is in the list."""
    code, log = _json("validate", "my-skill", "--sarif")
    assert (code, log["version"]) == (2, "2.1.0")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "skilltrial"
    assert [rule["id"] for rule in driver["rules"]] == [rule.code for rule in RULES]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in driver["rules"])
    assert {rule["defaultConfiguration"]["level"] for rule in driver["rules"]} == {"error", "warning", "note"}
    assert len(run["results"]) == 5
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert result["partialFingerprints"]["skilltrial/v1"]
    (location,) = run["results"][0]["locations"]
    assert location == {
        "physicalLocation": {
            "artifactLocation": {"uri": "my-skill/SKILL.md", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 2},
        },
        "logicalLocations": [{"fullyQualifiedName": "name"}],
    }


def test_sarif_addresses_are_escaped_and_whole_outside(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spaces and other signs; a file elsewhere has a `file:` address."""
    odd = broken.parent / "ö b#"
    odd.mkdir()
    (odd / "SKILL.md").write_text("x")
    _, log = _json("validate", odd, "--sarif")
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "%C3%B6%20b%23/SKILL.md"
    monkeypatch.chdir(odd)
    _, log = _json("validate", broken, "--sarif")
    artifact = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": (broken / "SKILL.md").as_uri()}


def test_a_finding_keeps_its_fingerprint_when_lines_move(broken: Path) -> None:
    """So that code scanning does not close and open it again."""
    _, before = _json("validate", broken, "--sarif")
    (broken / "SKILL.md").write_text(BROKEN.replace("[x]", "\n\n[x]"))
    _, after = _json("validate", broken, "--sarif")
    prints = [[result["partialFingerprints"] for result in log["runs"][0]["results"]] for log in (before, after)]
    assert prints[0] == prints[1]


def test_the_reference_verdict(broken: Path) -> None:
    """Exit code 1 and the reasons; 0 where it is valid; the worst of several."""
    code, out = _run("validate", broken, "--like", "skills-ref")
    assert code == 1
    assert out.startswith(f"{broken}: not valid\n    - the front matter is not YAML")
    _run("validate", broken, "--fix")
    assert _run("validate", broken, "--like", "skills-ref") == (0, f"{broken}: valid\n")
    code, found = _json("validate", broken, broken.parent, "--like", "skills-ref", "--json")
    assert (code, found["ok"], [path["valid"] for path in found["paths"]]) == (1, False, [True, False])


@pytest.mark.parametrize("options", [["--json", "--sarif"], ["--like", "skills-ref", "--fix"], ["--like", "other"]])
def test_options_that_exclude_each_other(broken: Path, options: list[str]) -> None:
    """A wrong command line."""
    assert _run("validate", broken, *options)[0] == 2


def test_package_says_what_is_in_it(broken: Path) -> None:
    """For people and for programs."""
    _run("validate", broken, "--fix")
    (broken / ".env").write_text("A=1\n")
    code, out = _run("package", "my-skill")
    assert code == 0
    size = (broken.parent / "my-skill.skill").stat().st_size
    assert out == f"{broken.parent}/my-skill.skill: my-skill, 1 file, {size} bytes\n  left out: .env\n"
    code, packed = _json("package", broken, "--out", "x.skill", "--json")
    assert (code, packed["files"], packed["left_out"]) == (0, ["SKILL.md"], [".env"])
    assert packed["path"] == str(broken.parent / "x.skill")
