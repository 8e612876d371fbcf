"""Floors for how well agents load the skill by themselves, held against the newest `triggers.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skilltrial.records.gate import Rule, RuleOutcome
from skilltrial.records.plan import Plan
from skilltrial.records.settings import TriggerGate
from skilltrial.records.trigger_results import Share, TriggerArm, TriggerResults
from skilltrial.report.figures import percent, plural

_NO_RESULT = "There is no result of triggering in this workspace."
_OTHER = "The newest result of triggering is of another version of the skill."
_MEASURE = "`skilltrial trigger SKILL` measures it."
_CLOSE = 1e-12


def trigger_rules(
    plan: Plan, results: TriggerResults | None, floors: TriggerGate, *, place: Callable[[str], str]
) -> Iterator[Rule]:
    """A rule for each floor and treatment arm. Figures are those of the runs, without their interval, as of all floors.

    Undecided where the same version of the skill was not measured, or a query has no result.
    """
    treatments = [arm for arm in plan.arms if arm.role == "treatment" and arm.skill]
    asked = (("min_precision", floors.min_precision), ("min_recall", floors.min_recall))
    for key, floor in asked:
        if floor is None:
            continue
        for arm in treatments:
            about = arm.name if len(treatments) > 1 else ""
            measured = (
                [each for each in results.arms if arm.skill and _same(each, arm.skill.fingerprint)] if results else []
            )
            outcome, figure, said = _judged(results, measured, key, floor)
            yield Rule(
                name=f"trigger.{key}",
                about=about,
                outcome=outcome,
                unit="share",
                figure=figure.estimate,
                low=figure.low,
                high=figure.high,
                threshold=floor,
                said=said,
                settle=_MEASURE if outcome == "undecided" else "",
                place=place(f"trigger.{key}"),
            )


def _same(arm: TriggerArm, fingerprint: str) -> bool:
    return arm.skill_fingerprint == fingerprint


def _judged(
    results: TriggerResults | None, measured: list[TriggerArm], key: str, floor: float
) -> tuple[RuleOutcome, Share, str]:
    unknown = Share(estimate=None, n=0)
    if results is None or not measured:
        return "undecided", unknown, _OTHER if results else _NO_RESULT
    (arm, *_) = measured
    figure = arm.figures.precision if key == "min_precision" else arm.figures.recall
    asked = [each for each in arm.queries if each.kind == "query"]
    missing = len(asked) - arm.figures.n_decided
    if figure.estimate is None or missing:
        why = (
            f"{missing} of {plural(len(asked), 'query', 'queries')} without a result." if missing else "It is unknown."
        )
        return "undecided", figure, why
    outcome: RuleOutcome = "pass" if figure.estimate >= floor - _CLOSE else "fail"
    than = "at least" if outcome == "pass" else "below"
    shown, limit = percent(figure.estimate), percent(floor)
    if shown == limit and outcome == "fail":
        shown = f"{shown} (to be exact {figure.estimate * 100:.6g} %)"
    interval = f" (95 % interval {percent(figure.low)} to {percent(figure.high)})" if figure.low is not None else ""
    return outcome, figure, f"{shown}{interval} over {plural(figure.n, 'query', 'queries')}; {than} {limit}."
