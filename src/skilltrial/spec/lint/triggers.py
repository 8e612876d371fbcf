"""Trigger sets: whether their queries can tell a good description from a bad one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skilltrial.records.skill import Skill
from skilltrial.records.trigger import TriggerQuery, TriggerSuite
from skilltrial.spec.lint.cases import names_skill
from skilltrial.spec.lint.remark import Remark

_FEW = 5
_SOME = 3
_WORD = re.compile(r"[a-z]{4,}|[^\W\d_a-z]{2,}")
"""Scripts other than Latin say as much in fewer letters."""
_STEM = 5
_EVERYDAY = re.compile(
    "about|after|also|been|before|between|both|build|check|code|could|create|does|each|file|find|from|"
    "give|have|help|here|into|just|like|make|many|more|most|need|only|other|over|please|should|show|skill|"
    "some|such|than|that|their|them|then|there|these|they|this|those|through|user|users|using|want|what|"
    "when|where|which|while|will|with|work|would|write|your"
)


def about_triggers(suite: TriggerSuite, *, skill: Skill | None) -> Iterator[Remark]:
    """Remarks on a set of queries. Sets about several skills are looked at for repeated queries alone."""
    yield from _twice(suite.queries)
    name = skill.name if skill else suite.skill_name
    if any(query.expects is not None for query in suite.queries) and name is None:
        return
    positive = [query for query in suite.queries if query.wants(name or "")]
    negative = [query for query in suite.queries if not query.wants(name or "")]
    if not positive or not negative:
        message = (
            "all queries should trigger the skill; none asks whether it stays out of the way."
            if positive
            else "no query should trigger the skill; none asks whether it is found."
        )
        hint = "Add queries of the other kind: near misses, which share words with the skill and want something else."
        yield Remark("one-class", message, hint=hint)
    yield from _few(positive, "that should trigger")
    yield from _few(negative, "that should not trigger")
    if name and len(positive) >= _SOME and all(names_skill(query.query, name) for query in positive):
        hint = "Write what users say who do not know that the skill exists."
        yield Remark("name-in-every-query", f"every query that should trigger names {name!r}.", hint=hint)
    if len(negative) >= _SOME and positive:
        yield from _near_misses(positive, negative, skill)


def _twice(queries: Iterable[TriggerQuery]) -> Iterator[Remark]:
    seen: dict[str, TriggerQuery] = {}
    for query in queries:
        text = " ".join(query.query.casefold().split())
        first = seen.setdefault(text, query)
        if first is query:
            continue
        key, value = (query.id, None), query.query[:80]
        if (first.should_trigger, first.expects) == (query.should_trigger, query.expects):
            message = f"the query {query.query[:60]!r} stands here a second time."
            yield Remark(
                "query-twice", message, key=key, value=value, hint="Remove it; repeats are an option of the run."
            )
        else:
            message = f"the query {query.query[:60]!r} should trigger, and should not."
            yield Remark("query-in-both", message, key=key, value=value, hint="Keep the one that is meant.")


def _few(queries: list[TriggerQuery], kind: str) -> Iterator[Remark]:
    if 0 < len(queries) < _FEW:
        n = len(queries)
        message = f"there {'is' if n == 1 else 'are'} {n} {'query' if n == 1 else 'queries'} {kind}."
        yield Remark("few-queries", message, hint="The guide of agentskills.io advises 8 to 10 of each kind.")


def _near_misses(positive: list[TriggerQuery], negative: list[TriggerQuery], skill: Skill | None) -> Iterator[Remark]:
    subject = _stems([f"{skill.name} {skill.description or ''}"] if skill else [])
    subject |= _stems(query.query for query in positive)
    if any(_stems([query.query]) & subject for query in negative):
        return
    hint = "Add queries with the skill's own words that want something else, like 'What is a PDF?' for a skill that fills forms."
    yield Remark("no-near-miss", "no query that should not trigger shares a word with the skill's subject.", hint=hint)


def _stems(texts: Iterable[str]) -> set[str]:
    """Words of some length, cut, so that 'reports' and 'report' are one."""
    return {word[:_STEM] for text in texts for word in _WORD.findall(text.casefold()) if not _EVERYDAY.fullmatch(word)}
