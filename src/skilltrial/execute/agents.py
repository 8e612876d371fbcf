"""The agent programs of a plan's arms, taken together."""

from __future__ import annotations

from collections.abc import Mapping

from skilltrial.ports import Harness


def most_at_a_time(harnesses: Mapping[str, Harness], concurrency: int) -> int:
    """How many trials may run at once: what was asked for, or what the tightest of the programs takes."""
    limits = (harness.capabilities.max_concurrency for harness in harnesses.values())
    return min([concurrency, *(limit for limit in limits if limit)])


def free_arms(harnesses: Mapping[str, Harness]) -> frozenset[str]:
    """The arms whose trials cost no money."""
    return frozenset(arm for arm, harness in harnesses.items() if not harness.capabilities.paid)
