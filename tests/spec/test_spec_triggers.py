"""Trigger sets in every shape: which skill should be loaded for which query."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.trigger import TriggerSuite
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import examine_suite, load_suite, load_triggers

Load = Callable[[object], TriggerSuite]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Reads a document as a trigger set."""

    def read(content: object) -> TriggerSuite:
        path = tmp_path / "triggers.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return load_triggers(path)

    return read


def _short(triggers: TriggerSuite) -> list[tuple[str, bool | None, tuple[str, ...] | None]]:
    return [(query.query, query.should_trigger, query.expects) for query in triggers.queries]


def test_a_list_of_queries_is_a_trigger_set(load: Load) -> None:
    """The form of skill-creator."""
    triggers = load([{"query": "Merge two PDFs", "should_trigger": True}, {"query": "Hi", "should_trigger": False}])
    assert (triggers.dialect, triggers.skill_name) == ("trigger-set", None)
    assert [(query.id, query.written_id) for query in triggers.queries] == [("query-1", None), ("query-2", None)]
    assert _short(triggers) == [("Merge two PDFs", True, None), ("Hi", False, None)]
    assert triggers.repairs == ()


@pytest.mark.parametrize("key", ["queries", "cases", "test_cases", "evals", "tests"])
def test_an_object_with_a_list_of_queries_is_a_trigger_set(load: Load, key: str) -> None:
    """Under whichever name, where each entry has a text and says whether the skill should be loaded, and no more."""
    entry = {"id": "T1", "prompt": "Merge", "should_trigger": True, "rationale": "Named", "kind": "positive"}
    triggers = load({"skill": "pdf", key: [entry], "version": 3})
    (query,) = triggers.queries
    assert (triggers.skill_name, triggers.extra) == ("pdf", {"version": 3})
    assert (query.id, query.written_id, query.query, query.note) == ("T1", "T1", "Merge", "Named")
    assert query.extra == {"kind": "positive"}


@pytest.mark.parametrize(
    ("said", "should"),
    [
        ({"should_trigger": True}, True),
        ({"should_trigger": "no"}, False),
        ({"expect": False}, False),
        ({"expected": "no_trigger"}, False),
        ({"label": "positive"}, True),
        ({"kind": "negative"}, False),
        ({"type": "should-not-trigger"}, False),
        ({"expected_activation": True}, True),
    ],
)
def test_words_for_yes_and_no_are_understood(load: Load, said: dict[str, object], should: bool) -> None:
    """Each at its own key."""
    (query,) = load([{"q": "Merge", **said}]).queries
    assert (query.should_trigger, query.expects) == (should, None)


@pytest.mark.parametrize(
    ("said", "expects"),
    [
        ({"expected_skill": "pdf"}, ("pdf",)),
        ({"expected_skill": None}, ()),
        ({"expected_skill": "none"}, ()),
        ({"expected_skills": ["pdf", "docx"]}, ("pdf", "docx")),
        ({"should_trigger": "pdf"}, ("pdf",)),
    ],
)
def test_a_skill_may_be_named_instead(load: Load, said: dict[str, object], expects: tuple[str, ...]) -> None:
    """Null and `none` name no skill at all."""
    (query,) = load([{"query": "Merge", **said}]).queries
    assert (query.should_trigger, query.expects) == (None, expects)
    assert (query.wants("pdf"), query.wants("other")) == ("pdf" in expects, False)


def test_sets_of_several_skills_name_their_skill(load: Load) -> None:
    """Each query is for the skill of its part, or for none; the name is kept where it is for none."""
    queries = [{"query": "A", "should_trigger": True}, {"query": "B", "should_trigger": False}]
    triggers = load([{"skill": "pdf", "queries": queries}, {"skill": "docx", "queries": queries[:1]}])
    assert _short(triggers) == [("A", True, ("pdf",)), ("B", False, ()), ("A", True, ("docx",))]
    assert [query.extra for query in triggers.queries] == [{"skill": "pdf"}, {"skill": "pdf"}, {"skill": "docx"}]


def test_an_object_may_have_a_set_for_each_skill(load: Load) -> None:
    """By its name: a list, or two lists of texts."""
    entries = [{"query": "A", "should_trigger": True}]
    assert _short(load({"pdf": entries, "docx": {"should_trigger": ["B"], "should_not_trigger": ["C"]}})) == [
        ("A", True, ("pdf",)),
        ("B", True, ("docx",)),
        ("C", False, ()),
    ]


def test_a_list_of_sets_with_something_else_in_it_is_refused(load: Load) -> None:
    """It would be left out otherwise, and nobody told."""
    with pytest.raises(SpecError) as caught:
        load([{"skill": "pdf", "queries": [{"query": "A", "should_trigger": True}]}, {"note": "N"}])
    assert caught.value.code == "unknown-form"


def test_two_lists_of_texts_are_the_two_classes(load: Load) -> None:
    """The list says what holds for its entries."""
    triggers = load({"skill": "pdf", "should_trigger": ["Merge"], "should_not_trigger": ["Hi", "Bye"]})
    assert _short(triggers) == [("Merge", True, None), ("Hi", False, None), ("Bye", False, None)]
    assert triggers.extra == {}


