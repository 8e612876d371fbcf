"""Pass rates and lift as people would have judged them, from their verdicts on a part of what the judge saw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry
from skilltrial.aggregate.labels import JudgedItem, Labels, Said
from skilltrial.aggregate.scores import CaseScores, usable
from skilltrial.records.calibration import CorrectedRate, Figure
from skilltrial.records.estimate import Lift
from skilltrial.records.trial import TrialKey
from skilltrial.stats.families import by_family
from skilltrial.stats.judge_correction import (
    Corrected,
    Groups,
    corrected_lift,
    ppi_mean,
    rogan_gladen,
    stratum_weights,
)
from skilltrial.stats.wilson import wilson

NOTED = 30
"""Labels from which figures are corrected, as a note."""
CALIBRATED = 60
"""Labels from which the corrected figures stand beside the headline."""


class _Labelled(NamedTuple):
    item: JudgedItem
    person: Said


class _Slot(NamedTuple):
    """How many of a trial's results are compared, and in how many trials of its case and arm."""

    n_results: int
    n_trials: int


def corrected_rates(census: Census, items: Sequence[JudgedItem], labels: Labels) -> tuple[CorrectedRate, ...]:
    """One an arm with judged assertions. Method `none` with too few labels, or with none in a stratum of the arm."""
    drawn, known = _labelled(items, labels, drawn=True), _labelled(items, labels, drawn=False)
    rates: list[CorrectedRate] = []
    for arm in census.arms:
        own = [item for item in items if item.key.arm == arm.name]
        if not own:
            continue
        labelled = [each for each in drawn if each.item.key.arm == arm.name]
        found: Corrected | None = None
        is_ppi = len(drawn) >= NOTED
        if is_ppi:
            found = _rate(own, labelled)
        elif len(known) >= NOTED:
            labelled, found = known, _rate_of_error(own, known)
        rates.append(
            CorrectedRate(
                arm=arm.name,
                judged=sum(item.verdict == "PASS" for item in own) / len(own),
                n_judged=len(own),
                n_labels=len(labelled),
                corrected=_figure(found, lowest=0.0),
                method="none" if found is None else "PPI++" if is_ppi else "Rogan-Gladen",
            )
        )
    return tuple(rates)


def corrected_lift_of(
    census: Census,
    sides: Contest,
    *,
    scores: Sequence[CaseScores],
    lift: Lift | None,
    items: Sequence[JudgedItem],
    labels: Labels,
) -> tuple[Figure | None, tuple[str, ...]]:
    """The lift with people's verdicts in the judge's place, and remarks on what cannot be corrected.

    Cases of one family are one observation, as in the lift itself.
    """
    rows = usable(scores)
    drawn = _labelled(items, labels, drawn=True)
    if len(drawn) < NOTED or lift is None or not rows:
        return None, ()
    names = {arm.name for arm in sides.arms}
    sizes = Counter(item.stratum for item in items if item.key.arm in names)
    drawn = [each for each in drawn if each.item.key.arm in names]
    counts = Counter(each.item.stratum for each in drawn)
    silent = [stratum for stratum in sizes if not counts[stratum]]
    if silent:
        return None, tuple(
            f"No label is on what the judge says {stratum.judge} of in {stratum.arm} ({sizes[stratum]} assertions), so "
            "nothing is corrected there: label more."
            for stratum in silent
        )
    slots = _slots(census, rows)
    sums: defaultdict[str, float] = defaultdict(float)
    for item, person in drawn:
        slot = slots.get(item.key)
        if slot is None or any(each.id == item.result.id for each in _row(rows, item).one_armed):
            continue
        error = int(person == "PASS") - int(item.verdict == "PASS")
        sign = 1 if item.key.arm == lift.treatment else -1
        stands_for = sizes[item.stratum] / counts[item.stratum]
        sums[item.key.case_id] += sign * error * stands_for / (slot.n_results * slot.n_trials)
    families = [row.case.family for row in rows]
    found = corrected_lift(
        by_family([row.difference or 0.0 for row in rows], families),
        by_family([sums[row.case.id] for row in rows], families),
        n_labels=len(drawn),
        least_half_width=lift.visible or 0.0,
    )
    return _figure(found, lowest=-1.0), ()


def _labelled(items: Sequence[JudgedItem], labels: Labels, *, drawn: bool) -> list[_Labelled]:
    """The items on which people have a verdict; with `drawn` those alone that were drawn for this judge."""
    found: list[_Labelled] = []
    for item in items:
        truth = labels.truths.get(item.looked) if item.looked else None
        if truth and truth.verdict and (truth.drawn or not drawn):
            found.append(_Labelled(item, truth.verdict))
    return found


def _rate(own: Sequence[JudgedItem], labelled: Sequence[_Labelled]) -> Corrected | None:
    sizes = Counter(item.stratum for item in own)
    try:
        weights = stratum_weights([each.item.stratum for each in labelled], sizes)
    except ValueError:  # nobody looked at one of the strata
        return None
    passed = [float(each.person == "PASS") for each in labelled]
    found = ppi_mean(
        passed,
        [float(each.item.verdict == "PASS") for each in labelled],
        [float(item.verdict == "PASS") for item in own],
        weights=weights,
        groups=Groups(labelled=[each.item.cluster for each in labelled], rest=[item.cluster for item in own]),
    )
    if found.interval is None or found.interval.high > found.interval.low:
        return found
    # Labels that all say the same do not show how they vary; Wilson's interval knows how few they are.
    return Corrected(
        estimate=found.estimate,
        interval=wilson(int(sum(passed)), len(passed)),
        n_labels=len(passed),
        tuning=found.tuning,
    )


def _rate_of_error(own: Sequence[JudgedItem], known: Sequence[_Labelled]) -> Corrected | None:
    passes = [each for each in known if each.person == "PASS"]
    fails = [each for each in known if each.person == "FAIL"]
    return rogan_gladen(
        sum(item.verdict == "PASS" for item in own),
        len(own),
        right_passes=sum(each.item.verdict == "PASS" for each in passes),
        n_passes=len(passes),
        right_fails=sum(each.item.verdict == "FAIL" for each in fails),
        n_fails=len(fails),
    )


def _slots(census: Census, rows: Sequence[CaseScores]) -> Mapping[TrialKey, _Slot]:
    """Of the trials that the scores are made of, as `scores` counts them."""
    one_armed = {row.case.id: {each.id for each in row.one_armed} for row in rows}
    sizes = {
        entry.key: n
        for entry in census.counted
        if entry.case.id in one_armed and (n := _n(entry, one_armed[entry.case.id]))
    }
    trials = Counter((key.case_id, key.arm) for key in sizes)
    return {key: _Slot(n, trials[key.case_id, key.arm]) for key, n in sizes.items()}


def _n(entry: Entry, left_out: set[str]) -> int:
    return sum(each.verdict != "UNGRADED" and each.id not in left_out for each in entry.grading.results)


def _row(rows: Sequence[CaseScores], item: JudgedItem) -> CaseScores:
    return next(row for row in rows if row.case.id == item.key.case_id)


def _figure(found: Corrected | None, *, lowest: float) -> Figure:
    """Within what the figure can be."""
    if found is None:
        return Figure(estimate=None)

    def inside(value: float) -> float:
        return min(max(value, lowest), 1.0)

    if found.interval is None:
        return Figure(estimate=inside(found.estimate))
    return Figure(estimate=inside(found.estimate), low=inside(found.interval.low), high=inside(found.interval.high))
