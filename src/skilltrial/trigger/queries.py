"""Queries as cases of a suite, with canaries beside them."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.errors import SpecError
from skilltrial.records.json_value import Json, is_list
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trigger import TriggerQuery, TriggerSuite

CALLED = "canary-called"
IDLE = "canary-idle"
_FAMILY = "canary"
_EXPECTS = "expects"


def queries_of(suite: Suite) -> tuple[TriggerQuery, ...]:
    """The prompts of a suite as queries: whether each case should load the skill is what the case says."""
    return tuple(
        TriggerQuery(
            id=case.id, written_id=case.written_id, query=case.prompt, should_trigger=case.skill_should_trigger
        )
        for case in suite.cases
    )


def as_suite(triggers: TriggerSuite, skill: Skill, *, canaries: bool) -> Suite:
    """A suite whose cases are the queries. Raises `SpecError` where two are the same text: they would be one in the counts.

    The first canary asks for the skill by its name, the second for nothing that needs one. Where the first is not followed by a
    load, or the second is, no rate means anything.
    """
    _refuse_twins(triggers, skill.name)
    cases = [
        _case(query.id, query.query, should=query.wants(skill.name), expects=query.expects)
        for query in triggers.queries
    ]
    if canaries:
        called = f"Use the skill {skill.name!r}: load it first, then tell me in one sentence what it is for."
        cases += [
            _case(CALLED, called, should=True, family=_FAMILY),
            _case(IDLE, "Answer with the single word OK.", should=False, family=_FAMILY),
        ]
    return Suite(
        skill_name=skill.name,
        dialect=triggers.dialect,
        path=triggers.path,
        digest=triggers.digest,
        cases=tuple(cases),
        repairs=triggers.repairs,
    )


def is_canary(case: Case) -> bool:
    """Whether it is one of ours."""
    return case.family == _FAMILY


def expected_of(case: Case, skill_name: str) -> tuple[str, ...]:
    """The skills that should be loaded, this one first; empty where none should be, or the file does not say which else."""
    named = case.extra.get(_EXPECTS)
    others = [str(name) for name in named if name != skill_name] if is_list(named) else []
    return (*((skill_name,) if case.skill_should_trigger else ()), *others)


def _case(
    case_id: str,
    prompt: str,
    *,
    should: bool,
    family: str | None = None,
    expects: Sequence[str] | None = None,
) -> Case:
    extra: dict[str, Json] = {_EXPECTS: list(expects)} if expects else {}
    return Case(id=case_id, prompt=prompt, skill_should_trigger=should, family=family, extra=extra)


def _refuse_twins(triggers: TriggerSuite, skill_name: str) -> None:
    seen: dict[str, TriggerQuery] = {}
    for query in triggers.queries:
        text = " ".join(query.query.split())
        first = seen.setdefault(text, query)
        if first is query:
            continue
        both = first.wants(skill_name) != query.wants(skill_name)
        also = ", once for each of the two answers" if both else ""
        message = f"the queries {first.id!r} and {query.id!r} are the same text{also}: {query.query[:60]!r}."
        raise SpecError(message, where=triggers.path, hint="Remove one of them; --runs repeats a query.")
    _refuse_taken([query.id for query in triggers.queries], triggers.path)


def _refuse_taken(ids: Sequence[str], path: str) -> None:
    taken = next((name for name in ids if name in (CALLED, IDLE)), None)
    if taken is not None:
        raise SpecError(f"the id {taken!r} is that of a query of ours.", where=path, hint="Give it another id.")
