"""Trials that people left out, for the adjusted figures. The benchmark of record never leaves one out."""

from __future__ import annotations

from collections.abc import Mapping

from skilltrial.aggregate.likeness import UNEQUAL
from skilltrial.grade.digest import TRIAL
from skilltrial.grade.run import read_grading
from skilltrial.records.trial import TrialKey
from skilltrial.review.plans import plan_of
from skilltrial.review.said import said_of
from skilltrial.review.subject import Subject


def excluded_trials(subject: Subject, iteration: int) -> Mapping[TrialKey, str]:
    """With the reason. A trial that ran again since is another one, and not among them."""
    found: dict[TrialKey, str] = {}
    for key, exclusion in said_of(subject, iteration).exclusions.items():
        grading = read_grading(subject.store, iteration, key) if exclusion.trial_digest else None
        now = grading.parts.get(TRIAL, "") if grading else ""
        if not now or now == exclusion.trial_digest:
            found[key] = exclusion.reason
    return found


def balance_of(subject: Subject, iteration: int) -> Mapping[str, object]:
    """How many trials of each arm are excluded, and whether the shares differ by more than is harmless."""
    out = excluded_trials(subject, iteration)
    plan = plan_of(subject, iteration)
    arms = [
        {
            "arm": arm.name,
            "planned": sum(each.key.arm == arm.name for each in plan.trials),
            "excluded": sum(key.arm == arm.name for key in out),
        }
        for arm in plan.arms
    ]
    return {"arms": arms, "unequal_above": UNEQUAL}
