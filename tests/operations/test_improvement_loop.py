"""The loop that improves a skill, with stand-ins for agents, for the proposing model and for the shelf."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import anyio
import pytest

from skilltrial.errors import AuthFailed, TimedOut
from skilltrial.improve.material import Material
from skilltrial.improve.verdict import standing_of
from skilltrial.operations.improvement_loop import Tried, improve, sentence_of
from skilltrial.operations.proposing import ProposedFile, ProposedVersion
from skilltrial.ports import Answer
from skilltrial.records.budget import Ceilings
from skilltrial.records.improvement import (
    CasePart,
    Improvement,
    PartedCase,
    ScorePair,
    Standing,
    Training,
    Version,
)
from skilltrial.records.optimisation import Spent

SIZES: dict[CasePart, int] = {"train": 2, "select": 2, "holdout": 4}
Right = Callable[[str, str], float]
"""The score of a version (its text) in a case."""


class Killed(BaseException):
    """A power cut."""


def begun(*, rounds: int = 2, candidates: int = 2, runs: int = 1, patience: int = 2) -> Improvement:
    """Two cases to learn from, two to choose by, four to accept by."""
    return Improvement(
        skill_name="s",
        number=1,
        created_at="2026-12-01T00:00:00Z",
        digest="sha256:0",
        holdout_digest="sha256:0",
        cases=tuple(PartedCase(id=f"{part}-{n}", part=part) for part, size in SIZES.items() for n in range(size)),
        runs=runs,
        rounds=rounds,
        candidates=candidates,
        patience=patience,
        harness=None,
        model=None,
        proposer="m",
        versions=(Version(name="v0", parent=None, origin="own", fingerprint="old", result="baseline"),),
        incumbent="v0",
    )


@dataclass
class World:
    """Agents, proposer and shelf; counts what is paid for, and is killed after so many things."""

    right: Right
    texts: Sequence[str] = ()
    """What the proposer writes, in turn; an empty one cannot be used."""
    die_at: int | None = None
    n_events: int = 0
    disk: Improvement | None = None
    trials: Counter[tuple[str, str, int]] = field(default_factory=Counter[tuple[str, str, int]])
    """By version, case and repeat: how often it was run."""
    calls: list[str] = field(default_factory=list[str])
    asked: list[Material] = field(default_factory=list[Material])
    refusals: list[str] = field(default_factory=list[str])
    cost_usd: float | None = None
    """Of a call."""

    def event(self) -> None:
        """Something happened; the power may go."""
        self.n_events += 1
        if self.n_events == self.die_at:
            raise Killed

    def keep(self, state: Improvement) -> None:
        """Writes, then may die."""
        self.disk = Improvement.model_validate_json(state.model_dump_json())
        self.event()

    def _run(self, state: Improvement, names: Sequence[str], part: CasePart, repeats: int) -> None:
        for name in names:
            for case in sorted(state.part(part)):
                for repeat in range(1, repeats + 1):
                    if not self.trials[name, case, repeat]:
                        self.trials[name, case, repeat] += 1
                        self.event()

    def _standing(self, state: Improvement, name: str, part: CasePart, repeats: int) -> Standing:
        new, old = (state.version(each).fingerprint for each in (name, state.incumbent))
        pairs = [
            ScorePair(case_id=case, version=self.right(new, case), incumbent=self.right(old, case))
            for case in sorted(state.part(part))
        ]
        return standing_of(name, state.incumbent, pairs, iteration=1, repeats=repeats)

    async def train(self, state: Improvement, version: Version) -> Tried:
        """Alone."""
        self._run(state, [version.name], "train", state.runs)
        scores = [self.right(version.fingerprint, case) for case in sorted(state.part("train"))]
        n_failed = sum(score < 1 for score in scores)
        training = Training(iteration=1, rate=sum(scores) / len(scores), n_failed=n_failed, n_graded=len(scores))
        return Tried(spent=Spent(n_runs=len(scores)), training=training)

    async def select(self, state: Improvement, repeats: int) -> Tried:
        """Those that are alive."""
        self._run(state, [*state.alive, state.incumbent], "select", repeats)
        return Tried(standings=tuple(self._standing(state, name, "select", repeats) for name in state.alive))

    async def test(self, state: Improvement, version: Version) -> Tried:
        """Both."""
        self._run(state, [version.name, state.incumbent], "holdout", state.runs)
        return Tried(standings=(self._standing(state, version.name, "holdout", state.runs),))

    def material(self, state: Improvement) -> Material:
        """Nothing but the incumbent."""
        return Material(files={"SKILL.md": state.version(state.incumbent).fingerprint.encode()}, trials=())

    async def propose(self, material: Material, *, refused: str, fault: str) -> Answer[ProposedVersion]:
        """The next text."""
        self.asked.append(material)
        self.refusals.append(fault or refused)
        text = self.texts[len(self.calls)] if len(self.calls) < len(self.texts) else f"text {len(self.calls)}"
        if text == "slow":
            self.calls.append(text)
            raise TimedOut("too slow.")
        if text == "key":
            raise AuthFailed("no key.")
        self.calls.append(text)
        value = ProposedVersion(files=[ProposedFile(path="SKILL.md", content=text)])
        return Answer(value=value, model="m", cost_usd=self.cost_usd)

    def put(self, state: Improvement, proposed: ProposedVersion, *, round_: int) -> Version | str:
        """In memory."""
        self.event()
        text = proposed.files[0].content
        if not text:
            return "it is empty."
        name = f"v{len(state.versions)}"
        return Version(name=name, parent=state.incumbent, origin="model", round=round_, fingerprint=text)


def run(
    world: World, state: Improvement, *, propose_only: bool = False, max_cost_usd: float | None = None
) -> Improvement:
    """To its end, or until the power goes."""

    async def go() -> Improvement:
        return await improve(
            state,
            trier=world,
            proposer=world,
            shelf=world,
            keep=world.keep,
            propose_only=propose_only,
            ceilings=Ceilings(max_cost_usd=max_cost_usd),
        )

    return anyio.run(go)


def _words(state: Improvement) -> dict[str, str | None]:
    return {each.name: each.result for each in state.versions}


def good(text: str, case: str) -> float:
    """A fault that every case shows, and a text that mends it; `lucky` is right on select alone."""
    return float(text == "good" or (text == "lucky" and case.startswith("select")))


def test_the_better_version_is_accepted_and_the_next_round_starts_from_it() -> None:
    """Both are tried; the good one wins 4 of 4 on hold-out; all of train holds with it, so nothing more is tried."""
    world = World(good, texts=["bad", "good"])
    done = run(world, begun())
    assert (done.incumbent, _words(done)) == ("v2", {"v0": "baseline", "v1": "tie", "v2": "won"})
    assert done.ended == "every assertion of the train cases holds with v2"
    assert sentence_of(done).startswith("v2 is better than v0: +100 points (+5 to +100) on 4 cases")


def test_a_version_that_wins_on_select_alone_is_rejected_on_hold_out() -> None:
    """Its select estimate is +100, its hold-out estimate 0: a tie, and the incumbent stays."""
    done = run(World(good, texts=["lucky", "bad"]), begun(rounds=1))
    lucky = done.version("v1")
    assert lucky.select is not None
    assert lucky.holdout is not None
    assert (lucky.select.estimate, lucky.holdout.estimate, lucky.result) == (1.0, 0.0, "tie")
    assert (done.incumbent, done.n_looks) == ("v0", 1)
    assert sentence_of(done) == "no version is better than v0 on the hold-out cases."


def test_a_second_look_at_the_hold_out_cases_is_told() -> None:
    """The lucky version was looked at in round 1: those cases are not unseen in round 2."""
    done = run(World(good, texts=["lucky", "good"]), begun(rounds=2, candidates=1))
    assert (done.incumbent, done.n_looks) == ("v2", 2)
    assert sentence_of(done).endswith("of hold-out, which were looked at 2 times in all.")
    once = run(World(good, texts=["good"]), begun(rounds=1, candidates=1))
    assert sentence_of(once).endswith("that nothing before had seen.")


def test_where_nothing_fails_nothing_is_asked() -> None:
    """Train alone runs; no model is paid for, and the sentence speaks of no hold-out case."""
    world = World(lambda _text, _case: 1.0)
    done = run(world, begun())
    assert (done.step, world.calls, {case.split("-")[0] for _, case, _ in world.trials}) == ("finished", [], {"train"})
    assert sentence_of(done) == "there is nothing to learn from: every assertion of the train cases holds with v0."


def test_two_rounds_without_progress_end_it() -> None:
    """Of five; a version that was accepted in between begins the count anew."""
    world = World(good, texts=["bad", "worse"])
    done = run(world, begun(rounds=5, candidates=1))
    assert (done.round, done.ended, len(world.calls)) == (2, "no version was accepted in 2 rounds", 2)
    assert {case.split("-")[0] for _, case, _ in world.trials} == {"train", "select"}


def test_hold_out_is_not_looked_at_for_a_version_that_is_no_better_on_select() -> None:
    """Each look makes those cases say less. After two rounds without a version it ends."""
    world = World(good, texts=["a", "b", "c", "d"])
    done = run(world, begun(rounds=5))
    assert done.n_looks == 0
    assert not [case for _, case, _ in world.trials if case.startswith("holdout")]
    assert done.ended == "no version was accepted in 2 rounds"


def test_a_version_that_does_worse_is_lost() -> None:
    """On hold-out, where the incumbent is right everywhere but on train and the version nowhere but on select."""

    def right(text: str, case: str) -> float:
        return float(case.startswith("holdout")) if text == "old" else float(case.startswith("select"))

    assert _words(run(World(right, texts=["x"]), begun(rounds=1, candidates=1))) == {"v0": "baseline", "v1": "lost"}


def test_of_equal_versions_few_are_accepted() -> None:
    """200 improvements in which no version differs from another: at most 5 of 100 one-sided claims, here of 3 rounds each."""
    n_accepted, n_looks = 0, 0
    for seed in range(200):
        rng = random.Random(seed)
        memory: dict[tuple[str, str], float] = {}

        def right(
            text: str, case: str, memory: dict[tuple[str, str], float] = memory, rng: random.Random = rng
        ) -> float:
            return memory.setdefault((text, case), float(rng.random() < 0.5))

        done = run(World(right), begun(rounds=3, candidates=3, patience=3))
        n_accepted += done.incumbent != "v0"
        n_looks += done.n_looks
    assert n_looks > 150
    assert n_accepted / n_looks <= 0.05


@pytest.mark.parametrize("die_at", range(1, 60))
def test_killed_at_any_point_nothing_is_paid_for_twice(die_at: int) -> None:
    """The power goes after the n-th write, trial or version; the same command comes to the same end at the same price."""
    texts = ["bad", "lucky", "", "good", "other", "more"]
    whole = World(good, texts=texts)
    expected = run(whole, begun(rounds=3, candidates=2))
    world = World(good, texts=texts, die_at=die_at)
    try:
        done = run(world, begun(rounds=3, candidates=2))
    except Killed:
        done = run(world, world.disk or begun(rounds=3, candidates=2))
    assert done == expected
    assert world.calls == whole.calls
    assert set(world.trials.values()) == {1}
    assert world.trials == whole.trials
    assert whole.n_events < 60, "all of them are killed at"


def test_a_refused_answer_is_asked_once_more_with_the_reason_and_a_failed_call_too() -> None:
    """Twice nothing leaves the candidate out, and says so."""
    world = World(good, texts=["", "good", "slow", ""])
    done = run(world, begun(rounds=1, candidates=2))
    assert world.refusals == ["", "it is empty.", "", "The call failed: too slow."]
    assert [each.name for each in done.versions] == ["v0", "v1"]
    assert done.notices == ("Round 1, candidate 2 gave no version: it is empty.",)
    assert done.incumbent == "v1"


def test_a_refused_key_stops_and_the_same_command_goes_on() -> None:
    """What was measured is kept."""
    world = World(good, texts=["key"])
    stopped = run(world, begun())
    assert (stopped.step, stopped.doing) == ("stopped", "The proposing model cannot be used: no key.")
    world.texts = ["good", "bad"]
    assert run(world, stopped).incumbent == "v1"
    assert set(world.trials.values()) == {1}


def test_propose_only_writes_versions_and_tries_none() -> None:
    """And the same command without it tries those."""
    world = World(good, texts=["bad", "good"])
    proposed = run(world, begun(), propose_only=True)
    assert (proposed.step, [each.name for each in proposed.versions]) == ("proposed", ["v0", "v1", "v2"])
    assert {case.split("-")[0] for _, case, _ in world.trials} == {"train"}
    assert run(world, proposed).incumbent == "v2"
    assert len(world.calls) == 2


def test_the_dropped_half_is_run_less_often() -> None:
    """Four candidates with four repeats: two repeats of all, then four of the better two; the incumbent's are shared."""
    world = World(good, texts=["a", "b", "good", "c"])
    run(world, begun(rounds=1, candidates=4, runs=4))
    n_of = Counter(name for name, case, _ in world.trials if case.startswith("select"))
    assert n_of == {"v0": 8, "v1": 8, "v2": 4, "v3": 8, "v4": 4}


def test_a_ceiling_holds_for_the_calls_of_the_proposing_model_too() -> None:
    """Two calls at 0.4 dollars leave no room for a third below 1; with more money the same improvement goes on."""
    world = World(good, texts=["a", "b", "c", "good"], cost_usd=0.4)
    stopped = run(world, begun(), max_cost_usd=1.0)
    assert (stopped.step, len(world.calls)) == ("stopped", 2)
    assert stopped.doing == "--max-cost 1 leaves no room for another call of the model."
    done = run(world, stopped, max_cost_usd=2.0)
    assert (done.step, done.incumbent, len(world.calls)) == ("finished", "v4", 4)
    assert done.notices == ()


def test_calls_without_a_price_are_said_below_a_ceiling() -> None:
    """Once, and only where there is one."""
    for ceiling, n in ((1.0, 1), (None, 0)):
        done = run(World(good), begun(), max_cost_usd=ceiling)
        assert [text.startswith("The proposing model does not tell") for text in done.notices] == [True] * n
