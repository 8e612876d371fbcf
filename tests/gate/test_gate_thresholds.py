"""Floors, ceilings, golden cases, findings."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.errors import SpecError
from skilltrial.gate.judgement import judge_gate
from skilltrial.records.budget import Decision, Stop
from skilltrial.records.gate import Gate, Rule
from skilltrial.records.settings import GateSettings
from skilltrial.records.trigger_results import QueryResult, Share, TriggerArm, TriggerResults
from skilltrial.trigger.figures import trigger_figures


def _rule(gate: Gate, name: str) -> Rule:
    return next(rule for rule in gate.rules if rule.name == name)


def _outcome(gate: Gate, name: str) -> str:
    return _rule(gate, name).outcome


def test_the_pass_rate_is_the_mean_over_cases(scene, judged) -> None:
    """Cases of 1 and 1/2 make 3/4, which is at least 0.75 and below 0.76."""
    two = scene(
        {"a": {"with_skill": ["P", "P"], "without_skill": ["P"]}, "b": {"with_skill": ["PF"], "without_skill": ["PF"]}}
    )
    assert _outcome(judged(two, primary="none", min_pass_rate=0.75), "min_pass_rate") == "pass"
    found = _rule(judged(two, primary="none", min_pass_rate=0.76), "min_pass_rate")
    assert (found.outcome, found.figure, found.threshold, found.place) == ("fail", 0.75, 0.76, "skilltrial.toml:13")


def test_a_figure_just_beside_its_threshold_is_not_rounded_onto_it(scene, judged) -> None:
    """Two thirds are 66.6667 %, which is below 0.667."""
    gate = judged(scene({"a": {"with_skill": ["PPF"], "without_skill": ["PPP"]}}), primary="none", min_pass_rate=0.667)
    said = _rule(gate, "min_pass_rate").said
    assert said == "67 % (to be exact 66.6667 %) of assertions hold, mean over cases; below 67 %."


def test_ceilings_are_about_the_mean_trial(even, judged) -> None:
    """Trials of the treatment take 30 seconds and 2 cents."""
    gate = judged(even(2), primary="none", max_seconds=30, max_cost_usd=0.019)
    assert (_outcome(gate, "max_seconds"), _outcome(gate, "max_cost_usd")) == ("pass", "fail")


def test_an_unknown_cost_is_neither_a_pass_nor_a_fail(even, judged) -> None:
    """Not of one trial in four either."""
    unknown = even(2).with_trials(lambda trial: {"cost_usd": None} if str(trial.key) == "c0/with_skill/run-1" else {})
    gate = judged(unknown, primary="none", max_cost_usd=5)
    assert (_outcome(gate, "max_cost_usd"), gate.exit_code) == ("undecided", 4)
    assert _rule(gate, "max_cost_usd").said == "Known of 3 of 4 graded trials."


def test_ratios_use_their_interval(even, judged) -> None:
    """Every case takes 1.5 times as long, so the interval is that point."""
    gate = judged(even(3), primary="none", max_seconds_ratio=1.5 + 1e-9, max_cost_ratio=0.99, max_tokens_ratio=2.5)
    assert (_outcome(gate, "max_seconds_ratio"), _outcome(gate, "max_cost_ratio")) == ("pass", "fail")


def test_a_ratio_whose_interval_holds_the_ceiling_is_undecided(even, judged) -> None:
    """One case takes 1 and another 4 times as long."""
    times = {"c0": 20_000, "c1": 80_000, "c2": 40_000}
    apart = even(3).with_trials(
        lambda trial: {"duration_ms": times[trial.key.case_id]} if trial.key.arm == "with_skill" else {}
    )
    assert _outcome(judged(apart, primary="none", max_seconds_ratio=2.1), "max_seconds_ratio") == "undecided"


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        (["P", "P"], "pass"),
        (["P", "F"], "fail"),
        (["PU", "PP"], "undecided"),
        (["P", "-"], "undecided"),
        (["F", "harness_error"], "fail"),
        (["harness_error"], "undecided"),
        (["timed_out:F", "P"], "fail"),
    ],
)
def test_a_golden_case_passes_in_every_trial_or_not(scene, judged, cells: list[str], outcome: str) -> None:
    """A trial without a result or a verdict is no pass; one that failed is enough."""
    other = ["FF"] if "PU" in cells else ["F"]
    found = scene({"gold": {"with_skill": cells, "without_skill": other}})
    assert _outcome(judged(found, primary="none", golden=("gold",)), "golden") == outcome


def test_a_golden_case_that_is_not_there_is_a_mistake(even, judged) -> None:
    """With the one that was meant."""
    with pytest.raises(SpecError, match=r"skilltrial.toml:6: gate.golden names 'cc1', .* Did you mean 'c1'\?"):
        judged(even(2), golden=("cc1",))


def test_ungraded_assertions_have_a_ceiling(scene, judged) -> None:
    """One of four has no verdict."""
    found = scene({"a": {"with_skill": ["PU"], "without_skill": ["PP"]}})
    assert _rule(judged(found, primary="none", max_ungraded=0.25), "max_ungraded").outcome == "pass"
    assert _rule(judged(found, primary="none", max_ungraded=0.2), "max_ungraded").figure == 0.25
    assert _outcome(judged(found, primary="none", max_ungraded=0.2), "max_ungraded") == "fail"


def test_triggering_is_unknown_without_its_result(even, judged) -> None:
    """Cannot tell, and says why."""
    gate = judged(even(2), primary="none", trigger={"min_recall": 0.9})
    assert (_outcome(gate, "trigger.min_recall"), gate.exit_code) == ("undecided", 4)


def _triggers(scene: Any, *counts: tuple[bool, int, int], fingerprint: str | None = None) -> TriggerResults:
    """Results of queries: whether they should load the skill, in how many runs they did, and of how many."""
    queries = [
        QueryResult(
            id=f"q{number}",
            query=f"query {number}",
            should_trigger=should,
            n_planned=3,
            n_loaded=loaded,
            n_not_loaded=n - loaded,
            rate=Share(estimate=loaded / n if n else None, n=n),
            passes=(loaded / n >= 0.5) is should if n else None,
        )
        for number, (should, loaded, n) in enumerate(counts)
    ]
    own = scene.plan.arm("with_skill").skill.fingerprint
    arm = TriggerArm(
        name="with_skill",
        description="d",
        skill_fingerprint=own if fingerprint is None else fingerprint,
        queries=tuple(queries),
        figures=trigger_figures(queries),
    )
    return TriggerResults(
        skill_name="s",
        iteration=1,
        created_at="2026-01-01T00:00:00Z",
        plan_digest="d",
        runs=3,
        threshold=0.5,
        arms=(arm,),
        word="all pass",
        why="",
    )


def test_triggering_is_held_to_its_floors(even, judged) -> None:
    """R = (1 + 2/3) / 2 = 83 %, F = (0 + 1/3) / 2; precision = (5/3) / (5/3 + 1/3) = 83 %."""
    scene = even(2)
    found = _triggers(scene, (True, 3, 3), (True, 2, 3), (False, 0, 3), (False, 1, 3))
    gate = judged(scene, triggers=found, primary="none", trigger={"min_recall": 0.9, "min_precision": 0.8})
    assert (_outcome(gate, "trigger.min_recall"), _outcome(gate, "trigger.min_precision")) == ("fail", "pass")
    assert gate.exit_code == 1
    recall = next(rule for rule in gate.rules if rule.name == "trigger.min_recall")
    assert recall.figure == pytest.approx(5 / 6)
    assert recall.said.startswith("83 % (95 % interval ")
    assert recall.said.endswith("over 2 queries; below 90 %.")


def test_triggering_of_another_version_or_in_part_decides_nothing(even, judged) -> None:
    """What was measured is not what is gated; a query without a result may be the one that fails."""
    scene = even(2)
    for found in (
        _triggers(scene, (True, 3, 3), (False, 0, 3), fingerprint="sha256:other"),
        _triggers(scene, (True, 3, 3), (True, 0, 0), (False, 0, 3)),
    ):
        gate = judged(scene, triggers=found, primary="none", trigger={"min_recall": 0.9})
        assert (_outcome(gate, "trigger.min_recall"), gate.exit_code) == ("undecided", 4)


def test_invalid_findings_fail_unless_they_are_allowed(even, judged) -> None:
    """The baseline was offered the skill."""
    had: Any = even(21).with_trials(
        lambda trial: {"evidence": trial.evidence.model_copy(update={"offered": True, "loaded": True})}
    )
    gate = judged(had)
    assert (_outcome(gate, "no_invalid_findings"), _outcome(gate, "primary")) == ("fail", "undecided")
    assert gate.exit_code == 1
    assert judged(had, no_invalid_findings=False).exit_code == 4


def test_lost_trials_leave_it_incomplete_but_hide_no_regression(even, judged) -> None:
    """3 where nothing failed, 1 where something did."""
    lost = even(22, c0=["P", "harness_error"])
    assert (judged(lost).outcome, judged(lost).exit_code, judged(lost).n_lost) == ("incomplete", 3, 1)
    assert judged(lost, min_pass_rate=1, max_seconds=1).exit_code == 1


def test_nothing_finished_is_incomplete(scene, judged) -> None:
    """A workspace with a plan and no trial."""
    gate = judged(
        scene({"a": {"with_skill": ["-"], "without_skill": ["-"]}}), min_pass_rate=0.5, max_seconds=1, max_ungraded=0
    )
    assert (gate.outcome, gate.n_lost) == ("incomplete", 2)
    assert {rule.outcome for rule in gate.rules if rule.name != "no_invalid_findings"} == {"undecided"}


def test_no_treatment_arm_is_a_mistake(even, judged) -> None:
    """Nothing could be held to anything."""
    plain = even(2)
    with pytest.raises(SpecError, match="no treatment arm"):
        judged(plain.with_plan(arms=plain.plan.arms[1:], trials=()))


def test_rounds_that_a_decision_made_needless_are_not_missing(even) -> None:
    """`--until-decided` stopped after the first of two rounds: nothing is lost, and the bias is said."""
    cells = {f"c{i}": ["P", "-"] for i in range(21)}
    half = even(21, **cells)
    decision = Decision(
        verdict="effect",
        round=1,
        max_rounds=2,
        treatment="with_skill",
        baseline="without_skill",
        wins=9,
        losses=0,
        ties=12,
        alpha=0.05,
    )
    stop = Stop(message="Decided.", decision=decision)
    gate = judge_gate(half.plan, half.benchmark(stop=stop), GateSettings(golden=("c0",)), place=lambda _: "")
    assert (gate.outcome, gate.n_lost, gate.n_not_run) == ("pass", 0, 0)
    assert gate.notes == ("Stopped after round 1 of 2: the interval may overstate the lift.",)


def test_a_ceiling_leaves_it_open(even) -> None:
    """What it kept from being run is no error of a tool."""
    half = even(22, c0=["P", "-"])
    stop = Stop(ceiling="--max-trials", message="Enough.")
    gate = judge_gate(half.plan, half.benchmark(stop=stop), GateSettings(), place=lambda _: "")
    assert (gate.outcome, gate.exit_code, gate.n_not_run) == ("cannot tell", 4, 1)
