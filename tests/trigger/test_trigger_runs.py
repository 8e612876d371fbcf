"""Runs of queries -> counts: errors as a third state, siblings, intervals that hold, and the same at any number of workers."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from doubles import ScriptedHarness, completes, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.operations.triggering import count
from skilltrial.plan.arms import make_arms
from skilltrial.plan.plan import make_plan
from skilltrial.ports import TrialRequest
from skilltrial.records.plan import HarnessChoice, Plan, SkillRef
from skilltrial.records.skill import Skill
from skilltrial.records.trial import HarnessFacts, HarnessResult, Outcome, Reason, SkillEvidence, Trial, TrialKey
from skilltrial.records.trigger import TriggerQuery, TriggerSuite
from skilltrial.records.trigger_results import TriggerResults
from skilltrial.records.usage import Usage
from skilltrial.spec.skill import load_skill
from skilltrial.trigger.outcome import ErrorWatch, Seen, counts_as_loaded
from skilltrial.trigger.queries import as_suite
from skilltrial.trigger.results import trigger_results

CHANCES = tuple([(True, 0.95 - 0.08 * number) for number in range(10)] + [(False, 0.04 * n) for n in range(10)])
"""Whether each query should load the skill, and the chance that the stand-in does."""


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    """The skill `report`."""
    (tmp_path / "report").mkdir()
    (tmp_path / "report/SKILL.md").write_text("---\nname: report\ndescription: Writes reports.\n---\nWrite.\n")
    return load_skill(tmp_path / "report")


def a_plan(skill: Skill, queries: list[TriggerQuery], *, runs: int = 3) -> Plan:
    """One arm, no canaries."""
    triggers = TriggerSuite(dialect="trigger-set", path="/t", digest="d", queries=tuple(queries))
    return make_plan(
        skill,
        as_suite(triggers, skill, canaries=False),
        arms=make_arms(("with_skill",), skill, {}),
        harness=HarnessChoice(name="scripted"),
        runs=runs,
        seed=7,
        timeout_s=30,
        now="2026-01-01T00:00:00Z",
        version="0",
        until_loaded=True,
    )


def twenty(skill: Skill) -> Plan:
    """20 queries of 3 runs; a query's text ends with its place in `CHANCES`."""
    rows = enumerate(CHANCES)
    return a_plan(
        skill,
        [TriggerQuery(id=f"q{number}", query=f"task {number}", should_trigger=should) for number, (should, _) in rows],
    )


def a_trial(key: TrialKey, outcome: Outcome = "completed", *, loaded: bool | None, read: bool | None = False) -> Trial:
    """One that ended like this."""
    reason = (
        None
        if outcome == "completed"
        else Reason(code="timeout" if outcome == "timed_out" else "crashed", message="m.")
    )
    return Trial(
        key=key,
        outcome=outcome,
        reason=reason,
        started_at=None,
        duration_ms=1,
        usage=Usage(),
        harness=HarnessFacts(name="scripted"),
        evidence=SkillEvidence(attempted=loaded, loaded=loaded, read=read),
        attempts=(),
        isolation="folder",
        seed=1,
        plan_digest="d",
    )


def counted(plan: Plan, trials: list[Trial], seen: dict[TrialKey, Seen] | None = None) -> TriggerResults:
    """The results of these trials."""
    return trigger_results(
        plan, trials, iteration=1, threshold=0.5, descriptions={"with_skill": "d"}, seen=seen or {}, now="now"
    )


def _chance(request: TrialRequest, _number: int) -> HarnessResult:
    """Loads the skill with the chance of its query; the trial's own seed decides, whenever and beside whomever it runs."""
    loaded = random.Random(request.seed).random() < CHANCES[int(request.prompt.split()[-1])][1]
    result = completes(request, 1)
    return result.model_copy(update={"evidence": SkillEvidence(attempted=loaded, loaded=loaded, read=False)})


def test_ten_workers_count_what_one_does(skill: Skill, tmp_path: Path) -> None:
    """T2: 20 queries of 3 runs; the counts are those that the seeds say, however many run at a time."""
    plan = twenty(skill)
    found: list[list[int]] = []
    for concurrency in (1, 10):
        store = FolderStore(tmp_path / f"w{concurrency}", write=True)
        harness = ScriptedHarness(_chance, gate=concurrency)
        run_plan(plan, store, harness, skill, concurrency=concurrency)
        results = count(store, plan, 1, threshold=0.5, descriptions={"with_skill": "d"})
        assert harness.most_running == concurrency
        found.append([row.n_loaded for row in results.arms[0].queries])
        assert [row.n_not_loaded for row in results.arms[0].queries] == [3 - n for n in found[-1]]
        store.close()
    seeds = {planned.key: planned.seed for planned in plan.trials}
    expected = [
        sum(
            random.Random(seeds[TrialKey(case_id=f"q{number}", arm="with_skill", repeat=repeat)]).random() < chance
            for repeat in (1, 2, 3)
        )
        for number, (_, chance) in enumerate(CHANCES)
    ]
    assert found == [expected, expected]
    assert 0 < sum(expected) < 60


