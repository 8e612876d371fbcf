"""The lift, its word and its reason."""

from __future__ import annotations

import pytest


def table(cells: list[tuple[str, str]]) -> dict[str, dict[str, list[str]]]:
    """One case a pair of treatment and baseline; repeats are separated by spaces."""
    return {f"case-{n}": {"with_skill": a.split(), "without_skill": b.split()} for n, (a, b) in enumerate(cells)}


def test_better(scene) -> None:
    """Five cases won outright: 0.3136444 to 1 (worked out in the test of the interval), exact p = 2/32."""
    lift = scene(table([("P", "F")] * 5)).benchmark().lift
    assert (lift.word, lift.estimate, lift.high) == ("better", 1, 1)
    assert lift.low == pytest.approx(0.3136444, abs=1e-6)
    assert lift.visible == pytest.approx(0.6863556, abs=1e-6)
    assert lift.p_value == pytest.approx(2 / 32)
    assert lift.why == "The whole interval is above 0."


def test_worse(scene) -> None:
    """The same with the arms' results changed."""
    lift = scene(table([("F", "P")] * 5)).benchmark().lift
    assert (lift.word, lift.estimate, lift.low) == ("worse", -1, -1)
    assert lift.why == "The whole interval is below 0."


def test_cannot_tell_within_noise(scene) -> None:
    """One case won, one lost, three even."""
    lift = scene(table([("P", "F"), ("F", "P"), ("P", "P"), ("F", "F"), ("P", "P")])).benchmark().lift
    assert (lift.word, lift.estimate) == ("cannot tell", 0)
    assert lift.why == (
        "The interval holds 0, and also differences beyond the margin of 10 points: neither can be ruled out."
    )


def test_no_difference_needs_the_whole_interval_within_the_margin(scene) -> None:
    """All pass in both: half width t_(E-1) / sqrt(E (E+1)), 0.102 at 20 cases and 0.097 at 21."""
    assert scene(table([("P", "P")] * 20)).benchmark().lift.word == "cannot tell"
    lift = scene(table([("P", "P")] * 21)).benchmark().lift
    assert lift.word == "no difference beyond the margin"
    assert lift.why == "The whole interval is within 10 points of 0."


@pytest.mark.parametrize(("treatment", "baseline"), [("P", "F"), ("F", "P")])
def test_an_interval_that_leaves_the_margin_on_one_side_cannot_tell(scene, treatment, baseline) -> None:
    """Two of 30 cases differ: about 7 points with 10 to either side, so one end is within the margin and one beyond."""
    lift = scene(table([(treatment, baseline)] * 2 + [("P", "P")] * 28)).benchmark().lift
    ends = sorted([abs(lift.low), abs(lift.high)])
    assert ends[0] < lift.margin < ends[1]
    assert lift.word == "cannot tell"


def test_the_margin_is_the_callers(scene) -> None:
    """A wider margin forgives more."""
    lift = scene(table([("P", "P")] * 8)).benchmark(margin=0.3).lift
    assert (lift.word, lift.margin) == ("no difference beyond the margin", 0.3)


def test_one_case_cannot_tell(scene) -> None:
    """There is an estimate and an exact p (2/20), but no interval."""
    lift = scene(table([("P P P", "F F F")])).benchmark().lift
    assert (lift.word, lift.estimate, lift.low, lift.visible) == ("cannot tell", 1, None, None)
    assert lift.p_value == pytest.approx(0.1)
    assert lift.why == "One case cannot speak for others: an interval needs at least two."


@pytest.mark.parametrize("cell", ["U", "?", "-", "harness_error", "cancelled"])
def test_nothing_graded_cannot_tell(scene, cell) -> None:
    """No verdict, no number, no crash."""
    benchmark = scene(table([(cell, cell)] * 3)).benchmark()
    lift = benchmark.lift
    assert (lift.word, lift.estimate, lift.low, lift.p_value, lift.n_cases) == ("cannot tell", None, None, None, 0)
    assert lift.why == "No case has a verdict on the same assertion in both arms, so there is nothing to compare."
    assert "NaN" not in benchmark.model_dump_json()
    assert "delta" not in benchmark.run_summary


def test_without_a_baseline_there_is_no_lift(scene) -> None:
    """One arm is no comparison: no lift, no comparison, no delta; its own rate stands."""
    made = scene({"one": {"with_skill": ["PF"]}})
    benchmark = made.with_plan(arms=made.plan.arms[:1]).benchmark()
    assert (benchmark.lift, benchmark.comparison) == (None, None)
    assert list(benchmark.run_summary) == ["with_skill"]
    assert benchmark.configs["with_skill"].overall_pass_rate == 0.5
    assert (benchmark.cases[0].treatment, benchmark.cases[0].difference) == (0.5, None)


