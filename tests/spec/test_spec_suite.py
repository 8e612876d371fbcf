"""Eval files: dialects, ids, keys, digests."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.suite import LlmJudge, Suite, TranscriptCheck
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite
from skilltrial.spec.validate import validate

Write = Callable[..., Path]


def _load(path: Path) -> Suite:
    return load_suite(load_skill(path.parent.parent))


def _error(path: Path) -> SpecError:
    with pytest.raises(SpecError) as caught:
        _load(path)
    return caught.value


def _line(path: Path, text: str) -> int:
    lines = path.read_text().split("\n")
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_skill_creator_is_read(write_evals: Write) -> None:
    """Numbers as ids, `expectations` as statements."""
    case = {"id": 7, "prompt": "P", "expected_output": "E", "files": [], "expectations": ["It has X", "It uses Y"]}
    suite = _load(write_evals({"skill_name": "pdf", "evals": [case]}))
    assert (suite.dialect, suite.skill_name, suite.repairs) == ("skill-creator", "pdf", ())
    (read,) = suite.cases
    assert (read.id, read.written_id, read.prompt, read.expected_output) == ("7", 7, "P", "E")
    assert read.assertions == (
        LlmJudge(id="it-has-x", text="It has X", rubric="It has X", written="It has X"),
        LlmJudge(id="it-uses-y", text="It uses Y", rubric="It uses Y", written="It uses Y"),
    )


def test_skill_builder_is_read(write_evals: Write) -> None:
    """`files` is a map from path to content, kept at its path."""
    case = {"id": "basic-usage", "prompt": "P", "files": {"src/in.txt": "abc"}, "assertions": ["Makes a file"]}
    suite = _load(write_evals({"evals": [case]}))
    (file,) = suite.cases[0].files
    assert (suite.dialect, suite.skill_name) == ("skill-builder", None)
    assert (file.path, file.content, file.source) == ("src/in.txt", "abc", None)
    assert file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_slow_powers_is_read(write_evals: Write) -> None:
    """Typed assertions, runs, and cases on which the skill should stay silent."""
    case = {
        "id": "keeps-quiet",
        "prompt": "P",
        "expected_output": "E",
        "runs": 3,
        "skill_should_trigger": False,
        "assertions": [
            {"id": "ran", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "git"},
            {"id": "good", "type": "llm_judge", "rubric": "Is it good?", "model": "m"},
        ],
    }
    suite = _load(write_evals({"skill_name": "pdf", "evals": [case]}))
    (read,) = suite.cases
    assert (suite.dialect, suite.repairs) == ("slow-powers", ())
    assert (read.runs, read.skill_should_trigger) == (3, False)
    first, second = read.assertions
    assert isinstance(first, TranscriptCheck)
    assert (first.id, first.check, first.pattern, first.must_precede) == (
        "ran",
        "tool_invocation_matches",
        "git",
        "any",
    )
    assert first.text == "A tool call matches /git/"
    assert isinstance(second, LlmJudge)
    assert (second.id, second.text, second.model) == ("good", "Is it good?", "m")


def test_agentskills_is_read_with_texts_and_types_mixed(write_evals: Write) -> None:
    """The native form takes both in one list."""
    case = {"id": 1, "prompt": "P", "assertions": ["It is good", {"type": "file_exists", "path": "out/*.md"}]}
    suite = _load(write_evals({"skill_name": "pdf", "evals": [case]}))
    assert suite.dialect == "agentskills"
    assert [(one.type, one.text) for one in suite.cases[0].assertions] == [
        ("llm_judge", "It is good"),
        ("file_exists", "There is a file out/*.md"),
    ]


def test_a_file_of_two_dialects_is_mixed(write_evals: Write) -> None:
    """Each case is read by its own."""
    cases = [{"id": 1, "prompt": "P", "expectations": ["A"]}, {"id": 2, "prompt": "Q", "assertions": ["B"]}]
    suite = _load(write_evals({"skill_name": "pdf", "evals": cases}))
    assert suite.dialect == "mixed"
    assert [case.assertions[0].text for case in suite.cases] == ["A", "B"]


def test_a_case_with_both_lists_keeps_both(write_case: Write) -> None:
    """`expectations` come first."""
    suite = _load(write_case(assertions=["B"], expectations=["A"]))
    assert [one.text for one in suite.cases[0].assertions] == ["A", "B"]


def test_a_missing_eval_file_says_where_and_how(skill: Path) -> None:
    """The place that was looked at, and the command that makes one."""
    with pytest.raises(SpecError) as caught:
        load_suite(load_skill(skill))
    assert caught.value.message == "the skill 'pdf' has no eval file."
    assert caught.value.where == str(skill / "evals/evals.json")
    assert caught.value.hint == "`skilltrial init SKILL` writes a first one."


@pytest.mark.parametrize(
    ("file", "named"),
    [("evals/trial.yaml", "evals/trial.yaml"), ("eval.yaml", "eval.yaml"), ("evals/one/case.yaml", "evals/")],
)
def test_evals_in_another_place_are_named(skill: Path, file: str, named: str) -> None:
    """A file of another name, or a folder of cases, is probably what is meant."""
    (skill / file).parent.mkdir(parents=True, exist_ok=True)
    (skill / file).write_text("{}")
    with pytest.raises(SpecError, match=f"There is {named}: give that path"):
        load_suite(load_skill(skill))


def test_an_eval_file_elsewhere_can_be_given(skill: Path, tmp_path: Path) -> None:
    """Its own folder is searched for input files too."""
    (tmp_path / "in.txt").write_text("x")
    evals = tmp_path / "mine.json"
    evals.write_text('{"skill_name": "pdf", "evals": [{"id": 1, "prompt": "P", "files": ["in.txt"]}]}')
    (file,) = load_suite(load_skill(skill), evals).cases[0].files
    assert file.source == str(tmp_path / "in.txt")


def test_an_eval_file_alone_finds_its_skill(write_case: Write) -> None:
    """The nearest folder above with a SKILL.md is the skill's."""
    path = write_case(files=["SKILL.md"])
    suite = validate(path).suite
    assert suite is not None
    assert [file.path for file in suite.cases[0].files] == ["SKILL.md"]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("5", "the file is no eval file of a form that is known here: 5."),
        ({"things": [], "x": 1}, "is no eval file of a form that is known here; it has 'things', 'x'."),
        ({}, "is no eval file of a form that is known here; it has nothing. The usual form is {"),
        ({"evals": None}, "is no eval file of a form that is known here; it has 'evals'."),
        ({"evals": {}}, "evals must be a list of cases, not {}."),
        ({"evals": []}, "evals is an empty list. Write at least one case with a prompt."),
        ({"evals": ["x"]}, "evals[0] must be an object with a prompt, not 'x'."),
        ({"evals": [{"id": 1}]}, "evals[0] has no prompt. Write what a user would ask the agent for."),
        ({"evals": [{"id": 1, "prompt": " \n"}]}, "evals[0].prompt is empty."),
        ({"evals": [{"id": 1, "prompt": 5}]}, "evals[0].prompt must be a text, not 5."),
        ({"evals": [{"id": 1.5, "prompt": "P"}]}, "evals[0].id must be a text or a whole number, not 1.5."),
        ({"evals": [{"id": True, "prompt": "P"}]}, "evals[0].id must be a text or a whole number, not True."),
        ({"evals": [{"id": " ", "prompt": "P"}]}, "evals[0].id is no usable id: ' '."),
        ({"evals": [{"id": "a\nb", "prompt": "P"}]}, "evals[0].id is no usable id: 'a\\nb'."),
        ({"evals": [{"prompt": "P", "runs": 0}]}, "evals[0].runs must be a whole number from 1 to 10,000, not 0."),
        (
            {"evals": [{"prompt": "P", "runs": True}]},
            "evals[0].runs must be a whole number from 1 to 10,000, not True.",
        ),
        ({"evals": [{"prompt": "P", "runs": "2"}]}, "evals[0].runs must be a whole number from 1 to 10,000, not '2'."),
        ({"evals": [{"prompt": "P", "skill_should_trigger": "no"}]}, "must be true or false, not 'no'."),
        ({"evals": [{"prompt": "P", "assertions": 5}]}, "evals[0].assertions must be a list, not 5."),
        ({"evals": [{"prompt": "P", "files": 5}]}, "evals[0].files must be a list or an object, not 5."),
    ],
)
def test_a_suite_that_cannot_be_used_is_told_with_place_value_and_fix(
    write_evals: Write, content: object, part: str
) -> None:
    """Each kind of mistake has its message."""
    assert part in str(_error(write_evals(content)))


