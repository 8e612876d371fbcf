"""Whether rounds decide: which pairs count, who wins them, and when it is enough."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.aggregate.arms import contest
from skilltrial.aggregate.census import take_census
from skilltrial.aggregate.deciding import decide
from skilltrial.records.budget import Decision, Stop


def _decide(made: Any, n_rounds: int) -> Decision | None:
    return decide(take_census(made.plan, made.trials, made.gradings), contest(made.plan), n_rounds=n_rounds)


def _table(new: list[str], old: list[str], n_cases: int) -> dict[str, Any]:
    return {f"c{n}": {"with_skill": new, "without_skill": old} for n in range(n_cases)}


def test_enough_wins_stop_after_the_second_round(scene) -> None:
    """Three cases won twice: six of six have the chance 1/64, and round 2 of 3 may spend 0.05 (2/3)^1.5 = 1/37."""
    made = scene(_table(["P", "P", "-"], ["F", "F", "-"], 3))
    decision = _decide(made, 2)
    assert decision is not None
    assert (decision.verdict, decision.round, decision.max_rounds) == ("effect", 2, 3)
    assert (decision.wins, decision.losses, decision.ties) == (6, 0, 0)
    assert decision.bias == "overstate"


def test_nothing_is_decided_after_one_round(scene) -> None:
    """Not even by twenty wins of twenty."""
    assert _decide(scene(_table(["P", "-"], ["F", "-"], 20)), 1) is None


def test_a_skill_that_loses_is_futile(scene) -> None:
    """The test is one-sided: that it harms is seen in the interval."""
    decision = _decide(scene(_table(["F", "F", "-"], ["P", "P", "-"], 3)), 2)
    assert decision is not None
    assert (decision.verdict, decision.wins, decision.losses, decision.bias) == ("futile", 0, 6, "understate")
    assert decision.why.startswith("futile: with_skill won 0 of the 6 pairs that differ")


def test_the_first_look_that_decided_is_the_one_that_counts(scene) -> None:
    """Rounds after it, run for another reason, change nothing."""
    made = scene(_table(["P", "P", "F"], ["F", "F", "P"], 3))
    decision = _decide(made, 3)
    assert decision is not None
    assert (decision.round, decision.wins, decision.losses) == (2, 6, 0)


@pytest.mark.parametrize("broken", ["harness_error", "UU", "?", "-"])
def test_a_pair_with_a_trial_without_verdicts_is_none(scene, broken: str) -> None:
    """Errors of tools, ungraded and missing trials: five wins are left of six, and 1/32 is more than 1/37."""
    table = _table(["PP", "PP", "-"], ["FF", "FF", "-"], 3)
    table["c0"]["without_skill"] = ["FF", broken, "-"]
    assert _decide(scene(table), 2) is None


def test_trials_without_any_verdict_are_not_futile(scene) -> None:
    """A judge that was never reached says nothing about a skill."""
    assert _decide(scene(_table(["U", "U", "U", "-"], ["U", "U", "U", "-"], 3)), 3) is None


def test_the_arm_in_which_more_holds_wins(scene) -> None:
    """Two of three against one of three is a win, although neither passes; two against two is a tie whichever they are."""
    won = _decide(scene(_table(["PPF", "PPF", "-"], ["PFF", "PFF", "-"], 3)), 2)
    assert won is not None
    assert (won.wins, won.ties) == (6, 0)
    tied = _decide(scene(_table(["PPF", "PPF", "PPF", "-"], ["FPP", "FPP", "FPP", "-"], 3)), 3)
    assert tied is not None
    assert (tied.verdict, tied.wins, tied.losses, tied.ties) == ("futile", 0, 0, 9)


def test_only_statements_with_a_verdict_in_both_trials_are_compared(scene) -> None:
    """PU against UP has none in common, and makes no pair."""
    assert _decide(scene(_table(["PU", "PU", "PU", "-"], ["UF", "UF", "UF", "-"], 3)), 3) is None


def test_what_was_left_out_is_no_fault(scene) -> None:
    """Its reason is the decision's; `unfinished` is about trials of rounds that were run."""
    made = scene(_table(["P", "P", "-"], ["F", "F", "-"], 3))
    decision = _decide(made, 2)
    benchmark = made.benchmark(stop=Stop(message="decided after round 2 of 3.", decision=decision))
    codes = {finding.code for finding in benchmark.findings}
    assert {entry.reason for entry in benchmark.excluded} == {"decided after round 2 of 3."}
    assert codes.isdisjoint({"unfinished", "decision-outdated"})


def test_a_hole_in_a_round_that_was_run_is_unfinished(scene) -> None:
    """The decision explains only what came after it."""
    table = _table(["P", "P", "-"], ["F", "F", "-"], 7)
    table["c0"]["without_skill"] = ["-", "F", "-"]
    made = scene(table)
    benchmark = made.benchmark(stop=Stop(message="decided.", decision=_decide(made, 2)))
    assert "unfinished" in {finding.code for finding in benchmark.findings}
    assert [entry.reason for entry in benchmark.excluded if entry.key.repeat == 1] == [
        "it has not been run, or not to its end"
    ]


def test_verdicts_that_changed_afterwards_are_said(scene) -> None:
    """Graded anew, the rounds would have gone on."""
    before = _decide(scene(_table(["P", "P", "-"], ["F", "F", "-"], 3)), 2)
    now = scene(_table(["P", "P", "-"], ["P", "F", "-"], 3))
    benchmark = now.benchmark(stop=Stop(message="decided.", decision=before))
    assert "decision-outdated" in {finding.code for finding in benchmark.findings}
