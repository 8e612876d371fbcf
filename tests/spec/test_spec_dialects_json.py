"""Forms of eval files in JSON, beside the four of `evals` objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.records.conversation import Responder, Turn
from skilltrial.records.suite import Suite
from skilltrial.spec.findings import Problem
from skilltrial.spec.suite import examine_suite

Read = Callable[[object], Suite]
Fail = Callable[[object], Problem]


def _examine(folder: Path, content: object) -> tuple[Suite | None, tuple[Problem, ...]]:
    path = folder / "evals.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    reading = examine_suite(path, None)
    return reading.suite, reading.errors


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """The suite that a document is."""

    def suite(content: object) -> Suite:
        found, errors = _examine(tmp_path, content)
        assert found is not None, errors
        return found

    return suite


@pytest.fixture
def fail(tmp_path: Path) -> Fail:
    """The one error of a document."""

    def problem(content: object) -> Problem:
        (error,) = _examine(tmp_path, content)[1]
        return error

    return problem


@pytest.mark.parametrize("key", ["cases", "test_cases", "tests", "tasks", "scenarios"])
def test_a_list_of_cases_is_read_under_whichever_name(read: Read, key: str) -> None:
    """The form is called by it."""
    suite = read({"skill": "pdf", "schema": 1, key: [{"id": "a", "input": "Merge", "expected_behavior": "One PDF"}]})
    (case,) = suite.cases
    assert (suite.dialect, suite.skill_name, suite.extra) == (key, "pdf", {"schema": 1})
    assert (case.id, case.prompt, case.expected_output, case.extra) == ("a", "Merge", "One PDF", {})
    assert [one.text for one in case.assertions] == ["One PDF"]


def test_a_bare_list_of_cases_is_read(read: Read) -> None:
    """Where an entry has a prompt and what should come of it."""
    suite = read([{"prompt": "Merge", "expectations": ["One file"], "num_expectations": 1}])
    assert (suite.dialect, suite.skill_name) == ("list", None)
    assert [one.text for one in suite.cases[0].assertions] == ["One file"]
    assert suite.cases[0].extra == {"num_expectations": 1}


@pytest.mark.parametrize("key", ["prompt", "query", "input", "task", "question", "instruction"])
def test_a_prompt_goes_by_many_names(read: Read, key: str) -> None:
    """Each is used up by it."""
    (case,) = read({"cases": [{key: "Merge", "assertions": ["A"]}]}).cases
    assert (case.prompt, case.extra) == ("Merge", {})


def test_of_two_names_for_one_field_the_other_is_kept(read: Read) -> None:
    """Nothing that an author wrote is lost."""
    (case,) = read({"cases": [{"prompt": "Merge", "task": "T", "title": "N", "assertions": ["A"]}]}).cases
    assert (case.prompt, case.name, case.extra) == ("Merge", "N", {"task": "T"})


def test_one_message_of_the_user_is_the_prompt(read: Read) -> None:
    """Of several, the others are said after it; beside a prompt, they are kept and told."""
    cases = [
        {"user_turns": ["A"], "assertions": ["X"]},
        {"user_turns": ["B", "C"]},
        {"prompt": "D", "user_turns": ["E"]},
    ]
    suite = read({"cases": cases})
    assert [(case.prompt, case.turns) for case in suite.cases] == [("A", ()), ("B", (Turn(prompt="C"),)), ("D", ())]
    assert suite.cases[1].extra["written_user_turns"] == ["B", "C"]
    assert [repair.path for repair in suite.repairs if repair.code == "key-not-used"] == ["cases[2].user_turns"]


def test_a_case_with_an_empty_prompt_is_left_out(read: Read) -> None:
    """No agent can be given it; it is kept and told."""
    blank = {"id": "b", "input": "", "expected": "Asks back"}
    suite = read({"cases": [{"id": "a", "input": "Merge", "expected": "One"}, blank]})
    assert [case.id for case in suite.cases] == ["a"]
    assert suite.extra == {"cases_left_out": [blank]}
    assert ("case-left-out", "cases[1]") in [(repair.code, repair.path) for repair in suite.repairs]


def test_an_evaluation_of_the_guide_is_one_case(read: Read) -> None:
    """The file is the case, and names the skill."""
    suite = read({"skills": ["pdf"], "query": "Merge", "files": [], "expected_behavior": ["Reads", "Writes"]})
    (case,) = suite.cases
    assert (suite.dialect, suite.skill_name, suite.extra) == ("anthropic-evaluation", "pdf", {})
    assert (case.prompt, [one.text for one in case.assertions]) == ("Merge", ["Reads", "Writes"])
    assert case.extra == {}


def test_an_evaluation_of_several_skills_is_for_the_first(read: Read) -> None:
    """The others are kept and told."""
    suite = read({"skills": ["pdf", "docx"], "query": "Merge", "expected_behavior": ["Reads"]})
    assert (suite.skill_name, suite.cases[0].extra) == ("pdf", {"skills": ["pdf", "docx"]})
    assert [repair.code for repair in suite.repairs if repair.path == "skills"] == ["key-not-used"]


def test_criteria_under_other_names_make_another_form_of_evals(read: Read) -> None:
    """So that it is not written back as what it never was."""
    suite = read({"skill_name": "pdf", "evals": [{"id": 1, "prompt": "P", "expected_behaviors": ["A"]}]})
    assert suite.dialect == "evals"
    assert [one.text for one in suite.cases[0].assertions] == ["A"]


def test_results_of_a_comparison_are_refused_as_such(fail: Fail) -> None:
    """They lie where eval files do."""
    error = fail({"evals": [{"id": 1, "with_skill": {"ms": 1}, "without_skill": {"ms": 2}}]})
    assert (error.code, error.hint) == ("result-file", "Give the eval file that they were made from.")


def test_a_list_of_other_files_is_refused_as_such(fail: Fail) -> None:
    """With the name of one of them."""
    error = fail({"scenarios": [{"id": "a", "tests": "evals/a.json"}]})
    assert (error.code, "'evals/a.json'" in error.message) == ("cases-elsewhere", True)


@pytest.mark.parametrize("content", [[1, 2], [{"date": "2026-01-01", "note": "N"}], {"things": []}, "text"])
def test_what_is_no_eval_file_says_so(fail: Fail, content: object) -> None:
    """With what it is, and the usual form."""
    error = fail(content)
    assert (error.code, "The usual form is" in error.hint) == ("unknown-form", True)


def test_files_with_contents_and_sources_are_placed(read: Read, tmp_path: Path) -> None:
    """At the path that is named, whatever folder they come from."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.csv").write_text("1")
    files = [{"path": "in/b.txt", "content": "B"}, {"path": "in/a.csv", "source": "data/a.csv"}]
    (case,) = read({"evals": [{"prompt": "P", "files": files, "assertions": ["A"]}]}).cases
    assert [(file.path, file.content, file.source) for file in case.files] == [
        ("in/b.txt", "B", None),
        ("in/a.csv", None, str(tmp_path / "data/a.csv")),
    ]
    assert case.written_files == files


