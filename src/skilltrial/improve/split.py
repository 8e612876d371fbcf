"""Cases -> train, select and hold-out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from skilltrial.errors import SpecError
from skilltrial.records.improvement import CasePart, PartedCase
from skilltrial.records.suite import Case

LEAST: dict[CasePart, int] = {"train": 2, "select": 2, "holdout": 4}
"""Families. With three in hold-out no interval could ever leave zero out; with four one can."""
_SHARES: dict[CasePart, float] = {"train": 0.3, "select": 0.3, "holdout": 0.4}
_STRATUM_KEYS = ("difficulty", "category", "tags")


def split_cases(cases: Sequence[Case], *, seed: int, where: str) -> tuple[PartedCase, ...]:
    """Each case with its part, in the order given.

    Cases of one family stay together. What should and should not load the skill, and what authors call difficulty, category or
    tags, is spread over the parts as evenly as families allow; `seed` decides the rest. Raises `SpecError` where there are too
    few families for three parts.
    """
    families: dict[str, list[Case]] = {}
    for case in cases:
        families.setdefault(f"family {case.family}" if case.family else f"case {case.id}", []).append(case)
    least = sum(LEAST.values())
    if len(families) < least:
        same = f" of {len(cases)} cases" if len(families) < len(cases) else ""
        raise SpecError(
            f"there are {len(families)} independent cases{same}; {least} are needed: {LEAST['train']} to learn from, "
            f"{LEAST['select']} to choose by, {LEAST['holdout']} to accept by.",
            where=where,
            hint=f"Add {least - len(families)}. With fewer, change the skill by hand and try it with `skilltrial history add`.",
        )
    parts = _parts(families, random.Random(seed))  # noqa: S311 - a shuffle that can be done again
    return tuple(
        PartedCase(id=case.id, part=part)
        for case in cases
        for name, part in parts.items()
        if any(case is member for member in families[name])
    )


def _parts(families: dict[str, list[Case]], rng: random.Random) -> dict[str, CasePart]:
    """Stratum by stratum, each family to the part that lacks most of its share."""
    wanted = _sizes(len(families))
    names = sorted(families)
    rng.shuffle(names)
    strata: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        strata.setdefault(_stratum(families[name][0]), []).append(name)
    had: Counter[CasePart] = Counter()
    found: dict[str, CasePart] = {}
    for members in sorted(strata.values(), key=len, reverse=True):
        inside: Counter[CasePart] = Counter()
        for name in members:
            open_ones: list[CasePart] = [part for part in wanted if had[part] < wanted[part]]
            part = max(
                open_ones, key=lambda each: (_SHARES[each] * len(members) - inside[each], wanted[each] - had[each])
            )
            had[part] += 1
            inside[part] += 1
            found[name] = part
    return found


def _sizes(n: int) -> dict[CasePart, int]:
    train = max(LEAST["train"], round(n * _SHARES["train"]))
    select = max(LEAST["select"], round(n * _SHARES["select"]))
    while n - train - select < LEAST["holdout"]:
        train, select = (train - 1, select) if train >= select else (train, select - 1)
    return {"train": train, "select": select, "holdout": n - train - select}


def _stratum(case: Case) -> tuple[str, ...]:
    return (str(case.skill_should_trigger), *(str(case.extra.get(key)) for key in _STRATUM_KEYS))
