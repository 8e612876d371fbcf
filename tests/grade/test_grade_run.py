"""An iteration's trials on disk -> their grading.json, through the real store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.errors import AuthFailed, StoreError
from skilltrial.grade.native import from_native
from skilltrial.grade.panel import Panel
from skilltrial.grade.run import JUDGE_UNUSABLE, grade, read_gradings
from skilltrial.records import layout
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import AnswerMatches, Case, CommandCheck, LlmJudge, SkillInvoked, Suite
from skilltrial.records.trial import Trial, TrialKey

SKILL = SkillRef(name="csv-sum", folder="/skills/csv-sum", fingerprint="sha256:0")
CASE = Case(
    id="sum it",
    written_id=7,
    prompt="Add.",
    assertions=(
        AnswerMatches(id="answer", text="names 42", pattern="42"),
        LlmJudge(id="prose", text="It is polite.", rubric="It is polite."),
        SkillInvoked(id="skill", text="skill used"),
    ),
)
KEYS = [
    TrialKey(case_id="sum it", arm=arm, repeat=repeat) for repeat in (1, 2) for arm in ("with_skill", "without_skill")
]
PLAN = Plan(
    skilltrial_version="0",
    created_at="2026-01-01T00:00:00Z",
    skill=SKILL,
    suite=Suite(dialect="mixed", path="/evals.json", digest="sha256:0", cases=(CASE,)),
    arms=(Arm(name="with_skill", role="treatment", skill=SKILL), Arm(name="without_skill", role="baseline")),
    trials=tuple(PlannedTrial(key=key, seed=1) for key in KEYS),
    harness=HarnessChoice(name="builtin"),
    seed=1,
    runs=2,
    timeout_s=60,
    digest="sha256:0",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FolderStore]:
    """An empty workspace."""
    opened = FolderStore(tmp_path / "w", write=True)
    yield opened
    opened.close()


@pytest.fixture
def finish(store: FolderStore, trial_record: Callable[..., Trial]) -> Callable[..., None]:
    """Puts a finished trial into the workspace."""

    def put(key: TrialKey, **changes: Any) -> None:
        folder = layout.trial_dir(1, key)
        trial = trial_record(**{"key": key, "final_message": "42, please.", **changes})
        store.write(f"{folder}/{layout.TRANSCRIPT}", b'{"ordinal":0,"kind":"assistant_message","text":"42, please."}\n')
        store.write(f"{folder}/{layout.TRIAL}", trial.model_dump_json().encode())

    return put


def _grade(store: FolderStore, judge: Any = None, **changes: Any) -> tuple[list[Grading], list[TrialKey]]:
    heard: list[TrialKey] = []

    async def main() -> tuple[Grading, ...]:
        return await grade(
            **{
                "plan": PLAN,
                "iteration": 1,
                "store": store,
                "judge": judge and Panel(judges=(judge,)),
                "no_judge_reason": "no judge.",
                "concurrency": 1,
                "on_graded": lambda key, _: heard.append(key),
                **changes,
            }
        )

    return list(anyio.run(main)), heard


def _yes(n: int) -> list[Any]:
    return [[{"id": "prose", "verdict": "PASS", "evidence": "please"}] for _ in range(n)]


def test_every_finished_trial_gets_its_file_in_the_plans_order(store: FolderStore, finish: Any, scripted: Any) -> None:
    """What is returned is what is on disk."""
    for key in KEYS:
        finish(key)
    gradings, heard = _grade(store, scripted(_yes(4)))
    assert [grading.key for grading in gradings] == heard == KEYS
    for grading in gradings:
        data = json.loads(store.read(f"{layout.trial_dir(1, grading.key)}/grading.json") or b"")
        assert from_native(data) == grading
        assert (data["eval_id"], data["execution_metrics"]["total_steps"]) == (7, 1)


def test_only_trials_that_say_something_about_the_agent_are_graded(store: FolderStore, finish: Any) -> None:
    """Errors of tools, cancelled and unfinished trials are not."""
    finish(KEYS[0], outcome="harness_error")
    finish(KEYS[1], outcome="cancelled")
    finish(KEYS[2], outcome="agent_failed")
    gradings, _ = _grade(store)
    assert [grading.key for grading in gradings] == [KEYS[2]]


def test_the_baseline_does_not_fail_for_the_skill_it_has_not(store: FolderStore, finish: Any) -> None:
    """The plan's arm decides."""
    finish(KEYS[1])
    gradings, _ = _grade(store)
    assert gradings[0].results[2].verdict == "UNGRADED"
    assert "no skill was offered in this arm" in gradings[0].results[2].evidence