def test_one_input_file_is_a_list_of_one(read: Read, tmp_path: Path) -> None:
    """The author's value is kept as it was."""
    (tmp_path / "a.txt").write_text("A")
    (case,) = read({"cases": [{"prompt": "P", "input_file": "a.txt", "assertions": ["A"]}]}).cases
    assert [file.path for file in case.files] == ["a.txt"]
    assert case.extra == {"written_input_file": "a.txt"}


def test_files_are_looked_for_in_their_root_first(read: Read, tmp_path: Path) -> None:
    """eval-magic's `files_root` lies beside the eval file."""
    for folder, text in (("fixtures", "right"), (".", "wrong")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "a.txt").write_text(text)
    case = {"id": "a", "prompt": "P", "files": ["a.txt"], "files_root": "fixtures", "assertions": ["A"]}
    (read_case,) = read({"skill_name": "pdf", "evals": [case]}).cases
    assert [file.source for file in read_case.files] == [str(tmp_path / "fixtures/a.txt")]
    assert read_case.extra == {"files_root": "fixtures"}


def test_a_root_outside_is_an_error(fail: Fail) -> None:
    """It could reach everything."""
    case = {"id": "a", "prompt": "P", "files_root": "../..", "assertions": ["A"]}
    error = fail({"skill_name": "pdf", "evals": [case]})
    assert (error.code, error.place) == ("outside-skill", "evals[0].files_root")


def _eval_magic(*held_out: str, **keys: object) -> dict[str, object]:
    check = {"id": "c", "type": "command_check", "command": "true", "setup_files": held_out}
    return {"skill_name": "pdf", "evals": [{"id": "a", "prompt": "P", "assertions": [check], **keys}]}


