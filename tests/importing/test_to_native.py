"""One iteration of another tool's -> our records, by hand-made values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skilltrial.aggregate.benchmark import aggregate
from skilltrial.errors import PlanError
from skilltrial.importing.native import Native, Source, to_native
from skilltrial.records.foreign import (
    Criterion,
    ForeignArm,
    ForeignCase,
    ForeignGrading,
    ForeignIteration,
    ForeignRun,
    ForeignTiming,
    ForeignWorkspace,
    Statement,
)
from skilltrial.records.skill import SkillRef
from skilltrial.records.trial import SkillEvidence

SKILL = SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:1")
ARMS = (
    ForeignArm(name="with_skill", role="treatment", why="a known name"),
    ForeignArm(name="without_skill", role="baseline", why="a known name"),
)


def says(*verdicts: tuple[str, bool | None], **fields: Any) -> ForeignGrading:
    """A grading with these statements."""
    return ForeignGrading(
        place="grading.json",
        statements=tuple(Statement(text=text, passed=passed) for text, passed in verdicts),
        **fields,
    )


def run(arm: str = "with_skill", number: int = 1, case: str = "eval-0", **fields: Any) -> ForeignRun:
    """A run of a case."""
    place = fields.pop("place", f"{case}/{arm}/run-{number}")
    return ForeignRun(place=place, case=case, arm=arm, run_number=number, **fields)


def native(*runs: ForeignRun, **fields: Any) -> Native:
    """The native form of an iteration with one case, which declares nothing unless said otherwise."""
    case = ForeignCase(key="eval-0", id=0, prompt="Do it.", criteria=fields.pop("criteria", None), place="eval-0")
    values = {"number": 1, "place": "iteration-1", "cases": (case,), "arms": ARMS, **fields}
    told = values.pop("told", ())
    workspace = ForeignWorkspace(root="/there", family="skill-creator", model=values.pop("model", None))
    source = Source(workspace=workspace, skill=SKILL, told=told, version="1", now="2026-03-01T12:00:00Z")
    return to_native(ForeignIteration(runs=runs, **values), source)


def verdicts(made: Native) -> list[list[tuple[str, str]]]:
    """Text and verdict, by trial."""
    return [[(result.text, result.verdict) for result in grading.results] for grading in made.gradings]


def test_verdicts_come_over_as_they_are() -> None:
    """Yes, no, and neither: the last is UNGRADED and says what stood there."""
    made = native(run(grading=says(("a", True), ("b", False), ("c", None))))
    assert verdicts(made) == [[("a", "PASS"), ("b", "FAIL"), ("c", "UNGRADED")]]
    assert "neither yes nor no" in made.gradings[0].results[2].evidence


def test_a_declared_criterion_that_was_not_graded_is_ungraded() -> None:
    """It neither vanishes nor fails."""
    made = native(run(grading=says(("a", True))), criteria=(Criterion(text="a"), Criterion(text="b")))
    assert verdicts(made) == [[("a", "PASS"), ("b", "UNGRADED")]]


def test_an_invented_criterion_is_kept_and_marked() -> None:
    """It counts as in the other tool; the plan says that the case does not declare it."""
    made = native(run(grading=says(("a", True), ("z", False))), criteria=(Criterion(text="a"),))
    assert verdicts(made) == [[("a", "PASS"), ("z", "FAIL")]]
    assertions = made.plan.suite.cases[0].assertions
    assert [assertion.written for assertion in assertions] == [None, {"declared": False}]
    assert [repair.code for repair in made.plan.repairs] == ["criterion-invented"]
    assert any("do not declare: 1" in notice for notice in made.plan.notices)


def test_capitals_and_spaces_make_no_other_criterion() -> None:
    """The declared words are the ones that stay."""
    made = native(run(grading=says(("The  FILE opens", True))), criteria=(Criterion(text="The file opens"),))
    assert verdicts(made) == [[("The file opens", "PASS")]]


def test_a_criterion_that_a_grading_repeats_counts_as_often_as_there() -> None:
    """One of the two verdicts does not swallow the other."""
    made = native(run(grading=says(("a", True), ("a", False))))
    assert verdicts(made) == [[("a", "PASS"), ("a", "FAIL")]]


def test_the_same_words_in_both_arms_are_one_assertion() -> None:
    """So that the arms can be compared on it."""
    made = native(run(grading=says(("a", True))), run("without_skill", grading=says(("a", False))))
    assert len(made.plan.suite.cases[0].assertions) == 1
    benchmark = aggregate(made.plan, 1, made.trials, made.gradings, now="2026-03-01T12:00:00Z")
    assert (benchmark.cases[0].treatment, benchmark.cases[0].baseline) == (1.0, 0.0)


def test_a_run_without_a_grading_has_completed_and_is_ungraded() -> None:
    """It is in no rate, and a notice counts it."""
    made = native(run(grading=says(("a", True))), run(number=2))
    assert [trial.outcome for trial in made.trials] == ["completed", "completed"]
    assert verdicts(made)[1] == [("a", "UNGRADED")]
    assert "No grading: 1 of 2 runs, which are in no rate." in made.plan.notices


def test_a_grading_that_cannot_be_read_says_so_at_each_assertion() -> None:
    """With the place where it stops."""
    broken = ForeignGrading(place="grading.json", statements=None, fault="line 3 column 1: unexpected end")
    made = native(run(grading=says(("a", True))), run(number=2, grading=broken))
    assert "line 3 column 1" in made.gradings[1].results[0].evidence


def test_what_a_run_does_not_tell_stays_unknown() -> None:
    """No time, tokens, tool calls, start or cost are made up."""
    trial = native(run(grading=says(("a", True)))).trials[0]
    assert (trial.duration_ms, trial.usage.total_tokens, trial.tool_calls, trial.started_at, trial.cost_usd) == (
        None,
    ) * 5
    assert (trial.n_tool_errors, trial.isolation, trial.evidence) == (None, "unknown (imported)", SkillEvidence())


def test_unknown_times_are_in_no_mean() -> None:
    """Of two runs, one of 3 s and one of which nothing is known, the mean is 3 s."""
    timed = run(grading=says(("a", True)), timing=ForeignTiming(place="t", duration_s=3.0, total_tokens=70))
    made = native(timed, run(number=2, grading=says(("a", True))))
    benchmark = aggregate(made.plan, 1, made.trials, made.gradings, now="2026-03-01T12:00:00Z")
    summary = benchmark.run_summary["with_skill"].model_dump()
    assert (summary["time_seconds"]["mean"], summary["time_seconds"]["n"]) == (3.0, 1)
    assert (summary["tokens"]["mean"], summary["tokens"]["n"]) == (70, 1)
    assert benchmark.configs["with_skill"].duration_ms_mean == 3000
    assert benchmark.runs[1].result.time_seconds is None


def test_a_total_of_tokens_is_taken_as_told() -> None:
    """Input and output may leave out what was cached."""
    timing = ForeignTiming(place="t", total_tokens=1000, input_tokens=300, output_tokens=200)
    assert native(run(timing=timing)).trials[0].usage.total_tokens == 1000


@pytest.mark.parametrize("name", ["<model-name>", "most-capable-model", ""])
def test_a_placeholder_is_no_model(name: str) -> None:
    """The aggregator of skill-creator always writes one."""
    made = native(run(grading=says(("a", True))), model=name)
    assert made.plan.harness.model is None
    assert any("the model" in notice for notice in made.plan.notices)


def test_the_evidence_of_slow_powers_is_taken() -> None:
    """Its meta result says whether the skill was loaded."""
    meta = (Statement(id="__skill_invoked", text="__skill_invoked", passed=True),)
    made = native(run(grading=says(("a", True), meta=meta)))
    assert made.trials[0].evidence.loaded is True


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"extra": {"status": "timed out"}}, "timed_out"),
        ({"extra": {"run.json": {"conversation": {"status": "timed_out"}}}}, "timed_out"),
        ({"extra": {"is_error": True}}, "harness_error"),
        ({"extra": {"is_error": True}, "grading": says(("a", False))}, "agent_failed"),
        ({"extra": {"status": "failed"}, "grading": says(("a", False))}, "completed"),
    ],
)
def test_the_end_of_a_run_is_what_its_files_say(fields: dict[str, Any], outcome: str) -> None:
    """An error that was graded all the same is the agent's; "failed" is a verdict, and no end."""
    assert native(run(**fields)).trials[0].outcome == outcome


