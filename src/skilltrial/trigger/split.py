"""Queries -> train, validation and test."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from skilltrial.errors import SpecError
from skilltrial.records.optimisation import Part, PartedQuery
from skilltrial.records.trigger import TriggerQuery

MIN_EACH = 2
"""Of each class in each part. With three test queries in all no interval could ever leave zero out; with four one can."""
FEW = 8
"""Test queries: below that, only a change of nearly all of them shows."""
_PARTS: tuple[Part, ...] = ("train", "validation", "test")
_FAMILY_KEYS = ("family", "group")


def split_queries(
    queries: Sequence[TriggerQuery], *, skill_name: str, holdout: float, seed: int, where: str
) -> tuple[PartedQuery, ...]:
    """Each query with its part, in the order given; each class is split by itself.

    `holdout` is the share of test, the rest is halved, train first. The author's own parts are taken where every query has one.
    Queries of one family, and texts that only differ in case and punctuation, stay together. Raises `SpecError` where a class
    would have fewer than `MIN_EACH` queries in a part, or where there is no hold-out.
    """
    if not 0 < holdout < 1:
        hint = "Leave --holdout out for 0.4: what is chosen by a score is better by that score than it is."
        raise SpecError(f"--holdout is {holdout:g}; it has to be between 0 and 1.", hint=hint)
    classes = {should: [each for each in queries if each.wants(skill_name) is should] for should in (True, False)}
    _require(classes[True], classes[False], where)
    written = {each.id: each.split for each in queries}
    parts: dict[str, Part] = {each.id: part for each in queries for part in _PARTS if each.split == part}
    if len(parts) < len(written):
        rng = random.Random(seed)  # noqa: S311 - a shuffle that can be done again
        parts = {}
        for members in classes.values():
            parts |= _split_class(members, holdout, rng)
    found = tuple(
        PartedQuery(id=each.id, query=each.query, should_trigger=each.wants(skill_name), part=parts[each.id])
        for each in queries
    )
    _require_parts(found, where)
    return found


def _require(wanted: Sequence[TriggerQuery], unwanted: Sequence[TriggerQuery], where: str) -> None:
    least = MIN_EACH * len(_PARTS)
    for members, others, what in ((wanted, unwanted, "should"), (unwanted, wanted, "should not")):
        if not members and others:
            raise SpecError(
                f"none of the {len(others)} queries {what} load the skill: a description would be chosen that does "
                f"{'less' if what == 'should' else 'more'} and less good.",
                where=where,
                hint=f"Add at least {least} that {what}, near misses among them.",
            )
    for members, what in ((wanted, "should"), (unwanted, "should not")):
        if len(members) < least:
            raise SpecError(
                f"{len(members)} of the queries {what} load the skill; train, validation and test need {least}, "
                f"{MIN_EACH} each.",
                where=where,
                hint=f"Add {least - len(members)}; 10 of each class are a good set.",
            )


def _split_class(members: Sequence[TriggerQuery], holdout: float, rng: random.Random) -> dict[str, Part]:
    n = len(members)
    n_test = min(max(MIN_EACH, round(n * holdout)), n - 2 * MIN_EACH)
    n_validation = (n - n_test) // 2
    room: dict[Part, int] = {"test": n_test, "validation": n_validation, "train": n - n_test - n_validation}
    families: dict[str, list[TriggerQuery]] = {}
    for each in members:
        families.setdefault(_family(each), []).append(each)
    groups = list(families.values())
    rng.shuffle(groups)
    found: dict[str, Part] = {}
    for group in sorted(groups, key=len, reverse=True):  # large ones first, while there is room
        fitting: list[Part] = [name for name in _PARTS if room[name] >= len(group)]
        part = fitting[-1] if fitting else max(_PARTS, key=room.__getitem__)
        room[part] -= len(group)
        found.update({each.id: part for each in group})
    return found


def _family(query: TriggerQuery) -> str:
    for key in _FAMILY_KEYS:
        if isinstance(named := query.extra.get(key), str) and named:
            return f"family {named}"
    plain = "".join(char if char.isalnum() else " " for char in query.query.casefold())
    return "text " + (" ".join(plain.split()) or query.query)


def _require_parts(queries: Sequence[PartedQuery], where: str) -> None:
    counts = Counter((each.part, each.should_trigger) for each in queries)
    for part in _PARTS:
        for should, what in ((True, "should"), (False, "should not")):
            if counts[part, should] < MIN_EACH:
                raise SpecError(
                    f"{part} has {counts[part, should]} of the queries that {what} load the skill; it needs {MIN_EACH}.",
                    where=where,
                    hint="Add queries of other families, or mend the parts that the file names.",
                )
