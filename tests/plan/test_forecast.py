"""What a plan will take, from earlier trials."""

from __future__ import annotations

import math
from typing import Any

import pytest

from skilltrial.errors import PlanError
from skilltrial.plan.arms import make_arms
from skilltrial.plan.forecast import Past, is_alike, make_forecast, tells
from skilltrial.plan.plan import make_plan
from skilltrial.ports import Capabilities
from skilltrial.preparing.forecasting import check_ceilings
from skilltrial.records.budget import Ceilings
from skilltrial.records.conversation import Responder
from skilltrial.records.grading import Grading, JudgeFacts
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, LlmJudge, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, SkillEvidence, Trial, TrialKey, TrialOrigin
from skilltrial.records.usage import Usage
from skilltrial.report.forecast import forecast_lines


def a_plan(*, judge: str | None = None, model: str = "m", args: tuple[str, ...] = (), timeout_s: float = 60) -> Plan:
    """Two cases, two arms, two repeats: eight trials."""
    skill = Skill(name="tidy", folder="/s", frontmatter={}, body="", files=(), fingerprint="sha256:a")
    prose = LlmJudge(id="good", text="It is good.", rubric="It is good.")
    cases = tuple(Case(id=f"c{n}", prompt="do", assertions=(prose,) if n == 0 else ()) for n in range(2))
    return make_plan(
        skill,
        Suite(dialect="agentskills", path="/e", digest="d", cases=cases),
        arms=make_arms(("with_skill", "without_skill"), skill, {}),
        harness=HarnessChoice(name="fake", model=model, args=args),
        runs=2,
        seed=1,
        timeout_s=timeout_s,
        now="2026-01-01T00:00:00Z",
        version="0",
        judge=judge,
    )


def key(case_id: str = "c0", arm: str = "with_skill", repeat: int = 1) -> TrialKey:
    """A trial."""
    return TrialKey(case_id=case_id, arm=arm, repeat=repeat)


def took(of: TrialKey, cost: float | None, **changes: Any) -> Trial:
    """An earlier trial of 1000 tokens and 10 seconds."""
    fields: dict[str, Any] = {
        "outcome": "completed",
        "started_at": None,
        "duration_ms": 10_000,
        "usage": Usage(input_tokens=600, output_tokens=400),
        "harness": HarnessFacts(name="fake", model_asked="m"),
        "evidence": SkillEvidence(),
        "attempts": (),
        "isolation": "folder",
        "seed": 1,
        "plan_digest": "d",
        **changes,
    }
    return Trial(key=of, cost_usd=cost, **fields)


def test_a_trial_is_expected_to_take_the_mean_of_its_case_and_arm() -> None:
    """c0 with the skill cost 1 and 3, without it 10: one of each more is 12."""
    past = Past(trials=(took(key(), 1), took(key(), 3), took(key(arm="without_skill"), 10)))
    made = make_forecast(a_plan(), [key(), key(arm="without_skill")], past, concurrency=1)
    assert made.cost_usd is not None
    assert (made.cost_usd.mean, made.basis, made.n_to_run) == (12, 3, 2)


def test_cases_without_earlier_trials_take_the_mean_of_their_arm_then_of_all() -> None:
    """c1 with the skill: 2, as c0 did there; an arm never seen: as the other one."""
    both = (took(key(), 1), took(key(), 3), took(key(arm="without_skill"), 10))
    for missing, trials, mean in ((key("c1"), both, 2), (key(arm="without_skill"), both[:2], 2)):
        made = make_forecast(a_plan(), [missing], Past(trials=trials), concurrency=1)
        assert made.cost_usd is not None
        assert made.cost_usd.mean == pytest.approx(mean)


def test_trials_of_another_model_are_no_guide_for_an_arm() -> None:
    """The arm with the skill has a model of its own; nothing is known of that, so nothing of the sum."""
    plan = a_plan()
    own = HarnessChoice(name="fake", model="large")
    arms = tuple(arm.model_copy(update={"harness": own}) if arm.skill else arm for arm in plan.arms)
    plan = plan.model_copy(update={"arms": arms})
    past = Past(trials=(took(key(), 1), took(key(arm="without_skill"), 2)))
    assert make_forecast(plan, [key()], past, concurrency=1).cost_usd is None
    known = make_forecast(plan, [key(arm="without_skill")], past, concurrency=1).cost_usd
    assert known is not None
    assert known.mean == 2
    earlier = a_plan(model="large")
    assert tells(took(key(), 1), earlier, plan)
    assert not tells(took(key(), 1), a_plan(model="small"), plan)
    assert is_alike(earlier, plan)


