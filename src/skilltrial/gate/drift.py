"""A promoted baseline and what there is now: what became better or worse, and what else is not as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skilltrial.errors import SpecError
from skilltrial.records.promoted import CaseDrift, Drift, PromotedArm, PromotedBaseline, PromotedCase
from skilltrial.report.figures import plural
from skilltrial.stats.families import by_family
from skilltrial.stats.harm import harm_probability
from skilltrial.stats.lift_interval import lift_interval
from skilltrial.stats.wilson import wilson

_SAME = 1e-9


def drift_of(then: PromotedBaseline, now: PromotedBaseline, arm: str | None = None) -> Drift:
    """The treatment arm of now with the promoted one of the same name, else with the first promoted treatment.

    `arm`: which of now; None: the first treatment. Compared are cases that are still the same and have a verdict on the same
    assertions, with the interval of the lift. Raises `SpecError` where the promoted file has no treatment arm.
    """
    name_now = arm or _first_treatment(now) or ""
    arm_now = now.arms.get(name_now)
    name_then = name_now if _is_treatment(then.arms.get(name_now)) else _first_treatment(then)
    if name_then is None:
        raise SpecError("the promoted baseline has no treatment arm.", hint="Promote one that has.")
    arm_then = then.arms[name_then]
    cases_now: Mapping[str, PromotedCase] = arm_now.cases if arm_now else {}
    ids = dict.fromkeys([*arm_then.cases, *cases_now])
    cases = tuple(_case(each, arm_then.cases.get(each), cases_now.get(each)) for each in ids)
    same = [each for each in ids if not _unlike(arm_then.cases.get(each), cases_now.get(each))]
    families = [cases_now[each].family for each in same]
    new = by_family([cases_now[each].score for each in same], families)
    found = lift_interval(new, by_family([arm_then.cases[each].score for each in same], families))
    return Drift(
        skill=now.skill,
        arm_then=name_then,
        arm_now=name_now,
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        half_width=found.half_width,
        n_cases=len(same),
        n_clusters=len(new),
        cases=cases,
        notes=tuple(_notes(then, now, arm_then, arm_now, n_left_out=len(ids) - len(same))),
    )


def _first_treatment(promoted: PromotedBaseline) -> str | None:
    return next((name for name, arm in promoted.arms.items() if arm.role == "treatment"), None)


def _is_treatment(arm: PromotedArm | None) -> bool:
    return arm is not None and arm.role == "treatment"


def _unlike(then: PromotedCase | None, now: PromotedCase | None) -> str:
    """Why the two are not compared; empty where they are."""
    if then is None:
        return "not in the promoted baseline"
    if now is None:
        return "no verdict now"
    if then.digest != now.digest:
        return "the task or its assertions were changed"
    if then.answered != now.answered:
        return "other assertions have a verdict"
    return ""


def _case(case_id: str, then: PromotedCase | None, now: PromotedCase | None) -> CaseDrift:
    unlike = _unlike(then, now)
    found = CaseDrift(
        case_id=case_id,
        change="not compared",
        then=then.score if then else None,
        now=now.score if now else None,
        n_then=then.n if then else 0,
        n_now=now.n if now else 0,
        passed_then=then.passed if then else 0,
        passed_now=now.passed if now else 0,
        why=unlike,
    )
    if unlike or then is None or now is None:
        return found
    before, after = wilson(then.passed, then.n), wilson(now.passed, now.n)
    difference = now.score - then.score
    return found.model_copy(
        update={
            "change": "same" if abs(difference) < _SAME else "better" if difference > 0 else "worse",
            "low_then": before.low,
            "high_then": before.high,
            "low_now": after.low,
            "high_now": after.high,
            "harm": harm_probability((now.passed, now.n), (then.passed, then.n)),
        }
    )


def _notes(
    then: PromotedBaseline,
    now: PromotedBaseline,
    arm_then: PromotedArm,
    arm_now: PromotedArm | None,
    *,
    n_left_out: int,
) -> Iterator[str]:
    if then.skill != now.skill:
        yield f"The promoted baseline is of another skill: {then.skill}, not {now.skill}."
    if then.suite_digest != now.suite_digest:
        yield "The eval file is not what it was."
    if n_left_out:
        yield f"{plural(n_left_out, 'case is', 'cases are')} not compared: new, gone, changed, or without the same verdicts."
    if arm_now is None:
        return
    if arm_then.skill_fingerprint == arm_now.skill_fingerprint:
        yield "The skill is the one that was promoted, byte for byte: what differs is chance, or the surroundings."
    pairs = (
        ("Another agent program", arm_then.harness, arm_now.harness),
        ("Another version of it", arm_then.harness_version, arm_now.harness_version),
        ("Another model", ", ".join(arm_then.models), ", ".join(arm_now.models)),
        ("Another judge", ", ".join(then.judges), ", ".join(now.judges)),
        ("Another version of skilltrial", then.skilltrial_version, now.skilltrial_version),
    )
    for what, old, new in pairs:
        if old != new:
            yield f"{what} than the promoted one: {new or 'unknown'}, then {old or 'unknown'}."