def test_skills_that_may_be_loaded_too_are_expected(load: Load) -> None:
    """`also_triggers` adds to the skill that the file is about; `conflict_prompts` name all of them."""
    triggers = load(
        {
            "skill": "pdf",
            "test_cases": [{"id": 1, "prompt": "A", "should_trigger": True, "also_triggers": ["office"]}],
            "conflict_prompts": [{"prompt": "B", "expected_skills": ["office"], "conflict_with": ["pdf"]}],
        }
    )
    assert _short(triggers) == [("A", True, ("pdf", "office")), ("B", None, ("office",))]
    assert triggers.queries[1].extra == {"conflict_with": ["pdf"]}


def test_entries_that_expect_more_than_loading_are_cases_too(tmp_path: Path) -> None:
    """What has to come out makes a case; whether the skill is loaded makes a query."""
    path = tmp_path / "evals.json"
    entry = {"id": "a", "prompt": "Merge", "should_trigger": False, "expected_behavior": "Answers without the skill."}
    path.write_text(json.dumps({"skill": "pdf", "cases": [entry]}))
    reading = examine_suite(path, None)
    assert reading.suite is not None
    assert reading.triggers is not None
    (case,) = reading.suite.cases
    assert not case.skill_should_trigger
    assert case.extra == {"expected_behavior": "Answers without the skill."}
    assert [(query.id, query.should_trigger) for query in reading.triggers.queries] == [("a", False)]


def test_an_expected_answer_is_no_trigger(tmp_path: Path) -> None:
    """`yes` may be what the agent should say."""
    path = tmp_path / "evals.json"
    path.write_text(json.dumps([{"input": "Is 7 prime?", "expected": "yes"}]))
    reading = examine_suite(path, None)
    assert reading.triggers is None
    assert reading.suite is not None
    assert reading.suite.cases[0].expected_output == "yes"


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ({"query": " ", "should_trigger": True}, "[0].query is empty. Write what a user would say."),
        ({"query": 5, "should_trigger": True}, "[0].query must be a text, not 5."),
    ],
)
def test_a_query_that_cannot_be_used_is_told(load: Load, entry: dict[str, object], part: str) -> None:
    """With place, value and what to do."""
    with pytest.raises(SpecError) as caught:
        load([entry])
    assert part in str(caught.value)


def test_ids_that_are_no_ids_of_their_own_are_made(load: Load) -> None:
    """So that results can be told apart; reported, since the author meant something."""
    triggers = load([{"id": one, "query": "A", "should_trigger": True} for one in ("a", "a", "a-2", True)])
    assert [query.id for query in triggers.queries] == ["a", "a-3", "a-2", "query-4"]
    assert [repair.path for repair in triggers.repairs] == ["[1].id", "[3].id"]


def test_ten_thousand_equal_ids_are_told_apart(load: Load) -> None:
    """In a moment: the next number is known."""
    triggers = load([{"id": "a", "query": "A", "should_trigger": True}] * 10_000)
    assert len({query.id for query in triggers.queries}) == 10_000


def test_the_digest_is_of_queries_and_what_is_expected(load: Load) -> None:
    """Remarks do not count."""
    query = {"id": "a", "query": "A", "should_trigger": True}
    digest = load([query]).digest
    assert load([{**query, "note": "N", "x": 1}]).digest == digest
    assert load([{**query, "should_trigger": False}]).digest != digest


def test_a_trigger_set_is_no_suite(skill: Path) -> None:
    """And an eval file is no trigger set; each says which it is."""
    queries, cases = skill / "queries.json", skill / "cases.json"
    queries.write_text('[{"query": "A", "should_trigger": true}]')
    cases.write_text('{"evals": [{"prompt": "P", "assertions": ["A"]}]}')
    with pytest.raises(SpecError, match="this is a trigger set: it has queries, and no cases") as caught:
        load_suite(load_skill(skill), queries)
    assert caught.value.code == "trigger-set"
    with pytest.raises(SpecError, match="this is an eval file: it has cases, and no queries") as caught:
        load_triggers(cases)
    assert caught.value.code == "no-queries"


def test_places_of_queries_are_known(tmp_path: Path) -> None:
    """By their ids."""
    path = tmp_path / "triggers.json"
    path.write_text('[\n{"query": "A", "should_trigger": true},\n{"id": 7, "query": "B", "should_trigger": false}\n]')
    places = examine_suite(path, None).places
    assert {key: (place.line, place.path) for key, place in places.items()} == {
        ("query-1", None): (2, "[0]"),
        ("7", None): (3, "[1]"),
    }


def test_a_word_that_leaves_it_open_is_no_skill_of_that_name(tmp_path: Path) -> None:
    """A query that may go either way has no class, and is told with its place."""
    path = tmp_path / "triggers.json"
    path.write_text(
        '[{"query": "A", "should_trigger": true},\n{"query": "B", "should_trigger": "maybe"}]', encoding="utf-8"
    )
    (error,) = examine_suite(path, None).errors
    assert (error.code, error.line) == ("no-should-trigger", 2)


def test_cases_that_are_called_negative_are_no_queries(tmp_path: Path) -> None:
    """A negative test may be about an error; only an outright answer makes the file a trigger set too."""
    cases = [{"id": kind, "type": kind, "prompt": "P", "expected": "It says so"} for kind in ("positive", "negative")]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": cases}), encoding="utf-8")
    labelled = examine_suite(path, None)
    assert labelled.suite is not None
    assert labelled.triggers is None
    path.write_text(json.dumps({"cases": [{**case, "should_trigger": True} for case in cases]}), encoding="utf-8")
    outright = examine_suite(path, None).triggers
    assert outright is not None
    assert [query.should_trigger for query in outright.queries] == [True, True]
