"""From suite, arms and settings to a frozen plan."""

from __future__ import annotations

import pytest

from skilltrial.errors import PlanError
from skilltrial.plan.arms import make_arms
from skilltrial.plan.differences import require_distinct
from skilltrial.plan.plan import make_plan
from skilltrial.records.doubles import CommandDouble, CommandReply, Doubles
from skilltrial.records.plan import Arm, HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, LlmJudge, Suite


def a_skill(name: str = "tidy", fingerprint: str = "sha256:aa") -> Skill:
    """A skill without files."""
    return Skill(name=name, folder=f"/s/{name}", frontmatter={}, body="", files=(), fingerprint=fingerprint)


def a_suite(*cases: Case) -> Suite:
    """A suite of these cases."""
    return Suite(dialect="skill-creator", path="/s/evals.json", digest="sha256:bb", cases=cases)


def plan_of(
    *cases: Case,
    arms: tuple[str, ...] = ("with_skill", "without_skill"),
    runs: int = 2,
    seed: int = 7,
    only: tuple[str, ...] = (),
    timeout_s: float = 60,
) -> Plan:
    """A plan of these cases by a harness that does not exist."""
    return make_plan(
        a_skill(),
        a_suite(*cases),
        arms=make_arms(arms, a_skill(), {}),
        harness=HarnessChoice(name="fake", model="m"),
        runs=runs,
        seed=seed,
        timeout_s=timeout_s,
        now="2026-01-01T00:00:00Z",
        version="0",
        only=only,
    )


def case(case_id: str, *, runs: int | None = None, prompt: str = "do", written_id: int | None = None) -> Case:
    """A case without files."""
    return Case(id=case_id, prompt=prompt, runs=runs, written_id=written_id)


def test_every_case_runs_in_every_arm_as_often_as_asked() -> None:
    """Two cases, two arms, two repeats: eight trials, none twice."""
    plan = plan_of(case("a"), case("b"))
    keys = [str(item.key) for item in plan.trials]
    assert sorted(keys) == sorted(
        f"{name}/{arm}/run-{repeat}" for name in "ab" for arm in ("with_skill", "without_skill") for repeat in (1, 2)
    )


def test_a_cases_own_runs_win() -> None:
    """`runs` in the eval file beats the command line, upwards and downwards."""
    plan = plan_of(case("once", runs=1), case("thrice", runs=3), runs=2)
    counts = {name: sum(item.key.case_id == name for item in plan.trials) for name in ("once", "thrice")}
    assert counts == {"once": 2, "thrice": 6}


def test_the_arms_of_a_pair_stand_side_by_side_and_share_a_seed() -> None:
    """Drift of a service over time hits both arms of a pair alike."""
    plan = plan_of(*(case(str(n)) for n in range(8)))
    for first, second in zip(plan.trials[::2], plan.trials[1::2], strict=True):
        assert (first.key.case_id, first.key.repeat) == (second.key.case_id, second.key.repeat)
        assert {first.key.arm, second.key.arm} == {"with_skill", "without_skill"}
        assert first.seed == second.seed


def test_neither_arm_always_goes_first() -> None:
    """The order within pairs is shuffled by the seed."""
    plan = plan_of(*(case(str(n)) for n in range(12)))
    assert {item.key.arm for item in plan.trials[::2]} == {"with_skill", "without_skill"}


def test_the_same_seed_gives_the_same_order_and_another_one_does_not() -> None:
    """A plan can be made again from its seed."""
    cases = [case(str(n)) for n in range(8)]
    assert plan_of(*cases, seed=7).trials == plan_of(*cases, seed=7).trials
    assert [item.key for item in plan_of(*cases, seed=7).trials] != [
        item.key for item in plan_of(*cases, seed=8).trials
    ]


def test_the_digest_follows_what_trials_depend_on() -> None:
    """A prompt, the repeats and the seed change it; an assertion does not, since only grading depends on it."""
    plan = plan_of(case("a"))
    graded = case("a").model_copy(update={"assertions": (LlmJudge(id="x", text="t", rubric="t"),)})
    assert plan_of(graded).digest == plan.digest
    assert plan_of(case("a", prompt="do it")).digest != plan.digest
    assert plan_of(case("a"), runs=3).digest != plan.digest
    assert plan_of(case("a"), seed=8).digest != plan.digest


def test_the_digest_follows_what_doubles_do() -> None:
    """Another reply is another task, however it is written; a case without doubles keeps its digest."""

    def digest(stdout: str, written: str) -> str:
        reply = CommandReply(stdout=stdout)
        doubles = Doubles(commands=(CommandDouble(name="deploy", replies=(reply,)),), written=written)
        return plan_of(case("a").model_copy(update={"doubles": doubles})).digest

    assert digest("done", "x") != digest("failed", "x")
    assert digest("done", "x") == digest("done", "y")
    assert digest("done", "x") != plan_of(case("a")).digest


def test_only_takes_ids_as_written_or_as_made() -> None:
    """An integer id of the file can be asked for as text."""
    plan = plan_of(case("case-1", written_id=1), case("case-2", written_id=2), only=("2", "case-2"))
    assert [item.id for item in plan.suite.cases] == ["case-2"]


