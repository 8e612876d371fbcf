"""Suites in the forms of four tools: what is written, what is lost, what is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from skilltrial.errors import SpecError
from skilltrial.ports import Loss
from skilltrial.records.json_value import Json
from skilltrial.records.suite import AnswerMatches, Case, CaseFile, Foreign, JsonMatches, LlmJudge, Suite
from skilltrial.records.trigger import TriggerQuery, TriggerSuite
from skilltrial.spec.convert.conversion import convert, convert_triggers
from skilltrial.spec.convert.converted import Converted, TargetName
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import digest_of, examine_suite

TARGETS: tuple[TargetName, ...] = ("agentskills", "skill-creator", "skill-builder", "slow-powers")

Write = Callable[[object], Path]


def _converted(skill: Path, to: TargetName) -> Converted:
    read = load_skill(skill)
    suite = examine_suite(skill / "evals/evals.json", read).suite
    assert suite is not None
    return convert(suite, to=to, skill=read)


def _losses(losses: Sequence[Loss]) -> list[tuple[str, str]]:
    return [(loss.place, loss.what) for loss in losses]


def test_skill_creator_texts_become_slow_powers_judges(skill: Path, write_evals: Write) -> None:
    """With ids made from the statements, and nothing lost."""
    case = {"id": 3, "prompt": "P", "expected_output": "X", "runs": 2, "expectations": ["It is there"]}
    write_evals({"skill_name": "pdf", "evals": [case]})
    made = _converted(skill, "slow-powers")
    assert made.losses == ()
    assert made.value == {
        "skill_name": "pdf",
        "evals": [
            {
                "id": "3",
                "prompt": "P",
                "expected_output": "X",
                "runs": 2,
                "assertions": [{"id": "it-is-there", "type": "llm_judge", "rubric": "It is there"}],
            }
        ],
    }


def test_slow_powers_checks_become_sentences_in_skill_creator(skill: Path, write_evals: Write) -> None:
    """The checks, ids and models are listed as lost; the id goes into the name."""
    check = {"id": "c", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "npm"}
    judge = {"id": "j", "type": "llm_judge", "rubric": "Good", "model": "opus"}
    case = {"id": "basic", "prompt": "P", "expected_output": "X", "assertions": [check, judge]}
    write_evals({"skill_name": "pdf", "evals": [case]})
    made = _converted(skill, "skill-creator")
    assert made.value["evals"] == [
        {
            "id": 1,
            "name": "basic",
            "prompt": "P",
            "expected_output": "X",
            "expectations": ["A tool call matches /npm/", "Good"],
        }
    ]
    assert _losses(made.losses) == [
        (
            "case 'basic', assertion 'c'",
            "is a check by code (transcript_check); its sentence for a judge is written instead",
        ),
        ("case 'basic', assertion 'j'", "is a text there, without its 'id', 'model'"),
    ]
    assert made.notes == ("case 'basic': the id becomes a number, and its text the name",)


def test_numbers_of_cases_keep_those_that_there_are(skill: Path, write_evals: Write) -> None:
    """Text ids take the free numbers in their order, from 1 on."""
    ids = ["a", 2, "b", "007", "1"]
    write_evals({"skill_name": "pdf", "evals": [{"id": one, "prompt": "P", "assertions": ["A"]} for one in ids]})
    made = _converted(skill, "skill-creator")
    assert [case["id"] for case in made.value["evals"]] == [3, 2, 4, 5, 1]
    assert [case.get("name") for case in made.value["evals"]] == ["a", None, "b", "007", None]


def test_a_name_in_the_way_of_an_id_is_a_loss(skill: Path, write_evals: Write) -> None:
    """Numbers leave no second place for a text id."""
    write_evals({"skill_name": "pdf", "evals": [{"id": "a", "name": "N", "prompt": "P", "assertions": ["A"]}]})
    made = _converted(skill, "skill-creator")
    assert made.value["evals"][0]["name"] == "N"
    assert _losses(made.losses) == [("case 'a'", "its id becomes the number 1, and there is a name already: 'N'")]


def test_skill_builder_gets_contents_and_no_skill_name(skill: Path, write_evals: Write) -> None:
    """By the path where the agent finds each file; the name of the skill is told by the folder."""
    write_evals(
        {"skill_name": "pdf", "evals": [{"id": 1, "prompt": "P", "files": ["evals/files/a.txt"], "assertions": ["A"]}]}
    )
    (skill / "evals/files").mkdir()
    (skill / "evals/files/a.txt").write_text("é\r\n", newline="")
    made = _converted(skill, "skill-builder")
    assert made.losses == ()
    assert made.value == {"evals": [{"id": "1", "prompt": "P", "files": {"a.txt": "é\r\n"}, "assertions": ["A"]}]}


@pytest.mark.parametrize(("data", "what"), [(b"\xff\x00", "no UTF-8 text"), (b"x" * 1_000_001, "too large")])
def test_files_that_are_no_texts_are_losses_in_a_map(skill: Path, write_evals: Write, data: bytes, what: str) -> None:
    """Each by its path; the others are there."""
    write_evals(
        {"skill_name": "pdf", "evals": [{"id": 1, "prompt": "P", "files": ["a.bin", "b.txt"], "assertions": ["A"]}]}
    )
    (skill / "a.bin").write_bytes(data)
    (skill / "b.txt").write_text("b")
    made = _converted(skill, "skill-builder")
    assert made.value["evals"][0]["files"] == {"b.txt": "b"}
    ((place, lost),) = _losses(made.losses)
    assert place == "case '1'"
    assert "'a.bin'" in lost
    assert what in lost


def test_another_skills_name_is_a_loss_where_there_is_no_place(skill: Path, write_evals: Write) -> None:
    """skill-builder takes the name from the folder."""
    write_evals({"skill_name": "other", "evals": [{"id": 1, "prompt": "P", "assertions": ["A"]}]})
    made = _converted(skill, "skill-builder")
    assert [loss.place for loss in made.losses] == ["the file"]


def test_contents_become_files_beside_a_list(skill: Path, write_evals: Write) -> None:
    """Where the agent found them; two contents at one place get folders by case."""
    cases = [{"id": one, "prompt": "P", "files": {"in.txt": one}, "assertions": ["A"]} for one in ("a", "b")]
    write_evals({"evals": cases})
    made = _converted(skill, "skill-creator")
    assert made.losses == ()
    assert [case["files"] for case in made.value["evals"]] == [["evals/files/in.txt"], ["evals/files/b/in.txt"]]
    assert {file.path: file.content for file in made.files} == {
        "evals/files/in.txt": "a",
        "evals/files/b/in.txt": "b",
    }


def test_a_new_file_takes_no_other_files_place(skill: Path, write_evals: Write) -> None:
    """Also not that of a file that another case has already; the same content is written once."""
    (skill / "evals/files").mkdir(parents=True)
    (skill / "evals/files/in.txt").write_text("old")
    cases = [
        {"id": "a", "prompt": "P", "files": {"in.txt": "new"}, "assertions": ["A"]},
        {"id": "b", "prompt": "P", "files": ["evals/files/in.txt"], "assertions": ["A"]},
        {"id": "c", "prompt": "P", "files": {"in.txt": "old"}, "assertions": ["A"]},
    ]
    write_evals({"skill_name": "pdf", "evals": cases})
    made = _converted(skill, "skill-creator")
    assert [case["files"] for case in made.value["evals"]] == [
        ["evals/files/a/in.txt"],
        ["evals/files/in.txt"],
        ["evals/files/in.txt"],
    ]
    assert [(file.path, file.content) for file in made.files] == [("evals/files/a/in.txt", "new")]


def test_a_place_that_the_prompt_names_is_a_loss(skill: Path, write_evals: Write) -> None:
    """Elsewhere a changed place is a note."""
    (skill / "evals/files").mkdir(parents=True)
    (skill / "evals/files/a.txt").write_text("a")
    cases = [
        {"id": number, "prompt": prompt, "files": ["evals/files/a.txt"], "expectations": ["A"], "expected_output": "X"}
        for number, prompt in enumerate(["Read a.txt", "Read it"])
    ]
    write_evals({"skill_name": "pdf", "evals": cases})
    made = _converted(skill, "slow-powers")
    assert [case["files"] for case in made.value["evals"]] == [["files/a.txt"]] * 2
    what = "the prompt names 'a.txt', and the agent would find the file at 'files/a.txt'"
    assert _losses(made.losses) == [("case '0'", what)]
    assert made.notes == ("case '1': the agent finds input files at other paths there",)


def test_files_outside_evals_are_copied_for_slow_powers(skill: Path, write_evals: Write) -> None:
    """Its paths start from `evals/`."""
    (skill / "c.txt").write_text("c")
    case = {"id": 1, "prompt": "P", "files": ["c.txt"], "expectations": ["A"], "expected_output": "X"}
    write_evals({"skill_name": "pdf", "evals": [case]})
    made = _converted(skill, "slow-powers")
    assert made.value["evals"][0]["files"] == ["c.txt"]
    assert [(file.path, file.content) for file in made.files] == [("evals/c.txt", skill / "c.txt")]


def test_files_root_becomes_part_of_the_paths(skill: Path, write_evals: Write) -> None:
    """The published schema does not have it."""
    (skill / "evals/shared").mkdir(parents=True)
    (skill / "evals/shared/a.txt").write_text("a")
    judge = {"id": "j", "type": "llm_judge", "rubric": "Good"}
    case = {"id": "a", "prompt": "P", "expected_output": "X", "files_root": "shared", "files": ["a.txt"]}
    write_evals({"skill_name": "pdf", "evals": [{**case, "assertions": [judge]}]})
    made = _converted(skill, "slow-powers")
    assert made.losses == ()
    assert made.value["evals"][0]["files"] == ["shared/a.txt"]


@pytest.mark.parametrize(
    ("assertion", "written", "lost"),
    [
        (
            {"id": "t", "type": "transcript_check", "check": "tool_invocation_matches", "pattern": "a", "negate": True},
            {"id": "t", "type": "llm_judge", "rubric": "No tool call matches /a/"},
            "is a check that is not in the schema (transcript_check); a judge gets its sentence instead",
        ),
        (
            {"id": "f", "type": "file_exists", "path": "a.md"},
            {"id": "f", "type": "llm_judge", "rubric": "There is a file a.md"},
            "is a check that is not in the schema (file_exists); a judge gets its sentence instead",
        ),
        (
            {"id": "j", "type": "llm_judge", "rubric": "Good", "weight": 2},
            {"id": "j", "type": "llm_judge", "rubric": "Good"},
            "without its 'weight'",
        ),
        (
            {"id": "n", "name": "short", "description": "It is good"},
            {"id": "n", "type": "llm_judge", "rubric": "It is good"},
            "without its 'name'",
        ),
    ],
)
def test_what_the_schema_does_not_have_is_a_loss(
    skill: Path, write_evals: Write, assertion: object, written: object, lost: str
) -> None:
    """A weaker check is never written in its place: a judge gets the sentence."""
    write_evals(
        {"skill_name": "pdf", "evals": [{"id": "a", "prompt": "P", "expected_output": "X", "assertions": [assertion]}]}
    )
    made = _converted(skill, "slow-powers")
    assert made.value["evals"][0]["assertions"] == [written]
    assert [loss.what for loss in made.losses] == [lost]


def test_an_assertion_without_words_is_left_out_of_prose(skill: Path, write_evals: Write) -> None:
    """A judge could make nothing of keys; our own form carries them."""
    scope = {"id": "z", "type": "lines_changed", "max": 3}
    case = {"id": "a", "prompt": "P", "expected_output": "X", "assertions": [scope, "B"]}
    write_evals({"skill_name": "pdf", "evals": [case]})
    made = _converted(skill, "skill-creator")
    assert made.value["evals"][0]["expectations"] == ["B"]
    assert [loss.place for loss in made.losses] == ["case 'a', assertion 'z'"]
    assert _converted(skill, "agentskills").value["evals"][0]["assertions"] == [scope, "B"]


def test_ids_that_a_schema_forbids_are_changed_and_listed(skill: Path, write_evals: Write) -> None:
    """And never meet."""
    ids = ["a-b", "A b", "A_B", "é"]
    cases = [{"id": one, "prompt": "P", "expected_output": "X", "assertions": ["A"]} for one in ids]
    write_evals({"skill_name": "pdf", "evals": cases})
    made = _converted(skill, "slow-powers")
    assert [case["id"] for case in made.value["evals"]] == ["a-b", "a-b-2", "a-b-3", "case"]
    assert [loss.place for loss in made.losses] == ["case 'A b'", "case 'A_B'", "case 'é'"]


def test_an_expected_output_that_has_to_be_there_is_made(skill: Path, write_evals: Write) -> None:
    """From the assertions (a note); without any it is invented (a loss)."""
    write_evals(
        {"skill_name": "pdf", "evals": [{"id": 1, "prompt": "P", "expectations": ["A", "B"]}, {"id": 2, "prompt": "P"}]}
    )
    made = _converted(skill, "slow-powers")
    assert [case["expected_output"] for case in made.value["evals"]] == ["A\nB", "What the prompt asks for is done."]
    assert [loss.place for loss in made.losses] == ["case '2'"]
    assert made.notes == ("case '1': expected_output, which has to be there, is made from the assertions",)


def test_the_assertion_that_reading_makes_is_not_written(skill: Path, write_evals: Write) -> None:
    """A case with nothing but an expected output stays one."""
    write_evals({"skill_name": "pdf", "evals": [{"id": 1, "prompt": "P", "expected_output": "X"}]})
    for to in TARGETS[:3]:
        made = _converted(skill, to)
        assert made.losses == ()
        assert not made.value["evals"][0].get("assertions")
        assert not made.value["evals"][0].get("expectations")


def test_keys_of_open_forms_go_along_with_a_note(skill: Path, write_evals: Write) -> None:
    """skill-creator's document names neither `runs` nor `skill_should_trigger`; it is no loss, since they are written."""
    case = {"id": 1, "prompt": "P", "runs": 2, "skill_should_trigger": False, "assertions": ["A"], "tags": ["x"]}
    write_evals({"skill_name": "pdf", "evals": [case]})
    made = _converted(skill, "skill-creator")
    assert made.losses == ()
    assert {key: made.value["evals"][0][key] for key in ("runs", "skill_should_trigger", "tags")} == {
        "runs": 2,
        "skill_should_trigger": False,
        "tags": ["x"],
    }
    assert made.notes == ("case '1': goes along, without any use to skill-creator: 'runs', 'skill_should_trigger'",)