def test_a_number_of_runs_beyond_reason_is_refused(write_case: Write) -> None:
    """A plan of so many trials would fill the memory."""
    assert "from 1 to 10,000, not 1000000000000" in str(_error(write_case(runs=10**12)))


def test_too_many_cases_are_refused(write_evals: Write) -> None:
    """With the limit, at once."""
    path = write_evals({"evals": [{"prompt": "P"}] * 10_001})
    assert "evals has 10,001 cases, more than the 10,000" in str(_error(path))


def test_too_many_values_are_refused(write_evals: Write) -> None:
    """A list of millions of numbers would take gigabytes with all its places."""
    path = write_evals('{"evals": [' + "1," * 300_000 + "1]}")
    assert "has more than 300,000 values" in str(_error(path))


def test_twenty_thousand_equal_assertions_get_ids_of_their_own(write_case: Write) -> None:
    """In a moment: the next number is known."""
    (case,) = _load(write_case(assertions=["Same"] * 20_000)).cases
    assert len({assertion.id for assertion in case.assertions}) == 20_000


def test_an_id_used_twice_names_both_lines(write_evals: Write) -> None:
    """A number and the text of it are the same id."""
    path = write_evals({"evals": [{"id": 1, "prompt": "P"}, {"id": "1", "prompt": "Q"}]})
    first, second = _line(path, '"id": 1'), _line(path, '"id": "1"')
    error = _error(path)
    assert error.message == f"evals[1].id '1' is used twice, in lines {first} and {second}."
    assert error.where == f"{path}:{second}"


