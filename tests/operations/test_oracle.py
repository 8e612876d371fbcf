"""`skilltrial oracle`: what checks say where no agent worked."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from skilltrial.cli.oracle_page import consult_and_print
from skilltrial.errors import PlanError, SpecError
from skilltrial.operations.oracle import OracleRequest, consult
from skilltrial.records.oracle import CheckedAssertion, Oracle
from skilltrial.spec.schema import schema

SKILL = "---\nname: totals\ndescription: Adds the numbers of a CSV file. Use it for sums.\n---\n# How\n"
DATA = "name,n\na,3\nb,4\n"
LINE = {"id": "line", "type": "file_matches", "path": "data.csv", "pattern": "(?m)^total,7$"}
TOTAL = (
    "The answer names the total",
    {"id": "made", "type": "file_exists", "path": "total.json"},
    {"id": "seven", "type": "json_matches", "path": "total.json", "pointer": "/total", "equals": 7},
    {"id": "there", "type": "file_exists", "path": "data.csv", "any": True},
    {"id": "ls", "type": "command_check", "command": "test -f data.csv"},
    {"id": "held", "type": "command_check", "command": "sh t.sh", "setup_files": ["t.sh"]},
    {"id": "said", "type": "answer_matches", "pattern": "7"},
    {"id": "silent", "type": "answer_matches", "pattern": "sorry", "not": True},
    {"id": "small", "type": "diff_scope", "max_files_touched": 1, "max_lines_changed": 1},
    {"id": "cheap", "type": "limit", "tokens": 9, "tool_calls": 1, "turns": 1, "cost_usd": 1, "seconds": 1},
    {"id": "wrote", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "Write"},
    {"id": "never", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "rm", "max": 0},
    {"id": "loads", "type": "skill_invoked"},
    {"id": "called", "type": "double_called", "double": "mail"},
    {"id": "odd", "type": "some_other_tool", "operand": 1},
)
MAIL = {"commands": [{"name": "mail", "replies": [{"stdout": "ok"}]}]}
EVALS = (
    {"id": "total", "prompt": "Add data.csv", "files": ["evals/data.csv"], "doubles": MAIL, "assertions": TOTAL},
    {
        "id": "rename",
        "prompt": "Rename data.csv to b.csv",
        "files": ["evals/data.csv"],
        "reference": {"path": "evals/renamed", "removes": ["data.csv"]},
        "assertions": [
            {"id": "gone", "type": "file_absent", "path": "data.csv"},
            {"id": "new", "type": "file_exists", "path": "b.csv"},
            {"id": "said", "type": "answer_matches", "pattern": "renamed"},
        ],
    },
    {
        "id": "wrong",
        "prompt": "Add a line with the total",
        "files": ["evals/data.csv"],
        "assertions": [
            LINE,
            {"id": "missing", "type": "command_check", "command": "no-such-program-here data.csv"},
        ],
    },
    {
        "id": "idle",
        "prompt": "Leave no traces",
        "assertions": [
            {"id": "clean", "type": "file_absent", "path": "*.tmp"},
            {"id": "few", "type": "limit", "tokens": 9},
        ],
    },
    {
        "id": "code",
        "prompt": "Fix it",
        "codebase": {"path": "../app"},
        "assertions": [
            {"id": "scope", "type": "diff_scope", "max_lines_changed": 2},
            {"id": "fixed", "type": "file_matches", "path": "a.py", "pattern": "2"},
        ],
    },
)
REFERENCES = {
    "reference/total/total.json": '{"total": 7}',
    "reference/total/answer.md": "It is 7.",
    "renamed/b.csv": DATA,
    "reference/wrong/data.csv": f"{DATA}total,70\n",
    "reference/code/a.py": "x = 2\n",
}


def make_skill(folder: Path, evals: Sequence[Mapping[str, Any]], files: Mapping[str, str]) -> Path:
    """A skill with these cases, and these files in its `evals/`."""
    for path, text in {"../SKILL.md": SKILL, "evals.json": json.dumps({"evals": evals}, indent=1), **files}.items():
        target = folder / "evals" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder


def ask(skill: Path, **options: Any) -> Oracle:
    """The whole command, without printing."""
    return anyio.run(consult, OracleRequest(skill=skill, env=dict(os.environ), **options))


@pytest.fixture(scope="module")
def skill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The skill of the cases above."""
    root = tmp_path_factory.mktemp("oracle")
    (root / "totals/app").mkdir(parents=True)
    (root / "totals/app/a.py").write_text("x = 1\n")
    held = "test ! -e t2.sh && grep -q 7 total.json"
    return make_skill(root / "totals", EVALS, {"data.csv": DATA, "t.sh": held, "../app/a.py": "x = 1\n", **REFERENCES})


