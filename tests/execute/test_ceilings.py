"""Ceilings: what is begun, what is not, and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from doubles import ScriptedHarness, a_plan, completes, fails, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.aggregate.benchmark import aggregate
from skilltrial.execute.ledger import Ledger
from skilltrial.execute.resume import read_trials
from skilltrial.execute.run import read_stop
from skilltrial.ports import TrialRequest
from skilltrial.records.budget import Ceilings
from skilltrial.records.skill import Skill
from skilltrial.records.trial import Attempt, HarnessResult, TrialKey
from skilltrial.records.usage import Usage
from skilltrial.report.account import account
from skilltrial.spec.skill import load_skill


@pytest.fixture
def skill(tmp_path: Path) -> Skill:
    """A skill of one file."""
    (tmp_path / "tidy").mkdir()
    (tmp_path / "tidy/SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n")
    return load_skill(tmp_path / "tidy")


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """An empty workspace."""
    return FolderStore(tmp_path / "w", write=True)


def untold(request: TrialRequest, number: int) -> HarnessResult:
    """An agent that completes and does not tell its cost."""
    return completes(request, number).model_copy(update={"cost_usd": None})


def key(number: int) -> TrialKey:
    """Some trial."""
    return TrialKey(case_id=f"c{number}", arm="with_skill", repeat=1)


def took(cost: float | None, *, tokens: int | None = 10) -> Attempt:
    """A try that completed."""
    usage = Usage(input_tokens=tokens, output_tokens=0 if tokens is not None else None)
    return Attempt(outcome="completed", started_at="", duration_ms=1, usage=usage, cost_usd=cost)


def test_max_trials_is_exact_at_any_concurrency(skill: Skill, store: FolderStore) -> None:
    """Three of eight, though four may run at a time."""
    harness = ScriptedHarness()
    stop = run_plan(a_plan(skill, n_cases=4), store, harness, skill, concurrency=4, ceilings=Ceilings(max_trials=3))
    assert len(harness.requests) == 3
    assert stop is not None
    assert stop.message == "--max-trials 3 is reached: 3 trials begun."


@pytest.mark.parametrize(("ceiling", "n_run"), [(0.24, 1), (0.25, 1), (0.99, 3), (1.0, 4)])
def test_max_cost_is_held_with_trials_of_a_quarter_dollar(
    skill: Skill, store: FolderStore, ceiling: float, n_run: int
) -> None:
    """Nothing is known before the first trial, which runs alone; then no trial starts that might not fit."""
    harness = ScriptedHarness()
    plan = a_plan(skill, n_cases=4)
    stop = run_plan(plan, store, harness, skill, concurrency=4, ceilings=Ceilings(max_cost_usd=ceiling))
    assert len(harness.requests) == n_run
    assert stop is not None
    assert stop.message == (
        f"--max-cost ${ceiling:.2f} is reached: ${n_run / 4:.2f} taken, another trial may take $0.25."
    )


def test_max_tokens_is_held_in_the_same_way(skill: Skill, store: FolderStore) -> None:
    """120 tokens a trial: two fit below 300."""
    harness = ScriptedHarness()
    stop = run_plan(a_plan(skill, n_cases=4), store, harness, skill, ceilings=Ceilings(max_tokens=300))
    assert len(harness.requests) == 2
    assert stop is not None
    assert stop.message == "--max-tokens 300 tokens is reached: 240 tokens taken, another trial may take 120 tokens."


def test_a_raised_ceiling_goes_on_and_counts_what_was_taken(skill: Skill, store: FolderStore) -> None:
    """Two of four for 0.50; with 0.75 one more; without a ceiling the last, and nothing says stop any more."""
    plan = a_plan(skill, n_cases=2)
    numbers: list[int] = []
    for ceiling in (0.5, 0.5, 0.75, None):
        harness = ScriptedHarness()
        run_plan(plan, store, harness, skill, ceilings=Ceilings(max_cost_usd=ceiling))
        numbers.append(len(harness.requests))
    assert numbers == [2, 0, 1, 1]
    assert read_stop(store, 1) is None


def test_the_report_says_which_ceiling_and_how_many_are_left(skill: Skill, store: FolderStore) -> None:
    """In the excluded table, in a notice and as the next step."""
    plan = a_plan(skill, n_cases=2)
    run_plan(plan, store, ScriptedHarness(), skill, ceilings=Ceilings(max_trials=1))
    benchmark = aggregate(plan, 1, read_trials(store, plan, 1), [], now="2026-01-01", stop=read_stop(store, 1))
    reasons = [item.reason for item in benchmark.excluded if item.outcome == "not_run"]
    assert reasons == ["--max-trials 1 is reached: 1 trial begun."] * 3
    told = account(benchmark)
    assert told.notices == ("3 trials of the plan were not run: --max-trials 1 is reached: 1 trial begun.",)
    assert told.next_step == "raise or drop --max-trials and run the same command again; 3 trials of the plan are left."


def test_a_cost_that_is_not_told_is_never_nothing(skill: Skill, store: FolderStore) -> None:
    """After one trial that did not tell, no other is started: the ceiling cannot be held."""
    harness = ScriptedHarness(untold)
    stop = run_plan(a_plan(skill, n_cases=3), store, harness, skill, concurrency=3, ceilings=Ceilings(max_cost_usd=9))
    assert len(harness.requests) == 1
    assert stop is not None
    assert stop.message.startswith("--max-cost cannot be held: the agent program did not tell what its trials took.")


def test_unknown_tries_count_as_the_largest_known() -> None:
    """0.30 and two unknown ones are 0.90: another fits below 1.20, not below 1.19."""
    for ceiling, fits in ((1.2, True), (1.19, False)):
        ledger = Ledger(Ceilings(max_cost_usd=ceiling))
        for cost in (0.3, None, None):
            ledger.charge(took(cost), "with_skill")
        assert ledger.admits(key(1)) is fits


def test_interrupted_trials_count_as_the_largest_known() -> None:
    """Two trials that began and left no record, and one of 0.25: 0.75 are taken."""
    ledger = Ledger(Ceilings(max_cost_usd=0.99), n_interrupted=2, largest=(0.25, None))
    ledger.charge(took(0.25), "with_skill")
    stop = ledger.stop(key(1))
    assert stop is not None
    assert "$0.75 taken (2 tries of unknown size, counted as the largest known)" in stop.message


def test_running_trials_reserve_what_they_may_take() -> None:
    """1.00 and 0.40 at the most: two at a time fit, a third has to wait and is not refused."""
    ledger = Ledger(Ceilings(max_cost_usd=1.0), largest=(0.4, None))
    for number in (1, 2):
        assert ledger.admits(key(number))
        ledger.begin(key(number))
    assert not ledger.admits(key(3))
    assert ledger.stop(key(3)) is None
    ledger.charge(took(0.1), "with_skill")
    ledger.end(key(1))
    assert ledger.admits(key(3)), "0.10 taken, 0.40 reserved, 0.40 more"


def test_what_costs_nothing_is_below_every_ceiling() -> None:
    """Recorded trials and the model of this machine."""
    ledger = Ledger(Ceilings(max_cost_usd=0.01), free=frozenset({"with_skill"}))
    ledger.charge(took(None), "with_skill")
    assert ledger.admits(key(1))


def test_retries_are_charged_and_end_at_the_ceiling(skill: Skill, store: FolderStore) -> None:
    """Each try costs 0.25; below 0.50 a trial is tried twice and not three times."""

    def costly(_request: TrialRequest, _number: int) -> HarnessResult:
        return fails("api_error").model_copy(update={"cost_usd": 0.25})

    harness = ScriptedHarness(costly)
    plan = a_plan(skill, n_cases=2)
    stop = run_plan(plan, store, harness, skill, waits=[], ceilings=Ceilings(max_cost_usd=0.5))
    assert len(harness.requests) == 2
    assert stop is not None


def test_without_a_ceiling_nothing_is_held_back(skill: Skill, store: FolderStore) -> None:
    """All run, also where nothing is told."""
    harness = ScriptedHarness(untold)
    assert run_plan(a_plan(skill, n_cases=3), store, harness, skill) is None
    assert len(harness.requests) == 6
    assert store.find("iteration-1/begun/*") == []


def test_trials_that_wait_for_room_start_in_the_order_of_the_plan(skill: Skill, store: FolderStore) -> None:
    """The first runs alone, three wait; none that comes later overtakes them, so that the arms of a case stay together."""
    plan = a_plan(skill, n_cases=4)
    run_plan(plan, store, ScriptedHarness(), skill, concurrency=4, ceilings=Ceilings(max_cost_usd=0.5))
    done = {str(trial.key) for trial in read_trials(store, plan, 1)}
    assert done == {str(planned.key) for planned in plan.trials[:2]}


def test_failures_that_tell_nothing_are_named_as_what_keeps_a_ceiling_from_being_held(
    skill: Skill, store: FolderStore
) -> None:
    """Not as an agent program that never tells."""
    harness = ScriptedHarness(lambda _request, _number: fails("api_error"))
    stop = run_plan(a_plan(skill, n_cases=2), store, harness, skill, waits=[], ceilings=Ceilings(max_cost_usd=9))
    assert len(harness.requests) == 3
    assert stop is not None
    assert stop.message.startswith("--max-cost cannot be held: the first 3 tries failed, and told nothing")


def test_the_player_of_a_user_counts_as_a_part_of_its_trial() -> None:
    """A quarter dollar of the agent's and half a dollar of the player's; free agents have no free players."""
    played = took(0.25).model_copy(
        update={"responder_usage": Usage(input_tokens=90, output_tokens=5), "responder_usd": 0.5}
    )
    assert (played.spent_usd(), played.spent_usd(free=True), played.spent_tokens) == (0.75, 0.5, 105)
    ledger = Ledger(Ceilings(max_cost_usd=1.4))
    ledger.charge(played, "with_skill")
    assert not ledger.admits(key(1))
    ledger = Ledger(Ceilings(max_cost_usd=0.9), free=frozenset({"with_skill"}))
    ledger.charge(played, "with_skill")
    assert not ledger.admits(key(1))


def test_a_player_that_does_not_tell_is_never_nothing() -> None:
    """Neither of its cost nor of its tokens."""
    played = took(0.25).model_copy(update={"responder_usage": Usage(requests=1)})
    assert (played.spent_usd(), played.spent_tokens) == (None, None)
