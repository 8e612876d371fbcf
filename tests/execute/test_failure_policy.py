"""What follows from how a trial ended."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import anyio
import pytest
from doubles import ScriptedHarness, a_plan, completes, fails, run_plan

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.errors import AuthFailed, HarnessError, RateLimited
from skilltrial.execute.failure_policy import TABLE, policy
from skilltrial.execute.pace import Pace
from skilltrial.execute.resume import read_trials
from skilltrial.execute.watcher import Silent
from skilltrial.ports import TrialRequest
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.trial import HarnessResult, Outcome, Reason, ReasonCode
from skilltrial.spec.skill import load_skill

DOCS = Path(__file__).parents[2] / "docs/budget.md"


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


def pace() -> Pace:
    """Clocks that nobody looks at."""
    return Pace(now=lambda: datetime(2026, 1, 1, tzinfo=UTC), monotonic=lambda: 0.0, sleep=anyio.sleep)


def test_every_outcome_and_every_reason_has_a_row() -> None:
    """Nothing is left to chance when a reason is added."""
    assert {outcome for outcome, _ in TABLE} == set(get_args(Outcome))
    assert {code for _, code in TABLE if code} == set(get_args(ReasonCode))


def test_the_documented_table_is_the_one_in_the_code() -> None:
    """Row by row, in the same order."""
    rows = [line.split("|")[1:-1] for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    told = [tuple(cell.strip() for cell in row[:6]) for row in rows if len(row) == 7]
    word = {True: "yes", False: "no"}
    follows = {(False, False): "–", (True, False): "fewer at a time", (False, True): "nothing more starts"}
    assert told == [
        (
            f"`{outcome}`",
            f"`{code}`" if code else "–",
            word[row.retry],
            word[row.grade],
            word[row.counts],
            follows[row.slow, row.halt],
        )
        for (outcome, code), row in TABLE.items()
    ]


def test_what_is_not_in_the_table_follows_its_outcome() -> None:
    """A tool error without a reason is tried again; an agent's failure for a reason of tools still counts."""
    assert policy("harness_error", None).retry
    assert policy("agent_failed", Reason(code="crashed", message="")).counts
    assert not policy("cancelled", None).grade


def test_waits_grow_with_jitter_that_the_seed_decides() -> None:
    """3, 12 and 48 seconds, each 20 % more or less; the same trial waits the same time in every run."""
    waits = [pace().wait_s(n, None, seed="3/c0") for n in (1, 2, 3)]
    assert waits == [pace().wait_s(n, None, seed="3/c0") for n in (1, 2, 3)]
    assert waits != [pace().wait_s(n, None, seed="3/c1") for n in (1, 2, 3)]
    for wait, middle in zip(waits, (3, 12, 48), strict=True):
        assert wait is not None
        assert 0.8 * middle <= wait <= 1.2 * middle


@pytest.mark.parametrize(("asked", "wait"), [(7, 7), (300, 300), (301, None)])
def test_a_service_is_given_the_time_that_it_asks_for(asked: float, wait: float | None) -> None:
    """To the second, up to five minutes; beyond, an earlier try would be refused again."""
    reason = Reason(code="rate_limited", message="", retry_after_s=asked)
    assert pace().wait_s(1, reason, seed="") == wait


def test_a_wait_of_an_hour_ends_the_run(skill: Skill, store: FolderStore) -> None:
    """One try, no wait, a sentence with the time."""
    harness = ScriptedHarness(lambda _request, _number: fails("rate_limited", retry_after_s=3600))
    waits: list[float] = []
    with pytest.raises(RateLimited, match="scripted was asked to wait 60 min"):
        run_plan(a_plan(skill, n_cases=3), store, harness, skill, waits=waits)
    assert (len(harness.requests), waits) == (1, [])


def test_running_trials_finish_when_a_key_is_refused(skill: Skill, store: FolderStore) -> None:
    """Three at a time: the first to end is refused, the two beside it are kept, the other three are not started."""
    ended: list[int] = []

    def first_refused(request: TrialRequest, number: int) -> HarnessResult:
        ended.append(number)
        return fails("auth_failed") if len(ended) == 1 else completes(request, number)

    plan = a_plan(skill, n_cases=3)
    harness = ScriptedHarness(first_refused, gate=3)
    with pytest.raises(AuthFailed):
        run_plan(plan, store, harness, skill, concurrency=3)
    assert len(harness.requests) == 3
    assert sorted(trial.outcome for trial in read_trials(store, plan, 1)) == ["completed", "completed", "harness_error"]