def _foreign_suite(**fields: Json) -> Suite:
    case = Case(id="a", written_id="a", prompt="P", **fields)
    return Suite(dialect="waza-task", path="/s/evals/task.yaml", digest="sha256:0", cases=(case,))


def test_assertions_of_another_tool_get_our_words_and_keep_theirs() -> None:
    """Mapped ones with their operands, all with what the author wrote."""
    theirs = {"type": "regex", "weight": 2}
    assertions = (
        AnswerMatches(id="m", text="Says so", written=theirs, pattern="yes", negate=True),
        LlmJudge(id="is-good", text="Is good", rubric="Is good", written="Is good"),
        LlmJudge(id="j", text="Is good", rubric="Is good", written={"criterion": "Is good", "weight": 1}),
        Foreign(id="f", text="{}", reason="r", written={}),
    )
    made = convert(_foreign_suite(assertions=assertions), to="agentskills")
    assert made.losses == ()
    assert made.value["evals"][0]["assertions"] == [
        {"id": "m", "type": "answer_matches", "text": "Says so", "pattern": "yes", "negate": True, "written": theirs},
        "Is good",
        {"id": "j", "type": "llm_judge", "rubric": "Is good", "written": {"criterion": "Is good", "weight": 1}},
        {"id": "f", "type": "foreign", "text": "{}", "reason": "r", "written": {}},
    ]


