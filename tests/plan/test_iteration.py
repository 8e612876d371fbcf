"""Which iteration a plan goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.errors import PlanError, StoreError
from skilltrial.plan.arms import make_arms
from skilltrial.plan.iteration import choose_iteration, freeze, iterations, read_plan
from skilltrial.plan.plan import make_plan
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import AnswerMatches, Case, Suite


def a_plan(*, prompt: str = "do", pattern: str = "x", now: str = "2026-01-01T00:00:00Z") -> Plan:
    """A plan of one case."""
    skill = Skill(name="tidy", folder="/s", frontmatter={}, body="", files=(), fingerprint="sha256:aa")
    case = Case(id="a", prompt=prompt, assertions=(AnswerMatches(id="m", text="t", pattern=pattern),))
    suite = Suite(dialect="skill-creator", path="/e", digest="d", cases=(case,))
    return make_plan(
        skill,
        suite,
        arms=make_arms(("with_skill", "without_skill"), skill, {}),
        harness=HarnessChoice(name="fake"),
        runs=1,
        seed=1,
        timeout_s=1,
        now=now,
        version="0",
    )


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """An empty workspace."""
    return FolderStore(tmp_path / "w", write=True)


def test_the_first_iteration_is_one(store: FolderStore) -> None:
    """An empty workspace begins with iteration-1."""
    assert choose_iteration(store, a_plan(), None) == 1


def test_the_same_plan_goes_on_and_a_changed_one_begins_anew(store: FolderStore) -> None:
    """Resuming needs no option; changes never mix with old trials."""
    freeze(store, a_plan(), 1)
    assert choose_iteration(store, a_plan(now="2027-01-01T00:00:00Z"), None) == 1
    assert choose_iteration(store, a_plan(prompt="other"), None) == 2


def test_iteration_ten_comes_after_two(store: FolderStore) -> None:
    """Numbers are compared as numbers."""
    for number in (2, 10):
        freeze(store, a_plan(), number)
    assert iterations(store) == [2, 10]
    assert choose_iteration(store, a_plan(prompt="other"), None) == 11


def test_new_and_numbers_are_obeyed(store: FolderStore) -> None:
    """`--iteration new` never goes on; a number with the same plan does; with another plan it is refused."""
    freeze(store, a_plan(), 1)
    assert choose_iteration(store, a_plan(), "new") == 2
    assert choose_iteration(store, a_plan(), 1) == 1
    assert choose_iteration(store, a_plan(), 5) == 5
    with pytest.raises(PlanError, match="iteration 1 has another plan"):
        choose_iteration(store, a_plan(prompt="other"), 1)


def test_a_changed_assertion_keeps_the_trials_and_the_earlier_plan(store: FolderStore) -> None:
    """Only grading depends on assertions, so the iteration goes on, and what was planned before stays readable."""
    freeze(store, a_plan(), 1)
    changed = a_plan(pattern="y", now="2027-01-01T00:00:00Z")
    assert choose_iteration(store, changed, None) == 1
    frozen = freeze(store, changed, 1)
    assert frozen.created_at == "2026-01-01T00:00:00Z"
    assert read_plan(store, 1) == frozen
    assert store.find("iteration-1/superseded/plan-*.json") == ["iteration-1/superseded/plan-1.json"]


def test_freezing_the_same_plan_again_changes_no_byte(store: FolderStore) -> None:
    """Resuming leaves plan.json alone."""
    freeze(store, a_plan(), 1)
    before = store.read("iteration-1/plan.json")
    freeze(store, a_plan(now="2027-01-01T00:00:00Z"), 1)
    assert store.read("iteration-1/plan.json") == before


def test_a_plan_of_another_form_is_named(store: FolderStore) -> None:
    """A hand-edited plan gives a sentence with the file, not a traceback."""
    store.write("iteration-1/plan.json", b'{"schema_version": 9}')
    with pytest.raises(StoreError, match=r"plan\.json: this plan cannot be read"):
        choose_iteration(store, a_plan(), None)
