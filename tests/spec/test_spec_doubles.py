"""The `doubles` of eval files: read, checked, advised on, and written back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.records.suite import Suite
from skilltrial.spec.convert.conversion import convert
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.suite import SuiteReading, examine_suite

PAGE = Path(__file__).resolve().parents[2] / "docs/doubles.md"
KUBECTL = {"commands": [{"name": "kubectl", "replies": [{"args_match": "^get", "stdout": "none\n"}]}]}
API = {"http": [{"name": "api", "env": "API_URL", "replies": [{"json": {"$ref": 1}, "status": 201}]}]}
ASKED = [{"type": "double_called", "double": "kubectl"}]


def reading(tmp_path: Path, top: Mapping[str, Any], *cases: Mapping[str, Any]) -> SuiteReading:
    """A file with these keys, and cases with these."""
    place = tmp_path / "evals.json"
    evals = [{"id": f"c{n}", "prompt": "P", "assertions": ["It is short"], **case} for n, case in enumerate(cases)]
    place.write_text(json.dumps({"skill_name": "pdf", **top, "evals": evals}))
    return examine_suite(place, None)


def suite_of(tmp_path: Path, top: Mapping[str, Any], *cases: Mapping[str, Any]) -> Suite:
    """The suite, where nothing is wrong with it."""
    read = reading(tmp_path, top, *cases)
    assert read.suite is not None, read.errors
    assert read.repairs == ()
    return read.suite


def test_a_case_has_its_own_or_those_of_the_file(tmp_path: Path) -> None:
    """Its own come instead of the file's, not beside them."""
    suite = suite_of(tmp_path, {"doubles": KUBECTL}, {}, {"doubles": API})
    first, second = (case.doubles for case in suite.cases)
    assert first is not None
    assert second is not None
    assert [one.name for one in first.commands] == ["kubectl"]
    assert (second.commands, second.http[0].replies[0].json_) == ((), {"$ref": 1})


def test_keys_with_a_dollar_are_comments(tmp_path: Path) -> None:
    """As everywhere in eval files."""
    commented = {"$why": "no cluster here", "commands": [{"$note": "x", "name": "kubectl"}]}
    assert suite_of(tmp_path, {}, {"doubles": commented}).cases[0].doubles is not None


COMMAND: dict[str, Any] = {"name": "kubectl"}


def test_a_written_file_outside_is_said_to_be_outside_of_the_trial(tmp_path: Path) -> None:
    """The skill's folder has nothing to do with it."""
    (error,) = reading(
        tmp_path, {}, {"doubles": {"commands": [{**COMMAND, "replies": [{"writes": {"../a": "b"}}]}]}}
    ).errors
    assert "points outside the trial: '../a'" in str(error)
    assert "the trial's folder" in str(error)


@pytest.mark.parametrize(
    ("doubles", "place", "said"),
    [
        ([], "doubles", "must be an object, not []"),
        ({}, "doubles", "has no doubles"),
        ({"command": []}, "doubles.command", "is no key of a double (did you mean 'commands'?)"),
        ({"commands": [{}]}, "doubles.commands[0]", "has no 'name'"),
        ({"commands": [{"name": "../sh"}]}, "doubles.commands[0].name", "is no name that can be used: '../sh'"),
        ({"commands": [COMMAND, COMMAND]}, "doubles.commands[1].name", "is used twice"),
        (
            {"commands": [{**COMMAND, "replies": [{"exitcode": 1}]}]},
            "doubles.commands[0].replies[0].exitcode",
            "is no key of a double (did you mean 'exit_code'?)",
        ),
        (
            {"commands": [{**COMMAND, "replies": [{"exit_code": 300}]}]},
            "doubles.commands[0].replies[0].exit_code",
            "cannot be used (input should be less than or equal to 255): 300",
        ),
        (
            {"commands": [{**COMMAND, "replies": [{"stdout": 3}]}]},
            "doubles.commands[0].replies[0].stdout",
            "must be a text, not 3",
        ),
        (
            {"commands": [{**COMMAND, "replies": [{"writes": {"../a": "b"}}]}]},
            "doubles.commands[0].replies[0].writes.../a",
            "",
        ),
        ({"http": [{"name": "a", "env": "PATH"}]}, "doubles.http[0].env", "is the system's own: 'PATH'"),
        (
            {"http": [{"name": "a", "env": "A"}, {"name": "b", "env": "A"}]},
            "doubles.http[1].env",
            "is used twice: 'A'",
        ),
        (
            {"http": [{"name": "a", "env": "A", "replies": [{"json": 1, "body": "x"}]}]},
            "doubles.http[0].replies[0]",
            "has both 'json' and 'body'",
        ),
        (
            {"http": [{"name": "a", "env": "A", "replies": [{"headers": {"X": "a\nb"}}]}]},
            "doubles.http[0].replies[0].headers.X",
            "is no header",
        ),
        (
            {"mcp": [{"name": "a", "tools": [{"name": "t"}, {"name": "t"}]}]},
            "doubles.mcp[0].tools[1].name",
            "is used twice",
        ),
    ],
)
def test_what_cannot_be_put_up_is_an_error_at_its_place(tmp_path: Path, doubles: object, place: str, said: str) -> None:
    """The agent would reach the real thing instead."""
    errors = reading(tmp_path, {}, {"doubles": doubles}).errors
    assert len(errors) == 1
    assert errors[0].line == 1
    if said:  # a path has messages of its own
        assert (errors[0].code, errors[0].place) == ("bad-doubles", f"evals[0].{place}")
        assert said in errors[0].message


