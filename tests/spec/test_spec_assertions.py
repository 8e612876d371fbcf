"""Typed assertions, assertions in prose, and those of other tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.suite import CommandCheck, Foreign, JsonMatches, LlmJudge, Similar, Suite
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

Write = Callable[..., Path]


def _load(path: Path) -> Suite:
    return load_suite(load_skill(path.parent.parent))


CALLS = {"type": "transcript_check", "check": "tool_invocation_matches", "pattern": "a"}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ({"type": "llm_judge", "rubric": "Good?"}, "Good?"),
        (
            {
                "type": "transcript_check",
                "check": "tool_invocation_matches",
                "pattern": "a",
                "must_precede": "first_write",
                "negate": True,
            },
            "No tool call matches /a/ before the first write to a file",
        ),
        (
            {"type": "transcript_check", "check": "assistant_message_matches", "pattern": "a"},
            "A message of the agent matches /a/",
        ),
        ({"type": "skill_invoked"}, "The agent loads the skill"),
        ({"type": "skill_not_invoked"}, "The agent does not load the skill"),
        ({"type": "file_exists", "path": "a/*.md"}, "There is a file a/*.md"),
        ({"type": "file_absent", "path": "a"}, "There is no file a"),
        (
            {
                "type": "transcript_check",
                "check": "tool_invocation_matches",
                "pattern": "a",
                "arg": "command",
                "min": 2,
                "max": 3,
                "succeeded": True,
                "result_matches": "ok",
                "after": "b",
            },
            "2 to 3 tool calls match /a/ in its 'command' with /ok/ in its result and succeeds after /b/",
        ),
        ({"type": "diff_scope", "max_files_touched": 3}, "The agent changes at most 3 files"),
        ({"type": "limit", "tokens": 5000, "seconds": 2.5}, "The agent takes at most 5,000 tokens, 2.5 s"),
        ({"type": "similar", "golden": "G"}, "The final message is like the golden text, to 0.9 or more"),
        (
            {"type": "command_check", "command": "x", "env": {"A": "1"}, "matrix": {"B": ["1", "2"]}},
            "`x` exits with 0, for every B",
        ),
        ({"type": "file_matches", "path": "a", "pattern": "b", "negate": True}, "The text of a does not match /b/"),
        ({"type": "answer_matches", "pattern": "b"}, "The final message matches /b/"),
        ({"type": "json_matches", "pointer": "/a", "equals": 1}, "The final message has 1 at /a"),
        ({"type": "json_matches", "path": "o.json", "schema": {"type": "object"}}, "o.json fits the schema"),
        ({"type": "command_check", "command": "true", "expect_stdout": "ok"}, "`true` exits with 0 and prints /ok/"),
        ({"type": "file_exists", "path": "a", "text": "My own words"}, "My own words"),
    ],
)
def test_every_type_is_read_and_has_words(write_case: Write, written: dict[str, object], text: str) -> None:
    """The sentence is made from the fields, or is the author's."""
    suite = _load(write_case(assertions=[written]))
    (read,) = suite.cases[0].assertions
    assert (read.type, read.text, read.written) == (written["type"], text, written)
    assert suite.repairs == ()


def test_a_json_schema_is_kept(write_case: Write) -> None:
    """Under the record's own name."""
    (read,) = _load(write_case(assertions=[{"type": "json_matches", "schema": {"type": "array"}}])).cases[0].assertions
    assert isinstance(read, JsonMatches)
    assert read.schema_ == {"type": "array"}


