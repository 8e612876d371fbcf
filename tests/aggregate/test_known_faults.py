"""Faults of a neighbouring aggregator (research/skill-creator.md, 5.1) that must not be ours, by their numbers there."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from skilltrial.records.plan import Arm
from skilltrial.records.skill import SkillRef
from skilltrial.records.usage import Usage

NEW = Arm(name="new_skill", role="treatment", skill=SkillRef(name="tidy", folder="/n", fingerprint="sha256:1"))
OLD = Arm(name="old_skill", role="baseline", skill=SkillRef(name="tidy", folder="/o", fingerprint="sha256:0"))


def pair(treatment: str, baseline: str) -> dict[str, list[str]]:
    """A row of the usual arms."""
    return {"with_skill": treatment.split(), "without_skill": baseline.split()}


@pytest.mark.parametrize("flipped", [False, True])
def test_a3_the_sign_follows_the_role_not_the_name(scene, flipped) -> None:
    """Old against new: the better treatment is +1, whichever name comes first in the alphabet."""
    treatment, baseline = (
        (NEW, OLD)
        if not flipped
        else (
            NEW.model_copy(update={"name": "z"}),
            OLD.model_copy(update={"name": "a"}),
        )
    )
    benchmark = scene({"c": {treatment.name: ["P"], baseline.name: ["F"]}}, arms=(baseline, treatment)).benchmark()
    assert benchmark.lift.estimate == benchmark.comparison.pass_rate_delta == 1
    assert benchmark.run_summary["delta"]["pass_rate"] == "+1.00"
    assert next(iter(benchmark.run_summary)) == treatment.name


def test_a4_the_sign_does_not_follow_which_arm_ran_first(scene) -> None:
    """The first case lacks the treatment."""
    benchmark = scene({"c1": pair("-", "F"), "c2": pair("P", "F")}).benchmark()
    assert benchmark.run_summary["delta"]["pass_rate"] == "+1.00"
    assert list(benchmark.run_summary) == ["with_skill", "without_skill", "delta"]


def test_a5_a_third_arm_is_compared_and_does_not_change_the_comparison(scene) -> None:
    """The pair is the first treatment and the first baseline."""
    third = Arm(name="also", role="treatment", skill=NEW.skill)
    table = {"c": {"new_skill": ["P"], "also": ["F"], "old_skill": ["F"]}}
    benchmark = scene(table, arms=(NEW, third, OLD)).benchmark()
    assert (benchmark.lift.treatment, benchmark.lift.baseline, benchmark.lift.estimate) == ("new_skill", "old_skill", 1)
    assert list(benchmark.run_summary) == ["new_skill", "also", "old_skill", "delta"]
    assert benchmark.configs["also"].overall_pass_rate == 0
    assert "Against old_skill as well: also +0 points (cannot tell)." in benchmark.notes


def test_a6_a_missing_baseline_is_not_zero(scene) -> None:
    """All of its trials failed to start: no gain over nothing is shown."""
    benchmark = scene({"c": pair("P", "harness_error")}).benchmark()
    assert "delta" not in benchmark.run_summary
    assert benchmark.comparison.pass_rate_delta is None
    assert benchmark.configs["without_skill"].overall_pass_rate is None


def test_a7_unknown_tokens_stay_unknown(scene) -> None:
    """Not zero, not mixed in, and no difference from them."""
    made = scene({"c": pair("P P", "F F")}).with_trials(
        lambda t: {"usage": Usage()} if t.key.arm == "without_skill" or t.key.repeat == 2 else {}
    )
    benchmark = made.benchmark()
    assert [run.result.tokens for run in benchmark.runs] == [1000, None, None, None]
    assert benchmark.run_summary["with_skill"].tokens.mean == 1000
    assert benchmark.run_summary["with_skill"].tokens.n == 1
    assert benchmark.run_summary["without_skill"].tokens.mean is None
    assert benchmark.run_summary["delta"] == {"pass_rate": "+1.00", "time_seconds": "+10.0"}
    assert benchmark.comparison.token_overhead_percent is None


def test_a8_runs_per_configuration_is_counted(scene) -> None:
    """Graded ones, as a range where they differ."""
    assert scene({"c": pair("P P", "F F")}).benchmark().metadata.runs_per_configuration == 2
    assert scene({"c": pair("P P P", "F F U")}).benchmark().metadata.runs_per_configuration == "2-3"


def test_a9_the_model_is_the_one_that_served(scene) -> None:
    """Else the one that was asked for, else unknown; never a placeholder."""
    made = scene({"c": pair("P", "F")})
    assert made.benchmark().metadata.executor_model == "model-a"
    silent = made.with_trials(lambda t: {"harness": t.harness.model_copy(update={"model_served": None})})
    assert silent.benchmark().metadata.executor_model == "model-asked"
    unasked = silent.with_plan(harness=made.plan.harness.model_copy(update={"model": None}))
    assert unasked.benchmark().metadata.executor_model is None


def test_a12_a_grading_is_bound_to_the_declared_assertions(scene) -> None:
    """The first is dropped, the second given twice, a third invented: nothing of it counts, and it is said."""
    made = scene({"c": pair("PP", "PF")})
    first = made.gradings[0]
    second = first.results[1]
    forged = first.model_copy(update={"results": (second, second, second.model_copy(update={"id": "new"}))})
    benchmark = replace(made, gradings=(forged, *made.gradings[1:])).benchmark()
    assert [run.configuration for run in benchmark.runs] == ["without_skill"]
    assert benchmark.verdict_counts == {"PASS": 1, "FAIL": 1, "UNGRADED": 2}
    assert [str(f.trials[0]) for f in benchmark.findings if f.code == "grading-mismatch"] == ["c/with_skill/run-1"]


def test_a_verdict_on_another_statement_of_the_same_id_does_not_count(scene) -> None:
    """After an assertion was changed, a report before the next grading must not show the old verdict under the new words."""
    made = scene({"c": pair("P", "F")})
    changed = made.with_cases(
        lambda case: {"assertions": tuple(one.model_copy(update={"text": "other words"}) for one in case.assertions)}
    )
    benchmark = changed.benchmark()
    assert benchmark.verdict_counts == {"PASS": 0, "FAIL": 0, "UNGRADED": 2}
    assert [len(f.trials) for f in benchmark.findings if f.code == "grading-mismatch"] == [2]


def test_a13_rates_are_computed_from_counts(scene) -> None:
    """2/3 three times is 2/3, not 0.67."""
    benchmark = scene({"c": pair("PPF PPF PPF", "FFF FFF FFF")}).benchmark()
    assert benchmark.run_summary["with_skill"].pass_rate.mean == pytest.approx(2 / 3, abs=1e-15)
    assert benchmark.run_summary["delta"]["pass_rate"] == "+0.67"


def test_a14_runs_that_drop_out_are_shown(scene) -> None:
    """The mean is over what was graded, and what was not stands beside it."""
    benchmark = scene({"c": pair("P harness_error ?", "F F F")}).benchmark()
    summary = benchmark.run_summary["with_skill"]
    assert (summary.trials_passed, summary.trials_graded, summary.trials_planned) == (1, 1, 3)
    assert len(benchmark.excluded) == 2


def test_a19_ids_of_mixed_types_stay_as_written(scene) -> None:
    """In the suite's order, numbers as numbers."""
    written = {"a": 10, "b": "nine", "c": None, "d": 2}
    made = scene({name: pair("P", "F") for name in written}).with_cases(lambda c: {"written_id": written[c.id]})
    benchmark = made.benchmark()
    assert benchmark.metadata.evals_run == (10, "nine", "c", 2)
    assert [row.eval_id for row in benchmark.cases] == [10, "nine", "c", 2]