def test_our_form_of_another_tools_suite_reads_back_alike(write_evals: Write) -> None:
    """Also what is carried and not graded, with its reason, and without a word about the keys of ours."""
    assertions = (
        AnswerMatches(id="m", text="Says so", written={"type": "regex", "weight": 2}, pattern="yes", negate=True),
        JsonMatches.model_validate(
            {"id": "s", "text": "T", "written": ["x"], "path": "a", "schema": {"type": "array"}}
        ),
        LlmJudge(id="j", text="Is good", rubric="Is good", written={"criterion": "Is good", "weight": 1}),
        Foreign(id="f", text="Has no meaning", reason="it runs a script", written={"run": "x.sh"}),
        Foreign(id="g", text='{"run": "y.sh"}', reason="it runs a script", written={"run": "y.sh"}),
    )
    suite = _foreign_suite(assertions=assertions, expected_output="X", runs=2, extra={"tags": ["t"]})
    reading = examine_suite(write_evals(convert(suite, to="agentskills").value), None)
    assert reading.suite is not None, reading.errors
    assert reading.suite.digest == digest_of(suite.cases)
    assert reading.suite.cases[0].extra == {"tags": ["t"]}
    assert {repair.code for repair in reading.repairs} == {"foreign-assertion", "unknown-key"}
    assert [repair.path for repair in reading.repairs if repair.code == "unknown-key"] == ["evals[0].tags"]