def test_a_cut_file_says_where_it_ends(write_evals: Write) -> None:
    """A file of which only the first 100 bytes are left is recognised as such."""
    whole = json.dumps({"skill_name": "pdf", "evals": [{"id": 1, "prompt": "Please " + "do it " * 30}]})
    assert "the file ends in the middle of evals[0].prompt (line 1)." in str(_error(write_evals(whole[:100])))


def test_further_errors_are_counted(write_evals: Write) -> None:
    """The first is raised, and the number of the others is in the hint."""
    path = write_evals({"evals": [{"id": 1}, {"id": 2, "prompt": "P", "runs": 0}, {"id": 3, "prompt": ""}]})
    assert "(2 more errors: `skilltrial validate` lists all.)" in str(_error(path))


def test_a_missing_id_is_made_and_reported(write_evals: Write) -> None:
    """From the position, past an id that somebody wrote."""
    suite = _load(write_evals({"evals": [{"prompt": "P"}, {"id": "case-1", "prompt": "Q"}, {"prompt": "R"}]}))
    assert [(case.id, case.written_id) for case in suite.cases] == [
        ("case-1-x", None),
        ("case-1", "case-1"),
        ("case-3", None),
    ]
    assert [repair.path for repair in suite.repairs if repair.code == "id-made"] == ["evals[0]", "evals[2]"]


def test_unknown_keys_are_kept_and_reported(write_evals: Write) -> None:
    """At the top and in cases, with a guess at what was meant."""
    case = {"id": 1, "prompt": "P", "expectation": ["A"], "tags": [1, {"a": None}]}
    suite = _load(write_evals({"evals": [case], "version": 2, "$schema": "s"}))
    assert suite.extra == {"version": 2, "$schema": "s"}
    assert suite.cases[0].extra == {"expectation": ["A"], "tags": [1, {"a": None}]}
    assert [(repair.code, repair.path) for repair in suite.repairs] == [
        ("unknown-key", "evals[0].expectation"),
        ("unknown-key", "evals[0].tags"),
        ("unknown-key", "version"),
    ]
    assert "did you mean 'expectations'?" in suite.repairs[0].message


def test_a_slip_in_a_later_turn_is_told_with_a_guess(write_case: Write) -> None:
    """Without the key the turn would be delivered whatever the agent answers."""
    (repair,) = _load(write_case(turns=[{"prompt": "x", "deliverwhen": "agent_asks"}], assertions=["A"])).repairs
    assert repair.path == "evals[0].turns[0].deliverwhen"
    assert "did you mean 'deliver_when'?" in repair.message


@pytest.mark.parametrize("key", ["num_expectations", "expected_certification", "description"])
def test_a_key_with_a_meaning_of_its_own_is_no_slip(write_case: Write, key: str) -> None:
    """It shares a word with one that is known, and no guess is made."""
    (repair,) = _load(write_case(**{key: "x"}, assertions=["A"])).repairs
    assert repair.code == "unknown-key"
    assert "did you mean" not in repair.message


def test_keys_of_other_tools_are_carried_with_their_meaning(write_case: Write) -> None:
    """The report can say so."""
    suite = _load(write_case(repo={"name": "x"}))
    assert suite.cases[0].extra == {"repo": {"name": "x"}}
    (repair,) = suite.repairs
    assert repair.code == "key-not-used"
    assert "the case runs with its `files` alone" in repair.message


