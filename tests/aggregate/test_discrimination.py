"""The word for an assertion, from verdicts written down by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.discrimination import discrimination
from skilltrial.records.plan import Arm
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial

NEW, OLD, THIRD = "with_skill", "without_skill", "ablated"
SIDES = Contest(Arm(name=NEW, role="treatment"), Arm(name=OLD, role="baseline"))


def word(new: str, old: str, *, third: str | None = None, sides: Contest = SIDES) -> str:
    """Of verdicts like `PPF`, in each arm; what is not P or F has none."""
    arms = {NEW: new, OLD: old, **({} if third is None else {THIRD: third})}
    passed = {name: verdicts.count("P") for name, verdicts in arms.items()}
    graded = {name: verdicts.count("P") + verdicts.count("F") for name, verdicts in arms.items()}
    return discrimination(passed, graded, sides)


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ("PPP", "PPP", "always passes"),
        ("P", "P", "always passes"),
        ("FFF", "FFF", "always fails"),
        ("F", "F", "always fails"),
        ("PPP", "FFF", "helps"),
        ("PPP", "FFP", "helps"),
        ("PPF", "FFF", "helps"),
        ("PP", "FF", "helps"),
        ("FFF", "PPP", "hurts"),
        ("FFF", "PPF", "hurts"),
        ("FFP", "PPP", "hurts"),
        ("PPP", "PPF", "flaky"),
        ("PPF", "PPP", "flaky"),
        ("FFP", "FFF", "flaky"),
        ("FFF", "FFP", "flaky"),
        ("PP", "PF", "flaky"),
        ("PPF", "PFF", "flaky"),
        ("PF", "PF", "no difference"),
        ("PPFF", "PF", "no difference"),
        ("P", "F", "cannot tell"),
        ("PPP", "F", "cannot tell"),
        ("P", "FFF", "cannot tell"),
        ("PF", "P", "cannot tell"),
        ("", "", "cannot tell"),
        ("PPP", "", "cannot tell"),
        ("", "FFF", "cannot tell"),
        ("P", "", "cannot tell"),
    ],
)
def test_two_arms(new: str, old: str, expected: str) -> None:
    """Trials of one arm agree, and those of the other mostly say the opposite: else the verdicts are not that clear."""
    assert word(new, old) == expected


def test_what_has_no_verdict_does_not_count() -> None:
    """Neither as a pass nor as a fail."""
    assert word("PPU", "PUU") == "always passes"
    assert word("PPU", "UUU") == "cannot tell"
    assert word("PUU", "FFF") == "cannot tell"


def test_a_third_arm_is_among_all_and_not_compared() -> None:
    """`always` is said of all arms; the other words are about the two."""
    assert word("PP", "PP", third="PP") == "always passes"
    assert word("PP", "PP", third="FF") == "no difference"
    assert word("PP", "FF", third="PF") == "helps"
    assert word("PP", "PP", third="") == "always passes"


def test_without_a_baseline_only_the_arm_itself_is_told() -> None:
    """There is nothing to be told apart."""
    alone = Contest(SIDES.treatment, None)
    for verdicts, expected in {"PP": "always passes", "FF": "always fails", "PF": "flaky", "P": "cannot tell"}.items():
        counts = {NEW: verdicts.count("P")}, {NEW: len(verdicts)}
        assert discrimination(*counts, alone) == expected


def test_the_benchmark_has_word_weight_and_need(scene: Callable[..., Any]) -> None:
    """Of each assertion, beside its counts; an excluded trial is in none."""

    def weighty(case: Case) -> dict[str, Any]:
        first, *others = case.assertions
        return {"assertions": (first.model_copy(update={"weight": 2.5, "required": True}), *others)}

    def one_lost(trial: Trial) -> dict[str, Any]:
        return {"outcome": "cancelled"} if str(trial.key) == f"a/{OLD}/run-3" else {}

    told = scene({"a": {NEW: ["PPU", "PPU", "PFU"], OLD: ["FPU", "FPU", "FPU"]}})
    made = told.with_cases(weighty).with_trials(one_lost)
    rows = made.benchmark().assertions
    assert [row.discrimination for row in rows] == ["helps", "flaky", "cannot tell"]
    assert [(row.weight, row.required) for row in rows] == [(2.5, True), (1, False), (1, False)]
    assert [dict(row.graded) for row in rows] == [{NEW: 3, OLD: 2}, {NEW: 3, OLD: 2}, {NEW: 0, OLD: 0}]
