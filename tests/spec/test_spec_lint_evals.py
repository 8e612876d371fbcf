"""Advice on suites: what cases ask, how statements are worded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.evals_table import ASSERTION_RULES, CASE_RULES, TRIGGER_RULES
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.lint.writing import about_writing
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import examine_suite

Case = dict[str, Any]
Advise = Callable[..., list[Problem]]


@pytest.fixture
def advice(skill: Path, write_evals: Callable[[object], Path]) -> Advise:
    """What is said of an eval file of the skill `pdf` with these cases."""

    def of(*cases: Case) -> list[Problem]:
        reading = examine_suite(write_evals({"skill_name": "pdf", "evals": list(cases)}), load_skill(skill))
        assert reading.suite is not None, reading.errors
        under = EvalsUnderLint(
            suite=reading.suite, triggers=reading.triggers, skill=load_skill(skill), places=reading.places
        )
        return advise(under)

    return of


@pytest.fixture
def codes(advice: Advise) -> Callable[..., set[str]]:
    """The names of the rules alone."""
    return lambda *cases: {problem.code for problem in advice(*cases)}


def case(name: str = "a", **keys: object) -> Case:
    """A case with nothing wrong about it."""
    return {"id": name, "prompt": f"Do task {name}", "assertions": [f"The answer names {len(name)} pages."], **keys}


NEGATIVE = case("other", skill_should_trigger=False)


def test_a_good_suite_gets_no_advice(advice: Advise) -> None:
    """Nothing is said for its own sake."""
    assert advice(case("one"), case("three"), NEGATIVE) == []


def test_advice_points_at_its_line(advice: Advise) -> None:
    """File, line, place, code and a hint."""
    (problem,) = advice(
        case("one"), case("two", assertions=["The summary has 3 lines.", "It works properly."]), NEGATIVE
    )
    assert problem.file.endswith("evals.json")
    assert problem.line is not None
    assert "It works properly." in Path(problem.file).read_text().splitlines()[problem.line - 1]
    assert problem.place == "evals[1].assertions[1]"
    assert (problem.rule, problem.code, problem.severity) == ("ST403", "vague", "warning")
    assert problem.hint


def test_a_case_without_assertions(codes: Callable[..., set[str]]) -> None:
    """Its trials are run for nothing."""
    assert codes(case("one", assertions=[]), NEGATIVE) == {"no-assertions"}


def test_one_case_cannot_tell(codes: Callable[..., set[str]]) -> None:
    """And a single case is no negative one either."""
    assert codes(case()) == {"one-case", "no-negative-case"}


def test_no_negative_case(codes: Callable[..., set[str]]) -> None:
    """A note, as long as nothing says when the skill should stay out."""
    assert codes(case("one"), case("three")) == {"no-negative-case"}


def test_a_trigger_set_beside_asks_the_other_half(skill: Path, codes: Callable[..., set[str]]) -> None:
    """Then no case needs to be negative."""
    (skill / "evals").mkdir()
    (skill / "evals/trigger-queries.json").write_text("[]")
    assert codes(case("one"), case("three")) == set()


def test_the_same_prompt_twice(advice: Advise) -> None:
    """Case and spaces aside; the second is named, with the first."""
    (problem,) = advice(case("one", prompt="Merge  the pages"), case("three", prompt="merge the Pages"), NEGATIVE)
    assert problem.code == "prompt-twice"
    assert problem.message == "'three' asks for the same as 'one'."


def test_the_same_prompt_with_other_files_is_another_task(codes: Callable[..., set[str]]) -> None:
    """Input makes the difference."""
    one, two = (case(name, prompt="Sum up in.txt", files={"in.txt": name}) for name in ("one", "three"))
    assert codes(one, two, NEGATIVE) == set()


def test_all_cases_alike(codes: Callable[..., set[str]]) -> None:
    """Three cases with one and the same assertion; two of another kind are enough to be quiet."""
    same = {"assertions": ["The answer names 2 pages."]}
    assert codes(case("b", **same), case("c", **same), {**NEGATIVE, **same}) == {"cases-alike"}
    assert codes(case("b", **same), case("c", **same), NEGATIVE) == set()


def test_ids_of_two_kinds(codes: Callable[..., set[str]]) -> None:
    """Numbers and names."""
    assert codes(case("one", id=1), NEGATIVE) == {"ids-mixed"}


def test_an_id_that_is_no_folder_name(advice: Advise) -> None:
    """The folder that it gets is told, once for all."""
    (problem,) = advice(case("one", id="Merge Two"), case("three", id="Split Two"), NEGATIVE)
    assert problem.code == "id-changed"
    assert "eval-Merge-Two-" in problem.message
    assert "1 more" in problem.message


@pytest.mark.parametrize(
    ("prompt", "is_said"),
    [
        ("/pdf merge a.txt", True),
        ("Use the pdf skill for this", True),
        ("Use the skill `pdf` for this", True),
        ("$pdf merge these", True),
        ("Merge these pdf pages", False),
        ("Look at /srv/pdf/a.txt", False),
        ("What skills does a pdf editor need?", False),
    ],
)
def test_a_prompt_that_names_the_skill(codes: Callable[..., set[str]], prompt: str, *, is_said: bool) -> None:
    """As a command or beside the word skill; the word alone may be the format."""
    assert ("prompt-names-skill" in codes(case("one", prompt=prompt), NEGATIVE)) == is_said


@pytest.mark.parametrize(
    ("prompt", "is_said"),
    [
        ("Add 2 and 2", True),
        ("Add the amounts in sales", False),
        ("Add the amounts of the CSV", False),
        ("Add the amounts in this file", False),
        ("Add the amounts in my spreadsheet", False),
    ],
)
def test_files_that_the_prompt_does_not_mention(codes: Callable[..., set[str]], prompt: str, *, is_said: bool) -> None:
    """A name, a stem, an ending, or any pointing at an input is a mention."""
    one = case("one", prompt=prompt, files={"data/sales.csv": "1,2"})
    assert ("file-not-mentioned" in codes(one, NEGATIVE)) == is_said


NOT = ["The answer does not mention prices.", "Never asks for a password."]


def test_a_case_with_negative_assertions_alone(codes: Callable[..., set[str]]) -> None:
    """Prose and checks; an agent that does nothing passes."""
    check = {"type": "answer_matches", "pattern": r"\bsorry\b", "negate": True}
    assert codes(case("one", assertions=[*NOT, check]), NEGATIVE) == {"only-negative"}


def test_one_positive_assertion_is_enough(codes: Callable[..., set[str]]) -> None:
    """And a negative case may have negative assertions alone."""
    assert codes(case("one", assertions=[*NOT, "The answer names 2 pages."]), NEGATIVE) == set()
    assert codes(case("one"), {**NEGATIVE, "assertions": NOT}) == set()


GOOD = [
    "Creates a file ending in .tsx",
    "The summary has exactly three sentences.",
    "Correctly identifies `useMemo` as the cause",
    "The total in report.md is 4,210.50",
    "Says that the refund takes 5 days",
    "The code is well-structured: each route has a file under src/routes",
    "Gives concrete fixes rather than only aesthetic opinions",
    "Explains why the cache is stale and how to clear it",
    "The report lists risks, costs, dates, and owners",
    "Recommends docker login via a credential helper",
    "Output is well-structured JSON",
    "The greeting uses the name of the customer",
    "PASS if the agent stops before it writes. FAIL if it writes, AND says so later.",
    "correct-branch-format",
]
BAD = [
    ("Produces output", "tautological"),
    ("The agent responds to the user.", "tautological"),
    ("Returns a response", "tautological"),
    ("The output exists", "tautological"),
    ("The task is completed successfully", "tautological"),
    ("Output is good quality", "subjective"),
    ("The code is well-structured", "subjective"),
    ("Writes clean code", "subjective"),
    ("The answer is clear and concise", "subjective"),
    ("The page is visually appealing", "subjective"),
    ("Handles errors properly", "vague"),
    ("The answer is correct", "vague"),
    ("Works as expected", "vague"),
    ("Follows best practices", "vague"),
    ("Creates a file AND it has proper imports AND it compiles", "compound"),
    ("Creates report.md, includes a table, and mentions the total", "compound"),
    ("Reads the log and names the cause and proposes a fix", "compound"),
    ("The answer names " + "one page and " * 30 + "another", "too-long"),
]


def _of(statement: str, write_case: Callable[..., Path]) -> list[str]:
    suite = examine_suite(write_case(assertions=[statement]), None).suite
    assert suite is not None
    return [remark.rule for remark in about_writing(suite)]


@pytest.mark.parametrize("statement", GOOD)
def test_good_statements_are_left_alone(statement: str, write_case: Callable[..., Path]) -> None:
    """False alarms cost trust."""
    assert _of(statement, write_case) == []


@pytest.mark.parametrize(("statement", "rule"), BAD)
def test_statements_that_could_be_better(statement: str, rule: str, write_case: Callable[..., Path]) -> None:
    """One remark each, the gravest."""
    assert _of(statement, write_case) == [rule]


def test_a_made_assertion_is_not_the_authors_wording(codes: Callable[..., set[str]]) -> None:
    """What the reader makes of an expected output is no statement that could be reworded as one."""
    one = {"id": "one", "prompt": "Do it", "expected_output": "Output is good quality"}
    assert "subjective" not in codes(one, NEGATIVE)


def test_rules_keep_to_their_numbers() -> None:
    """351-379 cases, 4xx assertions, 5xx trigger sets; in order; none is an error, for such a file can be run."""
    for rules, low, high in ((CASE_RULES, 351, 379), (ASSERTION_RULES, 400, 499), (TRIGGER_RULES, 500, 599)):
        numbers = [int(rule.code.removeprefix("ST")) for rule in rules]
        assert numbers == sorted(set(numbers))
        assert low <= numbers[0] <= numbers[-1] <= high
        assert {rule.severity for rule in rules} <= {"warning", "note"}
