"""Checks of other tools, in our words where they mean the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import regex

from skilltrial.records.suite import Assertion, Case
from skilltrial.spec.suite import SuiteReading, examine_suite

Read = Callable[..., SuiteReading]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads one case of a list of `cases`, made of the given keys."""

    def reading(**keys: object) -> SuiteReading:
        path = tmp_path / "evals.json"
        path.write_text(json.dumps({"cases": [{"id": "a", "prompt": "Do it", **keys}]}), encoding="utf-8")
        return examine_suite(path, None)

    return reading


def _case(reading: SuiteReading) -> Case:
    assert reading.suite is not None, reading.errors
    return reading.suite.cases[0]


def _operands(assertion: Assertion) -> dict[str, object]:
    return assertion.model_dump(exclude={"id", "text", "written"}, exclude_defaults=True) | {"type": assertion.type}


@pytest.mark.parametrize(
    ("written", "operands"),
    [
        ({"type": "contains", "value": "a.b"}, {"type": "answer_matches", "pattern": r"a\.b"}),
        ({"type": "icontains", "value": "Done"}, {"type": "answer_matches", "pattern": "(?i)Done"}),
        ({"type": "contains", "value": "A", "case_sensitive": False}, {"type": "answer_matches", "pattern": "(?i)A"}),
        ({"type": "contains-any", "values": ["a", "b"]}, {"type": "answer_matches", "pattern": "a|b"}),
        ({"type": "not_contains", "value": "a"}, {"type": "answer_matches", "pattern": "a", "negate": True}),
        (
            {"check": "substring_in_file", "file": "o.md", "substring": "x"},
            {"type": "file_matches", "path": "o.md", "any": True, "pattern": "x"},
        ),
        (
            {"check": "any_substring_in_file", "file": "o.md", "substrings": ["x", "y"]},
            {"type": "file_matches", "path": "o.md", "any": True, "pattern": "x|y"},
        ),
        ({"type": "regex", "pattern": "a+"}, {"type": "answer_matches", "pattern": "a+"}),
        ({"type": "regex", "pattern": "a", "flags": "gi"}, {"type": "answer_matches", "pattern": "(?i)a"}),
        (
            {"type": "regex", "pattern": "a", "should_match": False},
            {"type": "answer_matches", "pattern": "a", "negate": True},
        ),
        ({"type": "not_regex", "pattern": "a"}, {"type": "answer_matches", "pattern": "a", "negate": True}),
        (
            {"type": "regex-match", "pattern": "a", "target": {"file": "o.txt"}},
            {"type": "file_matches", "path": "o.txt", "any": True, "pattern": "a"},
        ),
        (
            {"type": "regex-match", "pattern": "a", "target": "assistant-text"},
            {"type": "transcript_check", "check": "assistant_message_matches", "pattern": "a"},
        ),
        ({"type": "file-exists", "path": "o.txt"}, {"type": "file_exists", "path": "o.txt", "any": True}),
        ({"type": "file_exists", "file": "o.txt"}, {"type": "file_exists", "path": "o.txt", "any": True}),
        (
            {"check": "file_exists_nonempty", "file": "o.txt"},
            {"type": "file_matches", "path": "o.txt", "any": True, "pattern": r"[\s\S]"},
        ),
        ({"type": "llm-rubric", "value": "It is kind"}, {"type": "llm_judge", "rubric": "It is kind"}),
    ],
)
def test_what_means_the_same_is_ours(read: Read, written: dict[str, object], operands: dict[str, object]) -> None:
    """With the author's own value kept."""
    (assertion,) = _case(read(assertions=[written])).assertions
    assert _operands(assertion) == operands
    assert assertion.written == written