@pytest.mark.parametrize(
    ("written", "part"),
    [
        (5, "must be a text or an object, not 5."),
        (None, "must be a text or an object, not None."),
        ("  ", "is empty. Write what must hold, or remove it."),
        ({}, "has neither a type nor a statement."),
        ({"type": "llm_judge"}, "has no 'rubric'."),
        ({"type": "llm_judge", "rubric": " "}, "rubric is empty."),
        ({"type": "llm_judge", "rubric": 5}, "rubric must be a text, not 5."),
        ({"type": "transcript_check", "pattern": "a"}, "has no 'check'."),
        ({"type": "transcript_check", "check": "tool_invocation_matches"}, "has no 'pattern'."),
        ({"type": "answer_matches", "pattern": "("}, "pattern is no regular expression: missing ) at position 1"),
        ({"type": "answer_matches", "pattern": ""}, "pattern is empty, and would match everything."),
        ({"type": "answer_matches", "pattern": "a", "negate": "no"}, "negate must be true or false, not 'no'."),
        ({"type": "file_exists"}, "has no 'path'."),
        ({"type": "file_exists", "path": "/tmp/x"}, "path points outside the skill: '/tmp/x'."),
        ({"type": "file_matches", "path": "a/../../b", "pattern": "x"}, "points outside the skill: 'a/../../b'."),
        ({"type": "json_matches"}, "has neither 'schema' nor 'pointer' nor 'jsonpath'."),
        ({"type": "json_matches", "pointer": "/a", "any": True}, "any is about files, and there is no 'path'."),
        ({"type": "json_matches", "pointer": "a.b"}, "pointer is no JSON pointer: 'a.b'."),
        ({"type": "json_matches", "schema": {"type": "objekt"}}, "schema is no JSON Schema at 'type'"),
        ({"type": "json_matches", "schema": True}, "schema must be an object, not True."),
        ({"type": "command_check", "command": " "}, "command is no shell command: ' '."),
        ({"type": "command_check", "command": "x", "timeout_s": 0}, "timeout_s must be more than 0, not 0.0."),
        ({"type": "command_check", "command": "x", "expect_exit_code": 1.5}, "must be a whole number, not 1.5."),
        ({"type": "command_check", "command": "x", "expect_stdout": "["}, "expect_stdout is no regular expression"),
        ({**CALLS, "min": 2, "max": 1}, "max must not be less than min (2), but is 1."),
        ({**CALLS, "not": True, "max": 1}, "max stands beside a negation: 'max'."),
        ({**CALLS, "negate": True, "not": False}, "not says the opposite of 'negate'."),
        ({**CALLS, "before": "("}, "before is no regular expression"),
        ({**CALLS, "min": 0}, "min must be 1 or more, not 0."),
        ({**CALLS, "check": "assistant_message_matches", "arg": "x"}, "arg is about tool calls"),
        ({"type": "file_absent", "path": "../x"}, "path points outside the skill"),
        ({"type": "diff_scope"}, "has none of 'max_files_touched', 'max_lines_changed'."),
        ({"type": "limit", "seconds": -1}, "seconds must be 0 or more, not -1."),
        ({"type": "similar"}, "has neither 'golden' nor 'golden_file'."),
        ({"type": "similar", "golden": "G", "golden_file": "g.txt"}, "has both 'golden' and 'golden_file'."),
        ({"type": "similar", "golden_file": "g.txt"}, "golden_file names 'g.txt', which is not there."),
        ({"type": "command_check", "command": "x", "setup_files": ["t.py"]}, "[0] names 't.py', which is not there."),
        ({"type": "command_check", "command": "x", "env": {"A=": "1"}}, "env has a name that is none of a variable"),
        ({"type": "command_check", "command": "x", "matrix": {"A": []}}, "matrix.A has no values: []."),
        ({"type": "command_check", "command": "x", "matrix": {"A": ["1", "1"]}}, "matrix.A has a value twice"),
        (
            {"type": "command_check", "command": "x", "matrix": {"A": list("abcdefghi"), "B": list("abcdefghi")}},
            "matrix has 81 combinations, and at most 64 are run.",
        ),
        ({"type": "skill_invoked", "weight": -1}, "weight must be more than 0, not -1."),
        ({"type": "skill_invoked", "required": "yes"}, "required must be true or false, not 'yes'."),
        ({"id": [], "type": "skill_invoked"}, "id must be a text or a whole number, not []."),
    ],
)
def test_an_assertion_that_cannot_be_used_is_told_with_place_and_value(
    write_case: Write, written: object, part: str
) -> None:
    """Each kind of mistake has its message, with the place in front."""
    with pytest.raises(SpecError) as caught:
        _load(write_case(assertions=["fine", written]))
    assert caught.value.message.startswith("evals[0].assertions[1]")
    assert part in str(caught.value)