def test_the_range_is_that_of_a_sum_whose_mean_and_spread_are_uncertain() -> None:
    """1, 2, 3: variance 1; three more trials from three earlier ones: 3 + 9/3 = 6; t of 2 degrees of freedom is 4.3027."""
    past = Past(trials=(took(key(), 1), took(key(), 2), took(key(), 3)))
    made = make_forecast(a_plan(), [key(repeat=n) for n in (4, 5, 6)], past, concurrency=1)
    assert made.cost_usd is not None
    assert made.cost_usd.low == 0
    assert made.cost_usd.high == pytest.approx(6 + 4.3027 * math.sqrt(6), rel=1e-4)


def test_cases_that_share_a_mean_share_its_uncertainty() -> None:
    """Three new cases from three trials of their arm: one sum of three, as above; three sums of one would be 3 + 3/3."""
    past = Past(trials=(took(key(), 1), took(key(), 2), took(key(), 3)))
    made = make_forecast(a_plan(), [key(f"new{n}") for n in range(3)], past, concurrency=1)
    assert made.cost_usd is not None
    assert made.cost_usd.high == pytest.approx(6 + 4.3027 * math.sqrt(6), rel=1e-4)


def test_fewer_than_three_earlier_trials_give_no_range() -> None:
    """They say too little about their spread."""
    for costs in ([1], [1, 3]):
        past = Past(trials=tuple(took(key(), cost) for cost in costs))
        made = make_forecast(a_plan(), [key()], past, concurrency=1)
        assert made.cost_usd is not None
        assert (made.cost_usd.low, made.cost_usd.high) == (None, None)


def test_time_is_divided_by_how_many_run_at_a_time() -> None:
    """Two trials of 10 s: 20 s one at a time, 10 s with four places."""
    for concurrency, seconds in ((1, 20), (4, 10)):
        past = Past(trials=(took(key(), 1),))
        made = make_forecast(a_plan(), [key(), key(repeat=2)], past, concurrency=concurrency)
        assert made.seconds is not None
        assert made.seconds.mean == seconds


def test_what_no_trial_tells_is_unknown_and_errors_of_tools_tell_nothing() -> None:
    """A cost of None, and a crash that cost 9."""
    past = Past(trials=(took(key(), None), took(key(), 9, outcome="harness_error")))
    made = make_forecast(a_plan(), [key()], past, concurrency=1)
    assert made.cost_usd is None
    assert made.tokens is not None
    assert made.tokens.mean == 1000


def test_no_earlier_trial_is_unknown_and_says_what_makes_it_known() -> None:
    """Not zero; a pilot is named."""
    made = make_forecast(a_plan(), [key()], Past(), concurrency=1)
    assert (made.tokens, made.cost_usd, made.seconds) == (None, None, None)
    assert forecast_lines(made) == (
        "to run: 1 trial: tokens unknown, cost unknown, time unknown",
        "no earlier trial of this agent and model here; --max-trials 2 makes a pilot",
    )


def test_trials_that_cost_nothing_are_said_to() -> None:
    """A model of this machine: no money, whatever the records leave out."""
    made = make_forecast(
        a_plan(),
        [key()],
        Past(trials=(took(key(), None),)),
        concurrency=1,
        free=frozenset({"with_skill", "without_skill"}),
    )
    assert forecast_lines(made)[0] == "to run: 1 trial: about 1,000 tokens, no money, 10.0 s"


def test_the_two_lines_hold_figures_ranges_and_where_they_are_from() -> None:
    """1, 2, 3: mean 4 for two trials, 2 + 4/3 below the root, times 4.3027; the judge's part by itself."""
    judge = JudgeFacts(model="j", cost_usd=0.02)
    past = Past(
        trials=(took(key(), 1), took(key(), 2), took(key(), 3)),
        gradings=(Grading(key=key(), results=(), digest="", judge=judge),),
    )
    made = make_forecast(a_plan(judge="j"), [key(), key(repeat=2)], past, concurrency=2)
    assert forecast_lines(made) == (
        "to run: 2 trials: about 2,000 tokens, $4.00, 10.0 s",
        "range $0–$11.86; from 3 earlier trials of this agent and model; judge apart, $0.0400",
    )