def test_a_broken_pattern_is_an_error(tmp_path: Path) -> None:
    """It would fit nothing."""
    broken = {"commands": [{"name": "kubectl", "replies": [{"args_match": "("}]}]}
    errors = reading(tmp_path, {}, {"doubles": broken}).errors
    assert [(error.code, error.place) for error in errors] == [
        ("bad-pattern", "evals[0].doubles.commands[0].replies[0].args_match")
    ]


def test_a_mistake_of_the_file_is_said_once(tmp_path: Path) -> None:
    """Not for each of its cases."""
    assert len(reading(tmp_path, {"doubles": {}}, {}, {}).errors) == 1


@pytest.mark.parametrize(
    ("doubles", "assertions", "codes"),
    [
        (KUBECTL, ASKED, []),
        (KUBECTL, ["It is short"], ["double-not-checked"]),
        (KUBECTL, [{"type": "double_called", "double": "command:kubectl", "max_count": 0}], []),
        (None, ASKED, ["double-unknown"]),
        (
            {"mcp": [{"name": "t", "tools": [{"name": "c", "replies": [{"when_state": "up"}, {"next_state": "on"}]}]}]},
            [{"type": "double_called", "double": "t/c"}],
            ["double-state-unreachable"],
        ),
    ],
)
def test_advice(tmp_path: Path, doubles: object, assertions: list[Any], codes: list[str]) -> None:
    """States that nothing leads to, doubles that nothing looks at, checks of what is not there."""
    suite = suite_of(tmp_path, {}, {"doubles": doubles, "assertions": assertions})
    found = advise(EvalsUnderLint(suite=suite, triggers=None, skill=None))
    assert [one.code for one in found if one.code.startswith("double-")] == codes


def test_what_is_written_is_written_back(tmp_path: Path) -> None:
    """At the file and at the case, as the author wrote it."""
    suite = suite_of(tmp_path, {"doubles": KUBECTL}, {}, {"doubles": API})
    value: Any = convert(suite, to="agentskills").value
    assert value["doubles"] == KUBECTL
    assert [case.get("doubles") for case in value["evals"]] == [None, API]


def test_a_strict_form_loses_them(tmp_path: Path) -> None:
    """slow-powers has no such key."""
    suite = suite_of(tmp_path, {}, {"doubles": API})
    assert "the key 'doubles' is not allowed there" in [loss.what for loss in convert(suite, to="slow-powers").losses]


def test_other_replies_are_another_suite(tmp_path: Path) -> None:
    """And another plan; comments do not count."""
    here = suite_of(tmp_path, {}, {"doubles": KUBECTL})
    commented = suite_of(tmp_path, {}, {"doubles": {**KUBECTL, "$note": "x"}})
    other = suite_of(tmp_path, {}, {"doubles": API})
    assert here.digest == commented.digest
    assert here.digest != other.digest


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "kubectl is called"),
        ({"max_count": 0}, "kubectl is not called"),
        ({"matches": "^apply", "max_count": 1}, "kubectl is called with /^apply/ once"),
        ({"min_count": 2}, "kubectl is called at least 2 times"),
        ({"min_count": 2, "max_count": 3}, "kubectl is called 2 to 3 times"),
    ],
)
def test_a_check_in_words(tmp_path: Path, fields: dict[str, Any], text: str) -> None:
    """What people read."""
    case = {"doubles": KUBECTL, "assertions": [{**ASKED[0], **fields}]}
    assert suite_of(tmp_path, {}, case).cases[0].assertions[0].text == text


def test_the_example_of_the_page_is_right(tmp_path: Path) -> None:
    """Read without a remark on its doubles."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("    {"))
    end = lines.index("", begin)
    value = json.loads("\n".join(lines[begin:end]))
    suite = suite_of(tmp_path, {}, *value["evals"])
    found = advise(EvalsUnderLint(suite=suite, triggers=None, skill=None))
    assert [one.message for one in found if one.code.startswith("double-")] == [
        "no assertion of 'deploy-web' looks at the double 'http:status'."
    ]
