"""Trials that people left out, for the adjusted figures. The benchmark of record never leaves one out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skilltrial.aggregate.likeness import shares_differ
from skilltrial.feedback import left_out
from skilltrial.records.trial import TrialKey
from skilltrial.review.plans import plan_of
from skilltrial.review.said import said_of
from skilltrial.review.subject import Subject


class Loss(NamedTuple):
    """What an arm loses."""

    arm: str
    planned: int
    excluded: int


def excluded_trials(subject: Subject, iteration: int) -> Mapping[TrialKey, str]:
    """With the reason. A trial that ran again since is another one, and not among them."""
    return left_out(subject.store, said_of(subject, iteration))


def losses_of(subject: Subject, iteration: int) -> list[Loss]:
    """Of each arm, how many of its trials are excluded."""
    out = excluded_trials(subject, iteration)
    plan = plan_of(subject, iteration)
    return [
        Loss(
            arm.name,
            sum(each.key.arm == arm.name for each in plan.trials),
            sum(key.arm == arm.name for key in out),
        )
        for arm in plan.arms
    ]


def are_unequal(losses: list[Loss], *, arm: str = "", more: int = 0) -> bool:
    """Whether the shares differ by more than is harmless, were so many more of an arm excluded."""
    return shares_differ([(each.excluded + more * (each.arm == arm)) / each.planned for each in losses if each.planned])


def balance_of(subject: Subject, iteration: int) -> Mapping[str, object]:
    """What each arm loses, and whether the arms lose unequally once one more of it is left out or taken back."""
    losses = losses_of(subject, iteration)
    return {
        "arms": [
            {
                **each._asdict(),
                "unequal_out": are_unequal(losses, arm=each.arm, more=1),
                "unequal_back": are_unequal(losses, arm=each.arm, more=-1),
            }
            for each in losses
        ]
    }
