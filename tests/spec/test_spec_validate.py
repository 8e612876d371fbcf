"""Validating skills and eval files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skilltrial.spec.findings import Problem
from skilltrial.spec.validate import Validation, validate, validate_skill

Write = Callable[..., Path]


def _found(validation: Validation) -> list[tuple[str, str]]:
    """What is wrong; advice on evals (ST351 and up) has its own tests."""
    return [(problem.severity, problem.code) for problem in validation.problems if problem.rule < "ST351"]


def _codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def test_a_good_skill_has_no_errors(skill: Path, write_case: Write) -> None:
    """Skill and suite are returned."""
    write_case(assertions=["A"])
    validation = validate(skill)
    assert validation.ok
    assert _found(validation) == []
    assert validation.skill is not None
    assert validation.suite is not None


def test_all_errors_of_a_file_are_listed(skill: Path, write_evals: Write) -> None:
    """In the order of lines, each with its place."""
    write_evals(
        '{"evals": [{"id": 1, "prompt": "",\n"runs": 0},\n{"id": 1, "prompt": "P",\n"assertions": [5,\n'
        '{"type": "answer_matches", "pattern": "("}]}]}'
    )
    validation = validate(skill)
    assert not validation.ok
    assert validation.suite is None
    assert [(problem.line, problem.place, problem.code) for problem in validation.problems] == [
        (1, "evals[0].prompt", "no-prompt"),
        (2, "evals[0].runs", "bad-runs"),
        (3, "evals[1].id", "id-twice"),
        (4, "evals[1].assertions[0]", "bad-assertion"),
        (5, "evals[1].assertions[1].pattern", "bad-pattern"),
    ]


def test_an_eval_file_alone_is_examined(write_case: Write) -> None:
    """The skill above it is found and returned."""
    validation = validate(write_case(assertions=["A"]))
    assert validation.ok
    assert validation.skill is not None
    assert validation.skill.name == "pdf"


def test_an_eval_file_without_a_skill_is_examined(tmp_path: Path) -> None:
    """There is none above it."""
    path = tmp_path / "x.json"
    path.write_text('{"evals": [{"id": "a", "prompt": "P", "assertions": ["A"]}]}')
    validation = validate(path)
    assert (validation.ok, validation.skill) == (True, None)


def test_a_folder_of_cases_is_examined(tmp_path: Path) -> None:
    """It has no SKILL.md and needs none; advice names the file that a case has for itself, and its line there."""
    for name in ("one", "two"):
        (tmp_path / "cases" / name).mkdir(parents=True)
        (tmp_path / "cases" / name / "case.yaml").write_text(
            f"name: {name}\nexecution:\n  prompt: Say {name}\ngraders:\n- type: llm\n  criteria: The output is good\n"
        )
    (tmp_path / "cases/settings.json").write_text("{}")
    validation = validate(tmp_path / "cases")
    assert validation.suite is not None
    assert [case.id for case in validation.suite.cases] == ["one", "two"]
    assert [(p.rule, p.file, p.line) for p in validation.problems if p.code in {"subjective", "vague"}] == [
        ("ST403", str(tmp_path / "cases" / name / "case.yaml"), 5) for name in ("one", "two")
    ]
    left_out = [(p.rule, p.severity, p.file) for p in validation.problems if p.code == "not-a-case"]
    assert left_out == [("ST379", "warning", str(tmp_path / "cases/settings.json"))]


def test_errors_in_a_folder_of_cases_are_told(tmp_path: Path) -> None:
    """A folder whose one case file is broken is still a folder of cases."""
    (tmp_path / "case.yaml").write_text("execution: [")
    assert [problem.code for problem in validate(tmp_path).problems] == ["bad-yaml"]


def test_any_other_folder_without_a_skill_is_an_error(tmp_path: Path) -> None:
    """The message is about the skill that was looked for."""
    (tmp_path / "settings.json").write_text("{}")
    assert _found(validate(tmp_path)) == [("error", "no-skill-file")]


def test_a_skill_without_evals_gets_a_warning(skill: Path) -> None:
    """It is a valid skill."""
    assert _found(validate(skill / "SKILL.md")) == [("warning", "no-evals")]


def test_a_broken_skill_does_not_hide_its_evals(skill: Path, write_evals: Write) -> None:
    """Both are looked at."""
    (skill / "SKILL.md").write_text("nothing")
    write_evals({"evals": []})
    assert _found(validate(skill)) == [("error", "no-front-matter"), ("error", "empty-evals")]


def test_a_path_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    """Nothing is raised."""
    assert _found(validate(tmp_path / "no")) == [("error", "no-such-folder")]


def test_what_agents_refuse_is_an_error(skill: Path, write_case: Write) -> None:
    """A skill without a description is not offered."""
    (skill / "SKILL.md").write_text("---\nname: pdf\n---\nBody")
    write_case(assertions=["A"])
    assert _found(validate(skill)) == [("error", "description-missing")]


def test_what_breaks_the_specification_is_an_error(skill: Path) -> None:
    """Each with its code and the line of its key; what agents merely dislike is less."""
    lines = [
        "---",
        "name: PDF_x",
        f"description: Use when {'d' * 1016}",
        f"compatibility: {'c' * 501}",
        "metadata: [a]",
        "allowed-tools: [Bash]",
        "version: 1",
        "---",
    ]
    (skill / "SKILL.md").write_text("\n".join(lines))
    problems = [
        problem for problem in validate_skill(skill) if problem.code not in {"listing-share", "description-short"}
    ]
    assert [(problem.severity, problem.rule, problem.code, problem.line) for problem in problems] == [
        ("error", "ST109", "name-differs", 2),
        ("error", "ST111", "name-rule", 2),
        ("error", "ST114", "description-long", 3),
        ("error", "ST115", "compatibility-long", 4),
        ("error", "ST117", "metadata-rule", 5),
        ("error", "ST118", "allowed-tools-rule", 6),
        ("note", "ST122", "field-unknown", 7),
        ("warning", "ST123", "body-empty", None),
    ]


def test_reading_stays_lenient_where_validating_is_strict(skill: Path) -> None:
    """The skill that breaks the rules can still be put on trial, as agents take it."""
    (skill / "SKILL.md").write_text("---\nname: Other_Name\ndescription: Use it: always\n---\nBody")
    validation = validate(skill)
    assert not validation.ok
    assert validation.skill is not None
    assert validation.skill.description == "Use it: always"


def test_a_name_of_65_characters_is_too_long(skill: Path) -> None:
    """64 are allowed."""
    for length, codes in ((64, ["name-differs"]), (65, ["name-differs", "name-long"])):
        (skill / "SKILL.md").write_text(
            f"---\nname: {'n' * length}\ndescription: Reads a file when asked to\n---\nBody"
        )
        assert _codes(validate_skill(skill)) == codes


def test_a_case_without_assertions_gets_a_warning(skill: Path, write_case: Write) -> None:
    """Its trials would not be graded."""
    write_case()
    (problem,) = (problem for problem in validate(skill).problems if problem.rule == "ST350")
    assert (problem.severity, problem.code) == ("warning", "no-assertions")
    assert "the case 'a' has no assertions" in problem.message


def test_a_slip_in_a_key_weighs_more_than_a_key_of_ones_own(skill: Path, write_case: Write) -> None:
    """The former is a warning, the latter a note."""
    write_case(assertions=["A"], expected_ouput="E", tags=["x"])
    assert _found(validate(skill)) == [("warning", "unknown-key"), ("note", "unknown-key")]