def test_a_closed_set_names_its_members(write_case: Write) -> None:
    """`must_precede` takes three words."""
    check = {"type": "transcript_check", "check": "tool_invocation_matches", "pattern": "a", "must_precede": "end"}
    with pytest.raises(SpecError, match="must be one of 'any', 'completion_claim' or 'first_write', not 'end'"):
        _load(write_case(assertions=[check]))


def test_an_error_names_the_line_of_the_value(write_evals: Write) -> None:
    """Not the line of the assertion."""
    path = write_evals(
        '{"evals": [{"id": 1, "prompt": "P",\n"assertions": [{"type": "answer_matches",\n"pattern": "("}]}]}'
    )
    with pytest.raises(SpecError) as caught:
        _load(path)
    assert caught.value.where == f"{path}:3"
    assert caught.value.message.startswith("evals[0].assertions[0].pattern is no regular expression")


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({"id": "d", "type": "lines_changed", "max": 1}, "the assertion type 'lines_changed' is not known"),
        ({"type": 5, "text": "T"}, "the assertion type 5 is not known"),
        ({"type": "transcript_check", "check": "order", "pattern": "a"}, "the transcript check 'order' is not known"),
        ({"type": "file_exists", "path": "a", "weight": 0}, "'weight' is 0: it decides nothing there"),
    ],
)
def test_what_has_no_meaning_here_is_carried_and_reported(
    write_case: Write, written: dict[str, object], reason: str
) -> None:
    """It is never dropped, and never run as something else."""
    suite = _load(write_case(assertions=[written]))
    (read,) = suite.cases[0].assertions
    assert isinstance(read, Foreign)
    assert read.reason.startswith(reason)
    assert read.written == written
    assert [repair.code for repair in suite.repairs] == ["foreign-assertion"]


@pytest.mark.parametrize("key", ["text", "description", "assertion", "name"])
def test_an_object_without_type_is_prose(write_case: Write, key: str) -> None:
    """Whichever word the author has for the statement."""
    (read,) = _load(write_case(assertions=[{key: "It is good"}])).cases[0].assertions
    assert isinstance(read, LlmJudge)
    assert (read.rubric, read.id) == ("It is good", "it-is-good")


def test_a_name_beside_a_description_makes_the_id(write_case: Write) -> None:
    """The description is the statement."""
    (read,) = _load(write_case(assertions=[{"name": "has-toc", "description": "It has one"}])).cases[0].assertions
    assert (read.id, read.text) == ("has-toc", "It has one")


def test_unknown_keys_of_assertions_are_reported(write_case: Write) -> None:
    """They stay in `written`."""
    suite = _load(write_case(assertions=[{"text": "T", "wieght": 2}, {"type": "skill_invoked", "weigth": 1}]))
    assert [repair.path for repair in suite.repairs] == [
        "evals[0].assertions[0].wieght",
        "evals[0].assertions[1].weigth",
    ]
    assert suite.cases[0].assertions[0].written == {"text": "T", "wieght": 2}


def test_a_judge_without_rubric_takes_its_statement(write_case: Write) -> None:
    """Reported, since the author meant something else."""
    suite = _load(write_case(assertions=[{"type": "llm_judge", "criterion": "C", "description": "D"}]))
    (read,) = suite.cases[0].assertions
    assert isinstance(read, LlmJudge)
    assert read.rubric == "D"
    assert [repair.code for repair in suite.repairs] == ["rubric-missing"]