@pytest.fixture(scope="module")
def told(skill: Path) -> Oracle:
    """What comes out."""
    return ask(skill)


def rows(told: Oracle, case_id: str) -> dict[str, CheckedAssertion]:
    """The assertions of a case by id."""
    return next({row.id: row for row in case.assertions} for case in told.cases if case.id == case_id)


def verdicts(told: Oracle, case_id: str) -> dict[str, tuple[str | None, str | None]]:
    """Untouched and reference, by the id of the assertion."""
    return {
        name: (row.untouched and row.untouched.verdict, row.reference and row.reference.verdict)
        for name, row in rows(told, case_id).items()
    }


def found(told: Oracle, case_id: str) -> set[tuple[str, str | None]]:
    """Codes and assertions of the findings about a case."""
    return {(one.code, one.assertion_id) for one in told.findings if one.case_id == case_id}


def test_every_check_is_run_on_both_states(told: Oracle) -> None:
    """As grading would: held-out files are there, only made files count, and nothing was asked, spent or called."""
    expected: dict[str, tuple[str | None, str | None]] = {
        "made": ("FAIL", "PASS"),
        "seven": ("FAIL", "PASS"),
        "there": ("PASS", "PASS"),
        "ls": ("PASS", "PASS"),
        "held": ("FAIL", "PASS"),
        "said": ("FAIL", "PASS"),
        "silent": ("PASS", "PASS"),
        "small": ("PASS", "PASS"),
        "cheap": ("PASS", None),
        "wrote": ("FAIL", None),
        "never": ("PASS", None),
        "loads": ("FAIL", None),
        "called": ("FAIL", None),
        "odd": (None, None),
    }
    seen = verdicts(told, "total")
    assert {name: seen[name] for name in expected} == expected


def test_prose_and_foreign_assertions_are_left_to_others(told: Oracle) -> None:
    """With the reason."""
    first, *_, last = rows(told, "total").values()
    assert (first.untouched, first.reference, first.undecided) == (None, None, "it is a statement for the judge")
    assert last.undecided != ""


def test_what_an_agent_does_is_not_decided_on_a_reference(told: Oracle) -> None:
    """Nobody did it."""
    why = "it looks at what an agent does, and none worked on the reference"
    open_ones = {name for name, row in rows(told, "total").items() if row.undecided == why}
    assert open_ones == {"cheap", "wrote", "never", "loads", "called"}


def test_a_check_that_passes_before_any_work_is_found(told: Oracle) -> None:
    """Not those that only say what must not be: they have to hold where nothing was done."""
    assert found(told, "total") == {("passes-untouched", "there"), ("passes-untouched", "ls")}
    first = next(one for one in told.findings if one.assertion_id == "there")
    assert first.message.startswith("it holds before any work: 'data.csv'")
    assert first.severity == "warning"


def test_a_finding_has_its_line(told: Oracle, skill: Path) -> None:
    """Of the assertion in the eval file."""
    first = next(one for one in told.findings if one.assertion_id == "there")
    assert first.file == str(skill / "evals/evals.json")
    assert first.line is not None
    after = "\n".join((skill / "evals/evals.json").read_text().splitlines()[first.line - 1 :])
    assert after.lstrip().startswith('{\n     "id": "there"')


def test_a_reference_may_remove_what_the_case_starts_with(told: Oracle) -> None:
    """And without a final message nothing is decided about it."""
    assert verdicts(told, "rename") == {"gone": ("FAIL", "PASS"), "new": ("FAIL", "PASS"), "said": ("FAIL", None)}
    assert "the reference has none" in rows(told, "rename")["said"].undecided
    assert found(told, "rename") == set()


def test_a_check_that_a_right_solution_does_not_pass_is_found(told: Oracle) -> None:
    """One that fails, and one that has no verdict there: each in its words."""
    assert verdicts(told, "wrong") == {"line": ("FAIL", "FAIL"), "missing": ("UNGRADED", "UNGRADED")}
    assert found(told, "wrong") == {("fails-reference", "line"), ("fails-reference", "missing")}
    messages = {one.assertion_id: one.message for one in told.findings if one.case_id == "wrong"}
    assert messages["line"].startswith("it fails on the reference solution: ")
    assert messages["missing"].startswith("it cannot be decided on the reference solution: ")


def test_a_case_where_doing_nothing_passes_is_found_once(told: Oracle) -> None:
    """In the words of `validate`, and of less weight."""
    assert found(told, "idle") == {("only-negative", None)}
    one = next(one for one in told.findings if one.case_id == "idle")
    assert one.severity == "info"
    assert one.message == "all checks of 'idle' say what must not be; an agent that does nothing passes."