def test_what_is_graded_is_not_judged_again(store: FolderStore, finish: Any, scripted: Any) -> None:
    """The second run costs nothing and still reports every grading; a new trial is graded."""
    finish(KEYS[0])
    first, _ = _grade(store, scripted(_yes(1)))
    finish(KEYS[1])
    judge = scripted(_yes(1))
    second, heard = _grade(store, judge)
    assert second[0] == first[0]
    assert heard == KEYS[:2]
    assert judge.script == []


def test_a_damaged_grading_is_made_again(store: FolderStore, finish: Any) -> None:
    """It is no reason to stop."""
    finish(KEYS[0])
    path = f"{layout.trial_dir(1, KEYS[0])}/grading.json"
    store.write(path, b'{"half": ')
    gradings, _ = _grade(store)
    assert from_native(json.loads(store.read(path) or b"")) == gradings[0]


def test_a_judge_given_later_grades_the_prose(store: FolderStore, finish: Any, scripted: Any) -> None:
    """The same command with --judge."""
    finish(KEYS[0])
    assert _grade(store)[0][0].results[1].verdict == "UNGRADED"
    assert _grade(store, scripted(_yes(1)))[0][0].results[1].verdict == "PASS"


def test_a_refused_judge_is_asked_once(store: FolderStore, finish: Any, scripted: Any) -> None:
    """All prose is ungraded with the reason, code's verdicts stay, and the next run asks again."""
    for key in KEYS:
        finish(key)
    judge = scripted([AuthFailed("the key was refused.", hint="Set it.")])
    gradings, _ = _grade(store, judge)
    assert len(judge.prompts) == 1
    assert {grading.results[1].evidence for grading in gradings} == {f"{JUDGE_UNUSABLE}: the key was refused. Set it."}
    assert {grading.results[0].verdict for grading in gradings} == {"PASS"}
    again, _ = _grade(store, scripted(_yes(4)))
    assert {grading.results[1].verdict for grading in again} == {"PASS"}


def test_verdicts_of_a_judge_outlive_a_run_without_one(store: FolderStore, finish: Any, scripted: Any) -> None:
    """Forgetting --judge, or a key that has run out, throws nothing away."""
    for key in KEYS[1:]:
        finish(key)
    judged, _ = _grade(store, scripted(_yes(3)))
    assert _grade(store)[0] == judged
    finish(KEYS[0])
    assert _grade(store, scripted([AuthFailed("refused.")]))[0][1:] == judged


def test_another_judge_judges_again(store: FolderStore, finish: Any, scripted: Any) -> None:
    """Its verdicts may differ."""
    finish(KEYS[0])
    _grade(store, scripted(_yes(1)))
    other = scripted([[{"id": "prose", "verdict": "FAIL"}]], name="other:judge")
    assert _grade(store, other)[0][0].results[1].verdict == "FAIL"


def test_many_at_once_give_the_same(store: FolderStore, finish: Any, scripted: Any) -> None:
    """Order of ends does not matter."""
    for key in KEYS:
        finish(key)
    gradings, heard = _grade(store, scripted(_yes(4)), concurrency=4)
    assert [grading.key for grading in gradings] == KEYS
    assert sorted(map(str, heard)) == sorted(map(str, KEYS))


def test_a_damaged_transcript_stops_with_its_place(store: FolderStore, finish: Any) -> None:
    """One clear sentence, no group of exceptions."""
    finish(KEYS[0])
    store.write(f"{layout.trial_dir(1, KEYS[0])}/{layout.TRANSCRIPT}", b'\n{"kind": "mood"}\n')
    with pytest.raises(StoreError, match=r"transcript\.jsonl:2: is no event of a transcript"):
        _grade(store, concurrency=4)


def test_results_of_another_plan_are_not_graded(store: FolderStore, finish: Any) -> None:
    """They do not count."""
    finish(KEYS[0], plan_digest="sha256:other")
    assert _grade(store)[0] == []


def test_gradings_are_read_back_in_the_plans_order(store: FolderStore, finish: Any) -> None:
    """Without the damaged ones."""
    for key in KEYS:
        finish(key)
    gradings, _ = _grade(store)
    store.write(f"{layout.trial_dir(1, KEYS[1])}/{layout.GRADING}", b"[" * 100_000)
    assert read_gradings(store, PLAN, 1) == [gradings[0], *gradings[2:]]


def test_a_full_disk_is_said_and_no_verdict(store: FolderStore, finish: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place that a command's copy needs is nothing the agent could give."""
    finish(KEYS[0])
    case = CASE.model_copy(update={"assertions": (CommandCheck(id="run", text="it runs", command="true"),)})
    plan = PLAN.model_copy(update={"suite": PLAN.suite.model_copy(update={"cases": (case,)})})

    def full() -> str:
        raise OSError(28, "No space left on device", "/elsewhere")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(StoreError, match=r"/elsewhere: .*sum it/with_skill/run-1.*No space left on device"):
        _grade(store, plan=plan)
    assert store.read(f"{layout.trial_dir(1, KEYS[0])}/grading.json") is None