def test_intervals_of_200_runs_hold_as_often_as_they_say(skill: Skill) -> None:
    """A stand-in with known chances: the truth is in the interval of each query's rate, of recall and of precision."""
    plan, rng = twenty(skill), random.Random(20261202)
    recall = sum(chance for should, chance in CHANCES if should) / 10
    spill = sum(chance for should, chance in CHANCES if not should) / 10
    truth = {"recall": recall, "false_positives": spill, "precision": recall / (recall + spill)}
    inside, n_rates = dict.fromkeys(truth, 0), 0
    yes, no = (a_trial(plan.trials[0].key, loaded=loaded) for loaded in (True, False))
    for _ in range(200):
        trials = [
            (yes if rng.random() < CHANCES[int(planned.key.case_id[1:])][1] else no).model_copy(
                update={"key": planned.key}
            )
            for planned in plan.trials
        ]
        arm = counted(plan, trials).arms[0]
        for row, (_, chance) in zip(arm.queries, CHANCES, strict=True):
            assert row.rate.low is not None
            assert row.rate.high is not None
            n_rates += row.rate.low <= chance <= row.rate.high
        for name, value in truth.items():
            share = getattr(arm.figures, name)
            inside[name] += share.low <= value <= share.high
    assert all(n >= 190 for n in inside.values()), inside
    assert n_rates >= 0.95 * 200 * 20


@pytest.mark.parametrize(
    ("outcome", "loaded", "read", "counts"),
    [
        ("completed", True, False, True),
        ("completed", False, True, True),
        ("completed", False, False, False),
        ("completed", None, None, None),
        ("agent_failed", False, False, False),
        ("timed_out", False, False, None),
        ("timed_out", True, False, True),
        ("harness_error", False, False, None),
        ("harness_error", True, False, True),
        ("cancelled", False, False, None),
    ],
)
def test_what_a_run_counts_as(outcome: Outcome, loaded: bool | None, read: bool | None, counts: bool | None) -> None:
    """T7, T8, T21: an end that shows nothing is neither; what was loaded before it stays loaded."""
    trial = a_trial(TrialKey(case_id="q", arm="a", repeat=1), outcome, loaded=loaded, read=read)
    assert counts_as_loaded(trial) is counts


def two(skill: Skill, *, runs: int) -> Plan:
    """One query of each class."""
    return a_plan(
        skill,
        [
            TriggerQuery(id="yes", query="report this", should_trigger=True),
            TriggerQuery(id="no", query="what is a report", should_trigger=False),
        ],
        runs=runs,
    )


def _keys(case_id: str, n: int) -> list[TrialKey]:
    return [TrialKey(case_id=case_id, arm="with_skill", repeat=repeat) for repeat in range(1, n + 1)]


def test_errors_are_a_third_state(skill: Skill) -> None:
    """Of five runs of the negative one crash and one time-out: 0 of 3, not 0 of 5; 2 of 10 leave the word as it is."""
    no = _keys("no", 5)
    trials = [a_trial(key, loaded=True) for key in _keys("yes", 5)]
    trials += [a_trial(key, loaded=False) for key in no[:3]]
    trials += [a_trial(no[3], "harness_error", loaded=False), a_trial(no[4], "timed_out", loaded=False)]
    results = counted(two(skill, runs=5), trials)
    row = results.arms[0].queries[1]
    assert (row.n_loaded, row.n_not_loaded, row.errors) == (0, 3, {"crashed": 1, "timeout": 1})
    assert (row.rate.n, row.passes, results.word) == (3, True, "all pass")


def test_too_many_errors_leave_nothing_to_say(skill: Skill) -> None:
    """3 of 10 without a result, one of them never run: no claim, whatever the rest shows."""
    no = _keys("no", 5)
    trials = [a_trial(key, loaded=True) for key in _keys("yes", 5)]
    trials += [a_trial(key, loaded=True) for key in no[:2]]
    trials += [a_trial(key, "harness_error", loaded=False) for key in no[2:4]]
    results = counted(two(skill, runs=5), trials)
    assert results.arms[0].queries[1].errors == {"crashed": 2, "not run": 1}
    assert (results.word, results.why) == ("cannot tell", "without a result: 3 of 10 runs.")


def test_a_query_without_any_result_is_undecided(skill: Skill) -> None:
    """Unknown is neither a pass nor a failure, and no rate."""
    results = counted(two(skill, runs=1), [a_trial(_keys("yes", 1)[0], loaded=True)])
    row = results.arms[0].queries[1]
    assert (row.passes, row.rate.estimate, row.rate.low) == (None, None, None)
    assert results.arms[0].figures.precision.estimate is None


