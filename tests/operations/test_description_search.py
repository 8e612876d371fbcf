"""The search for a better description, with stand-ins for agents and for the rewriting model."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

import anyio
import pytest

from skilltrial.errors import AuthFailed, HarnessError, TimedOut
from skilltrial.operations.description_search import Probed, search
from skilltrial.operations.rewriting import ProposedDescription
from skilltrial.ports import Answer
from skilltrial.records.budget import Ceilings
from skilltrial.records.optimisation import Candidate, Optimisation, Part, PartedQuery, QueryTally, Spent
from skilltrial.trigger.material import Material

OWN = "The skill's own description of what it does."
Chance = Callable[[str, PartedQuery], bool]
"""Whether a query is answered rightly with a description."""


def state(n_each: tuple[int, int, int] = (4, 4, 4), *, rounds: int = 4, patience: int = 2) -> Optimisation:
    """A search at its beginning: so many queries in train, validation and test, half of them of each class."""
    parts: list[Part] = [
        part for part, n in zip(("train", "validation", "test"), n_each, strict=True) for _ in range(n)
    ]
    queries = tuple(
        PartedQuery(id=f"q{n}", query=f"{part} text {n}", should_trigger=n % 2 == 0, part=part)
        for n, part in enumerate(parts)
    )
    return Optimisation(
        skill_name="s",
        number=1,
        created_at="2026-12-01T00:00:00Z",
        digest="sha256:0",
        test_digest="sha256:0",
        skill_file_digest="sha256:0",
        queries_path="triggers.json",
        queries=queries,
        runs=1,
        threshold=0.5,
        rounds=rounds,
        patience=patience,
        harness=None,
        model=None,
        rewriter="m",
        candidates=(Candidate(number=0, description=OWN),),
    )


@dataclass
class Agents:
    """Satisfies `Prober`: each query once, right or wrong by `right`; each run that has a result is paid for once."""

    right: Chance
    paid: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    stop_at: int | None = None
    """After so many runs there is no more money."""

    def _tally(self, candidate: Candidate, query: PartedQuery) -> QueryTally:
        loaded = self.right(candidate.description, query) is query.should_trigger
        return QueryTally(
            id=query.id, should_trigger=query.should_trigger, n_loaded=int(loaded), n_not_loaded=int(not loaded)
        )

    def _run(self, queries: Sequence[PartedQuery], candidate: Candidate) -> Probed:
        tallies: list[QueryTally] = []
        for query in queries:
            if (candidate.number, query.id) not in self.paid:
                if self.stop_at is not None and len(self.paid) >= self.stop_at:
                    return Probed(tallies=(), stopped="--max-trials is reached.")
                self.paid.append((candidate.number, query.id))
            tallies.append(self._tally(candidate, query))
        return Probed(tallies=tuple(tallies), spent=Spent(n_runs=len(tallies)))

    async def search_runs(self, state: Optimisation, candidate: Candidate) -> Probed:
        """Train and validation."""
        return self._run([each for each in state.queries if each.part != "test"], candidate)

    async def test_runs(self, state: Optimisation, best: Candidate, incumbent: Candidate) -> tuple[Probed, Probed]:
        """Test."""
        test = [each for each in state.queries if each.part == "test"]
        return self._run(test, best), self._run(test, incumbent)


@dataclass
class Writer:
    """Satisfies `Rewriter`: answers in turn, errors among them; then a new description each time."""

    answers: Iterator[str | HarnessError] = field(default_factory=lambda: iter(()))
    asked: list[tuple[Material, str]] = field(default_factory=list[tuple[Material, str]])
    cost_usd: float | None = None
    """Of a call."""

    async def propose(self, material: Material, *, refused: str, fault: str) -> Answer[ProposedDescription]:
        """The next one."""
        self.asked.append((material, f"{refused}{fault}"))
        answer = next(self.answers, f"Another description, number {len(self.asked)}.")
        if isinstance(answer, HarnessError):
            raise answer
        return Answer(value=ProposedDescription(description=answer), model="m", cost_usd=self.cost_usd)


def run(
    begun: Optimisation,
    agents: Agents,
    writer: Writer,
    kept: list[Optimisation] | None = None,
    ceilings: Ceilings | None = None,
) -> Optimisation:
    """The search to its end."""
    written: list[Optimisation] = [] if kept is None else kept

    async def go() -> Optimisation:
        return await search(begun, prober=agents, rewriter=writer, keep=written.append, ceilings=ceilings or Ceilings())

    return anyio.run(go)


def test_the_test_score_of_the_best_of_five_equal_descriptions_is_unbiased() -> None:
    """L2: all are right in 0.78 of the queries. The chosen one's validation score is far too good, its test score is not."""
    rng = random.Random(78)
    chosen: list[float] = []
    reported: list[float] = []
    inside = 0
    n = 400
    for _ in range(n):
        memory: dict[tuple[str, str], bool] = {}

        def right(text: str, query: PartedQuery, memory: dict[tuple[str, str], bool] = memory) -> bool:
            return memory.setdefault((text, query.id), rng.random() < 0.78)

        done = run(state((8, 8, 8), rounds=4, patience=5), Agents(right), Writer())
        best = done.candidates[done.best]
        assert done.test is not None
        assert best.validation is not None
        chosen.append(best.validation.share or 0.0)
        reported.append(done.test.best_score.share or 0.0)
        inside += (done.test.best_low or 0) <= 0.78 <= (done.test.best_high or 0)
    assert fmean(chosen) > 0.9
    assert fmean(reported) == pytest.approx(0.78, abs=3 * stdev(reported) / n**0.5)
    assert inside / n >= 0.93


