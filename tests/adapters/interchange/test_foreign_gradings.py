"""Verdicts are read in every spelling, and a verdict that cannot be read is none."""

from __future__ import annotations

import math
from typing import Any

import pytest

from skilltrial.adapters.interchange.gradings import NoGradingError, read_grading
from skilltrial.adapters.interchange.json_files import ForeignFiles, parse
from skilltrial.records.foreign import ForeignGrading, Statement, Tally


def graded(value: Any) -> ForeignGrading:
    """Read, without a look at the repairs."""
    return read_grading(value, "grading.json", ForeignFiles("/nowhere"))


def codes(value: Any) -> list[tuple[str, str]]:
    """Codes and values of the repairs."""
    files = ForeignFiles("/nowhere")
    read_grading(value, "grading.json", files)
    return [(each.code, each.value) for each in files.repairs]


def test_skill_creator() -> None:
    """The documented form, with everything in it."""
    found = graded({
        "expectations": [{"text": "A", "passed": True, "evidence": "step 3"}],
        "summary": {"passed": 2, "failed": 1, "total": 3, "pass_rate": 0.67},
        "execution_metrics": {"total_tool_calls": 15},
        "timing": {"total_duration_seconds": 191.0},
        "claims": [{"claim": "12 fields", "verified": True}],
        "user_notes_summary": {"uncertainties": ["old data"], "needs_review": [], "workarounds": ["overlay"]},
        "eval_feedback": {"overall": "weak"},
    })  # fmt: skip
    assert found.statements == (Statement(text="A", passed=True, evidence="step 3"),)
    assert found.tally == Tally(passed=2, failed=1, total=3, pass_rate=0.67)
    assert found.execution_metrics == {"total_tool_calls": 15}
    assert found.timing == {"total_duration_seconds": 191.0}
    assert found.claims == ({"claim": "12 fields", "verified": True},)
    assert found.user_notes == ("old data", "overlay")
    assert found.eval_feedback == {"overall": "weak"}
    assert found.extra == {}


def test_skill_builder() -> None:
    """Verdicts as words, counts at the top, the summary as a text."""
    found = graded({
        "eval_id": "basic", "config": "with_skill",
        "expectations": [{"assertion": "A", "verdict": "FAIL", "evidence": "no", "confidence": "HIGH"}],
        "pass_count": 3, "fail_count": 1, "pass_rate": 0.75, "summary": "fine",
    })  # fmt: skip
    assert found.statements == (Statement(text="A", passed=False, evidence="no", confidence="HIGH"),)
    assert found.tally == Tally(passed=3, failed=1, pass_rate=0.75)
    assert found.extra == {"eval_id": "basic", "config": "with_skill", "summary": "fine"}


def test_slow_powers() -> None:
    """Ids instead of texts, and verdicts beside that do not count."""
    found = graded({
        "assertion_results": [{"id": "a", "passed": True, "evidence": "e", "confidence": 0.85, "grader": "llm_judge"}],
        "meta_results": [{"id": "__skill_invoked", "passed": False, "evidence": "n", "confidence": 1}],
        "meta_summary": {"skill_invoked": False},
        "summary": {"passed": 1, "failed": 0, "total": 1, "pass_rate": 1},
    })  # fmt: skip
    assert found.statements == (
        Statement(id="a", text="a", passed=True, evidence="e", confidence=0.85, grader="llm_judge"),
    )
    assert [(each.id, each.passed) for each in found.meta] == [("__skill_invoked", False)]
    assert found.extra == {"meta_summary": {"skill_invoked": False}}


@pytest.mark.parametrize(
    "key", ["expectations", "assertions", "assertion_results", "evaluations", "results", "criteria", "checks"]
)
def test_names_of_the_list(key: str) -> None:
    """Whatever the list is called."""
    assert [each.passed for each in graded({key: [{"text": "A", "passed": False}]}).statements or ()] == [False]


@pytest.mark.parametrize(
    "key", ["text", "assertion", "expectation", "criterion", "statement", "description", "name", "check"]
)
def test_names_of_the_text(key: str) -> None:
    """Whatever the text is called."""
    assert [each.text for each in graded([{key: "A", "passed": True}]).statements or ()] == ["A"]


@pytest.mark.parametrize(
    ("verdict", "passed"),
    [
        ({"passed": True}, True), ({"passed": "true"}, True), ({"passed": "False"}, False), ({"verdict": "PASS"}, True),
        ({"verdict": "fail"}, False), ({"pass": False}, False), ({"result": "passed"}, True), ({"status": "Failed"}, False),
        ({"score": 1}, True), ({"score": 0}, False), ({"met": True}, True), ({"passed": 1}, True), ({"passed": 0}, False),
        ({"passed": None}, None), ({"verdict": "PARTIAL"}, None), ({"verdict": "UNGRADED"}, None), ({"score": 0.7}, None),
        ({"passed": []}, None), ({"passed": "maybe"}, None), ({"score": math.nan}, None), ({}, None),
    ],
)  # fmt: skip
def test_verdicts(verdict: dict[str, Any], passed: bool | None) -> None:
    """Yes or no where that is what it says; everything else is no verdict, and never a fail."""
    statements = graded({"expectations": [{"text": "A", **verdict}]}).statements
    assert statements is not None
    assert statements[0].passed is passed


def test_a_one_on_a_scale_is_no_yes() -> None:
    """Beside a 4 it is a bad mark."""
    statements = graded([{"text": "A", "score": 1}, {"text": "B", "score": 4}]).statements
    assert [each.passed for each in statements or ()] == [None, None]


