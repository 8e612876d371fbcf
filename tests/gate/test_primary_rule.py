"""The primary rule."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.gate.comparison import Comparison
from skilltrial.gate.primary import primary_rules
from skilltrial.records.settings import GateSettings
from skilltrial.stats.student_t import t_quantile

ERROR = 0.05


def _compared(distance: float, threshold: float = -0.1, n: int = 10) -> Comparison:
    """An estimate that lies so many standard errors above the threshold."""
    half = t_quantile(0.975, n - 1) * ERROR
    estimate = threshold + distance * ERROR
    return Comparison(
        about=f"{distance}",
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        half_width=half,
        n_cases=n,
        n_clusters=n,
        repeats=(3, 3),
    )


def _outcomes(*distances: float, **settings: Any) -> list[str]:
    used = GateSettings(**settings)
    threshold = 0.0 if used.primary == "improvement" else -used.margin
    compared = [_compared(distance, threshold) for distance in distances]
    return [rule.outcome for rule in primary_rules(compared, used, place="", invalid=())]


def test_one_comparison_is_decided_by_its_interval() -> None:
    """The quantile of t with 9 degrees of freedom is 2.262: just beyond it on either side is decided, within it is not."""
    assert [_outcomes(each) for each in (2.27, 2.25, -2.25, -2.27)] == [
        ["pass"],
        ["undecided"],
        ["undecided"],
        ["fail"],
    ]


def test_improvement_asks_for_more_than_nothing() -> None:
    """The threshold is 0, whatever the margin."""
    assert _outcomes(2.27, primary="improvement") == ["pass"]
    rule = primary_rules([_compared(2.27)], GateSettings(primary="improvement"), place="", invalid=())[0]
    assert (rule.outcome, rule.threshold) == ("undecided", 0.0)


def test_several_comparisons_are_held_to_holm() -> None:
    """A t of 2.4 has p = 0.0199: alone it passes at 0.025, two have 0.0399; beside one of 0.0016 the second step is 0.0199."""
    assert _outcomes(2.4) == ["pass"]
    assert _outcomes(2.4, 2.4) == ["undecided", "undecided"]
    assert _outcomes(4.0, 2.4) == ["pass", "pass"]
    assert _outcomes(-2.4, -2.4) == ["undecided", "undecided"]


def test_why_holm_leaves_a_clear_interval_open_is_said() -> None:
    """The interval alone would look like a pass."""
    rules = primary_rules([_compared(2.4), _compared(2.4)], GateSettings(), place="", invalid=())
    assert "of several comparisons Holm asks each to be clearer" in rules[0].said
    assert rules[0].p_adjusted == pytest.approx(0.0399, abs=2e-4)


def test_no_primary_rule_where_none_is_wanted() -> None:
    """`primary = "none"`."""
    assert _outcomes(-5, primary="none") == []


def test_without_a_baseline_nothing_can_be_told(scene, judged) -> None:
    """One arm: undecided, and what to do."""
    alone = scene({"a": {"with_skill": ["P"]}, "b": {"with_skill": ["P"]}})
    only = alone.with_plan(arms=alone.plan.arms[:1])
    gate = judged(only)
    assert (gate.outcome, gate.exit_code) == ("cannot tell", 4)
    assert "--against FILE" in gate.rules[0].said


def test_all_the_same_takes_21_cases(even, judged) -> None:
    """The documented number: the half-width is t(0.975, E - 1) / sqrt(E (E + 1)), 0.1021 with 20 cases and 0.0971 with 21."""
    assert judged(even(20)).rules[0].outcome == "undecided"
    assert judged(even(21)).rules[0].outcome == "pass"


def test_where_nothing_varies_the_usual_variances_are_planned_with(even, judged) -> None:
    """(0.03 + 0.34 / 2) (t(0.975) + t(0.8))^2 / 0.1^2 = 159 cases at two repeats; and what is enough if all stays as it is."""
    settle = judged(even(20)).rules[0].settle
    assert "about 159 cases in all (139 more) at 2 repeats would settle it with a chance of 80 %." in settle
    assert settle.endswith("21 cases in all are enough if every trial comes out like these.")


def test_a_harm_is_a_regression(scene, judged) -> None:
    """Ten cases that all pass without the skill and fail with it."""
    gate = judged(scene({f"c{i}": {"with_skill": ["F", "F"], "without_skill": ["P", "P"]} for i in range(10)}))
    assert (gate.outcome, gate.exit_code, gate.rules[0].outcome) == ("regression", 1, "fail")
    assert gate.rules[0].figure == -1.0


def test_one_case_says_nothing(even, judged) -> None:
    """No interval, and the planner does not fail."""
    rule = judged(even(1)).rules[0]
    assert (rule.outcome, rule.low) == ("undecided", None)
    assert "needs at least two" in rule.said


def test_an_invalid_comparison_is_undecided_and_a_failed_rule() -> None:
    """Whatever the interval says."""
    rule = primary_rules([_compared(9)], GateSettings(), place="", invalid=("baseline-had-skill",))[0]
    assert (rule.outcome, rule.figure) == ("undecided", None)


def test_the_planner_says_how_many_cases_or_repeats(scene, judged) -> None:
    """Variances of 0.25 and 0.5 within, the usual 0.03 between as for all designs of few cases.

    Cases: (0.03 + 0.375) (2.0066 + 0.8486)^2 / 0.25^2 = 52.8 with 52 degrees of freedom. Repeats: 0.75 over
    8 (0.25 / (2.3646 + 0.8960))^2 - 0.03 = 0.0170 makes 44.04.
    """
    table = {
        f"c{i}": {"with_skill": ["P", "F"] if i % 2 else ["P", "P"], "without_skill": ["P", "F"]} for i in range(8)
    }
    settle = judged(scene(table), primary="improvement").rules[0].settle
    assert "about 53 cases in all (45 more) at 2 repeats or 45 repeats of the 8 cases would settle it" in settle
    assert "like these" not in settle


def test_repeats_are_not_advised_where_they_cannot_decide(even, judged) -> None:
    """Ten cases that all pass: the interval keeps its width however often they are repeated."""
    assert "repeats of" not in judged(even(10)).rules[0].settle
