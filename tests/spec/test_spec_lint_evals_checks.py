"""Advice on checks that cannot fail, that something else satisfies, or whose answer stands in the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.grade.patterns import search
from skilltrial.spec.lint.giveaways import about_giveaways
from skilltrial.spec.lint.vacuous import about_checks
from skilltrial.spec.suite import examine_suite

Remarks = Callable[..., list[str]]


@pytest.fixture
def remarks(write_case: Callable[..., Path]) -> Remarks:
    """The rules that one assertion of a case of the skill `pdf` breaks."""

    def of(assertion: object, **keys: object) -> list[str]:
        suite = examine_suite(write_case(assertions=[assertion], **keys), None).suite
        assert suite is not None
        found = [*about_checks(suite, skill_name="pdf"), *about_giveaways(suite)]
        return [remark.rule for remark in found]

    return of


def _answer(pattern: str, **keys: Any) -> dict[str, Any]:
    return {"type": "answer_matches", "pattern": pattern, **keys}


def _call(pattern: str, **keys: Any) -> dict[str, Any]:
    return {"type": "transcript_check", "check": "tool_invocation_matches", "pattern": pattern, **keys}


@pytest.mark.parametrize(
    "command", ["true", "exit 0", ":", "echo done", "pytest || true", "make; exit 0", "make ; true"]
)
def test_commands_that_always_succeed(remarks: Remarks, command: str) -> None:
    """Whatever was done before."""
    assert remarks({"type": "command_check", "command": command}) == ["never-fails"]


@pytest.mark.parametrize(
    "keys",
    [
        {"command": "pytest -q"},
        {"command": "test -s a.txt || exit 1"},
        {"command": "grep x a.txt || echo none >&2; exit 1"},
        {"command": "wc -l < a.txt || true", "expect_stdout": r"^3\b"},
        {"command": "true", "expect_exit_code": 1},
    ],
    ids=str,
)
def test_commands_that_can_fail(remarks: Remarks, keys: dict[str, Any]) -> None:
    """An exit code, or an expected output."""
    assert "never-fails" not in remarks({"type": "command_check", **keys})


@pytest.mark.parametrize("pattern", [".*", "a*", ".+", r"\w", "|x", "(?s).", "^", "[a-z]"])
def test_patterns_that_match_anything(remarks: Remarks, pattern: str) -> None:
    """They pass always, or negated never."""
    assert remarks(_answer(pattern)) == ["never-fails"]
    assert remarks(_answer(pattern, negate=True)) == ["never-passes"]


@pytest.mark.parametrize("pattern", [r"\d", "yes|no", r"\bab\b", r"(?m)^- \["])
def test_patterns_that_ask_for_something(remarks: Remarks, pattern: str) -> None:
    """An answer without it fails."""
    assert remarks(_answer(pattern)) == []


FILES = {"in/a.csv": "region,total\nnorth,4\n", "b.json": '{"total": 4, "rows": [1, null]}'}


@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "file_exists", "path": "b.json", "any": True},
        {"type": "file_exists", "path": "**/*.csv", "any": True},
        {"type": "file_matches", "path": "in/*", "pattern": "north", "any": True},
        {"type": "json_matches", "path": "b.json", "any": True, "pointer": "/total"},
        {"type": "json_matches", "path": "b.json", "any": True, "pointer": "/rows/0", "equals": 1},
    ],
    ids=str,
)
def test_checks_that_hold_before_any_work(remarks: Remarks, assertion: dict[str, Any]) -> None:
    """The case's own files satisfy them."""
    assert remarks(assertion, files=FILES) == ["true-before-work"]


@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "file_exists", "path": "*.csv", "any": True},
        {"type": "file_exists", "path": "b.json"},
        {"type": "file_matches", "path": "in/*", "pattern": "north"},
        {"type": "file_matches", "path": "in/*", "pattern": "south"},
        {"type": "file_matches", "path": "in/*", "pattern": "south", "negate": True},
        {"type": "json_matches", "path": "b.json", "any": True, "pointer": "/total", "equals": 5},
        {"type": "json_matches", "path": "b.json", "any": True, "pointer": "/rows/1"},
        {"type": "json_matches", "path": "b.json", "any": True, "pointer": "/rows/7"},
        {"type": "json_matches", "path": "b.json", "pointer": "/total"},
        {"type": "json_matches", "path": "in/a.csv", "pointer": "/total", "any": True},
        {"type": "json_matches", "pointer": "/total"},
    ],
    ids=str,
)
def test_checks_that_the_work_has_to_make_true(remarks: Remarks, assertion: dict[str, Any]) -> None:
    """Other files, other contents, other values; a guard against harm is fine."""
    assert remarks(assertion, files=FILES) == []


