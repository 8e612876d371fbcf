"""Case families as clusters: cases that an author derived from one another are one observation, not several."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence


def by_family(values: Sequence[float], families: Sequence[Hashable | None]) -> list[float]:
    """One number a family: the mean of `values` (one a case) over its cases, in the order in which families first appear.

    A case whose family is None stands for itself. Families weigh equally then, however many cases they have: apply it to both
    arms' means over the same cases, and give the result to `lift_interval` (Miller 2024, *Adding error bars to evals*).
    Raises ValueError where the two have not the same length.
    """
    members: dict[tuple[str, Hashable], list[float]] = {}
    for position, (value, family) in enumerate(zip(values, families, strict=True)):
        key = ("case", position) if family is None else ("family", family)
        members.setdefault(key, []).append(value)
    return [math.fsum(of_family) / len(of_family) for of_family in members.values()]