def test_cases_weigh_equally_whatever_their_repeats(scene) -> None:
    """+1 from one repeat and 0 from four average to 1/2; pooled runs would give 1/5."""
    lift = scene(table([("P", "F"), ("F F F F", "F F F F")])).benchmark().lift
    assert lift.estimate == 0.5
    assert (lift.repeats_min, lift.repeats_max) == (1, 4)


def test_a_case_with_one_arm_is_in_no_difference(scene) -> None:
    """A baseline that did not run is not a baseline that failed."""
    benchmark = scene(table([("P", "F"), ("P", "-"), ("P", "P")])).benchmark()
    assert benchmark.lift.n_cases == 2
    assert benchmark.lift.estimate == 0.5
    assert benchmark.cases[1].difference is None


def test_graded_scores_have_the_same_interval_and_shuffles(scene) -> None:
    """With d = 1/2, 1/2, 0, 0 and u = 1/2, 1/2, 1/2, 0: m2 = (1/2 + 1) / (3/2 + 1) = 0.6; v = (1/2 + 0.6)/5 - (1/5)^2 = 0.18.

    Half width t_3(0.975) sqrt(0.18/4) = 3.1824463 x 0.2121320 = 0.6750988.
    """
    lift = scene(table([("PP", "PF"), ("PP", "PF"), ("PF", "PF"), ("PP", "PP")])).benchmark().lift
    assert lift.method == "regularised paired cluster t"
    assert lift.visible == pytest.approx(0.6750988, abs=1e-6)
    # Two cases can fall either way, and both must be on one side: 2 of 4 relabellings, met by shuffles within 0.02.
    assert lift.p_value == pytest.approx(0.5, abs=0.02)


def test_an_invalid_finding_takes_the_word(scene) -> None:
    """Figures stay, the claim does not: a baseline that had the skill compares nothing."""
    made = scene(table([("P", "F")] * 5))
    leak = made.trials[0].evidence
    lift = made.with_trials(lambda _: {"evidence": leak}).benchmark().lift
    assert (lift.word, lift.estimate) == ("cannot tell", 1)
    assert lift.why == "The comparison itself is not valid (baseline-had-skill); see the findings."


def test_a_statement_that_only_one_arm_can_answer_is_no_lift(scene) -> None:
    """`skill_invoked` holds with the skill and has no meaning without: the neutral skill stays neutral.

    Counted, it would give 2/3 against 1/2 in every case: a lift of 1/6 out of nothing.
    """
    benchmark = scene(table([("PPF", "UPF")] * 5), invoked=True).benchmark()
    assert benchmark.lift.estimate == 0
    assert benchmark.cases[0].treatment == benchmark.cases[0].baseline == 0.5
    assert benchmark.configs["with_skill"].overall_pass_rate == pytest.approx(2 / 3)
    assert [f.severity for f in benchmark.findings if f.code == "one-armed-assertions"] == ["info"]


def test_a_statement_that_lost_one_arm_by_accident_is_a_warning(scene) -> None:
    """A judge that answered for one arm only is not by design."""
    benchmark = scene(table([("PP", "PU")] * 5)).benchmark()
    assert [f.severity for f in benchmark.findings if f.code == "one-armed-assertions"] == ["warning"]


def test_arms_that_share_no_answered_statement_are_not_compared(scene) -> None:
    """A pass on one statement and a failure on another are no difference."""
    benchmark = scene(table([("PU", "UF")] * 3)).benchmark()
    assert benchmark.lift.n_cases == 0
    assert benchmark.cases[0].difference is None
    assert len(benchmark.runs) == 6


def test_flat_pass_in_both_arms_is_no_evidence_of_harm_or_help(scene) -> None:
    """All pass, all fail: p is 1, the estimate 0."""
    for cell in ("P", "F"):
        lift = scene(table([(cell, cell)] * 4)).benchmark().lift
        assert (lift.estimate, lift.p_value, lift.word) == (0, 1, "cannot tell")


def test_a_gain_of_one_statement_in_nearly_every_case_is_no_certainty(scene) -> None:
    """Five cases gain 1/3 and one gains nothing: with plain t +13 to +42 points; a case like the sixth is not so rare.

    E = 6, sum d = 5/3, sum d^2 = 5/9, sum u = 5/3: m2 = (14/9) / (8/3) = 7/12; v = (5/9 + 7/12)/7 - (5/21)^2 = 0.1060091.
    Half width t_5(0.975) sqrt(v/6) = 2.5705818 x 0.1329217 = 0.3416860, more than the estimate of 5/18 = 0.2777778.
    """
    lift = scene(table([("PPP", "PPF")] * 5 + [("PPP", "PPP")])).benchmark().lift
    assert lift.estimate == pytest.approx(5 / 18)
    assert lift.visible == pytest.approx(0.3416860, abs=1e-6)
    assert lift.word == "cannot tell"
