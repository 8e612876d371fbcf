"""How an entry of a trigger set says whether the skill should be loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skilltrial.spec.dialects.draft import QueryDraft
from skilltrial.spec.dialects.vocabulary import LABELS, first_of
from skilltrial.spec.json_source import Node

QUERY = ("query", "prompt", "q", "input", "text", "question", "user_input", "utterance")
FLAGS = ("should_trigger", "expected_activation", "should_activate", "expect_trigger", "trigger")
SKILLS = ("expected_skills", "expected_skill", "should_load")
NOTE = ("rationale", "reason", "note", "notes", "why", "comment", "description")
SPLIT = ("split",)
_ID = ("id", "case_id", "test_id", "name")

_YES = {"true", "yes", "1"}
_NO = {"false", "no", "0"}
_LOAD = {"true", "trigger", "triggers", "should_trigger", "activate", "should_activate", "load"}
_STAY = {
    *("false", "no_trigger", "not_trigger", "should_not_trigger", "no_activation", "should_not_activate", "ignore"),
    *("none", "near_miss", "do_not_trigger"),
}
_UNDECIDED = {"maybe", "sometimes", "either", "optional", "ambiguous", "unclear", "unknown", "depends", "n/a"}
_POSITIVE = {"positive", "pos"}
_NEGATIVE = {"negative", "neg"}


class Vocabulary(NamedTuple):
    """The words for yes and no at a key."""

    yes: set[str]
    no: set[str]


_FLAG = Vocabulary(_YES | _LOAD | _POSITIVE, _NO | _STAY | _NEGATIVE)
_ANSWER = Vocabulary(_LOAD, _STAY)
_CLASS = Vocabulary(_LOAD | _POSITIVE, _STAY | _NEGATIVE)
WORDS: Mapping[str, Vocabulary] = {
    **dict.fromkeys(("expect", "expected", "expected_trigger"), _ANSWER),
    **dict.fromkeys(("label", "kind", "type", "class", "category"), _CLASS),
}
"""Keys that say it in words. An expected `yes` may be an answer to the query, so only words about loading count there."""


class Verdict(NamedTuple):
    """What an entry says, and at which keys."""

    should: bool | None
    expects: tuple[str, ...] | None
    keys: frozenset[str]


def says(entry: Node) -> bool:
    """Whether an entry says in one way or another if the skill should be loaded."""
    return isinstance(entry.value, dict) and verdict(entry) is not None


def says_outright(entry: Node) -> bool:
    """The same, not by a label: a case that is called `negative` may be about an error, and not about the skill."""
    return says(entry) and first_of(entry, (*FLAGS, *SKILLS)) is not None


def query_of(entry: Node, skill: str | None) -> QueryDraft:
    """An entry as a query; `skill` is whom the file, or this part of it, is about."""
    found = verdict(entry) or Verdict(None, None, frozenset())
    expects, keys = _with_others(entry, found, skill)
    query, note, split, query_id = (first_of(entry, names, _is_text) for names in (QUERY, NOTE, SPLIT, _ID))
    query, query_id = query or first_of(entry, QUERY), query_id or first_of(entry, _ID)
    fields = [str(node.path[-1]) for node in (query, note, split, query_id) if node is not None]
    return QueryDraft(
        node=entry,
        query=query,
        id=query_id,
        should=found.should,
        expects=expects,
        split=split,
        note=note,
        around={key: entry.value[key] for key in sorted(keys) if isinstance(entry.value[key], str)},
        used=frozenset((*fields, *keys)),
        unused={**LABELS, "conflict_with": "skills that might be loaded instead"},
    )


def verdict(entry: Node) -> Verdict | None:
    """What an entry says; None where it says nothing."""
    return next(_verdicts(entry), None)


def _verdicts(entry: Node) -> Iterator[Verdict]:
    for key in FLAGS:
        found = entry.child(key)
        should = _yes_or_no(found, _FLAG)
        if found is not None and should is not None:
            yield Verdict(should, None, frozenset({key}))
        elif found is not None and isinstance(found.value, str) and found.value.strip():
            is_name = found.value.strip().lower() not in _UNDECIDED
            yield Verdict(None, (found.value,) if is_name else None, frozenset({key}))
    for key in SKILLS:
        skills = _names(entry, key)
        if skills is not None:
            yield Verdict(None, skills, frozenset({key}))
    for key, words in WORDS.items():
        should = _yes_or_no(entry.child(key), words)
        if should is not None:
            yield Verdict(should, None, frozenset({key}))


def _yes_or_no(node: Node | None, words: Vocabulary) -> bool | None:
    if node is None or isinstance(node.value, bool):
        return node.value if node is not None else None
    word = (
        str(node.value).strip().lower().replace("-", "_").replace(" ", "_") if isinstance(node.value, str | int) else ""
    )
    return True if word in words.yes else False if word in words.no else None


def _names(entry: Node, key: str) -> tuple[str, ...] | None:
    """The skills at a key; none of them where null, or a word for it, stands there."""
    if key not in entry.children:
        return None
    node = entry.children[key]
    if node.value is None or _yes_or_no(node, _FLAG) is False:
        return ()
    if isinstance(node.value, str):
        return (node.value,)
    if isinstance(node.value, list) and all(map(_is_text, node.elements())):
        return tuple(str(one.value) for one in node.elements())
    return None


def _with_others(entry: Node, found: Verdict, skill: str | None) -> tuple[tuple[str, ...] | None, frozenset[str]]:
    """The expected skills with those that may be loaded too, where the entry names some."""
    also = _names(entry, "also_triggers")
    if not also or found.expects is not None or skill is None:
        return found.expects, found.keys
    return ((skill, *also) if found.should else also), found.keys | {"also_triggers"}


def _is_text(node: Node) -> bool:
    return isinstance(node.value, str)