@pytest.mark.parametrize(
    ("answer", "holds"), [("one\ntwo", True), ("two, one", True), ("one", False), ("two two", False)]
)
def test_several_texts_all_have_to_be_there(read: Read, answer: str, holds: bool) -> None:
    """In any order, over lines."""
    (assertion,) = _case(read(verifiers=[{"type": "contains", "values": ["one", "two"]}])).assertions
    assert assertion.type == "answer_matches"
    assert bool(regex.search(assertion.pattern, answer)) is holds
    assert assertion.text == "The final message contains 'one' and 'two'"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({"type": "regex", "pattern": "("}, "in our words it is no regular expression"),
        ({"type": "regex", "pattern": "a", "flags": "x"}, "its flags are 'x'"),
        ({"type": "contains", "value": 5}, "its 'value' is 5"),
        ({"type": "contains"}, "it does not say which text"),
        ({"type": "contains", "value": "a", "target": "stderr"}, "it looks at 'stderr'"),
        ({"type": "file-exists"}, "it does not say which file"),
        ({"type": "file-exists", "path": "../x"}, "in our words it points outside the skill"),
        ({"check": "min_substrings_in_file", "file": "o", "substrings": ["a"], "min_count": 1}, "it counts how many"),
        ({"type": "not_contains", "value": "a", "negate": True}, "it negates several texts, or what is negated"),
        ({"type": "llm", "model": "m"}, "it has no statement"),
        ({"type": "llm-rubric", "value": "Kind", "threshold": 0.8}, "its 'threshold' is not known here"),
        ({"type": "llm_rubric", "value": "Rude", "negate": True}, "'negate' is True, which turns its meaning round"),
        ({"type": "llm_judge", "rubric": "Rude", "negate": True}, "'negate' is True, which turns its meaning round"),
        ({"type": "file-exists", "path": "x", "negate": True}, "'negate' is True, which turns its meaning round"),
        ({"type": "file_exists", "path": "x", "exists": False}, "'exists' is False, which turns its meaning round"),
        ({"type": "contains", "value": "a", "scope": "stderr"}, "its 'scope' is not known here"),
        ({"type": "contains", "value": "a", "path": "$.name"}, "its 'path' is '$.name'"),
        ({"type": "contains", "value": "a", "values": ["b"]}, "it has both 'value' and 'values'"),
        ({"type": "file_contains", "value": "a"}, "it does not say which file"),
        ({"type": "string_match", "value": "a.b"}, "it does not say whether its text is a pattern"),
        ({"type": "regex", "patterns": ["(?i)a", "b"]}, "it has several patterns, of which one has flags"),
        ({"type": "regex", "pattern": "^a", "target": "assistant-text"}, "it looks at everything that the agent said"),
        ({"type": "contains", "value": "a", "weight": 0}, "'weight' is 0: it decides nothing there"),
        ({"type": "contains", "value": "a", "required": False}, "'required' is False: it decides nothing there"),
        ({"text": "It is short", "optional": True}, "'optional' is True: it decides nothing there"),
    ],
)
def test_what_has_no_meaning_here_is_foreign_with_the_reason(
    read: Read, written: dict[str, object], reason: str
) -> None:
    """It may well have one there, so that it is no error; it is never graded as something else."""
    (assertion,) = _case(read(assertions=[written])).assertions
    assert assertion.type == "foreign"
    assert assertion.reason.startswith(reason)
    assert assertion.written == written


def test_an_unknown_type_with_nothing_but_words_is_a_statement(read: Read) -> None:
    """What else could be meant; and it is reported."""
    reading = read(assertions=[{"type": "quality_check", "description": "It is short", "expected": "One page"}])
    (assertion,) = _case(reading).assertions
    assert (assertion.type, assertion.text) == ("llm_judge", "It is short (expected: One page)")
    assert [repair.code for repair in reading.repairs] == ["type-as-prose"]


@pytest.mark.parametrize("kind", ["must_not", "forbidden", "Not-Present", "negative"])
def test_an_unknown_type_that_negates_is_foreign(read: Read, kind: str) -> None:
    """Its words may say what must not be; a judge would be asked whether it is."""
    (assertion,) = _case(read(assertions=[{"type": kind, "description": "Deletes the files"}])).assertions
    assert assertion.type == "foreign"


def test_the_criterion_of_a_judge_is_its_rubric(read: Read) -> None:
    """And not the description beside it, which says less; of one word, it is a label."""
    strict = {"type": "llm_judge", "description": "Has evidence", "criterion": "Both parts name a study"}
    named = {"type": "llm_judge", "description": "Has evidence", "criterion": "evidence"}
    found = _case(read(assertions=[strict, named])).assertions
    assert [one.rubric for one in found if one.type == "llm_judge"] == ["Both parts name a study", "Has evidence"]


def test_an_unknown_type_with_operands_is_foreign(read: Read) -> None:
    """The words alone would leave something out."""
    (assertion,) = _case(read(assertions=[{"type": "word_count", "description": "Short", "max": 5}])).assertions
    assert assertion.type == "foreign"


