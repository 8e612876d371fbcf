"""Queries, as a dialect found them -> a trigger set."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable

from skilltrial.records.json_value import Json
from skilltrial.records.trigger import TriggerQuery
from skilltrial.spec.cases import carried
from skilltrial.spec.dialects.draft import QueryDraft
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.lint.rule import Place, PlaceKey

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def read_queries(drafts: Iterable[QueryDraft], findings: Findings, places: dict[PlaceKey, Place]) -> list[TriggerQuery]:
    """The queries of a file, without those that `findings` got an error about. Fills `places`."""
    drafts = list(drafts)
    ids = _Ids(drafts)
    queries: list[TriggerQuery] = []
    for position, draft in enumerate(drafts, start=1):
        with findings.collecting():
            query = _query(draft, ids.of(draft, position, findings), findings)
            places[query.id, None] = Place(draft.node.line, draft.node.place, draft.node.file)
            queries.append(query)
    return queries


def digest_of_queries(queries: Iterable[TriggerQuery]) -> str:
    """`sha256:` over the queries and what is expected of them."""
    kept = {"id", "query", "should_trigger", "expects"}
    plain = [query.model_dump(mode="json", include=kept) for query in queries]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _query(draft: QueryDraft, query_id: str, findings: Findings) -> TriggerQuery:
    text = _text(draft)
    if draft.should is None and draft.expects is None:
        hint = 'Write "should_trigger": true or false.'
        raise draft.node.error("no-should-trigger", "does not say whether the skill should be loaded.", hint=hint)
    return TriggerQuery(
        id=query_id,
        written_id=draft.id.value if draft.id is not None and _written_id(draft) is not None else None,
        query=text,
        should_trigger=draft.should,
        expects=draft.expects,
        split=_label(draft.split, findings),
        note=_label(draft.note, findings),
        extra={**_remade(draft), **draft.around, **carried(draft.node, draft.used, findings, unused=draft.unused)},
    )


def _text(draft: QueryDraft) -> str:
    hint = "Write what a user would say."
    node = draft.query
    if node is None:
        raise draft.node.error("no-query", "has no query.", hint=hint)
    if not isinstance(node.value, str):
        raise node.error("bad-query", f"must be a text, not {shown(node.value)}.", hint=hint)
    if not node.value.strip():
        raise node.error("no-query", "is empty.", hint=hint)
    if "\0" in node.value:
        raise node.error("bad-query", "has a NUL character, which no agent program takes.", hint="Remove it.")
    return node.value


def _written_id(draft: QueryDraft) -> str | None:
    value = draft.id.value if draft.id is not None else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    return text if text.strip() and not _CONTROL.search(text) else None


def _remade(draft: QueryDraft) -> dict[str, Json]:
    """The author's own values in whose place others are read."""
    made = [node for node in (draft.split, draft.note) if node is not None and not isinstance(node.value, str)]
    if draft.id is not None and _written_id(draft) is None:
        made.append(draft.id)
    return {f"written_{node.path[-1]}": node.value for node in made}


def _label(node: Node | None, findings: Findings) -> str | None:
    if node is None or isinstance(node.value, str):
        return node.value if node else None
    findings.repair(node.repair("text-made", "should be a text; its JSON is shown instead"))
    return json.dumps(node.value, ensure_ascii=False)


class _Ids:
    """The ids of one set: as written, where that is the first of its name; else made, so that results can be told apart."""

    def __init__(self, drafts: Iterable[QueryDraft]) -> None:
        self.written = {_written_id(draft) for draft in drafts}
        self.used: set[str] = set()
        self.n_made: Counter[str] = Counter()

    def of(self, draft: QueryDraft, position: int, findings: Findings) -> str:
        written = _written_id(draft)
        name = written or f"query-{position}"
        if written is None or written in self.used:
            made = name
            while made in self.used or made in self.written:
                self.n_made[name] += 1
                made = f"{name}-{self.n_made[name] + 1}"
            name = made
            if draft.id is not None:
                what = f"is no id of its own: {shown(draft.id.value)}; the query is called {name!r}"
                findings.repair(draft.id.repair("id-made", what))
        self.used.add(name)
        return name