def test_a20_no_figure_is_not_a_number(scene) -> None:
    """A cost that is no number is unknown."""
    made = scene({"c": pair("P", "F")}).with_trials(lambda _: {"cost_usd": math.nan})
    benchmark = made.benchmark()
    assert benchmark.runs[0].cost_usd is None
    assert benchmark.run_summary["with_skill"].cost_usd.mean is None


def test_a21_passed_is_true_false_or_null(scene) -> None:
    """Never a text, and never false for what nobody judged."""
    run = scene({"c": pair("PFU", "FFF")}).benchmark().runs[0]
    assert [expectation["passed"] for expectation in run.expectations] == [True, False]
    assert [expectation["passed"] for expectation in run.unanswered] == [None]
    assert (run.result.passed, run.result.failed, run.result.total, run.ungraded) == (1, 1, 2, 1)


def test_a25_spread_over_cases_is_not_noise_between_runs(scene) -> None:
    """Cases of all difficulties, each lifted alike: the interval sees the pairs, the pooled spread does not."""
    table = {f"c{i}": pair("P" * (i + 1) + "F" * (5 - i), "P" * i + "F" * (6 - i)) for i in range(5)}
    benchmark = scene(table).benchmark()
    assert benchmark.lift.estimate == pytest.approx(1 / 6)
    assert benchmark.run_summary["with_skill"].pass_rate.stddev > 0.25
    assert [row.difference for row in benchmark.cases] == pytest.approx([1 / 6] * 5)