def test_a_name_in_the_place_of_the_text_gives_way_to_the_description(read: Read) -> None:
    """Where one word stands beside a sentence."""
    (assertion,) = _case(read(assertions=[{"text": "note-load", "description": "It loads the note"}])).assertions
    assert assertion.text == "It loads the note"


def test_a_graded_criterion_is_no_verdict(read: Read) -> None:
    """`passed` and `evidence` are of some earlier run."""
    (assertion,) = _case(read(assertions=[{"text": "It is short", "passed": True, "evidence": "E"}])).assertions
    assert (assertion.type, assertion.text) == ("llm_judge", "It is short")


@pytest.mark.parametrize("key", ["must_include", "must_contain", "expected_output_contains", "output_contains"])
def test_what_an_answer_has_to_hold_is_asked_of_the_judge(read: Read, key: str) -> None:
    """Authors write `at least 1 source URL` there, which no answer holds word by word."""
    (found,) = _case(read(**{key: ["at least 1 source URL"]})).assertions
    assert (found.type, found.written) == ("llm_judge", "at least 1 source URL")
    assert found.text == "at least 1 source URL (the answer or the files must contain this, in these or other words)"


@pytest.mark.parametrize("key", ["must_not_include", "expected_output_excludes"])
def test_what_an_answer_must_not_hold_is_asked_too(read: Read, key: str) -> None:
    """`invented attendee` would never be found as a text, and pass for ever."""
    (found,) = _case(read(**{key: ["invented attendee"]})).assertions
    assert found.type == "llm_judge"
    assert found.text.startswith("invented attendee (neither the answer nor the files may contain this")


def test_things_in_a_word_are_asked_of_the_judge(read: Read) -> None:
    """With what is to be true of them; the author's word is kept."""
    found = _case(read(required=["an index"], forbidden=["a footer"])).assertions
    assert [(one.text, one.written) for one in found] == [
        ("an index (this must be there, or be done)", "an index"),
        ("a footer (this must not be there, and not be done)", "a footer"),
    ]


def test_names_of_checks_elsewhere_are_foreign(read: Read) -> None:
    """And what is expected is graded instead of nothing."""
    found = _case(read(expected_checks=["assets", "It has an index"], expected_behavior="A report")).assertions
    assert [(one.type, one.text) for one in found] == [("foreign", '"assets"'), ("llm_judge", "It has an index")]
    alone = _case(read(expected_checks=["assets"], expected_behavior="A report")).assertions
    assert [(one.type, one.text) for one in alone] == [("foreign", '"assets"'), ("llm_judge", "A report")]


def test_a_list_of_what_is_expected_is_statements(read: Read) -> None:
    """And not one text of all of them."""
    case = _case(read(expected_behavior=["Reads it", "Sums it up"]))
    assert [one.text for one in case.assertions] == ["Reads it", "Sums it up"]
    assert case.expected_output is None


def test_weights_are_kept(read: Read) -> None:
    """In what was written; nothing is done with them."""
    (assertion,) = _case(read(criteria=[{"id": "c1", "description": "Short", "weight": 3}])).assertions
    assert (assertion.id, assertion.text, assertion.written["weight"]) == ("c1", "Short", 3)


def test_equal_ids_of_another_tool_are_no_error(read: Read) -> None:
    """There they may be labels; here each verdict needs its own."""
    found = _case(read(checks=[{"id": "x", "type": "contains", "value": one} for one in "ab"])).assertions
    assert [one.id for one in found] == ["x", "the-final-message-contains-b"]


def test_settings_of_a_judge_are_kept_and_its_criteria_used(read: Read) -> None:
    """Nothing of them is lost."""
    case = _case(read(judge={"model": "m", "criteria": ["It is short"]}))
    assert [one.text for one in case.assertions] == ["It is short"]
    assert case.extra == {"written_judge": {"model": "m", "criteria": ["It is short"]}}


def test_a_pointer_to_a_script_is_no_statement(read: Read) -> None:
    """A judge would be asked about nothing."""
    (assertion,) = _case(read(assertions="see grade.py grade_fresh")).assertions
    assert (assertion.type, assertion.text) == ("foreign", '"see grade.py grade_fresh"')