def test_one_text_instead_of_a_list_is_a_list_of_one(write_case: Write) -> None:
    """And an empty text is an empty list."""
    suite = _load(write_case(assertions="It is good", expectations=""))
    assert [one.text for one in suite.cases[0].assertions] == ["It is good"]
    assert [repair.code for repair in suite.repairs] == ["list-missing", "list-missing"]


def test_ids_are_unique_within_a_case(write_case: Write) -> None:
    """Made ids give way to written ones and to each other; statements in other scripts get a digest."""
    written = [
        "The output has a good title",
        "The output has a good index",
        {"id": "it-works", "type": "skill_invoked"},
        "It works",
        "좋다",
        "좋다",
    ]
    ids = [one.id for one in _load(write_case(assertions=written)).cases[0].assertions]
    assert ids[0] == "the-output-has-a-good"
    assert ids[1].startswith("the-output-has-a-good-")
    assert ids[2] == "it-works"
    assert ids[3].startswith("it-works-")
    assert ids[4].startswith("assertion-")
    assert ids[5] == f"{ids[4]}-2"
    assert len(set(ids)) == 6


def test_a_written_id_used_twice_names_both_lines(write_evals: Write) -> None:
    """Verdicts are bound to ids."""
    path = write_evals(
        '{"evals": [{"id": 1, "prompt": "P", "assertions": [\n'
        '{"id": "x", "type": "skill_invoked"},\n{"id": "x", "text": "T"}]}]}'
    )
    with pytest.raises(SpecError) as caught:
        _load(path)
    assert caught.value.message == "evals[0].assertions[1].id 'x' is used twice in this case: lines 2 and 3."


def test_weight_and_required_are_read_from_prose_and_from_checks(write_case: Write) -> None:
    """Without, an assertion weighs 1 and is not required."""
    written = [{"text": "T", "weight": 2, "required": True}, {"type": "skill_invoked", "weight": 0.5}, "plain"]
    suite = _load(write_case(assertions=written))
    assert suite.repairs == ()
    assert [(one.weight, one.required) for one in suite.cases[0].assertions] == [(2, True), (0.5, False), (1, False)]


def test_not_is_another_spelling_of_negate(write_case: Write) -> None:
    """Of every type that can be negated."""
    written = [{**CALLS, "not": True}, {"type": "answer_matches", "pattern": "a", "not": True}]
    suite = _load(write_case(assertions=written))
    assert suite.repairs == ()
    assert [getattr(one, "negate", None) for one in suite.cases[0].assertions] == [True, True]


def test_held_out_files_are_found_beside_the_eval_file_and_lose_their_folder(write_case: Write) -> None:
    """The agent never sees them; `evals/files/` is not part of their place."""
    check = {"type": "command_check", "command": "x", "setup_files": ["evals/files/t/a.py", "t/b.py"]}
    path = write_case(assertions=[check, {"type": "similar", "golden_file": "t/b.py"}])
    for name in ("files/t/a.py", "t/b.py"):
        (path.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (path.parent / name).write_text(name)
    command, similar = _load(path).cases[0].assertions
    assert isinstance(command, CommandCheck)
    assert [(file.path, file.source) for file in command.setup_files] == [
        ("t/a.py", str(path.parent / "files/t/a.py")),
        ("t/b.py", str(path.parent / "t/b.py")),
    ]
    assert isinstance(similar, Similar)
    assert similar.golden_file is not None
    assert similar.golden_file.path == "t/b.py"


def test_a_changed_held_out_file_is_another_suite(write_case: Write) -> None:
    """Verdicts hang on it."""
    path = write_case(assertions=[{"type": "similar", "golden_file": "g.txt"}])
    digests: set[str] = set()
    for text in ("one", "two", "one"):
        (path.parent / "g.txt").write_text(text)
        digests.add(_load(path).digest)
    assert len(digests) == 2
