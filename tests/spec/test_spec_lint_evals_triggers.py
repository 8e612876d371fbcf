"""Advice on trigger sets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from skilltrial.records.trigger import TriggerQuery, TriggerSuite
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint, Place
from skilltrial.spec.skill import load_skill

POSITIVE = ["merge two files into one", "split this document", "fill in a form", "rotate a scan", "extract tables"]
NEGATIVE = ["convert a document to Word", "what is a form letter", "sort my tables", "weather", "rotate a log"]


def _queries(positive: Iterable[str] = POSITIVE, negative: Iterable[str] = NEGATIVE) -> list[TriggerQuery]:
    pairs = [*((text, True) for text in positive), *((text, False) for text in negative)]
    return [
        TriggerQuery(id=f"q{number}", query=text, should_trigger=should)
        for number, (text, should) in enumerate(pairs, start=1)
    ]


def _suite(queries: list[TriggerQuery]) -> TriggerSuite:
    return TriggerSuite(dialect="list", path="/t.json", digest="sha256:0", queries=tuple(queries))


def _advice(queries: list[TriggerQuery], skill: Path) -> list[Problem]:
    places = {(query.id, None): Place(number, f"[{number}]") for number, query in enumerate(queries, start=1)}
    under = EvalsUnderLint(suite=None, triggers=_suite(queries), skill=load_skill(skill), places=places)
    return advise(under)


def _codes(queries: list[TriggerQuery], skill: Path) -> list[str]:
    return [problem.code for problem in _advice(queries, skill)]


def test_a_good_set_gets_no_advice(skill: Path) -> None:
    """Five of each kind, near misses among them."""
    assert _codes(_queries(), skill) == []


def test_a_query_twice(skill: Path) -> None:
    """Case and spaces aside; the second one's line is named."""
    problems = _advice(_queries(positive=[*POSITIVE, "Split  this Document"]), skill)
    assert [(problem.code, problem.line) for problem in problems] == [("query-twice", 6)]


def test_a_query_in_both_classes(skill: Path) -> None:
    """It should and should not."""
    assert _codes(_queries(negative=[*NEGATIVE, "split this document"]), skill) == ["query-in-both"]


@pytest.mark.parametrize("queries", [_queries(negative=[]), _queries(positive=[])], ids=["positive", "negative"])
def test_one_class(queries: list[TriggerQuery], skill: Path) -> None:
    """Half of the question is not asked."""
    assert _codes(queries, skill) == ["one-class"]


def test_few_queries_of_a_kind(skill: Path) -> None:
    """A note for each kind that is short."""
    problems = _advice(_queries(positive=POSITIVE[:1], negative=NEGATIVE[:3]), skill)
    said = {problem.message for problem in problems if problem.code == "few-queries"}
    assert said == {"there is 1 query that should trigger.", "there are 3 queries that should not trigger."}


def test_the_name_in_every_positive_query(skill: Path) -> None:
    """Such a set measures whether the agent can read; one query without the name is enough."""
    named = [f"use the pdf skill to {text}" for text in POSITIVE]
    assert _codes(_queries(positive=named), skill) == ["name-in-every-query"]
    assert _codes(_queries(positive=[*named, "split this document"]), skill) == []


def test_no_near_miss(skill: Path) -> None:
    """Negative queries from another world are passed by any description."""
    far = ["weather in Oslo", "play some jazz", "book a flight", "cook pasta", "tell a joke"]
    assert _codes(_queries(negative=far), skill) == ["no-near-miss"]


def test_a_set_that_names_skills(skill: Path) -> None:
    """Whether this skill is among those that are expected decides."""
    queries = [
        TriggerQuery(id=f"q{number}", query=text, expects=("pdf",) if number <= 5 else ("docx",))
        for number, text in enumerate([*POSITIVE, *NEGATIVE], start=1)
    ]
    assert _codes(queries, skill) == []