def test_files_of_another_tool_are_placed_in_our_form() -> None:
    """A path where reading would put it at its place, else an object that says the place."""
    files = (
        CaseFile(path="a.txt", source="/s/evals/files/a.txt", sha256="1"),
        CaseFile(path="in/b.txt", source="/s/evals/b.txt", sha256="2"),
        CaseFile(path="c.txt", content="C", sha256="3"),
    )
    made = convert(_foreign_suite(files=files), to="agentskills")
    assert made.value["evals"][0]["files"] == [
        "evals/files/a.txt",
        {"path": "in/b.txt", "source": "evals/b.txt"},
        {"path": "c.txt", "content": "C"},
    ]


def test_a_key_of_another_tool_that_would_get_a_meaning_is_a_loss() -> None:
    """It would be read as ours."""
    made = convert(_foreign_suite(extra={"runs": "many", "eval_name": "N", "tags": [1]}), to="agentskills")
    assert "runs" not in made.value["evals"][0]
    assert made.value["evals"][0]["tags"] == [1]
    assert [loss.what for loss in made.losses] == [
        "the key 'runs' has another meaning there",
        "the key 'eval_name' has another meaning there",
    ]


def test_slow_powers_needs_the_name_of_a_skill() -> None:
    """It is that of the folder where nobody says it."""
    made = convert(_foreign_suite(assertions=(LlmJudge(id="a", text="A", rubric="A"),)), to="slow-powers")
    assert made.value["skill_name"] == "s"
    assert made.notes[0] == "the file: skill_name is made: 's'"