@pytest.mark.parametrize("key", ["evidence", "reason", "reasoning", "notes", "explanation"])
def test_names_of_the_evidence(key: str) -> None:
    """Whatever the evidence is called."""
    assert [each.evidence for each in graded([{"text": "A", "passed": True, key: "e"}]).statements or ()] == ["e"]


def test_criteria_by_id() -> None:
    """An object instead of a list, with verdicts alone or in objects."""
    statements = graded({"assertions": {"a": True, "b": {"passed": False, "evidence": "e", "text": "B"}}}).statements
    assert statements == (
        Statement(id="a", text="a", passed=True),
        Statement(id="b", text="B", passed=False, evidence="e"),
    )


def test_what_is_beside_a_criterion_is_kept() -> None:
    """Unknown keys go along."""
    statements = graded([{"text": "A", "passed": True, "evidence": "e", "weight": 3}]).statements
    assert statements is not None
    assert statements[0].extra == {"weight": 3}


@pytest.mark.parametrize(
    ("counts", "tally"),
    [
        ({"passed_count": 3, "total": 4}, Tally(passed=3, total=4)),
        ({"passed": "3/4"}, Tally(passed=3, total=4)),
        ({"pass_rate": "2/8 (25%)"}, Tally(passed=2, total=8)),
        ({"pass_rate": "75%"}, Tally(pass_rate=0.75)),
        ({"pass_rate": 75}, Tally(pass_rate=75)),
        ({"summary": {"passed": 3, "fails": 1}}, Tally(passed=3, failed=1)),
        ({"result": {"passed": 6, "total": 7, "time_seconds": 4}}, Tally(passed=6, total=7)),
        ({"assertions_passed": 7, "assertions_total": 8}, Tally(passed=7, total=8)),
    ],
)
def test_counts(counts: dict[str, Any], tally: Tally) -> None:
    """Under all their names; they are what is written, right or wrong."""
    assert graded({"expectations": [], **counts}).tally == tally


@pytest.mark.parametrize(
    ("said", "tally"),
    [
        ("2/3", Tally(passed=2, total=3)),
        ("2 of 3 assertions hold, 1 does not.", Tally(passed=2, total=3)),
        ("2/3 passed", Tally(passed=2, total=3)),
        ("2/3 of the files were converted", None),
        ("Passed 2/3", None),
        ("fine", None),
    ],
)
def test_a_summary_in_words(said: str, tally: Tally | None) -> None:
    """A tally where it can mean nothing else; the words are kept."""
    found = graded({"expectations": [{"text": "A", "passed": True}], "summary": said})
    assert found.tally == tally
    assert found.extra == {"summary": said}


def test_counts_come_before_a_summary_in_words() -> None:
    """They are what other programs read."""
    found = graded({"expectations": [], "pass_count": 1, "fail_count": 2, "summary": "2/3"})
    assert found.tally == Tally(passed=1, failed=2)


def test_counts_beside_the_summary_are_kept() -> None:
    """The summary is the tally; the other figures may say something else."""
    found = graded({"expectations": [], "summary": {"passed": 1, "total": 2}, "passed": 2, "total": 2})
    assert found.tally == Tally(passed=1, total=2)
    assert found.extra == {"passed": 2, "total": 2}


def test_a_rate_that_is_no_number_stays() -> None:
    """NaN is what was written; the audit says what is wrong with it."""
    value = parse(b'{"expectations": [], "summary": {"pass_rate": NaN}}').value
    tally = graded(value).tally
    assert tally is not None
    assert tally.pass_rate is not None
    assert math.isnan(tally.pass_rate)


def test_nulls_for_objects() -> None:
    """They are noted and hold nothing."""
    value = {"expectations": [], "summary": None, "timing": None, "execution_metrics": None, "user_notes_summary": None}
    assert graded(value).tally is None
    assert [code for code, _ in codes(value)] == ["null-object"]


def test_repairs_say_what_was_interpreted() -> None:
    """Once a file and kind, with the spelling or the first value."""
    value = {"evaluations": [{"assertion": "A", "passed": "true"}, {"assertion": "B", "passed": "hm"}]}
    assert codes(value) == [
        ("other-spelling", "assertion, evaluations"),
        ("verdict-as-text", "true"),
        ("verdict-unreadable", "hm"),
    ]


def test_the_common_form_needs_no_repair() -> None:
    """Nothing was interpreted."""
    assert codes({"expectations": [{"text": "A", "passed": True, "evidence": "e"}]}) == []


def test_one_verdict_on_the_whole() -> None:
    """Where there are no criteria."""
    found = graded({"eval_id": "a", "pass": False, "notes": "no edges"})
    assert found.statements == (Statement(text="pass", passed=False, evidence="no edges"),)


@pytest.mark.parametrize("value", [None, 3, "text", {}, {"fixtures": {"a": {}}}])
def test_what_is_no_grading(value: Any) -> None:
    """It says so, and is no run without verdicts."""
    with pytest.raises(NoGradingError, match="holds"):
        graded(value)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'{"a": [1,\n', "no valid JSON: Expecting value, line 2 column 1"),
        (b"\xff{}", "not UTF-8: byte 0 is b'\\xff'"),
        (b"[" * 100_000, "nested too deeply to be read"),
        (b"", "no valid JSON: Expecting value, line 1 column 1"),
    ],
)
def test_faults_of_files(data: bytes, fault: str) -> None:
    """What is wrong, and where it stops."""
    assert parse(data).fault == fault


def test_a_byte_order_mark_is_no_fault() -> None:
    """Editors on Windows write it."""
    assert parse(b'\xef\xbb\xbf{"a": 1}').value == {"a": 1}