def test_nothing_starts_while_the_record_of_a_refused_key_is_written(
    skill: Skill, store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk: the two others are written first, and their places stay empty."""
    publish = FolderStore.publish

    def slow(self: FolderStore, staged: Path, place: str) -> None:
        record = staged / "run.json"
        if record.exists() and "harness_error" in record.read_text():
            time.sleep(0.5)
        publish(self, staged, place)

    monkeypatch.setattr(FolderStore, "publish", slow)

    ended: list[int] = []

    def first_refused(request: TrialRequest, number: int) -> HarnessResult:
        ended.append(number)
        return fails("auth_failed") if len(ended) == 1 else completes(request, number)

    harness = ScriptedHarness(first_refused, gate=3)
    with pytest.raises(AuthFailed):
        run_plan(a_plan(skill, n_cases=3), store, harness, skill, concurrency=3)
    assert len(harness.requests) == 3


def test_every_attempt_of_a_trial_is_kept_in_its_folder(skill: Skill, store: FolderStore) -> None:
    """Two failures and a result: two folders beside the result's own files."""

    def third_works(request: TrialRequest, number: int) -> HarnessResult:
        (request.capture / "stderr.txt").write_text(f"try {number}")
        return completes(request, number) if number == 3 else fails("crashed")

    run_plan(a_plan(skill, arms=("with_skill",)), store, ScriptedHarness(third_works), skill, waits=[])
    folder = "iteration-1/eval-c0/with_skill/run-1"
    assert [store.read(f"{folder}/{part}stderr.txt") for part in ("attempts/1/", "attempts/2/", "")] == [
        b"try 1",
        b"try 2",
        b"try 3",
    ]


def mixed(plan: Plan) -> Plan:
    """The same with another agent program in the arm without a skill."""
    other = HarnessChoice(name="other", model="asked")
    arms = [arm if arm.skill else arm.model_copy(update={"harness": other}) for arm in plan.arms]
    return plan.model_copy(update={"arms": tuple(arms)})


def test_a_refused_login_holds_back_its_own_agent_program_alone(skill: Skill, store: FolderStore) -> None:
    """One request of the refused one; the other arm comes to its end; the error is raised then, and told by name."""
    told: list[tuple[str, str | None]] = []

    class Listens(Silent):
        def halts(self, why: str, *, program: str | None = None) -> None:
            told.append((why, program))

    plan = mixed(a_plan(skill, n_cases=5))
    refused = ScriptedHarness(lambda _request, _number: fails("auth_failed"))
    good = ScriptedHarness(name="other")
    with pytest.raises(AuthFailed, match="scripted was refused"):
        run_plan(plan, store, refused, skill, others={"without_skill": good}, watcher=Listens())
    assert (len(refused.requests), len(good.requests)) == (1, 5)
    assert told == [("scripted was refused: it was auth_failed.", "scripted")]


def test_failures_in_a_row_are_counted_for_each_agent_program(skill: Skill, store: FolderStore) -> None:
    """Good trials of another one between them do not hide that this one is broken."""
    plan = mixed(a_plan(skill, n_cases=9))
    broken = ScriptedHarness(lambda _request, _number: fails("unparsable"))
    good = ScriptedHarness(name="other")
    with pytest.raises(HarnessError, match="failed 4 times in a row"):
        run_plan(plan, store, broken, skill, waits=[], others={"without_skill": good})
    assert len(broken.requests) <= 14
    assert len(good.requests) == 9


def two_models(plan: Plan) -> Plan:
    """The same with another model of the same agent program in the arm without a skill."""
    other = plan.harness.model_copy(update={"model": "second"})
    arms = [arm if arm.skill else arm.model_copy(update={"harness": other}) for arm in plan.arms]
    return plan.model_copy(update={"arms": tuple(arms)})


@pytest.mark.parametrize("code", ["model_not_found", "rate_limited"])
def test_what_is_of_one_model_does_not_hold_back_another(skill: Skill, store: FolderStore, code: ReasonCode) -> None:
    """A model that is not there, and a long waiting time: services limit each model by itself."""
    told: list[tuple[str, str | None]] = []

    class Listens(Silent):
        def halts(self, why: str, *, program: str | None = None) -> None:
            told.append((why, program))

    plan = two_models(a_plan(skill, n_cases=5))
    stopped = ScriptedHarness(lambda _request, _number: fails(code, retry_after_s=3600.0))
    good = ScriptedHarness()
    with pytest.raises(HarnessError):
        run_plan(plan, store, stopped, skill, others={"without_skill": good}, watcher=Listens())
    assert (len(stopped.requests), len(good.requests)) == (1, 5)
    assert [program for _, program in told] == ["scripted with asked"]


def test_a_refused_login_holds_back_every_model(skill: Skill, store: FolderStore) -> None:
    """They share the account."""
    plan = two_models(a_plan(skill, n_cases=9))
    refused = ScriptedHarness(lambda _request, _number: fails("auth_failed"))
    good = ScriptedHarness()
    with pytest.raises(AuthFailed):
        run_plan(plan, store, refused, skill, others={"without_skill": good})
    assert len(good.requests) < 9
