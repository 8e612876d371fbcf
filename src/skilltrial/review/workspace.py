"""What the frame of every page shows: which workspace, which iterations."""

from __future__ import annotations

from contextlib import suppress

from skilltrial.errors import StoreError
from skilltrial.plan.iteration import iterations
from skilltrial.records.plan import Plan
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject


def _readable(subject: Subject, iteration: int) -> Plan | None:
    with suppress(StoreError):  # the pages of this iteration say it; those of others are there
        return plan_of(subject, iteration)
    return None


def workspace(subject: Subject, query: Query) -> object:
    """The workspace's name and iterations, oldest first."""
    del query
    there = iterations(subject.store)
    plan = next(filter(None, (_readable(subject, each) for each in reversed(there))), None)
    return {
        "name": subject.name,
        "skill": None if plan is None else plan.skill.name,
        "foreign": subject.foreign,
        "iterations": there,
        "blind": subject.blind,
        "read_only": subject.read_only,
        "by": subject.by,
    }