def test_what_is_said_later_is_read(read: Read) -> None:
    """Turns in full or as texts, and a responder with what it does not say."""
    asks = {"prompt": "CSV.", "deliver_when": "agent_asks", "agent_response_matches": "format"}
    (case,) = read(_eval_magic(turns=["Go on.", asks])).cases
    first, second = case.turns
    assert (first.prompt, first.deliver_when) == ("Go on.", "always")
    assert (second.prompt, second.deliver_when, second.agent_response_matches) == ("CSV.", "agent_asks", "format")
    (case,) = read(_eval_magic(responder={"type": "llm", "instructions": "In a hurry."})).cases
    assert case.responder == Responder(max_turns=8, instructions="In a hurry.")


@pytest.mark.parametrize(
    ("keys", "code", "place"),
    [
        ({"turns": ["Go on"], "responder": {"type": "llm"}}, "turns-and-responder", "evals[0]"),
        ({"turns": "Go on"}, "bad-turn", "evals[0].turns"),
        ({"turns": [{"prompt": " "}]}, "bad-turn", "evals[0].turns[0]"),
        ({"turns": [{"deliver_when": "always"}]}, "bad-turn", "evals[0].turns[0]"),
        ({"turns": [{"prompt": "P", "deliver_when": "soon"}]}, "bad-turn", "evals[0].turns[0].deliver_when"),
        ({"turns": [{"prompt": "P", "agent_response_matches": "x"}]}, "bad-turn", "evals[0].turns[0]"),
        (
            {"turns": [{"prompt": "P", "deliver_when": "agent_asks", "agent_response_matches": "("}]},
            "bad-turn",
            "evals[0].turns[0]",
        ),
        ({"responder": {"type": "human"}}, "bad-responder", "evals[0].responder.type"),
        ({"responder": {"type": "llm", "max_turns": 0}}, "bad-responder", "evals[0].responder.max_turns"),
    ],
)
def test_what_cannot_be_said_is_an_error(fail: Fail, keys: dict[str, object], code: str, place: str) -> None:
    """As eval-magic has it."""
    error = fail(_eval_magic(**keys))
    assert (error.code, error.place) == (code, place)


def test_a_held_out_file_that_the_agent_sees_is_an_error(fail: Fail, tmp_path: Path) -> None:
    """The check would be no secret."""
    (tmp_path / "held").mkdir()
    (tmp_path / "held/t.py").write_text("x")
    error = fail(_eval_magic("held/t.py", files=["held"]))
    assert (error.code, error.place) == ("bad-setup-file", "evals[0].assertions[0].setup_files[0]")


def test_comments_are_kept_and_not_reported(read: Read) -> None:
    """A key that begins with `$` is one, at every level."""
    case = {"id": 1, "prompt": "P", "$comment": "C", "assertions": [{"text": "It is short", "$comment": "D"}]}
    suite = read({"$comment": "B", "evals": [case]})
    assert suite.repairs == ()
    assert (suite.extra, suite.cases[0].extra) == ({"$comment": "B"}, {"$comment": "C"})


def test_places_of_cases_and_assertions_are_known(tmp_path: Path) -> None:
    """By the ids that they have in the suite."""
    path = tmp_path / "evals.json"
    path.write_text(
        '{"evals": [\n{"id": 1, "prompt": "P", "assertions": [\n"It is short",\n{"type": "skill_invoked"}]}]}'
    )
    places = examine_suite(path, None).places
    assert {key: (place.line, place.path) for key, place in places.items()} == {
        ("1", None): (2, "evals[0]"),
        ("1", "it-is-short"): (3, "evals[0].assertions[0]"),
        ("1", "the-agent-loads-the-skill"): (4, "evals[0].assertions[1]"),
    }


def test_the_reason_why_a_skill_stays_out_is_no_assertion(tmp_path: Path) -> None:
    """A judge would be asked whether the answer *is* "a plain request"; an `expected_output` is about the answer."""
    case = {"prompt": "Sum it up", "should_trigger": False, "expected_behavior": "A plain request, no record."}
    written = {"id": "b", "prompt": "Sum it up", "skill_should_trigger": False, "expected_output": "A short text."}
    path = tmp_path / "evals.json"
    path.write_text(json.dumps({"cases": [{"id": "a", **case}, written]}), encoding="utf-8")
    reading = examine_suite(path, None)
    assert reading.suite is not None
    first, second = reading.suite.cases
    assert (first.assertions, first.expected_output) == ((), None)
    assert first.extra == {"expected_behavior": "A plain request, no record."}
    assert [one.text for one in second.assertions] == ["A short text."]
    assert ("key-not-used", "cases[0].expected_behavior") in [(one.code, one.path) for one in reading.repairs]