def test_roles_that_nobody_told_are_asked_for() -> None:
    """The message lists the arms; the alphabet decides nothing."""
    arms = tuple(ForeignArm(name=name, role=None, why="") for name in ("alpha", "beta"))
    with pytest.raises(PlanError, match=r"'alpha' \(role unknown\), 'beta' \(role unknown\).*--treatment NAME"):
        native(run("alpha"), run("beta"), arms=arms)


def test_one_arm_alone_needs_no_role() -> None:
    """It is imported without a comparison."""
    arms = (ForeignArm(name="alpha", role=None, why=""),)
    made = native(run("alpha", grading=says(("a", True))), arms=arms)
    assert [(arm.name, arm.role) for arm in made.plan.arms] == [("alpha", "treatment")]


def test_a_third_arm_is_shown_and_compared_with_nothing() -> None:
    """A notice names it; the lift is of the two arms whose roles are known."""
    third = ForeignArm(name="aaa", role=None, why="")
    runs = [run(name, grading=says(("a", passed))) for name, passed in (("aaa", False), ("with_skill", True))]
    made = native(*runs, run("without_skill", grading=says(("a", False))), arms=(third, *ARMS))
    benchmark = aggregate(made.plan, 1, made.trials, made.gradings, now="2026-03-01T12:00:00Z")
    assert benchmark.lift is not None
    assert (benchmark.lift.treatment, benchmark.lift.baseline, benchmark.lift.estimate) == (
        "with_skill",
        "without_skill",
        1.0,
    )
    assert any("aaa" in notice for notice in made.plan.notices)