def test_a26_cases_have_names(scene) -> None:
    """The author's, else the id."""
    made = scene({"c1": pair("P", "F"), "c2": pair("P", "F")}).with_cases(
        lambda c: {"name": "Ocean"} if c.id == "c1" else {}
    )
    assert [row.eval_name for row in made.benchmark().cases] == ["Ocean", "c2"]


def test_a28_more_time_and_tokens_are_plus(scene) -> None:
    """Signs say what happened; 30 s for 20 s, 1,000 tokens for 500."""
    benchmark = scene({"c": pair("P", "F")}).benchmark()
    assert benchmark.run_summary["delta"] == {"pass_rate": "+1.00", "time_seconds": "+10.0", "tokens": "+500"}
    assert (benchmark.comparison.time_overhead_percent, benchmark.comparison.token_overhead_percent) == (50, 100)


def test_a29_the_arms_stay_apart(scene) -> None:
    """Failures without the skill are in no figure of the skill's arm."""
    benchmark = scene({"c": pair("P P", "F F")}).benchmark()
    assert benchmark.configs["with_skill"].evals[0].fail_count == 0
    assert benchmark.configs["without_skill"].evals[0].fail_count == 2


def test_minus_is_ascii_and_zero_has_no_minus(scene) -> None:
    """Readers parse these texts."""
    delta = scene({"c": pair("F", "P")}).benchmark().run_summary["delta"]
    assert delta["pass_rate"] == "-1.00"
    made = scene({"c": pair("P", "P")}).with_trials(
        lambda t: {"duration_ms": 20_000 + (10 if t.key.arm == "without_skill" else 0)}
    )
    assert made.benchmark().run_summary["delta"]["time_seconds"] == "+0.0"


def test_an_arm_called_delta_is_kept(scene) -> None:
    """Its figures win over the texts."""
    arm = NEW.model_copy(update={"name": "delta"})
    benchmark = scene({"c": {"delta": ["P"], "old_skill": ["F"]}}, arms=(arm, OLD)).benchmark()
    assert benchmark.run_summary["delta"].trials_graded == 1


def test_the_file_is_plain_json(scene) -> None:
    """No NaN, which other readers refuse."""
    benchmark = scene({"c": pair("P U", "F ?")}).benchmark()
    json.loads(benchmark.model_dump_json(), parse_constant=pytest.fail)