def test_a_case_without_a_written_id_is_not_called_none() -> None:
    """What the file does not say is no name."""
    with pytest.raises(PlanError, match="no case 'None'"):
        plan_of(case("a"), only=("None",))


def test_a_prompt_of_the_template_is_refused() -> None:
    """Agents cost money. Not where the case is not among those that are run."""
    cases = (case("a"), case("b", prompt="FILL IN: what a user would ask"))
    with pytest.raises(PlanError, match="the prompt of 'b' is still that of the template"):
        plan_of(*cases)
    assert plan_of(*cases, only=("a",)).trials


def test_an_unknown_id_is_refused_with_the_known_ones() -> None:
    """A typing mistake must not shrink the suite silently."""
    with pytest.raises(PlanError, match=r"no case 'zz'.*Its cases: a, b\."):
        plan_of(case("a"), case("b"), only=("a", "zz"))


@pytest.mark.parametrize("runs", [0, -1])
def test_runs_below_one_are_refused(runs: int) -> None:
    """Zero repeats would be a plan without trials."""
    with pytest.raises(PlanError, match=r"--runs is"):
        plan_of(case("a"), runs=runs)


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("inf"), float("nan")])
def test_a_timeout_that_is_no_time_is_refused(timeout_s: float) -> None:
    """Neither nothing nor for ever: a plan with those could not be read back."""
    with pytest.raises(PlanError, match="--timeout is"):
        plan_of(case("a"), timeout_s=timeout_s)


def test_the_hint_for_an_arm_without_a_skill_can_be_followed() -> None:
    """A known baseline stands beside the treatment, any other name beside the baseline."""
    for names, hint in ((["old_skill"], "with_skill,old_skill=PATH"), (["mine"], "mine=PATH,without_skill")):
        with pytest.raises(PlanError, match=f"--arms {hint}"):
            make_arms(names, a_skill(), {})


def test_roles_follow_names_not_the_order_or_the_alphabet() -> None:
    """old_skill is the baseline wherever it stands; the treatment comes first."""
    arms = make_arms(("old_skill", "with_skill"), a_skill(), {"old_skill": a_skill(fingerprint="sha256:old")})
    assert [(arm.name, arm.role) for arm in arms] == [("with_skill", "treatment"), ("old_skill", "baseline")]
    assert [arm.skill.fingerprint if arm.skill else None for arm in arms] == ["sha256:aa", "sha256:old"]


def test_among_names_of_ones_own_the_last_is_the_baseline() -> None:
    """The documented rule for arms that no convention names."""
    others = {"z": a_skill("z"), "a": a_skill("a")}
    arms = make_arms(("z", "a"), a_skill(), others)
    assert [(arm.name, arm.role) for arm in arms] == [("z", "treatment"), ("a", "baseline")]


def test_one_arm_has_no_baseline() -> None:
    """A single arm is a treatment; no gain over an imagined zero can follow."""
    assert [(arm.name, arm.role) for arm in make_arms(("with_skill",), a_skill(), {})] == [("with_skill", "treatment")]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("with_skill", "with_skill"), "named twice"),
        (("with_skill", "mine"), r"'mine' has no skill.*mine=PATH"),
        (("with_skill", "old_skill"), "'old_skill' has no skill"),
    ],
)
def test_arms_that_make_no_sense_are_refused(names: tuple[str, ...], message: str) -> None:
    """Each mistake has its own sentence."""
    with pytest.raises(PlanError, match=message):
        make_arms(names, a_skill(), {})


def test_two_baselines_are_refused() -> None:
    """A lift needs one thing to be compared with."""
    with pytest.raises(PlanError, match="two arms are baselines"):
        make_arms(("with_skill", "without_skill", "old_skill"), a_skill(), {"old_skill": a_skill()})


def test_an_arm_record_of_a_baseline_without_skill_has_none() -> None:
    """`without_skill` never carries a skill, whatever else is given."""
    arms = make_arms(("with_skill", "without_skill"), a_skill(), {})
    assert arms[1] == Arm(name="without_skill", role="baseline", skill=None)


def test_a_plan_beyond_reason_is_refused_with_its_size() -> None:
    """Two arms of 60,000 repeats are 120,000 trials."""
    with pytest.raises(PlanError, match="has 120,000 trials, more than 100,000"):
        plan_of(case("a"), runs=60_000)


def test_arms_that_hold_the_same_skill_are_refused_before_anything_is_spent() -> None:
    """Two names for one fingerprint, or two arms without a skill, are no comparison."""
    same = make_arms(("with_skill", "old_skill"), a_skill(), {"old_skill": a_skill()})
    with pytest.raises(PlanError, match=r"with_skill and old_skill both hold the same skill \(sha256:aa\)"):
        require_distinct(same, HarnessChoice(name="fake"))
    bare = [Arm(name="a", role="treatment"), Arm(name="b", role="baseline")]
    with pytest.raises(PlanError, match="a and b both have no skill"):
        require_distinct(bare, HarnessChoice(name="fake"))
    require_distinct(make_arms(("with_skill", "without_skill"), a_skill(), {}), HarnessChoice(name="fake"))
