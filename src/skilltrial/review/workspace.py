"""What the frame of every page shows: which workspace, which iterations."""

from __future__ import annotations

from skilltrial.plan.iteration import iterations
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject


def workspace(subject: Subject, query: Query) -> object:
    """The workspace's name and iterations, oldest first."""
    del query
    there = iterations(subject.store)
    plan = plan_of(subject, there[-1]) if there else None
    return {
        "name": subject.name,
        "skill": None if plan is None else plan.skill.name,
        "foreign": subject.foreign,
        "iterations": there,
        "blind": subject.blind,
        "read_only": subject.read_only,
        "by": subject.by,
    }
