"""Which trials are compared with which, and which of two is called A."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from skilltrial.errors import SpecError
from skilltrial.records.comparison import Label
from skilltrial.records.plan import Plan
from skilltrial.records.trial import TrialKey


class Pair(NamedTuple):
    """The same case and repeat in two arms: `arms[0]` is the one whose wins are counted."""

    case_id: str
    repeat: int
    arms: tuple[str, str]

    @property
    def keys(self) -> tuple[TrialKey, TrialKey]:
        """Of both trials, in the order of the arms."""
        one, other = (TrialKey(case_id=self.case_id, arm=arm, repeat=self.repeat) for arm in self.arms)
        return one, other

    def __str__(self) -> str:
        return f"{self.case_id} run-{self.repeat}, {self.arms[0]} and {self.arms[1]}"


def arms_to_compare(plan: Plan, names: Sequence[str]) -> list[tuple[str, str]]:
    """The two that are named, else every two of the plan, baselines last. Raises `SpecError` for other names."""
    known = [arm.name for arm in sorted(plan.arms, key=lambda arm: arm.role == "baseline")]
    for name in names:
        if name not in known:
            raise SpecError(f"there is no arm {name!r} in this iteration.", hint=f"Its arms: {', '.join(known)}.")
    if not names:
        return list(combinations(known, 2))
    if len(set(names)) != 2:  # noqa: PLR2004 - a pair
        raise SpecError(f"a comparison takes two arms, not {', '.join(names)}.", hint="Name two, or none for all.")
    return [(names[0], names[1])]


def pairs_of(plan: Plan, arms: Sequence[tuple[str, str]], *, only: Sequence[str] = ()) -> list[Pair]:
    """All pairs of the plan, in the order of its cases. `only`: of cases with these ids. Raises `SpecError` for unknown ids."""
    ids = {case.id: {case.id, str(case.written_id)} for case in plan.suite.cases}
    known = set[str]().union(*ids.values())
    unknown = [name for name in only if name not in known]
    if unknown:
        raise SpecError(f"no case is called {unknown[0]!r}.", hint=f"Cases: {', '.join(list(ids)[:10])}.")
    planned = frozenset(each.key for each in plan.trials)
    repeats = sorted({key.repeat for key in planned})
    found = [
        Pair(case_id, repeat, pair)
        for case_id, names in ids.items()
        if not only or names & set(only)
        for repeat in repeats
        for pair in arms
    ]
    return [pair for pair in found if set(pair.keys) <= planned]


def labels_of(pair: Pair, seed: int) -> Mapping[Label, TrialKey]:
    """Which trial is A and which is B: a coin that only the seed, the case, the repeat and the two arms decide."""
    text = json.dumps([seed, pair.case_id, pair.repeat, sorted(pair.arms)])
    heads = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] & 1
    first, second = sorted(pair.keys, key=lambda key: key.arm)
    return {"A": first, "B": second} if heads else {"A": second, "B": first}
