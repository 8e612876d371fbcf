"""Advice on what nothing can keep, what anything keeps, and what a suite leaves unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.spec.lint.bounds import about_bounds
from skilltrial.spec.lint.cases import about_suite
from skilltrial.spec.lint.gates import about_gates, exclusion
from skilltrial.spec.lint.vacuous import about_checks
from skilltrial.spec.suite import examine_suite

Remarks = Callable[..., list[str]]


@pytest.fixture
def remarks(write_case: Callable[..., Path]) -> Remarks:
    """The rules that the assertions of a case of the skill `pdf` break."""

    def of(*assertions: object, **keys: object) -> list[str]:
        reading = examine_suite(write_case(assertions=list(assertions), **keys), None)
        assert reading.suite is not None, reading.errors
        found = [*about_bounds(reading.suite), *about_gates(reading.suite, skill_name="pdf")]
        return [remark.rule for remark in found]

    return of


def call(pattern: str, **keys: Any) -> dict[str, Any]:
    """A check of tool calls."""
    return {"type": "transcript_check", "check": "tool_invocation_matches", "pattern": pattern, **keys}


def said(pattern: str, **keys: Any) -> dict[str, Any]:
    """A check of the final message."""
    return {"type": "answer_matches", "pattern": pattern, **keys}


MADE = {"type": "file_exists", "path": "out/a.md"}
SCOPE = {"type": "diff_scope", "max_files_touched": 0}


@pytest.mark.parametrize(
    ("assertion", "rule"),
    [
        ({"type": "limit", "tokens": 0}, "never-passes"),
        ({"type": "limit", "seconds": 0, "tool_calls": 5}, "never-passes"),
        ({"type": "limit", "turns": 0}, "never-passes"),
        ({"type": "similar", "golden": "alpha beta", "min_ratio": 0.4}, "never-fails"),
        ({"type": "double_called", "double": "git", "min_count": 0}, "never-fails"),
        ({"type": "file_exists", "path": "out/*.{csv,tsv}"}, "never-passes"),
        ({"type": "file_absent", "path": "out/*.{csv,tsv}"}, "never-fails"),
        ({"type": "table_matches", "path": "a.csv ", "columns": ["a"]}, "never-passes"),
    ],
    ids=str,
)
def test_what_nothing_keeps_or_anything(remarks: Remarks, assertion: dict[str, Any], rule: str) -> None:
    """Whatever the agent does."""
    assert remarks(assertion) == [rule]


@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "limit", "tokens": 1, "cost_usd": 0, "tool_calls": 0},
        {"type": "similar", "golden": "alpha beta", "min_ratio": 0.5},
        {"type": "double_called", "double": "git", "min_count": 0, "max_count": 2},
        {"type": "double_called", "double": "git", "max_count": 0},
        {"type": "file_exists", "path": "out/[ab]*.csv"},
        {"type": "file_exists", "path": "out/{name}.csv"},
        {"type": "diff_scope", "max_files_touched": 0},
    ],
    ids=str,
)
def test_what_a_trial_can_keep_and_break(remarks: Remarks, assertion: dict[str, Any]) -> None:
    """A free model costs nothing, a question needs no tool, and braces without a comma may be a name."""
    assert remarks(assertion) == []


@pytest.mark.parametrize(
    "assertions",
    [
        (call("pytest", min=3), {"type": "limit", "tool_calls": 2}),
        ({"type": "limit", "tool_calls": 0}, call("pytest")),
        (SCOPE, MADE),
        ({"type": "file_absent", "path": "out/a.md"}, MADE),
        ({"type": "skill_invoked"}, {"type": "skill_not_invoked"}),
        (said("alpha"), said("alpha", negate=True)),
        (call("pytest"), call("pytest", negate=True)),
    ],
    ids=str,
)
def test_pairs_of_which_one_always_fails(remarks: Remarks, assertions: tuple[Any, ...]) -> None:
    """In either order."""
    assert remarks(*assertions) == ["cannot-both-hold"]
    assert remarks(*reversed(assertions)) == ["cannot-both-hold"]


@pytest.mark.parametrize(
    "assertions",
    [
        (call("pytest", min=2), {"type": "limit", "tool_calls": 2}),
        (call("pytest", max=1), {"type": "limit", "tool_calls": 0}),
        (SCOPE, {**MADE, "any": True}),
        ({**SCOPE, "max_files_touched": 1}, MADE),
        ({"type": "file_absent", "path": "out/b.md"}, MADE),
        (said("alpha"), said("beta", negate=True)),
        (call("pytest"), call("pytest", negate=True, after="git commit")),
        (call("pytest", max=2), call("pytest", negate=True)),
    ],
    ids=str,
)
def test_pairs_that_can_both_hold(remarks: Remarks, assertions: tuple[Any, ...]) -> None:
    """Close, and possible."""
    assert remarks(*assertions) == []


@pytest.mark.parametrize(
    "assertion",
    [
        {**call("pytest"), "min": 3, "max": 2},
        {**call("pytest"), "negate": True, "min": 1},
        {"type": "similar", "golden": "a", "min_ratio": 0},
        {"type": "similar", "golden": "a", "min_ratio": 1.1},
        {"type": "limit", "tokens": -1},
        {"type": "double_called", "double": "git", "min_count": 3, "max_count": 2},
        {"type": "document_matches", "path": "a.pdf", "min_pages": 3, "max_pages": 2},
        {"type": "table_matches", "path": "a.csv", "rows": {"min": 3, "max": 2}},
        {"type": "file_exists", "path": "../a.csv"},
        {"type": "file_exists", "path": "/out/a.csv"},
        {"type": "file_exists", "path": "out\\a.csv"},
    ],
    ids=str,
)
def test_rules_that_can_never_hold_are_refused(write_case: Callable[..., Path], assertion: dict[str, Any]) -> None:
    """Before any trial: an error of the file, with its place."""
    (error,) = examine_suite(write_case(assertions=[assertion]), None).errors
    assert error.place.startswith("evals[0].assertions[0]")


FILES = {"app.py": "print(1)\n"}


@pytest.mark.parametrize("prompt", ["Fix the bug in app.py.", "In app.py, rename main.", "Please update the code."])
def test_an_edit_that_nothing_looks_at(remarks: Remarks, prompt: str) -> None:
    """Words and calls alone: the agent that says so passes."""
    words = (said("fixed"), call("pytest"), {"type": "limit", "turns": 9})
    assert remarks(*words, prompt=prompt, files=FILES) == ["no-result-check"]


@pytest.mark.parametrize(
    "result",
    [
        "The bug in app.py is gone.",
        {"type": "command_check", "command": "python app.py"},
        {"type": "file_matches", "path": "app.py", "pattern": "print.2"},
        {"type": "diff_scope", "max_files_touched": 1},
    ],
    ids=str,
)
def test_an_edit_whose_result_is_looked_at(remarks: Remarks, result: object) -> None:
    """One assertion on files, or a statement, which a judge holds against them."""
    assert remarks(said("fixed"), result, prompt="Fix the bug in app.py.", files=FILES) == []


@pytest.mark.parametrize(
    "keys", [{"prompt": "What does the change in app.py do?", "files": FILES}, {"prompt": "Fix it."}]
)
def test_questions_and_tasks_without_files_are_no_edits(remarks: Remarks, keys: dict[str, Any]) -> None:
    """Their result is what is said."""
    assert remarks(said("prints"), **keys) == []


def test_a_denial_that_loading_the_skill_breaks(remarks: Remarks) -> None:
    """The arm that has the skill could not pass; a narrower one is fine, and so is a case that the skill should not be in."""
    assert remarks(call("pdf", negate=True)) == ["load-fails"]
    assert remarks(call("Skill", max=0)) == ["load-fails"]
    assert remarks(call("rm -rf", negate=True)) == []
    assert remarks(call("pdf", negate=True, arg="url")) == []
    assert remarks(call("pdf", negate=True), skill_should_trigger=False) == []


@pytest.mark.parametrize(
    ("description", "clause"),
    [
        ("Fills PDF forms. Do not use for scans; they need OCR.", "Do not use for scans"),
        ("Fills forms. Don't invoke it on images.", "Don't invoke it on images"),
        ("Writes reports, not for letters.", "not for letters"),
        ("Use it for forms that are not intended for print", "are not intended for print"),
        ("Fills PDF forms. Use when a form is to be filled.", ""),
        (None, ""),
    ],
)
def test_what_a_description_says_the_skill_is_not_for(description: str | None, clause: str) -> None:
    """Up to the end of the clause."""
    assert exclusion(description) == clause


def test_an_exclusion_that_no_case_tries(write_evals: Callable[[object], Path]) -> None:
    """In place of the general note; one case that the skill should stay out of is enough."""
    case: dict[str, Any] = {"prompt": "Do a", "assertions": ["It names 3."]}
    for negative, rules in (([], ["exclusion-untested"]), ([{"skill_should_trigger": False}], [])):
        cases = [{**case, "id": "a"}, *({**case, "prompt": "Do b", "id": "b", **keys} for keys in negative or [{}])]
        suite = examine_suite(write_evals({"skill_name": "pdf", "evals": cases}), None).suite
        assert suite is not None
        assert [remark.rule for remark in about_suite(suite, has_triggers=False, excluded="not for scans")] == rules


@pytest.mark.parametrize(
    "keys",
    [{"max": 20}, {"min": 2}, {"result_matches": "0 failed"}, {"succeeded": False}, {"before": "git"}, {"arg": "path"}],
    ids=str,
)
def test_any_call_at_all_may_be_meant(write_case: Callable[..., Path], keys: dict[str, Any]) -> None:
    """Where its number, place or result decides; without one of those nothing does."""
    for more, rules in ((keys, []), ({}, ["never-fails"])):
        suite = examine_suite(write_case(assertions=[call(".", **more)]), None).suite
        assert suite is not None
        assert [remark.rule for remark in about_checks(suite, skill_name=None)] == rules


def test_a_number_inside_a_number_is_seen_in_other_tools_words(write_case: Callable[..., Path]) -> None:
    """`0 findings` also matches inside `10 findings`, however the assertion is spelled."""
    for assertion in ({"type": "contains", "value": "0 findings"}, {"type": "answer_matches", "pattern": "0 findings"}):
        suite = examine_suite(write_case(assertions=[assertion]), None).suite
        assert suite is not None
        assert [remark.rule for remark in about_checks(suite, skill_name="pdf")] == ["number-unbounded"]