def test_a_codebase_is_there_as_in_a_trial(told: Oracle) -> None:
    """One line out and one in are two."""
    assert verdicts(told, "code") == {"scope": ("PASS", "PASS"), "fixed": ("FAIL", "PASS")}
    assert rows(told, "code")["scope"].reference is not None
    assert "2 of 2" in str(rows(told, "code")["scope"].reference)


def test_a_negative_case_may_be_passed_by_doing_nothing(tmp_path: Path) -> None:
    """The skill should stay out of it."""
    case = {"id": "a", "prompt": "Hello", "skill_should_trigger": False, "assertions": [{"type": "skill_not_invoked"}]}
    assert ask(make_skill(tmp_path / "totals", [case], {})).findings == ()


def test_only_the_cases_asked_for_are_looked_at(skill: Path) -> None:
    """Others may take long."""
    assert [case.id for case in ask(skill, only=("rename",)).cases] == ["rename"]
    with pytest.raises(PlanError, match="no case 'nobody'"):
        ask(skill, only=("nobody",))


def test_a_reference_that_removes_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A slip in it would make another solution of it."""
    case = {"id": "a", "prompt": "Do it", "reference": {"removes": ["old.txt"]}, "assertions": [LINE]}
    with pytest.raises(SpecError, match=r"the reference of 'a' removes 'old\.txt', which is not there"):
        ask(make_skill(tmp_path / "totals", [case], {}))


def test_nothing_is_written_into_the_skill(skill: Path, told: Oracle) -> None:
    """Nor beside it."""
    assert told.cases
    assert [path.name for path in skill.parent.iterdir()] == ["totals"]
    assert sorted(path.name for path in skill.iterdir()) == ["SKILL.md", "app", "evals"]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("narrow")
def test_the_page_begins_with_a_sentence(skill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And fits into 80 columns, but for the places of findings."""
    code = consult_and_print(
        OracleRequest(skill=skill, env=dict(os.environ), only=("total", "wrong", "idle")), as_json=False
    )
    lines = capsys.readouterr().out.splitlines()
    assert code == 1
    assert " ".join(lines[:2]) == (
        "2 pass before any work and 2 do not pass on a reference solution, of 17 checks in "
        "3 cases of totals. In 1 case, doing nothing passes."
    )
    assert "  warning: passes-untouched total/there" in lines
    assert "FAIL       PASS       There is a file total.json" in lines
    assert "FAIL       –          The agent loads the skill" in lines
    assert all(len(line) <= 80 for line in lines if str(skill) not in line)


@pytest.mark.usefixtures("narrow")
def test_a_suite_without_references_is_told_how_to_add_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And leaves with 0, since nothing was found."""
    case = {"id": "a", "prompt": "Do it", "files": {"data.csv": DATA}, "assertions": [LINE]}
    skill = make_skill(tmp_path / "totals", [case], {})
    assert consult_and_print(OracleRequest(skill=skill, env=dict(os.environ)), as_json=False) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("Nothing found: 1 check in 1 case of totals, none passes before any work.")
    assert "Next: put a right solution into reference/<id of the case>/" in out


@pytest.mark.usefixtures("narrow")
def test_a_suite_for_a_judge_alone_has_nothing_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not said that nothing was found, and no solution is asked for."""
    case = {"id": "a", "prompt": "Do it", "assertions": [{"id": "nice", "rubric": "It is nice."}]}
    skill = make_skill(tmp_path / "totals", [case], {})
    assert consult_and_print(OracleRequest(skill=skill, env=dict(os.environ)), as_json=False) == 0
    assert " ".join(capsys.readouterr().out.split()) == (
        "There is no check to run in 1 case of totals: code decides none of the assertions. "
        "Not decided here (1 assertion): it is a statement for the judge."
    )


def test_json_is_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It can be read back, and fits its schema."""
    case = {"id": "a", "prompt": "Do it", "files": {"data.csv": DATA}, "assertions": [LINE]}
    skill = make_skill(tmp_path / "totals", [case], {"reference/a/data.csv": f"{DATA}total,7\n"})
    assert consult_and_print(OracleRequest(skill=skill, env=dict(os.environ)), as_json=True) == 0
    out = capsys.readouterr().out
    read = Oracle.model_validate_json(out)
    validator: Any = Draft202012Validator(schema("oracle"))
    validator.validate(json.loads(out))
    assert verdicts(read, "a") == {"line": ("FAIL", "PASS")}


def test_an_example_has_a_reference_that_its_checks_pass(examples: Path) -> None:
    """And no check passes before it."""
    told = ask(examples / "commit-style", only=("cache-lock",))
    assert told.findings == ()
    assert [one for pair in verdicts(told, "cache-lock").values() for one in pair] == [
        *("FAIL", "PASS"),
        *("FAIL", "PASS"),
        *("FAIL", None),
    ]
