"""What blind comparisons come to: win rates, how steady the judge is, and what else than quality may have moved it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from skilltrial.records.comparison import BlindComparison, ComparedInOrder, Label
from skilltrial.records.preference import ArmPreference, ArmStrength, CasePreference, LengthEffect, Share
from skilltrial.records.trial import TrialKey
from skilltrial.stats.agreement import bootstrap_interval
from skilltrial.stats.bradley_terry import bradley_terry
from skilltrial.stats.families import by_family
from skilltrial.stats.mean_rate import mean_rate
from skilltrial.stats.partial_correlation import class_sums, within_correlation

Floats = npt.NDArray[np.float64]
Families = Mapping[str, str | None]
"""Of cases, by id; cases of one family are one observation."""
_FEW = 3
"""A correlation of fewer comparisons with a winner says nothing."""


class Compared(NamedTuple):
    """A comparison, with which trial is which."""

    comparison: BlindComparison
    labels: Mapping[Label, TrialKey]

    @property
    def case_id(self) -> str:
        """The case of both trials."""
        return self.labels["A"].case_id

    @property
    def arms(self) -> frozenset[str]:
        """Of both trials."""
        return frozenset(key.arm for key in self.labels.values())

    def score(self, arm: str) -> float:
        """1 where this arm won, 0 where the other did, 1/2 for a tie."""
        winner = self.comparison.winner
        return 0.5 if winner is None or winner == "TIE" else float(self.labels[winner].arm == arm)


def preferences(
    compared: Sequence[Compared], arms: Sequence[tuple[str, str]], families: Families
) -> tuple[ArmPreference, ...]:
    """The win rate of the first arm of each two, over cases."""
    return tuple(_preference(compared, *pair, families) for pair in arms)


def order_consistency(compared: Sequence[Compared], families: Families) -> Share:
    """How many have the same verdict in both orders."""
    return share_of(
        ((each.case_id, len({order.winner for order in orders}) == 1) for each, orders in _in_orders(compared)),
        families,
    )


def first_won(compared: Sequence[Compared], families: Families) -> Share:
    """Of the verdicts of one order that name a winner: how many name the output that was shown first."""
    return share_of(
        (
            (each.case_id, order.winner == order.first)
            for each, orders in _in_orders(compared)
            for order in orders
            if order.winner != "TIE"
        ),
        families,
    )


def length_effect(compared: Sequence[Compared], families: Families, *, seed: int) -> LengthEffect:
    """How the winner goes with the length, whichever arm is which.

    The correlation is of log(length of A / length of B) with 1, 0 or -1 for A's verdict, where each comparison counts in both
    ways round, so that it does not depend on the labels; its interval is a bootstrap over cases (families). None of fewer
    than three comparisons with a winner.
    """
    rows = [(each, _log_ratio(each), 2 * each.score(each.labels["A"].arm) - 1) for each in compared]
    known = [(each, ratio, verdict) for each, ratio, verdict in rows if ratio is not None]
    longer = share_of(
        ((each.case_id, ratio * verdict > 0) for each, ratio, verdict in known if ratio and verdict), families
    )
    if longer.of < _FEW:
        return LengthEffect(r=None, longer_won=longer)
    clusters: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for each, ratio, verdict in known:
        clusters[_cluster(each.case_id, families)] += [(ratio, verdict), (-ratio, -verdict)]
    tables: Floats = np.stack(
        [
            class_sums([x for x, _ in points], [y for _, y in points], [0] * len(points), order=[0])
            for points in clusters.values()
        ]
    )
    r = float(within_correlation(tables.sum(axis=0)))
    interval = bootstrap_interval(tables, within_correlation, np.random.default_rng(abs(seed)))
    return LengthEffect(
        r=None if math.isnan(r) else r,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        longer_won=longer,
    )


def strengths(
    compared: Sequence[Compared], arms: Sequence[str], families: Families, *, seed: int
) -> tuple[ArmStrength, ...]:
    """More than two arms on one scale (`stats.bradley_terry`); empty of two, or where no chain of comparisons links them."""
    clusters = list(dict.fromkeys(_cluster(each.case_id, families) for each in compared))
    if len(arms) < 3 or not clusters:  # noqa: PLR2004 - two have a win rate
        return ()
    wins: Floats = np.zeros((len(clusters), len(arms), len(arms)))
    ties: Floats = np.zeros(wins.shape)
    for each in compared:
        case = clusters.index(_cluster(each.case_id, families))
        i, j = (arms.index(each.labels[label].arm) for label in ("A", "B"))
        match each.comparison.winner:
            case "A":
                wins[case, i, j] += 1
            case "B":
                wins[case, j, i] += 1
            case _:
                ties[case, i, j] += 1
                ties[case, j, i] += 1
    try:
        ranking = bradley_terry(wins, ties, rng=np.random.default_rng(abs(seed)))
    except ValueError:
        return ()  # arms that nothing links have no common scale
    return tuple(
        ArmStrength(
            arm=arm,
            log_strength=each.log_strength,
            low=each.interval.low if each.interval else None,
            high=each.interval.high if each.interval else None,
        )
        for arm, each in zip(arms, ranking.strengths, strict=True)
    )


def share_of(items: Iterable[tuple[str, bool]], families: Families) -> Share:
    """Of items (case, yes or no): counts, and the mean over cases of their shares with its interval."""
    by_case: defaultdict[str, list[float]] = defaultdict(list)
    for case_id, yes in items:
        by_case[case_id].append(float(yes))
    mean = mean_rate(_means(by_case, families))
    return Share(
        n=int(sum(map(sum, by_case.values()))),
        of=sum(map(len, by_case.values())),
        mean=mean.estimate,
        low=mean.interval.low if mean.interval else None,
        high=mean.interval.high if mean.interval else None,
    )


def _preference(compared: Sequence[Compared], arm: str, against: str, families: Families) -> ArmPreference:
    by_case: defaultdict[str, list[float]] = defaultdict(list)
    for each in compared:
        if each.arms == frozenset((arm, against)):
            by_case[each.case_id].append(each.score(arm))
    rate = mean_rate(_means(by_case, families))
    return ArmPreference(
        arm=arm,
        against=against,
        cases=tuple(
            CasePreference(case_id=case_id, wins=scores.count(1), ties=scores.count(0.5), losses=scores.count(0))
            for case_id, scores in by_case.items()
        ),
        win_rate=rate.estimate,
        low=rate.interval.low if rate.interval else None,
        high=rate.interval.high if rate.interval else None,
    )


def _means(by_case: Mapping[str, Sequence[float]], families: Families) -> list[float]:
    means = [math.fsum(scores) / len(scores) for scores in by_case.values()]
    return by_family(means, [families.get(case_id) for case_id in by_case])


def _cluster(case_id: str, families: Families) -> str:
    family = families.get(case_id)
    return f"case {case_id}" if family is None else f"family {family}"


def _in_orders(compared: Sequence[Compared]) -> Iterator[tuple[Compared, Sequence[ComparedInOrder]]]:
    for each in compared:
        facts = each.comparison.skilltrial
        if facts and len(facts.orders) > 1:
            yield each, facts.orders


def _log_ratio(each: Compared) -> float | None:
    facts = each.comparison.skilltrial
    lengths = [facts.n_chars.get(label) if facts else None for label in ("A", "B")]
    if lengths[0] is None or lengths[1] is None:
        return None
    return math.log1p(lengths[0]) - math.log1p(lengths[1])