@pytest.mark.parametrize(
    ("key", "value", "field", "expected"),
    [
        ("eval_name", "N", "name", "N"),
        ("should_trigger", False, "skill_should_trigger", False),
    ],
)
def test_other_names_of_keys_are_read_and_reported(
    write_case: Write, key: str, value: object, field: str, expected: object
) -> None:
    """The names that the field uses beside; the author's key is kept."""
    suite = _load(write_case(**{key: value}, assertions=["A"]))
    assert getattr(suite.cases[0], field) == expected
    assert suite.cases[0].extra == {key: value}
    assert [repair.code for repair in suite.repairs] == ["key-renamed"]


def test_a_case_with_nothing_but_an_expected_output_is_graded_on_that(write_evals: Write) -> None:
    """Else it would be run for nothing; nobody wrote the assertion, and the reader says that it made one."""
    cases = [
        {"id": 1, "prompt": "P", "expected_output": "A table"},
        {"id": 2, "prompt": "P", "expected_output": "A list", "assertions": ["It is short"]},
        {"id": 3, "prompt": "P", "expected_output": " "},
    ]
    suite = _load(write_evals({"evals": cases}))
    assert suite.cases[0].assertions == (LlmJudge(id="expected-output", text="A table", rubric="A table"),)
    assert [one.text for one in suite.cases[1].assertions] == ["It is short"]
    assert suite.cases[2].assertions == ()
    assert [(repair.code, repair.path) for repair in suite.repairs] == [("assertion-made", "evals[0]")]


def test_an_expected_output_under_another_name_is_read_and_reported(write_case: Write) -> None:
    """And kept, as all others are."""
    suite = _load(write_case(expected_behavior="E", assertions=["A"]))
    assert (suite.cases[0].expected_output, suite.cases[0].extra) == ("E", {"expected_behavior": "E"})
    assert [repair.code for repair in suite.repairs] == ["key-renamed"]


def test_an_expected_output_that_is_no_text_is_shown_as_json(write_case: Write) -> None:
    """It is only for people and the judge, and no reason to refuse the file."""
    suite = _load(write_case(expected_output=["a", 1]))
    assert suite.cases[0].expected_output == '["a", 1]'
    assert "text-made" in [repair.code for repair in suite.repairs]


def test_a_name_that_is_no_text_is_shown_as_json_and_kept(write_case: Write) -> None:
    """The author's own value can be written back."""
    suite = _load(write_case(name=["a", 1], assertions=["A"]))
    assert (suite.cases[0].name, suite.cases[0].extra) == ('["a", 1]', {"written_name": ["a", 1]})
    assert [repair.code for repair in suite.repairs] == ["text-made"]


def test_null_is_as_good_as_absent(write_case: Write) -> None:
    """For every optional key."""
    suite = _load(write_case(name=None, files=None, runs=None, assertions=None, skill_should_trigger=None))
    assert suite.repairs == ()
    assert (suite.cases[0].runs, suite.cases[0].skill_should_trigger) == (None, True)


def test_another_skill_name_is_reported(write_evals: Write) -> None:
    """The file may have been copied."""
    suite = _load(write_evals({"skill_name": "docx", "evals": [{"id": 1, "prompt": "P"}]}))
    assert [repair.message for repair in suite.repairs] == ["skill_name is 'docx', but the skill on trial is 'pdf'"]


def test_the_digest_does_not_depend_on_place_and_extras(skill: Path, tmp_path: Path) -> None:
    """The same cases and files elsewhere, with a comment more, are the same suite."""
    evals = skill / "evals"
    evals.mkdir()
    (evals / "in.txt").write_text("x")
    content = {"evals": [{"id": 1, "prompt": "P", "files": ["evals/in.txt"], "assertions": ["A"]}]}
    (evals / "evals.json").write_text(json.dumps(content))
    before = load_suite(load_skill(skill)).digest
    moved = tmp_path / "deeper/pdf"
    shutil.copytree(skill, moved)
    (moved / "evals/evals.json").write_text(json.dumps({"comment": "c", **content}, indent=4))
    assert load_suite(load_skill(moved)).digest == before


@pytest.mark.parametrize("change", ["prompt", "assertion", "file"])
def test_the_digest_changes_with_what_trials_depend_on(write_case: Write, skill: Path, change: str) -> None:
    """The prompt, an assertion, or a byte of an input file."""
    (skill / "in.txt").write_text("x")
    before = _load(write_case(prompt="P", files=["in.txt"], assertions=["A"])).digest
    if change == "file":
        (skill / "in.txt").write_text("y")
    path = write_case(
        prompt="Q" if change == "prompt" else "P",
        files=["in.txt"],
        assertions=["B" if change == "assertion" else "A"],
    )
    assert _load(path).digest != before
