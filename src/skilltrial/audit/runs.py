"""What is missing: runs without a verdict, arms without a role, cases without an arm."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.audit.rules import ARM_MISSING, NO_METADATA, ROLE_UNKNOWN, SAME_ID, UNGRADED
from skilltrial.audit.scores import Round
from skilltrial.records.audit import AuditFinding

_PAIR = 2


def run_findings(found: Round) -> Iterator[AuditFinding]:
    """Runs, arms and cases that a mean over runs passes over in silence."""
    for score in found.scores:
        if score.run.grading is None:
            yield UNGRADED.at(score.run.place, "The run has no grading.")
    yield from _roles(found)
    yield from _gaps(found)
    yield from _twins(found)
    if found.family == "skill-creator":
        for case in found.iteration.cases:
            if case.metadata is None:
                yield NO_METADATA.at(case.place, "The case has no eval_metadata.json.")


def _roles(found: Round) -> Iterator[AuditFinding]:
    arms = found.iteration.arms
    if len(arms) < _PAIR:
        return
    unknown = [arm for arm in arms if arm.role is None]
    for arm in unknown:
        yield ROLE_UNKNOWN.at(
            f"{found.iteration.place}#{arm.name}",
            f"Nothing says whether {arm.name!r} is the treatment or the baseline, so it is compared with nothing.",
        )
    if unknown or (found.treatment and found.baseline):
        return
    role = "treatment" if found.treatment is None else "baseline"
    names = ", ".join(repr(arm.name) for arm in arms)
    yield ROLE_UNKNOWN.at(
        found.iteration.place,
        f"None of {names} is the {role}, so nothing is compared.",
        hint=f"Name it with --{role} NAME.",
    )


def _gaps(found: Round) -> Iterator[AuditFinding]:
    present = {(run.case, run.arm) for run in (*(score.run for score in found.scores), *found.copies)}
    arms = [arm.name for arm in found.iteration.arms if arm.name in found.by_arm]
    for case in found.iteration.cases:
        missing = [name for name in arms if (case.key, name) not in present]
        if missing and len(missing) == len(arms):
            yield ARM_MISSING.at(case.place, "The case has no run at all.", hint="Run it, or remove its folder.")
        elif missing:
            names = ", ".join(repr(name) for name in missing)
            yield ARM_MISSING.at(case.place, f"The case has no run in {names}, and runs in other arms.")


def _twins(found: Round) -> Iterator[AuditFinding]:
    copied = {run.case for run in found.copies} - {score.run.case for score in found.scores}
    first: dict[str | int, str] = {}
    for case in found.iteration.cases:
        if case.id is None:
            continue
        place = first.setdefault(case.id, case.place)
        if place != case.place:
            what = " Its runs are the same and count once." if case.key in copied else ""
            yield SAME_ID.at(case.place, f"The id {case.id!r} is also that of {place}.{what}", old=case.id)