def test_half_of_the_runs_is_at_the_threshold(skill: Skill) -> None:
    """1 of 2 at 0.5: enough where the skill should be loaded, too often where it should not. The same 1 of 2 at 0.6 is neither."""
    trials = [a_trial(key, loaded=key.repeat == 1) for case in ("yes", "no") for key in _keys(case, 2)]
    plan = two(skill, runs=2)
    for threshold, passes in ((0.5, [True, False]), (0.6, [False, True])):
        results = trigger_results(
            plan, trials, iteration=1, threshold=threshold, descriptions={"with_skill": "d"}, seen={}, now="now"
        )
        assert [row.passes for row in results.arms[0].queries] == passes
        assert results.why == f"on the wrong side of {threshold:g}: 1 of 2 queries."


@pytest.mark.parametrize(("n_no", "doubted"), [(1, True), (0, False)])
def test_rates_that_are_all_one_are_doubted_where_both_classes_have_one(skill: Skill, n_no: int, doubted: bool) -> None:
    """T25. One class that was not run yet says nothing of its rate."""
    trials = [a_trial(key, loaded=True) for key in (*_keys("yes", 1), *_keys("no", n_no))]
    notices = counted(two(skill, runs=1), trials).notices
    assert any("loaded in every run, whatever the query" in text for text in notices) is doubted


def test_the_rest_is_stopped_above_a_fifth_of_errors() -> None:
    """Not before ten runs have ended, and not at a fifth."""
    key = TrialKey(case_id="q", arm="a", repeat=1)
    good, bad = a_trial(key, loaded=False), a_trial(key, "harness_error", loaded=False)

    def stops(trials: list[Trial]) -> list[bool]:
        watch = ErrorWatch()
        return [watch(trial) is not None for trial in trials]

    assert stops([bad] * 10) == [False] * 9 + [True]
    assert stops([bad] * 2 + [good] * 8) == [False] * 10
    assert stops([bad] * 2 + [good] * 8 + [bad]) == [False] * 10 + [True]


def test_what_stops_the_rest_says_why() -> None:
    """With counts and the last reason."""
    watch = ErrorWatch()
    trial = a_trial(TrialKey(case_id="q", arm="a", repeat=1), "harness_error", loaded=False)
    stops = [watch(trial) for _ in range(10)]
    assert stops[-1] is not None
    assert stops[-1].message == "10 of 10 runs ended without a result; the last time: m. The rest is not run."
    assert stops[-1].ceiling is None


@pytest.fixture
def pool(skill: Skill) -> Callable[..., Plan]:
    """A plan in which two other skills lie beside it."""

    def make(queries: list[TriggerQuery]) -> Plan:
        plan = a_plan(skill, queries, runs=2)
        refs = tuple(SkillRef(name=name, folder="/x", fingerprint="f") for name in ("chart", "table"))
        arm = plan.arms[0].model_copy(update={"beside": refs})
        return plan.model_copy(update={"arms": (arm,)})

    return make


def test_which_skill_was_taken_for_which_queries(pool: Callable[..., Plan]) -> None:
    """A row for each skill that should be loaded, and one for none of them; what was lost is no column of its own."""
    plan = pool(
        [
            TriggerQuery(id="a", query="report it", expects=("report",)),
            TriggerQuery(id="b", query="draw it", expects=("chart",)),
            TriggerQuery(id="c", query="hello", expects=()),
        ]
    )
    keys = {name: _keys(name, 2) for name in "abc"}
    trials = [a_trial(keys["a"][0], loaded=True), a_trial(keys["a"][1], loaded=False)]
    trials += [a_trial(keys["b"][0], loaded=False), a_trial(keys["b"][1], loaded=True)]
    trials += [a_trial(keys["c"][0], loaded=False), a_trial(keys["c"][1], "harness_error", loaded=False)]
    seen = {
        keys["a"][0]: Seen(taken=("table",)),
        keys["a"][1]: Seen(taken=("table",)),
        keys["b"][0]: Seen(taken=("chart",)),
    }
    rows = counted(plan, trials, seen).arms[0].confusion
    found = [(row.expected, row.n_runs, dict(row.loaded), row.n_nothing, row.n_errors) for row in rows]
    assert found == [
        ("report", 2, {"report": 1, "table": 2}, 0, 0),
        ("chart", 2, {"report": 1, "chart": 1}, 0, 0),
        (None, 1, {}, 1, 1),
    ]


def test_without_siblings_there_is_no_matrix(skill: Skill) -> None:
    """It would say what the rates say."""
    assert counted(two(skill, runs=1), [a_trial(_keys("yes", 1)[0], loaded=True)]).arms[0].confusion == ()
