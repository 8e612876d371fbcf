"""How far the judge of an iteration can be trusted: agreement with people, its own consistency, and what else moves it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.aggregate.corrections import CALIBRATED, NOTED, corrected_lift_of, corrected_rates
from skilltrial.aggregate.labels import JudgedItem, Labels, Said, judged_items, match_labels
from skilltrial.aggregate.scores import CaseScores
from skilltrial.records.calibration import Agreement, Calibration, Consistency, CorrectedRate, Figure, Standing
from skilltrial.records.estimate import Lift
from skilltrial.records.grading import Vote
from skilltrial.records.journal import PersonVerdict
from skilltrial.stats.agreement import (
    bootstrap_interval,
    cohen_kappa,
    confusion,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from skilltrial.stats.judge_correction import LEAST_SKILL
from skilltrial.stats.partial_correlation import class_sums, within_correlation
from skilltrial.stats.wilson import wilson

Floats = npt.NDArray[np.float64]
_SAID: tuple[Said, Said] = ("PASS", "FAIL")


class _Pair(NamedTuple):
    """An item on which people and a judge have a verdict."""

    item: JudgedItem
    person: Said
    judge: Said


def calibrate(
    census: Census,
    sides: Contest,
    *,
    scores: Sequence[CaseScores],
    lift: Lift | None,
    said: Sequence[PersonVerdict],
    iteration: int,
    seed: int,
) -> Calibration | None:
    """What people's verdicts say of the judge; None where no judge has a verdict. `seed` is for the intervals."""
    items = judged_items(census)
    if not items:
        return None
    labels = match_labels(items, said, iteration=iteration)
    truths = [labels.truths.get(item.looked) if item.looked else None for item in items]
    known = [(item, truth) for item, truth in zip(items, truths, strict=True) if truth and truth.verdict]
    pairs = [_Pair(item, truth.verdict, item.verdict) for item, truth in known if truth.verdict]
    n_drawn = sum(truth.drawn for _item, truth in known)
    rates = corrected_rates(census, items, labels)
    corrected, remarks = corrected_lift_of(census, sides, scores=scores, lift=lift, items=items, labels=labels)
    whole = all(rate.method == "PPI++" for rate in rates)
    standing = _standing(len(pairs), n_drawn, whole=whole)
    draw = np.random.default_rng(abs(seed)).spawn(3)
    return Calibration(
        standing=standing,
        banner=_banner(census, items, n_labels=len(pairs), standing=standing, labels=labels),
        n_judged=len(items),
        n_labels=len(pairs),
        n_drawn=n_drawn,
        n_unsure=sum(truth is not None and truth.verdict is None for truth in truths),
        n_outdated=labels.n_outdated,
        n_sighted=labels.n_sighted,
        people=tuple(sorted(labels.votes)),
        people_alpha=_people_alpha(labels),
        agreements=tuple(_agreements(pairs, draw[0])) if pairs else (),
        consistency=tuple(_consistency(items)),
        length_effect=_effect(pairs, lambda item: math.log1p(item.n_chars), draw[1]),
        position_effect=_effect(pairs, lambda item: item.position, draw[2]),
        rates=rates,
        lift=corrected,
        remarks=(*remarks, *_refused(rates, n_labels=len(pairs), n_drawn=n_drawn)),
    )


def _refused(rates: Sequence[CorrectedRate], *, n_labels: int, n_drawn: int) -> Iterator[str]:
    if n_labels >= NOTED > n_drawn and any(rate.method == "none" for rate in rates):
        yield (
            "The labels were not drawn for this judge, and by them it is near chance (sensitivity and specificity add up to "
            f"less than {LEAST_SKILL}), or they are all alike: nothing is corrected."
        )


def _standing(n_labels: int, n_drawn: int, *, whole: bool) -> Standing:
    if n_drawn >= CALIBRATED and whole:
        return "calibrated"
    return "noted" if n_labels >= NOTED else "uncalibrated"


def _banner(census: Census, items: Sequence[JudgedItem], *, n_labels: int, standing: Standing, labels: Labels) -> str:
    n_results = sum(entry.grading.n_passed + entry.grading.n_failed for entry in census.entries)
    share = f"{len(items):,} of {n_results:,} verdicts are a judge's"
    if not any(item.looked for item in items):
        return (
            f"Uncalibrated judge: {share}, of a grading that does not say what was judged, so that nobody can check it: "
            "`skilltrial grade` with --judge makes one that does."
        )
    if standing != "calibrated" and any(truth.drawn_before for truth in labels.truths.values()):
        return (
            f"The judge needs to be calibrated anew: {share}, and it or its prompt has changed since people's labels were "
            "drawn. `skilltrial label` draws for the judge of now."
        )
    if standing == "uncalibrated":
        have = f"only {n_labels} of them {'has' if n_labels == 1 else 'have'}" if n_labels else "none of them has"
        return (
            f"Uncalibrated judge: {share}, and {have} a person's verdict beside it, so how often it errs is not known: "
            f"`skilltrial label` asks for {NOTED} or more."
        )
    return ""