def test_the_old_version_has_a_skill_and_no_skill_has_none() -> None:
    """What "baseline" means follows from the name, or from the path of a skill."""
    old = ForeignArm(name="old_skill", role="baseline", why="")
    with_old = native(run(), run("old_skill"), arms=(ARMS[0], old))
    assert with_old.plan.arm("old_skill").skill is not None
    assert native(run(), run("without_skill")).plan.arm("without_skill").skill is None


def test_two_runs_of_one_number_both_stay() -> None:
    """`run-retry` gets the next free number, and the plan says so."""
    made = native(run(place="x", written_as="run-retry"), run())
    assert sorted((trial.key.repeat, made.runs[trial.key].place) for trial in made.trials) == [
        (1, "eval-0/with_skill/run-1"),
        (2, "x"),
    ]
    assert [repair.code for repair in made.plan.repairs] == ["run-renumbered"]


def test_cases_of_the_same_id_stay_apart() -> None:
    """1 and "1" are two cases: each is called by its key."""
    cases = tuple(ForeignCase(key=key, id=id_, place=key) for key, id_ in (("eval-a", 1), ("eval-b", "1")))
    made = native(run(case="eval-a"), run(case="eval-b"), cases=cases)
    assert [case.id for case in made.plan.suite.cases] == ["eval-a", "eval-b"]


def test_every_report_says_where_it_is_from() -> None:
    """And what could not be known."""
    made = native(run(grading=says(("a", True))))
    assert made.plan.notices[0].startswith("Imported from /there (skill-creator), iteration-1:")
    assert made.plan.notices[1] == (
        "Not known: how the trials were kept apart; the model; whether the agent read the skill; the time of 1 of 1 runs; "
        "the tokens of 1 of 1 runs."
    )


@pytest.mark.parametrize("size", [-1, 10**300, 1e308])
def test_what_no_run_can_take_is_not_known(size: float) -> None:
    """Such a number is no measurement, and would overflow every sum."""
    timing = ForeignTiming(place="t", total_tokens=int(size), duration_s=float(size), cost_usd=float(size))
    trial = native(run(timing=timing)).trials[0]
    assert (trial.duration_ms, trial.usage.total_tokens, trial.cost_usd) == (None, None, None)


def test_copies_of_runs_are_imported_once() -> None:
    """The case that is nothing but a copy is not there, and the plan says so."""
    cases = tuple(ForeignCase(key=key, id=0, place=key) for key in ("eval-0", "topic"))
    first, copy = (run(case=key, grading=says(("a", True))) for key in ("eval-0", "topic"))
    made = native(first, replace(copy, copy_of=first.place), cases=cases)
    assert [case.id for case in made.plan.suite.cases] == ["0"]
    assert len(made.trials) == 1
    assert [(repair.code, repair.file) for repair in made.plan.repairs] == [("run-copied", copy.place)]


def test_no_run_takes_nothing() -> None:
    """0 tokens and 0 s were not recorded."""
    nothing = ForeignTiming(place="timing.json", total_tokens=0, duration_s=0.0)
    (trial,) = native(run(grading=says(("a", True)), timing=nothing)).trials
    assert (trial.duration_ms, trial.usage.total_tokens) == (None, None)