def test_a_difference_is_seldom_claimed_among_equals() -> None:
    """Equal descriptions: `better` in no more than 2.5 % of the searches, and simulation error."""
    rng = random.Random(5)
    words: list[str | None] = []
    for _ in range(300):
        memory: dict[tuple[str, str], bool] = {}

        def right(text: str, query: PartedQuery, memory: dict[tuple[str, str], bool] = memory) -> bool:
            return memory.setdefault((text, query.id), rng.random() < 0.78)

        words.append(run(state((8, 8, 8)), Agents(right), Writer()).word)
    assert words.count("better") <= 15
    assert words.count("cannot tell") > 100


def test_a_better_one_is_found_and_the_rest_is_not_tried() -> None:
    """The second answer is right everywhere: nothing more is asked, and both descriptions are tested on the same queries."""
    good = "Right everywhere, this one."
    agents, writer = Agents(lambda text, _query: text == good), Writer(iter(["Wrong in all of them.", good]))
    done = run(state((4, 4, 6)), agents, writer)
    assert (done.word, done.best, len(writer.asked)) == ("better", 2, 2)
    assert done.ended == "every query of train and validation is on the right side"
    assert done.test is not None
    assert (done.test.best_score.n_passed, done.test.incumbent_score.n_passed, done.test.n_paired) == (6, 0, 6)
    assert done.spent.n_runs == 8 * 3 + 6


def test_the_rewriting_model_never_hears_of_validation_and_test() -> None:
    """Neither of their texts nor of what came of them: with other results there, the same is asked."""
    heard: list[list[tuple[Material, str]]] = []
    for luck in (True, False):
        writer = Writer()

        def right(_text: str, query: PartedQuery, luck: bool = luck) -> bool:
            return luck if query.part != "train" else query.id == "q0"

        run(state(), Agents(right), writer)
        assert "train text 1" in repr(writer.asked)
        assert "validation text" not in repr(writer.asked)
        assert "test text" not in repr(writer.asked)
        heard.append(writer.asked)
    assert heard[0] == heard[1]


def test_no_failure_in_train_does_not_end_it() -> None:
    """L3: validation decides. Train is right from the beginning, validation is not."""
    writer = Writer()
    done = run(state(), Agents(lambda _text, query: query.part == "train"), writer)
    assert len(writer.asked) == 2
    assert done.ended == "2 descriptions after the best one did no better on validation"
    assert (done.word, done.best) == ("kept", 0)