def test_only_prose_is_judged_and_finished_trials_may_be_too() -> None:
    """c1 has none; one trial of c0 is to run and another is finished, but was not graded by this judge: 2 times 0.02."""
    judge = JudgeFacts(model="j", cost_usd=0.02)
    past = Past(trials=(took(key(), 1),), gradings=(Grading(key=key(), results=(), digest="", judge=judge),))
    plan, missing = a_plan(judge="j"), [key(repeat=2), key("c1")]
    made = make_forecast(plan, missing, past, concurrency=1, unjudged=[key()])
    assert made.n_to_judge == 2
    assert forecast_lines(made)[1].endswith("; judge apart, $0.0400")
    made = make_forecast(plan, [], past, concurrency=1, unjudged=[key()])
    assert forecast_lines(made)[1] == "no agent is started; judge of 1 trial apart, $0.0200"
    made = make_forecast(plan, [key("c1")], past, concurrency=1)
    assert "judge" not in forecast_lines(made)[1]


def test_only_the_same_agent_program_and_model_tell_something() -> None:
    """Another model is another price."""
    assert is_alike(a_plan(), a_plan(judge="j"))
    assert not is_alike(a_plan(), a_plan(model="other"))
    assert not is_alike(a_plan(), a_plan(args=("--effort", "high")))


def test_the_player_of_a_user_costs_money_where_the_agent_is_free() -> None:
    """The agent does not tell a cost, its player half a dollar: two more trials of that case take one dollar."""
    plan = a_plan()
    cases = tuple(case.model_copy(update={"responder": Responder()}) for case in plan.suite.cases)
    plan = plan.model_copy(update={"suite": plan.suite.model_copy(update={"cases": cases})})
    tried = Attempt(
        outcome="completed", started_at="", duration_ms=1, responder_usage=Usage(requests=1), responder_usd=0.5
    )
    past = Past(trials=(took(key(), None, attempts=(tried,)),))
    free = frozenset({"with_skill", "without_skill"})
    made = make_forecast(plan, [key(), key(repeat=2)], past, concurrency=1, free=free)
    assert made.cost_usd is not None
    assert (made.cost_usd.mean, made.free) == (1.0, False)


def test_copies_and_time_outs_of_another_limit_tell_nothing() -> None:
    """A trial that was taken over counts where it was run; what was cut at 60 s says nothing of 90 s."""
    plan, longer = a_plan(), a_plan(timeout_s=90)
    copy = took(key(), 1, reused_from=TrialOrigin(iteration=1, key=key(), plan_digest="d"))
    cut = took(key(), 1, outcome="timed_out")
    assert not tells(copy, plan, plan)
    assert tells(cut, plan, plan)
    assert not tells(cut, plan, longer)
    assert tells(took(key(), 1), plan, longer)


@pytest.mark.parametrize(
    ("ceilings", "capabilities", "message"),
    [
        (Ceilings(max_cost_usd=1), Capabilities(skill_root="s", tells_cost=False), "Use --max-tokens or --max-trials"),
        (
            Ceilings(max_cost_usd=1),
            Capabilities(skill_root="s", tells_cost=False, tells_tokens=False),
            "Use --max-trials instead",
        ),
        (Ceilings(max_tokens=1), Capabilities(skill_root="s", tells_tokens=False), "Use --max-trials instead"),
        (Ceilings(max_trials=0), Capabilities(skill_root="s"), "--max-trials is 0"),
        (Ceilings(max_cost_usd=math.nan), Capabilities(skill_root="s"), "--max-cost is nan"),
    ],
)
def test_a_ceiling_that_cannot_be_held_is_an_error_before_anything_is_spent(
    ceilings: Ceilings, capabilities: Capabilities, message: str
) -> None:
    """With what to use instead."""
    with pytest.raises(PlanError) as error:
        check_ceilings(ceilings, "fake", capabilities)
    assert message in str(error.value)


def test_a_ceiling_on_cost_holds_for_what_costs_nothing() -> None:
    """It does not tell a cost, and there is none."""
    check_ceilings(Ceilings(max_cost_usd=1), "fake", Capabilities(skill_root="s", paid=False, tells_cost=False))


def test_a_panel_that_is_asked_several_times_is_counted_and_paid_as_often() -> None:
    """Two judges, three times, two trials: 12 calls. The same panel cost 0.02 when it was asked once: 2 times 0.06."""
    judge = JudgeFacts(model="j,k", cost_usd=0.02, calls=2)
    past = Past(trials=(took(key(), 1),), gradings=(Grading(key=key(), results=(), digest="", judge=judge),))
    plan = a_plan(judge="j,k").model_copy(update={"judge_samples": 3})
    made = make_forecast(plan, [key(), key(repeat=2)], past, concurrency=1)
    assert (made.n_to_judge, made.n_judge_calls) == (2, 12)
    assert forecast_lines(made)[1].endswith("; judge apart, 12 calls, $0.1200")
