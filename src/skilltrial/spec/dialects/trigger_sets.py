"""Trigger sets: what users say, and whether the skill should be loaded then. Never cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from skilltrial.records.json_value import Json
from skilltrial.spec.dialects.criteria import NATIVE, other_keys
from skilltrial.spec.dialects.draft import Draft, FileDialect, QueryDraft
from skilltrial.spec.dialects.entries import entries
from skilltrial.spec.dialects.trigger_words import QUERY, query_of, says
from skilltrial.spec.dialects.vocabulary import EXPECTED, FILE_LABELS, FILES, SKILL, first_of
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_LISTS = ("queries", "cases", "test_cases", "evals", "tests", "prompts", "triggers", "trigger_tests", "examples")
_MORE = "conflict_prompts"
_SPLIT = {
    **dict.fromkeys(("should_trigger_prompts", "should_trigger", "positive", "positives"), True),
    **dict.fromkeys(("should_not_trigger_prompts", "should_not_trigger", "negative", "negatives"), False),
}
"""Keys of lists that hold the queries of one class each."""


class _Part(NamedTuple):
    """A list of queries, and what it says about all of them."""

    listed: Node
    skill: str | None = None
    """The one that the list is about, where a file is about several."""
    should: bool | None = None
    around: Mapping[str, Json] = MappingProxyType({})
    """What is carried with each query."""


def _fits(root: Node) -> bool:
    found = [(part, entry) for part in _parts(root) for entry in part.listed.elements()]
    return bool(found) and all(_is_query(part, entry) for part, entry in found)


def _is_query(part: _Part, entry: Node) -> bool:
    if part.should is not None and isinstance(entry.value, str):
        return True
    if not isinstance(entry.value, dict) or first_of(entry, QUERY) is None:
        return False
    if part.should is None and not says(entry):
        return False
    return not any(_says_more(entry.child(key)) for key in EXPECTED) and not _is_graded(entry)


def _says_more(node: Node | None) -> bool:
    """Whether what is expected is more than a word."""
    return node is not None and not isinstance(node.value, bool) and " " in str(node.value).strip()


def _is_graded(entry: Node) -> bool:
    return bool(other_keys(entry)) or first_of(entry, (*NATIVE, *FILES)) is not None


def _parts(root: Node) -> Iterator[_Part]:
    """The lists of a file that queries could be in."""
    if isinstance(root.value, list):
        yield from _listed_parts(root)
    elif isinstance(root.value, dict):
        split = list(_split_parts(root))
        listed = first_of(root, _LISTS, _is_list)
        yield from split or (_listed_parts(listed) if listed is not None else _named_parts(root))


def _listed_parts(listed: Node) -> Iterator[_Part]:
    """The list itself, or its entries where each is a set of its own, for a skill that it names."""
    sets = [list(_set_parts(entry, _skill_of(entry))) for entry in listed.elements()]
    yield from chain.from_iterable(sets) if all(sets) else [_Part(listed)]


def _named_parts(root: Node) -> Iterator[_Part]:
    """Of an object that has a set for each skill, by its name."""
    named = root.child("skills")
    if named is None or not isinstance(named.value, dict):
        yield from chain.from_iterable(_named_set(name, node) for name, node in root.children.items())
        return
    sets = [_named_set(name, node) for name, node in named.children.items()]
    yield from chain.from_iterable(sets) if all(sets) else ()


def _named_set(name: str | int, node: Node) -> list[_Part]:
    if isinstance(node.value, list) and node.children:
        return [_Part(node, str(name), None, {"skill": str(name)})]
    return list(_set_parts(node, str(name)))


def _set_parts(entry: Node, skill: str | None) -> Iterator[_Part]:
    """Of an object that is a set for one skill."""
    if skill is None or not isinstance(entry.value, dict):
        return
    listed = first_of(entry, _LISTS, _is_list)
    lists = {str(listed.path[-1])} if listed is not None else _SPLIT.keys()
    around = {"skill": skill, **{str(key): node.value for key, node in entry.children.items() if key not in lists}}
    parts = [_Part(listed)] if listed is not None else list(_split_parts(entry))
    yield from (part._replace(skill=skill, around=around) for part in parts)


def _split_parts(root: Node) -> Iterator[_Part]:
    for key, should in _SPLIT.items():
        found = root.child(key)
        if found is not None and isinstance(found.value, list):
            yield _Part(found, None, should)


def _skill_of(node: Node) -> str | None:
    """The skill that an object names."""
    found = first_of(node, SKILL) if isinstance(node.value, dict) else None
    return found.value if found is not None and isinstance(found.value, str) else None


def _is_list(node: Node) -> bool:
    return isinstance(node.value, list)


def _read(root: Node, _findings: Findings) -> Draft:
    skill = _skill_of(root)
    parts = list(_parts(root))
    queries = [_query(part, entry, skill) for part in parts for entry in entries(part.listed)]
    more = root.child(_MORE) if isinstance(root.value, dict) else None
    has_more = more is not None and isinstance(more.value, list)
    if more is not None and has_more:
        queries += [query_of(entry, skill) for entry in more.elements()]
    depth = len(root.path)
    used = {str(part.listed.path[depth]) for part in parts if len(part.listed.path) > depth}
    name = first_of(root, SKILL)
    if name is not None:
        used.add(str(name.path[-1]))
    return Draft(
        root=root,
        skill_name=name,
        queries=tuple(queries),
        used=frozenset(used | ({_MORE} if has_more else set())),
        unused=FILE_LABELS,
    )


def _query(part: _Part, entry: Node, skill: str | None) -> QueryDraft:
    if isinstance(entry.value, str):
        query = QueryDraft(node=entry, query=entry, should=part.should)
    else:
        query = query_of(entry, part.skill or skill)
    should = part.should if part.should is not None else query.should
    if part.skill is None or query.expects is not None:
        return replace(query, should=should, around={**query.around, **part.around})
    expects = (part.skill,) if should else ()
    return replace(query, should=should, expects=expects, around={**query.around, **part.around})


TRIGGER_SETS = FileDialect(name="trigger-set", fits=_fits, read=_read)
