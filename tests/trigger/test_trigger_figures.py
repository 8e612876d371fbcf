"""Recall, precision, F1 and accuracy with intervals."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from skilltrial.records.trigger_results import QueryResult, Share
from skilltrial.trigger.figures import trigger_figures


def result(number: int, *, should: bool, loaded: int, runs: int, kind: str = "query") -> QueryResult:
    """What came of a query."""
    return QueryResult.model_validate(
        {
            "id": f"q{number}",
            "query": f"query {number}",
            "should_trigger": should,
            "kind": kind,
            "n_planned": runs,
            "n_loaded": loaded,
            "n_not_loaded": runs - loaded,
            "rate": Share(estimate=loaded / runs if runs else None, n=runs),
            "passes": (loaded / runs >= 0.5) is should if runs else None,
        }
    )


def test_four_queries_by_hand() -> None:
    """R = (1 + 1/2) / 2 = 3/4, F = (0 + 1/2) / 2 = 1/4; hits 3/2, false loads 1/2."""
    found = trigger_figures(
        [
            result(1, should=True, loaded=4, runs=4),
            result(2, should=True, loaded=2, runs=4),
            result(3, should=False, loaded=0, runs=4),
            result(4, should=False, loaded=2, runs=4),
            result(5, should=True, loaded=0, runs=4, kind="canary"),
            result(6, should=True, loaded=0, runs=0),
        ]
    )
    assert found.recall.estimate == pytest.approx(0.75)
    assert found.false_positives.estimate == pytest.approx(0.25)
    assert found.precision.estimate == pytest.approx(1.5 / 2)
    assert found.f1.estimate == pytest.approx(2 * 0.75 * 0.75 / 1.5)
    assert found.accuracy.estimate == pytest.approx(0.75)
    assert (found.n_passed, found.n_decided) == (3, 4)
    assert (found.recall.n, found.precision.n) == (2, 4)


def test_one_class_alone_has_no_precision() -> None:
    """Recall is known, what needs the other class is not; nothing is zero."""
    found = trigger_figures([result(number, should=True, loaded=3, runs=3) for number in range(5)])
    assert found.recall.estimate == 1.0
    assert found.recall.low is not None
    assert 0 < found.recall.low < 1
    assert [found.precision.estimate, found.f1.estimate, found.accuracy.estimate] == [None, None, None]
    assert found.false_positives == Share(estimate=None, n=0)


def test_a_skill_that_is_never_loaded_has_no_precision() -> None:
    """0 of 0 loads were right: unknown. Recall and F1 are 0."""
    rows = [result(number, should=number < 3, loaded=0, runs=3) for number in range(6)]
    found = trigger_figures(rows)
    assert found.precision.estimate is None
    assert (found.recall.estimate, found.f1.estimate, found.accuracy.estimate) == (0.0, 0.0, 0.5)


def test_intervals_hold_as_often_as_they_say() -> None:
    """A stand-in with known rates, 20 queries of 3 runs, 200 times: the truth is inside at least 95 % of the time."""
    rng = random.Random(20261201)
    chances = [(True, 0.95 - 0.08 * number) for number in range(10)] + [(False, 0.04 * number) for number in range(10)]
    recall = sum(chance for should, chance in chances if should) / 10
    spill = sum(chance for should, chance in chances if not should) / 10
    truth = {
        "recall": recall,
        "false_positives": spill,
        "precision": recall / (recall + spill),
        "f1": 2 * recall / (1 + recall + spill),
        "accuracy": (recall + 1 - spill) / 2,
    }
    inside = dict.fromkeys(truth, 0)
    for _ in range(200):
        rows = [
            result(number, should=should, loaded=sum(rng.random() < chance for _ in range(3)), runs=3)
            for number, (should, chance) in enumerate(chances)
        ]
        found = trigger_figures(rows)
        for name, value in truth.items():
            share: Share = getattr(found, name)
            assert share.low is not None
            assert share.high is not None
            inside[name] += share.low <= value <= share.high
    assert all(count >= 190 for count in inside.values()), inside


Chance = Callable[[random.Random], float]


def some(share: float) -> Chance:
    """So many of the queries always, the others never."""
    return lambda rng: float(rng.random() < share)


def between(a: float, b: float) -> Chance:
    """Chances of a beta distribution, with the mean a / (a + b)."""
    return lambda rng: rng.betavariate(a, b)


@pytest.mark.parametrize(
    ("wanted", "unwanted", "recall", "spill"),
    [
        (some(0.85), some(0.1), 0.85, 0.1),
        (some(0.6), some(0.4), 0.6, 0.4),
        (between(4, 1), between(1, 4), 0.8, 0.2),
    ],
    ids=["each query always or never", "the same, nearer to each other", "chances between"],
)
@pytest.mark.parametrize("n_each", [5, 10])
def test_intervals_are_for_queries_like_these(
    wanted: Chance, unwanted: Chance, recall: float, spill: float, n_each: int
) -> None:
    """200 small sets, their queries drawn anew, with 1 to 3 results each: the truth is inside 190 times and more.

    Recall and false alarms are at 95 % themselves, so three standard errors of the count, 9, are left to them.
    """
    rng = random.Random(f"{recall} {n_each}")
    truth = {"recall": recall, "false_positives": spill, "precision": recall / (recall + spill)}
    truth |= {"f1": 2 * recall / (1 + recall + spill), "accuracy": (recall + 1 - spill) / 2}
    inside = dict.fromkeys(truth, 0)
    for _ in range(200):
        rows: list[QueryResult] = []
        for number in range(2 * n_each):
            should, runs = number < n_each, rng.choice([1, 2, 3, 3, 3])
            chance = (wanted if should else unwanted)(rng)
            loaded = sum(rng.random() < chance for _ in range(runs))
            rows.append(result(number, should=should, loaded=loaded, runs=runs))
        found = trigger_figures(rows)
        for name, value in truth.items():
            share: Share = getattr(found, name)
            inside[name] += share.low is not None and share.high is not None and share.low <= value <= share.high
    assert min(inside["recall"], inside["false_positives"]) >= 181, inside
    assert min(inside["precision"], inside["f1"], inside["accuracy"]) >= 190, inside