@pytest.mark.parametrize(
    "bad",
    [HarnessError("the server fell over"), "I'm sorry, but I cannot do that.", "word " * 312 + "four", "a <b> c d"],
)
def test_what_gives_no_description_is_asked_once_more_then_the_round_is_left_out(bad: str | HarnessError) -> None:
    """L4, L5, L6: told with the reason; the next round goes on; nothing is run with it."""
    good = "Right everywhere, this one."
    agents, writer = Agents(lambda text, _query: text == good), Writer(iter([bad, bad, bad, good]))
    done = run(state(), agents, writer)
    assert [(call.round, call.again, bool(call.refused)) for call in done.calls] == [
        (1, False, True), (1, True, True), (2, False, True), (2, True, False),
    ]  # fmt: skip
    assert len(done.notices) == 1
    assert done.notices[0].startswith("Round 1 gave no description: ")
    assert writer.asked[0][1] == ""
    assert writer.asked[1][1] != ""
    assert writer.asked[2][1] == "", "a new round begins anew"
    assert {number for number, _ in agents.paid} == {0, 1}


def test_where_no_round_gives_a_description_nothing_is_tested() -> None:
    """The test queries stay unseen, and the skill's own description stays."""
    agents = Agents(lambda _text, _query: False)
    done = run(state(rounds=2), agents, Writer(iter([TimedOut("too slow")] * 4)))
    assert (done.step, done.word, done.test) == ("finished", "kept", None)
    assert done.why == "in 2 rounds the model wrote no description that can be tried"
    assert len(agents.paid) == 8


def test_a_refused_key_stops_it_and_the_same_state_goes_on() -> None:
    """No further call is made; what was measured is kept."""
    agents, writer = Agents(lambda _text, _query: False), Writer(iter([AuthFailed("the key was refused.")]))
    stopped = run(state(), agents, writer)
    assert (stopped.step, len(writer.asked), stopped.calls) == ("stopped", 1, ())
    done = run(stopped, agents, writer)
    assert done.step == "finished"
    assert len(agents.paid) == len(set(agents.paid))


def test_a_perfect_own_description_is_tested_and_nothing_is_written() -> None:
    """Nothing is asked; the test queries still say how good it is."""
    agents, writer = Agents(lambda _text, query: query.part != "test"), Writer()
    done = run(state(), agents, writer)
    assert (done.word, writer.asked) == ("kept", [])
    assert done.test is not None
    assert (done.test.best_score.share, done.test.difference) == (0.0, None)


class Killed(BaseException):
    """The program ends here."""


def test_killed_at_any_step_it_goes_on_and_nothing_is_paid_for_twice() -> None:
    """After each write in turn; what is kept is what the next command reads."""
    good = "Right everywhere, this one."
    answers: list[str | HarnessError] = ["Sorry.", "Wrong in all of them.", HarnessError("broken"), good]
    whole_kept: list[Optimisation] = []
    whole = run(state(), Agents(lambda text, _query: text == good), Writer(iter(answers)), whole_kept)
    assert len(whole_kept) > 10
    for last in range(1, len(whole_kept) + 1):
        kept: list[Optimisation] = []

        def keep(now: Optimisation, kept: list[Optimisation] = kept, last: int = last) -> None:
            kept.append(now)
            if len(kept) == last:
                raise Killed

        agents, writer = Agents(lambda text, _query: text == good), Writer(iter(answers))

        async def killed(
            writer: Writer = writer, agents: Agents = agents, keep: Callable[[Optimisation], None] = keep
        ) -> None:
            await search(state(), prober=agents, rewriter=writer, keep=keep)

        with pytest.raises(Killed):
            anyio.run(killed)
        begun = Optimisation.model_validate_json(kept[-1].model_dump_json())
        assert run(begun, agents, writer) == whole
        assert len(agents.paid) == len(set(agents.paid)) == 8 * 3 + 8
        assert len(writer.asked) == 4


