"""Whether the skill is taken when it should be: results of trigger trials."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from skilltrial.errors import SpecError
from skilltrial.records import layout
from skilltrial.records.json_value import Json
from skilltrial.records.trigger_results import Share
from skilltrial.review.comparisons import read_json
from skilltrial.review.optimisations import newest_search
from skilltrial.review.plans import file_state
from skilltrial.review.subject import Query, Subject
from skilltrial.review.trigger_files import QueryRow, TriggerSheet, sheets_of

_PLACES = (
    f"iteration-*/{layout.IMPORTED}/**/*.json",
    f"iteration-*/{layout.TRIGGER_RESULTS}",
    f"{layout.TRIGGERS}/*.json",
    f"{layout.TRIGGERS}/{layout.CELLS}/*/iteration-*/{layout.TRIGGER_RESULTS}",
    f"{layout.TRIGGERS}/iteration-*/{layout.TRIGGER_RESULTS}",
)
"""Oldest first: what an import brought, a workspace of trigger trials alone, those in this workspace."""
_MOST_FILES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One sheet and where it stands."""

    name: str
    sheet: TriggerSheet


def triggers(subject: Subject, query: Query) -> object:
    """The results called `name`, the newest by default, and which others there are; null where there are none.

    Beside them the newest search for a better description.
    """
    found = _found(subject)
    listed = [{"name": each.name, "created_at": each.sheet.created_at} for each in found]
    search = newest_search(subject)
    if not found:
        return {"sheets": [], "chosen": None, "search": search}
    name = query.optional("name")
    chosen = next((each for each in found if each.name == name), found[-1] if name is None else None)
    if chosen is None:
        raise SpecError("there are no trigger results of this name.", where=(name or "")[:200])
    return {"sheets": listed, "chosen": {**_told(chosen.sheet), "name": chosen.name}, "search": search}


def _found(subject: Subject) -> Sequence[_Found]:
    places = [place for pattern in _PLACES for place in sorted(subject.store.find(pattern), key=_natural)]
    places = places[-_MOST_FILES:]
    stamp = tuple((place, file_state(subject.store.path(place))) for place in places)
    return subject.kept.get("triggers", stamp, lambda: _read(subject, places))


def _natural(place: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", place)]


def _read(subject: Subject, places: Sequence[str]) -> list[_Found]:
    read = ((place, sheets_of(read_json(subject, place))) for place in places)
    return [
        _Found(name=f"{place} · {sheet.name}" if len(sheets) > 1 else place, sheet=sheet)
        for place, sheets in read
        for sheet in sheets
    ]


def _told(sheet: TriggerSheet) -> dict[str, Json]:
    """Queries on the wrong side first, then those of which nothing is known."""
    rows = sorted(sheet.rows, key=lambda row: 2 if row.passes else 1 if row.passes is None else 0)
    return {
        **asdict(sheet),
        "rows": [{**asdict(row), "rate": _share(row.rate)} for row in rows],
        **{
            name: _share(share)
            for name, share in (("recall", sheet.recall), ("precision", sheet.precision), ("f1", sheet.f1))
        },
        "taken": [_taken(sheet.rows, should=should) for should in (True, False)],
    }


def _share(share: Share | None) -> Json:
    return None if share is None else share.model_dump()


def _taken(rows: Sequence[QueryRow], *, should: bool) -> Json:
    """Over the runs of all queries of a kind: how often this skill was taken, and each other one."""
    mine = [row for row in rows if row.should_trigger is should and not row.is_canary and row.runs is not None]
    others: Counter[str] = Counter()
    for row in mine:
        others.update(row.others)
    return {
        "should_trigger": should,
        "runs": sum(row.runs or 0 for row in mine),
        "own": sum(row.triggers or 0 for row in mine),
        "others": dict(others.most_common()),
        "errors": None
        if any(row.errors is None for row in mine)
        else sum(sum((row.errors or {}).values()) for row in mine),
    }