def test_input_files_on_the_disk_are_looked_into(remarks: Remarks, skill: Path) -> None:
    """Files named by path count as those written in the eval file do."""
    (skill / "notes.txt").write_text("alpha")
    assert remarks(
        {"type": "file_matches", "path": "notes.txt", "pattern": "alpha", "any": True}, files=["notes.txt"]
    ) == ["true-before-work"]


UNBOUNDED = {
    "0 findings": "10 findings",
    "(?i)0 findings|no findings": "10 findings",
    "(none|3 rows)": "13 rows",
    r"5\s+tests": "15 tests",
    "50%": "150%",
    "exit code 1": "exit code 10",
    "total: 7": "total: 70",
}


@pytest.mark.parametrize("pattern", UNBOUNDED)
def test_numbers_inside_of_other_numbers(remarks: Remarks, pattern: str) -> None:
    """The wrong text is really matched."""
    assert search(pattern, UNBOUNDED[pattern]) is not None
    assert remarks(_answer(pattern)) == ["number-unbounded"]


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b0 findings\b",
        r"(?<!\d)0 findings",
        "^0 findings",
        "2024 report",
        "3D model",
        "12[,_ ]?500",
        r"search\.py:(8|1[1-9])",
        "Scenario 4",
        r"\d+ rows",
        "v1.2.3",
        r"[0-9] files",
        "x{3} ",
    ],
)
def test_numbers_that_are_bounded_or_names(remarks: Remarks, pattern: str) -> None:
    """Anchors, years, names and parts of groups are left alone."""
    assert remarks(_answer(pattern)) == []


@pytest.mark.parametrize("pattern", ["Skill", r"Skill.*pdf", r"pdf/SKILL\.md", r"SKILL\.md", "pdf"])
def test_calls_that_load_the_skill(remarks: Remarks, pattern: str) -> None:
    """Loading it is enough to pass; the arm without the skill can only fail."""
    assert remarks(_call(pattern)) == ["load-passes"]


@pytest.mark.parametrize("assertion", [_call("pdftotext"), _call("npm test"), _call("Skill", negate=True)], ids=str)
def test_calls_of_the_task(remarks: Remarks, assertion: dict[str, Any]) -> None:
    """What the task needs, or that nothing was loaded."""
    assert remarks(assertion) == []


PROMPT = 'Say whether report.md is fine. Call it "draft two" in your answer.'


@pytest.mark.parametrize(
    "assertion",
    [
        _answer(r"report\.md"),
        _answer("(?i)FINE|bad"),
        {"type": "transcript_check", "check": "assistant_message_matches", "pattern": "draft two"},
    ],
    ids=str,
)
def test_answers_that_the_prompt_gives(remarks: Remarks, assertion: dict[str, Any]) -> None:
    """Repeating the task passes."""
    assert remarks(assertion, prompt=PROMPT) == ["answer-in-prompt"]


@pytest.mark.parametrize(
    "assertion",
    [
        "The answer contains 'draft two'.",
        "Mentions the title `draft two`",
        {"type": "file_matches", "path": "out.txt", "pattern": "draft two"},
    ],
    ids=str,
)
def test_words_that_both_arms_are_told(remarks: Remarks, assertion: object) -> None:
    """A note: it may be the task to copy them."""
    assert remarks(assertion, prompt=PROMPT) == ["literal-in-prompt"]


@pytest.mark.parametrize(
    "assertion",
    [
        _answer("headings are missing"),
        _answer("fine", negate=True),
        "The answer does not contain 'draft two'.",
        "Explains why 'draft two' has no headings.",
        "The agent creates a file named 'report.md'",
    ],
    ids=str,
)
def test_what_the_agent_has_to_find_out(remarks: Remarks, assertion: object) -> None:
    """Other words, denials, claims about the words, and names of files."""
    assert remarks(assertion, prompt=PROMPT) == []


def test_a_pattern_that_takes_for_ever_is_given_up(remarks: Remarks) -> None:
    """Lint comes to an end, and says nothing that it does not know."""
    assert remarks(_answer(r"(x+x+)+y"), prompt="x" * 5000) == []
