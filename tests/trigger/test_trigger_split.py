"""Train, validation and test by class."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.optimisation import PartedQuery
from skilltrial.records.trigger import TriggerQuery
from skilltrial.trigger.split import split_queries


def queries(n_wanted: int, n_unwanted: int, **more: Any) -> list[TriggerQuery]:
    """So many of each class, with different texts."""
    wanted = [TriggerQuery(id=f"w{n}", query=f"wanted {n}", should_trigger=True, **more) for n in range(n_wanted)]
    return wanted + [
        TriggerQuery(id=f"u{n}", query=f"not {n}", should_trigger=False, **more) for n in range(n_unwanted)
    ]


def split(of: list[TriggerQuery], *, holdout: float = 0.4, seed: int = 1) -> tuple[PartedQuery, ...]:
    """Split in the usual way."""
    return split_queries(of, skill_name="s", holdout=holdout, seed=seed, where="triggers.json")


def counts(found: tuple[PartedQuery, ...]) -> dict[str, tuple[int, int]]:
    """By part: queries that should load the skill, and others."""
    n = Counter((each.part, each.should_trigger) for each in found)
    return {part: (n[part, True], n[part, False]) for part in ("train", "validation", "test")}


def test_each_class_is_split_by_itself() -> None:
    """Of ten, 0.4 are four; the six left are halved. Of seven: round(2.8) = 3, then 2 and 2."""
    assert counts(split(queries(10, 7))) == {"train": (3, 2), "validation": (3, 2), "test": (4, 3)}
    assert counts(split(queries(6, 6))) == {"train": (2, 2), "validation": (2, 2), "test": (2, 2)}


def test_the_seed_decides_and_nothing_else() -> None:
    """The same seed gives the same parts; another one gives others."""
    of = queries(10, 10)
    assert split(of) == split(of)
    assert len({split(of, seed=seed) for seed in range(5)}) == 5


def test_families_and_near_twins_stay_together() -> None:
    """Two of a family, and two that differ in case and punctuation alone, are in one part for every seed."""
    of = queries(8, 8)
    of[0] = of[0].model_copy(update={"extra": {"family": "f"}})
    of[1] = of[1].model_copy(update={"extra": {"family": "f"}})
    of[9] = of[9].model_copy(update={"query": "Not 0?"})
    for seed in range(20):
        part = {each.id: each.part for each in split(of, seed=seed)}
        assert part["w0"] == part["w1"]
        assert part["u0"] == part["u1"]


def test_the_authors_own_parts_are_taken() -> None:
    """Where each query has one."""
    parts = ["train", "train", "validation", "validation", "test", "test"] * 2
    of = [each.model_copy(update={"split": part}) for each, part in zip(queries(6, 6), parts, strict=True)]
    assert [each.part for each in split(of)] == parts


@pytest.mark.parametrize(
    ("of", "says"),
    [
        (queries(12, 0), "none of the 12 queries should not load the skill"),
        (queries(0, 12), "none of the 12 queries should load the skill"),
        (queries(10, 5), "5 of the queries should not load the skill; train, validation and test need 6, 2 each"),
        (queries(1, 1), "1 of the queries should load the skill"),
    ],
)
def test_sets_too_small_are_refused_with_the_numbers(of: list[TriggerQuery], says: str) -> None:
    """L1: one class only, or a class too small to be in each part."""
    with pytest.raises(SpecError, match=says):
        split(of)


@pytest.mark.parametrize("holdout", [0.0, 1.0])
def test_no_hold_out_is_refused(holdout: float) -> None:
    """L7: said before anything is paid for."""
    with pytest.raises(SpecError, match="it has to be between 0 and 1"):
        split(queries(10, 10), holdout=holdout)


def test_own_parts_without_a_class_are_refused() -> None:
    """The author's test part has nothing that should not load the skill."""
    parts = ["train", "validation", "test"] * 2 + ["train", "validation"] * 3
    of = [each.model_copy(update={"split": part}) for each, part in zip(queries(6, 6), parts, strict=True)]
    with pytest.raises(SpecError, match="test has 0 of the queries that should not"):
        split(of)
