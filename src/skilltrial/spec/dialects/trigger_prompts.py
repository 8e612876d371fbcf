"""waza's trigger tests: two lists of prompts, by whether the skill should be loaded."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.spec.dialects.draft import Draft, FileDialect, QueryDraft
from skilltrial.spec.dialects.made_node import elements, has_list
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_LISTS = {"should_trigger_prompts": True, "should_not_trigger_prompts": False}


def _fits(root: Node) -> bool:
    return any(has_list(root, key) for key in _LISTS)


def _read(root: Node, _findings: Findings) -> Draft:
    return Draft(
        root=root,
        skill_name=root.child("skill"),
        queries=tuple(_queries(root)),
        used=frozenset({"skill", *_LISTS}),
    )


def _queries(root: Node) -> Iterator[QueryDraft]:
    for key, should in _LISTS.items():
        for entry in elements(root.child(key)):
            if isinstance(entry.value, str):
                yield QueryDraft(node=entry, query=entry, should=should)
                continue
            yield QueryDraft(
                node=entry,
                query=entry.child("prompt"),
                id=entry.child("id"),
                should=should,
                note=entry.child("reason"),
                used=frozenset({"id", "prompt", "reason"}),
            )


TRIGGER_PROMPTS = FileDialect(name="trigger-prompts", fits=_fits, read=_read)