def _triggers(*queries: TriggerQuery, **fields: Json) -> TriggerSuite:
    return TriggerSuite(dialect="list", path="/s/evals/t.json", digest="sha256:0", queries=queries, **fields)


def test_a_trigger_set_becomes_a_list() -> None:
    """Of queries with what should happen; whatever else the author wrote goes along."""
    asks = TriggerQuery(id="1", query="Q", should_trigger=True, note="near miss", extra={"tag": "x"})
    named = TriggerQuery(id="2", query="R", expects=())
    made = convert_triggers(_triggers(asks, named, skill_name="s"), to="skill-creator")
    assert made.value == [
        {"query": "Q", "should_trigger": True, "note": "near miss", "tag": "x"},
        {"query": "R", "should_trigger": False},
    ]
    assert [loss.what for loss in made.losses] == ["skill_name 's', which is not the name of the skill that it lies in"]


def test_other_skills_that_should_load_are_a_loss() -> None:
    """A list of true and false has no place for their names."""
    made = convert_triggers(
        _triggers(TriggerQuery(id="1", query="Q", expects=("s", "t")), skill_name="s"), to="agentskills"
    )
    assert made.value == [{"query": "Q", "should_trigger": True}]
    assert ("query '1'", "that it should load 't'") in _losses(made.losses)


@pytest.mark.parametrize("to", ["skill-builder", "slow-powers"])
def test_tools_without_trigger_sets_refuse_them(to: TargetName) -> None:
    """With where to go instead."""
    with pytest.raises(SpecError, match="agentskills or skill-creator") as caught:
        convert_triggers(_triggers(TriggerQuery(id="1", query="Q", should_trigger=True)), to=to)
    assert caught.value.code == "no-trigger-sets"


def test_a_file_of_several_skills_needs_to_know_which() -> None:
    """Nobody is guessed."""
    with pytest.raises(SpecError) as caught:
        convert_triggers(_triggers(TriggerQuery(id="1", query="Q", expects=("s",))), to="agentskills")
    assert caught.value.code == "skill-unknown"


def test_the_text_of_a_document_cannot_act_on_a_screen() -> None:
    """Letters stand as they are; what is not seen but acts is an escape; the value is the same."""
    value = {"é": "a\x1b\x9b\u202e\U000e0041"}
    assert json_text(value) == '{\n  "é": "a\\u001b\\u009b\\u202e\\udb40\\udc41"\n}\n'
    assert json.loads(json_text(value)) == value


