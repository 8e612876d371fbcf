"""The record as a whole: its figures by hand, its notes, and what holds for any input."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.grading import Grading, JudgeFacts
from skilltrial.records.trial import Attempt, Reason

CELLS = ["PP", "PF", "FF", "PU", "UU", "?", "-", "harness_error", "cancelled", "timed_out:FF", "agent_failed:PF"]
ROWS = st.fixed_dictionaries(
    {arm: st.lists(st.sampled_from(CELLS), min_size=1, max_size=3) for arm in ("with_skill", "without_skill")}
)
TABLES = st.dictionaries(st.sampled_from("abcd"), ROWS, min_size=1)


def test_figures_by_hand(scene) -> None:
    """Case a: 1, 1/2 against 0; case b: 1 against 1/2, 1/2. Cases weigh equally in rates, runs in the summary."""
    benchmark = scene(
        {
            "a": {"with_skill": ["PP", "PF"], "without_skill": ["FF"]},
            "b": {"with_skill": ["PP"], "without_skill": ["PF", "FP"]},
        }
    ).benchmark()
    with_skill, without = benchmark.configs["with_skill"], benchmark.configs["without_skill"]
    assert with_skill.overall_pass_rate == (0.75 + 1) / 2
    assert without.overall_pass_rate == (0 + 0.5) / 2
    assert benchmark.lift.estimate == benchmark.comparison.pass_rate_delta == 0.625
    summary = benchmark.run_summary["with_skill"].pass_rate
    assert (summary.mean, summary.min, summary.max, summary.n) == (pytest.approx(2.5 / 3), 0.5, 1, 3)
    assert summary.stddev == pytest.approx(math.sqrt(1 / 12))
    assert [(row.eval_id, row.pass_rate, row.pass_count, row.fail_count) for row in with_skill.evals] == [
        ("a", 0.75, 3, 1),
        ("b", 1, 2, 0),
    ]
    assert [(row.treatment, row.baseline, row.difference) for row in benchmark.cases] == [
        (0.75, 0, 0.75),
        (1, 0.5, 0.5),
    ]
    assert with_skill.total_tokens_mean == 1000
    assert with_skill.duration_ms_stddev == 0


def test_a_trial_passes_only_where_every_graded_assertion_holds(scene) -> None:
    """PP and PU pass, PF does not; UU is no trial with a verdict."""
    summary = scene({"a": {"with_skill": ["PP", "PF", "PU", "UU"], "without_skill": ["FF"]}}).benchmark().run_summary
    assert (summary["with_skill"].trials_passed, summary["with_skill"].trials_graded) == (2, 3)


def test_a_run_holds_its_trial(scene) -> None:
    """Seconds, tokens, tool calls, outcome and notes of one trial."""
    made = scene({"a": {"with_skill": ["timed_out:PF"], "without_skill": ["FF"]}})
    failed = Attempt(outcome="harness_error", started_at="x", duration_ms=1)
    made = made.with_trials(
        lambda t: {
            "reason": Reason(code="timeout", message="60 s are over"),
            "attempts": (failed, *t.attempts),
            "n_tool_errors": 1,
        }
    )
    run = made.benchmark().runs[0]
    assert (run.result.time_seconds, run.result.tokens, run.result.tool_calls, run.result.errors) == (30, 1000, 3, 1)
    assert run.outcome == "timed_out"
    assert run.notes[0] == "timed_out: 60 s are over"
    assert run.notes[1].startswith("attempt 2")


def test_a_run_tells_of_required_assertions_weights_and_a_skill_that_should_have_stayed_out(scene) -> None:
    """Beside its pass rate, which they do not change: 1 of 4 parts of the weight hold."""
    made = scene({"a": {"with_skill": ["PF"], "without_skill": ["FF"]}})

    def standing(grading: Grading) -> Grading:
        first, second = grading.results
        results = (first, second.model_copy(update={"weight": 3, "required": True}))
        meta = (first.model_copy(update={"id": "__m", "verdict": "FAIL", "evidence": "the agent loaded the skill."}),)
        return grading.model_copy(update={"results": results, "meta_results": meta})

    made = replace(made, gradings=tuple(standing(grading) for grading in made.gradings))
    run = made.benchmark().runs[0]
    assert run.result.pass_rate == 0.5
    assert run.notes == (
        f"required, and does not hold: {made.gradings[0].results[1].id}",
        "weighted score 0.25",
        "the skill should have stayed out of this task: the agent loaded the skill.",
    )


def test_metadata_names_the_judge_that_judged(scene) -> None:
    """Not only the one that was asked for."""
    made = scene({"a": {"with_skill": ["P"], "without_skill": ["F"]}}).with_plan(judge="asked")
    assert made.benchmark().metadata.analyzer_model == "asked"
    judged = [g.model_copy(update={"judge": JudgeFacts(model="judge-1")}) for g in made.gradings]
    assert replace(made, gradings=tuple(judged)).benchmark().metadata.analyzer_model == "judge-1"


def test_notices_of_the_plan_are_carried(scene) -> None:
    """Every report must show them."""
    made = scene({"a": {"with_skill": ["P"], "without_skill": ["F"]}}).with_plan(notices=("A small model ran.",))
    assert made.benchmark().notices == ("A small model ran.",)


def test_trials_that_were_judged_without_their_pictures_are_counted(scene) -> None:
    """One of two: the judge took none."""
    made = scene({"a": {"with_skill": ["P"], "without_skill": ["F"]}})
    facts = [JudgeFacts(model="j", images_refused=refused) for refused in (True, False)]
    judged = [each.model_copy(update={"judge": fact}) for each, fact in zip(made.gradings, facts, strict=True)]
    note = "A judge took no pictures and judged without them: 1 of 2 judged trials had some."
    assert note in replace(made, gradings=tuple(judged)).benchmark().notes


def test_assertions_that_tell_nothing_are_listed(scene) -> None:
    """Passing in every graded trial of both arms; failing in all goes to the notes."""
    benchmark = scene({"a": {"with_skill": ["PFP", "PFU"], "without_skill": ["PFF"]}}).benchmark()
    assert benchmark.comparison.non_discriminating_assertions == ("a holds 1",)
    assert "Assertions that pass in every graded trial of both arms: 1 of 3 ('a holds 1')." in benchmark.notes
    assert "Assertions that fail in every graded trial of both arms: 1 of 3 ('a holds 2')." in benchmark.notes


def test_an_assertion_that_one_arm_never_answered_is_not_called_idle(scene) -> None:
    """Passing wherever it was graded is not enough: both arms must have been."""
    benchmark = scene({"a": {"with_skill": ["PP"], "without_skill": ["UF"]}}).benchmark()
    assert benchmark.comparison.non_discriminating_assertions == ()


def test_notes_on_harm_flakiness_and_overhead(scene) -> None:
    """With figures, in plain sentences; at most three names each."""
    benchmark = scene(
        {
            "a": {"with_skill": ["F", "F"], "without_skill": ["P", "P"]},
            "b": {"with_skill": ["P", "F"], "without_skill": ["F", "F"]},
        }
    ).benchmark()
    assert "Scores fell in 1 of 2 cases: a." in benchmark.notes
    assert "Repeats of one arm disagree in 1 of 2 repeated cases: b." in benchmark.notes
    assert (
        "On average a trial of with_skill takes 10.0 s more (+50 %) and 500 tokens more (+100 %) than one of without_skill."
        in benchmark.notes
    )


def test_long_texts_are_shortened_in_notes_and_kept_elsewhere(scene) -> None:
    """One line of at most 80 characters in a note."""
    made = scene({"a": {"with_skill": ["P"], "without_skill": ["P"]}})
    long = made.plan.suite.cases[0].assertions[0].model_copy(update={"text": "very\nlong " * 40})
    gradings = tuple(
        one.model_copy(update={"results": (one.results[0].model_copy(update={"text": long.text}),)})
        for one in made.gradings
    )
    benchmark = replace(made.with_cases(lambda _: {"assertions": (long,)}), gradings=gradings).benchmark()
    assert max(len(note) for note in benchmark.notes) < 180
    assert benchmark.comparison.non_discriminating_assertions == (long.text,)


@given(TABLES)
@settings(max_examples=60, deadline=None)
def test_any_input_gives_a_sound_record(scene, table) -> None:
    """No crash, no NaN, every planned trial once, an estimate within its interval, and it reads back as it was."""
    made = scene(table)
    benchmark = made.benchmark()
    stands = [(run.eval_id, run.configuration, run.run_number) for run in benchmark.runs]
    stands += [(e.key.case_id, e.key.arm, e.key.repeat) for e in benchmark.excluded]
    assert sorted(stands) == sorted((p.key.case_id, p.key.arm, p.key.repeat) for p in made.plan.trials)
    text = benchmark.model_dump_json()
    assert Benchmark.model_validate_json(text) == benchmark
    assert "NaN" not in text
    lift = benchmark.lift
    if lift.low is not None:
        assert -1 <= lift.low <= lift.estimate <= lift.high <= 1
    assert lift.p_value is None or 0 < lift.p_value <= 1
    assert lift.n_cases >= 2 or lift.word == "cannot tell"


@given(TABLES, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_files_does_not_change_a_byte(scene, table, random) -> None:
    """Trials, gradings and the plan's running order come as they may."""
    made = scene(table)
    shuffled = replace(
        made,
        trials=tuple(random.sample(made.trials, len(made.trials))),
        gradings=tuple(random.sample(made.gradings, len(made.gradings))),
    ).with_plan(trials=tuple(random.sample(made.plan.trials, len(made.plan.trials))))
    assert shuffled.benchmark().model_dump_json() == made.benchmark().model_dump_json()


@given(TABLES)
@settings(max_examples=30, deadline=None)
def test_swapping_the_arms_mirrors_the_lift(scene, table) -> None:
    """Same figures, other sign; neither arm is favoured."""
    one = scene(table).benchmark().lift
    swapped = {
        case: {"with_skill": row["without_skill"], "without_skill": row["with_skill"]} for case, row in table.items()
    }
    other = scene(swapped).benchmark().lift
    assert other.n_cases == one.n_cases
    if one.low is not None:
        assert other.low == pytest.approx(-one.high, abs=1e-12)
        assert other.estimate == pytest.approx(-one.estimate, abs=1e-12)