@pytest.mark.parametrize("after", [3, 11, 25])
def test_at_a_ceiling_it_stops_and_goes_on_with_more(after: int) -> None:
    """In the first description, in the second, in the test."""
    good = "Right everywhere, this one."
    writer = Writer(iter(["Wrong in all of them.", good]))
    agents = Agents(lambda text, _query: text == good, stop_at=after)
    stopped = run(state(), agents, writer)
    assert (stopped.step, stopped.doing, stopped.word) == ("stopped", "--max-trials is reached.", None)
    agents.stop_at = None
    done = run(stopped, agents, writer)
    assert (done.step, len(agents.paid)) == ("finished", len(set(agents.paid)))


def test_a_ceiling_holds_for_the_calls_of_the_rewriting_model_too() -> None:
    """Two calls at 0.4 dollars leave no room for a third below 1; with more money the same search goes on."""
    agents, writer = Agents(lambda _text, _query: False), Writer(cost_usd=0.4)
    begun = state(patience=4)
    stopped = run(begun, agents, writer, ceilings=Ceilings(max_cost_usd=1.0))
    assert (stopped.step, len(writer.asked)) == ("stopped", 2)
    assert stopped.doing == "--max-cost 1 leaves no room for another call of the model."
    done = run(stopped, agents, writer, ceilings=Ceilings(max_cost_usd=2.0))
    assert (done.step, len(writer.asked), len(done.calls)) == ("finished", 4, 4)
    assert done.notices == ()


def test_calls_without_a_price_are_said_below_a_ceiling() -> None:
    """Once, and only where there is one."""
    for ceilings, n in ((Ceilings(max_cost_usd=1.0), 1), (Ceilings(), 0)):
        done = run(state(), Agents(lambda _text, _query: False), Writer(), ceilings=ceilings)
        assert [text.startswith("The rewriting model does not tell") for text in done.notices] == [True] * n


def test_test_runs_without_a_result_are_run_again_and_no_others() -> None:
    """Errors in half of the first test: nothing is claimed of these queries; the same state goes over them once more."""
    good = "Right everywhere, this one."

    class Shaky(Agents):
        """The first test loses two queries of each description."""

        n_tests = 0

        async def test_runs(self, state: Optimisation, best: Candidate, incumbent: Candidate) -> tuple[Probed, Probed]:
            """As the others do, but for that."""
            self.n_tests += 1
            both = await super().test_runs(state, best, incumbent)
            if self.n_tests > 1:
                return both
            new, old = ([*probed.tallies] for probed in both)
            for rows in (new, old):
                rows[:2] = [QueryTally(id=each.id, should_trigger=each.should_trigger, n_errors=1) for each in rows[:2]]
            return Probed(tallies=tuple(new)), Probed(tallies=tuple(old))

    agents, writer = Shaky(lambda text, _query: text == good), Writer(iter([good]))
    first = run(state(), agents, writer)
    assert (first.step, first.word) == ("finished", "cannot tell")
    assert first.test is not None
    assert (first.test.n_errors, first.test.n_paired) == (4, 2)
    second = run(first, agents, writer)
    assert (second.step, second.word, len(writer.asked)) == ("finished", "better", 1)
    assert run(second, agents, writer) == second
    assert agents.n_tests == 2


def test_without_any_result_nothing_is_claimed() -> None:
    """All runs fail: no rate, no round, no word."""

    class Broken(Agents):
        """No run has a result."""

        async def search_runs(self, state: Optimisation, candidate: Candidate) -> Probed:  # noqa: ARG002 - the protocol
            """Errors alone."""
            queries = [each for each in state.queries if each.part != "test"]
            errors = [QueryTally(id=each.id, should_trigger=each.should_trigger, n_errors=1) for each in queries]
            return Probed(tallies=tuple(errors))

    writer = Writer()
    done = run(state(), Broken(lambda _text, _query: False), writer)
    assert (done.step, done.word, writer.asked) == ("stopped", None, [])