@pytest.mark.shared
def test_every_suite_of_the_corpus_converts_to_every_form(shared: Path, tmp_path: Path) -> None:
    """Each result reads back with its cases; those for slow-powers are valid under the published schema."""
    schema = json.loads((shared / "formats/slow-powers.evals.schema.json").read_text(encoding="utf-8"))
    validator = Draft7Validator(schema)
    entries = map(json.loads, (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines())
    out = tmp_path / "evals.json"
    n_converted = 0
    for path in (shared / "corpus" / entry["file"] for entry in entries if entry["kind"] == "evals"):
        suite = examine_suite(path, None).suite
        if suite is None:
            continue
        n_converted += 1
        for to in TARGETS:
            made = convert(suite, to=to)
            if to == "slow-powers":
                assert validator.is_valid(made.value), path  # pyright: ignore[reportUnknownMemberType] - the library's
            for case in made.value["evals"]:
                case.pop("files", None)  # the corpus has none of them
            out.write_text(json_text(made.value), encoding="utf-8")
            again = examine_suite(out, None)
            assert again.suite is not None, (path, to, again.errors)
            assert len(again.suite.cases) == len(suite.cases)
    assert n_converted >= 170


@pytest.mark.shared
def test_every_trigger_set_of_the_corpus_becomes_a_list(shared: Path, tmp_path: Path) -> None:
    """With the same wishes for the same queries; only files of several skills are refused."""
    out = tmp_path / "triggers.json"
    entries = map(json.loads, (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines())
    n_converted, refused = 0, set[str]()
    for path in (shared / "corpus" / entry["file"] for entry in entries if entry["kind"] == "evals"):
        triggers = examine_suite(path, None).triggers
        if triggers is None:
            continue
        try:
            out.write_text(json_text(convert_triggers(triggers, to="skill-creator").value), encoding="utf-8")
        except SpecError as error:
            refused.add(error.code)
            continue
        again = examine_suite(out, None).triggers
        assert again is not None
        skill = triggers.skill_name or ""
        wishes = [(query.query, query.wants(skill)) for query in triggers.queries]
        assert [(query.query, query.wants(skill)) for query in again.queries] == wishes
        n_converted += 1
    assert n_converted >= 55
    assert refused == {"skill-unknown"}


def test_a_check_that_slow_powers_has_no_runner_for_goes_to_its_judge(skill: Path, write_evals: Write) -> None:
    """Its schema lets any `check` pass, and its grader fails all but one: told as a loss, and not written."""
    case = {"id": "a", "prompt": "P", "expected_output": "X", "target": "x"}
    check = {"type": "regex-match", "pattern": "ok", "target": "assistant-text", "description": "It says ok"}
    write_evals({"cases": [{**case, "assertions": [check]}]})
    made = _converted(skill, "slow-powers")
    assert made.value["evals"][0]["assertions"] == [{"id": "it-says-ok", "type": "llm_judge", "rubric": "It says ok"}]
    what = "is a check that is not in the schema (transcript_check); a judge gets its sentence instead"
    assert ("case 'a', assertion 'it-says-ok'", what) in _losses(made.losses)


def test_a_check_of_eval_magic_stays_in_its_own_file(skill: Path, write_evals: Write) -> None:
    """What its author wrote there is no loss."""
    check = {"id": "c", "type": "transcript_check", "check": "assistant_message_matches", "pattern": "ok"}
    case = {"id": "a", "prompt": "P", "expected_output": "X", "assertions": [check]}
    write_evals({"skill_name": "pdf", "evals": [case]})
    made = _converted(skill, "slow-powers")
    assert made.value["evals"][0]["assertions"] == [check]
    assert made.losses == ()


@pytest.mark.parametrize("to", ["agentskills", "skill-creator", "skill-builder"])
def test_later_turns_are_written_as_their_author_wrote_them(skill: Path, write_evals: Write, to: TargetName) -> None:
    """With keys that mean nothing here, and without those that were left out; slow-powers' schema has no place for them."""
    asks = {"prompt": "CSV.", "deliver_when": "agent_asks", "why": "it should ask"}
    conversations: list[dict[str, object]] = [
        {"turns": ["Go on.", asks]},
        {"turns": [{"prompt": "Go on."}]},
        {"responder": {"type": "llm", "$comment": "in a hurry"}},
    ]
    cases = [{"id": n, "prompt": "P", "assertions": ["A"], **each} for n, each in enumerate(conversations, 1)]
    write_evals({"skill_name": "pdf", "evals": cases})
    made = json.loads(json_text(_converted(skill, to).value))
    written = [{key: case[key] for key in ("turns", "responder") if key in case} for case in made["evals"]]
    assert written == conversations
    assert not any("written_" in key for case in made["evals"] for key in case)
    lost = {loss.what for loss in _converted(skill, "slow-powers").losses}
    assert lost == {"the key 'turns' is not allowed there", "the key 'responder' is not allowed there"}