def _agreements(pairs: Sequence[_Pair], rng: np.random.Generator) -> Iterator[Agreement]:
    names = dict.fromkeys(pair.item.judge_name for pair in pairs)
    yield _agreement(", ".join(names), pairs, rng)
    seats = dict.fromkeys(vote.judge for pair in pairs for vote in pair.item.result.votes)
    for seat in seats if len(seats) > 1 else ():
        own = [
            pair._replace(judge=opinion)
            for pair in pairs
            if (opinion := _opinion([vote for vote in pair.item.result.votes if vote.judge == seat])) is not None
        ]
        if own:
            yield _agreement(seat, own, rng)


def _agreement(judge: str, pairs: Sequence[_Pair], rng: np.random.Generator) -> Agreement:
    """Rows of the tables are people's."""
    clusters: defaultdict[tuple[bool, str], list[_Pair]] = defaultdict(list)
    for pair in pairs:
        clusters[pair.item.cluster].append(pair)
    tables = np.stack(
        [confusion([each.person for each in own], [each.judge for each in own], _SAID) for own in clusters.values()]
    )
    table = tables.sum(axis=0)
    (both_pass, judge_fails), (judge_passes, both_fail) = table.astype(int).tolist()
    interval = wilson(both_pass + both_fail, len(pairs))
    return Agreement(
        judge=judge,
        n=len(pairs),
        both_pass=both_pass,
        both_fail=both_fail,
        judge_passes=judge_passes,
        judge_fails=judge_fails,
        raw=Figure(estimate=float(raw_agreement(table)), low=interval.low, high=interval.high),
        kappa=_figure(tables, cohen_kappa, rng),
        ac1=_figure(tables, gwet_ac1, rng),
    )


def _figure(tables: Floats, figure: Callable[[Floats], Floats], rng: np.random.Generator) -> Figure:
    """A figure of the summed tables, one a case or family; without an estimate there is no interval either."""
    estimate = float(figure(tables.sum(axis=0)))
    if math.isnan(estimate):
        return Figure(estimate=None)
    interval = bootstrap_interval(tables, figure, rng)
    return Figure(estimate=estimate, low=interval.low if interval else None, high=interval.high if interval else None)


def _opinion(votes: Sequence[Vote]) -> Said | None:
    """Of one judge: what more than half of its samples say."""
    counts = Counter(vote.verdict for vote in votes)
    return next((said for said in _SAID if counts[said] * 2 > len(votes)), None)


def _consistency(items: Sequence[JudgedItem]) -> Iterator[Consistency]:
    """Of each judge with the same question put to it at least twice; samples without a verdict say nothing here."""
    same: defaultdict[str, list[bool]] = defaultdict(list)
    for item in items:
        for seat in dict.fromkeys(vote.judge for vote in item.result.votes):
            said = [vote.verdict for vote in item.result.votes if vote.judge == seat and vote.verdict != "UNGRADED"]
            if len(said) > 1:
                same[seat].append(len(set(said)) == 1)
    for seat, alike in same.items():
        interval = wilson(sum(alike), len(alike))
        rate = Figure(estimate=sum(alike) / len(alike), low=interval.low, high=interval.high)
        yield Consistency(judge=seat, n=len(alike), unanimous=rate)


def _effect(pairs: Sequence[_Pair], of: Callable[[JudgedItem], float], rng: np.random.Generator) -> Figure | None:
    """Correlation of the judge's PASS with a number, people's verdict held equal; None where either does not vary."""
    clusters: defaultdict[tuple[bool, str], list[_Pair]] = defaultdict(list)
    for pair in pairs:
        clusters[pair.item.cluster].append(pair)
    if not clusters:
        return None
    sums = [
        class_sums(
            [of(pair.item) for pair in own],
            [float(pair.judge == "PASS") for pair in own],
            [pair.person for pair in own],
            order=_SAID,
        )
        for own in clusters.values()
    ]
    found = _figure(np.stack(sums), within_correlation, rng)
    return found if found.estimate is not None else None


def _people_alpha(labels: Labels) -> float | None:
    if len(labels.votes) < 2:  # noqa: PLR2004 - one person agrees with itself
        return None
    return krippendorff_alpha(
        [
            [None if looked not in own else float(own[looked] == "PASS") for looked in labels.truths]
            for own in labels.votes.values()
        ]
    )
