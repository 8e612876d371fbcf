"""The loop that improves a skill: train, propose, select by halving, accept on the hold-out cases; from each step it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from skilltrial.errors import AuthFailed, HarnessError
from skilltrial.improve.halving import kept, rungs
from skilltrial.improve.material import Material, tried_lines
from skilltrial.improve.verdict import is_worth_a_look, result_of
from skilltrial.operations.proposing import ProposedVersion, Proposer
from skilltrial.operations.spending import no_room_to_call
from skilltrial.records.budget import Ceilings
from skilltrial.records.improvement import Improvement, ImproveStep, ProposalCall, Standing, Training, Version
from skilltrial.records.optimisation import Spent
from skilltrial.report.figures import plural, signed_points

_NONE = Ceilings()
_UNPRICED = "The proposing model does not tell what its calls cost: --max-cost holds for the trials alone."
_CALLS = 2
"""For a candidate: one, and one more where the first gave nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What trials came to."""

    spent: Spent = field(default_factory=Spent)
    """Of all trials of this step, those of earlier commands too."""
    stopped: str = ""
    """Why not all were run; empty where they were."""
    training: Training | None = None
    standings: tuple[Standing, ...] = ()


class Trier(Protocol):
    """Runs and grades trials. What has a result is never run again."""

    async def train(self, state: Improvement, version: Version) -> Tried:
        """A version by itself on the train cases."""
        ...

    async def select(self, state: Improvement, repeats: int) -> Tried:
        """Those of this round that are alive, and the incumbent, on the select cases, so often each."""
        ...

    async def test(self, state: Improvement, version: Version) -> Tried:
        """A version and the incumbent on the hold-out cases."""
        ...

    def material(self, state: Improvement) -> Material:
        """What the trials of the incumbent on train left. Nothing of select and hold-out."""
        ...


class Shelf(Protocol):
    """Keeps versions."""

    def put(self, state: Improvement, proposed: ProposedVersion, *, round_: int) -> Version | str:
        """Write it as the next version; why it is none, where it is none. Putting the same again is the same."""
        ...


Keep = Callable[[Improvement], None]
"""Writes it down. Called before anything is done with what was paid for."""


async def improve(
    state: Improvement,
    *,
    trier: Trier,
    proposer: Proposer,
    shelf: Shelf,
    keep: Keep,
    propose_only: bool = False,
    ceilings: Ceilings = _NONE,
) -> Improvement:
    """Go on from where it stands to its end, or to where it cannot go on (`step` is then `stopped`).

    With `propose_only` up to the versions of this round, untried. `ceilings` are held for the calls of the proposing model
    here; `trier` holds them for its trials. Raises what the others raise; what was kept before stays.
    """
    while state.step != "finished":
        if state.ended:
            return _at(state, "finished", "", keep)
        if state.incumbent not in state.trainings:
            state = await _trained(state, trier, keep)
        elif (waiting := _unwritten(state)) is not None:
            state = _written(state, waiting, shelf, keep)
        elif (wanted := _next_call(state)) is not None:
            state = await _proposed(state, wanted, trier, proposer, keep, ceilings)
        elif propose_only:
            return _at(state, "proposed", "", keep)
        elif not _of_round(state):
            state = _round_over(state, keep, accepted=False)
        elif len(state.alive) > 1 or state.rung < len(_rungs(state)):
            state = await _selected(state, trier, keep)
        else:
            state = await _tested(state, trier, keep)
        if state.step == "stopped":
            return state
    return state


async def _trained(state: Improvement, trier: Trier, keep: Keep) -> Improvement:
    version = state.version(state.incumbent)
    state = _at(state, "training", f"{version.name} on the train cases", keep)
    tried = await trier.train(state, version)
    state = _paid(state, f"train {version.name}", tried)
    training = tried.training
    if not tried.stopped and (training is None or not training.n_graded):
        return _at(state, "stopped", "No assertion of a train case has a verdict: see to --judge.", keep)
    if tried.stopped or training is None:
        return _at(state, "stopped", tried.stopped, keep)
    state = state.model_copy(update={"trainings": {**state.trainings, version.name: training}})
    if not training.n_failed:
        state = state.model_copy(update={"ended": f"every assertion of the train cases holds with {version.name}"})
    return _at(state, "proposing", "", keep)


def _next_call(state: Improvement) -> tuple[int, bool] | None:
    """The candidate of this round that is asked for, and whether again; None where all are there."""
    if state.rung:
        return None
    calls = [call for call in state.calls if call.round == state.round]
    if calls and calls[-1].refused and sum(call.slot == calls[-1].slot for call in calls) < _CALLS:
        return calls[-1].slot, True
    last = max((call.slot for call in calls), default=0)
    return (last + 1, False) if last < state.candidates else None


async def _proposed(
    state: Improvement, wanted: tuple[int, bool], trier: Trier, proposer: Proposer, keep: Keep, ceilings: Ceilings
) -> Improvement:
    if full := no_room_to_call(ceilings, state.spent, state.calls):
        return _at(state, "stopped", full, keep)
    slot, again = wanted
    state = _at(state, "proposing", f"round {state.round}, version {slot} of {state.candidates}", keep)
    before = state.calls[-1] if again else None
    call = ProposalCall(round=state.round, slot=slot, again=again)
    material = replace(trier.material(state), tried=tuple(tried_lines(state)), slot=slot, n_slots=state.candidates)
    try:
        answer = await proposer.propose(
            material,
            refused=json.dumps(before.answer, ensure_ascii=False) if before and before.answer else "",
            fault=before.refused if before else "",
        )
    except AuthFailed as error:
        return _at(state, "stopped", f"The proposing model cannot be used: {error}", keep)
    except HarnessError as error:
        call = call.model_copy(update={"refused": f"The call failed: {error}"})
    else:
        told = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens, "cost_usd": answer.cost_usd}
        call = call.model_copy(update={"answer": answer.value.model_dump(mode="json"), **told})
        if answer.cost_usd is None and ceilings.max_cost_usd is not None:
            state = state.model_copy(update={"notices": tuple(dict.fromkeys([*state.notices, _UNPRICED]))})
    return _at(state.model_copy(update={"calls": (*state.calls, call)}), "proposing", state.doing, keep)


def _unwritten(state: Improvement) -> ProposalCall | None:
    """An answer that is kept and that nothing was done with yet."""
    last = state.calls[-1] if state.calls else None
    return last if last is not None and last.answer is not None and not last.version and not last.refused else None


def _written(state: Improvement, call: ProposalCall, shelf: Shelf, keep: Keep) -> Improvement:
    version = shelf.put(state, ProposedVersion.model_validate(call.answer), round_=state.round)
    update: dict[str, object] = {}
    if isinstance(version, str):
        call = call.model_copy(update={"refused": version})
        if call.again:
            text = f"Round {call.round}, candidate {call.slot} gave no version: {version}"
            update["notices"] = (*state.notices, text)
    else:
        call = call.model_copy(update={"version": version.name})
        update["versions"] = (*state.versions, version)
        update["alive"] = (*state.alive, version.name)
    return _at(state.model_copy(update={**update, "calls": (*state.calls[:-1], call)}), "proposing", "", keep)


def _of_round(state: Improvement) -> tuple[str, ...]:
    return tuple(call.version for call in state.calls if call.round == state.round and call.version)


def _rungs(state: Improvement) -> tuple[int, ...]:
    return rungs(len(_of_round(state)), state.runs)


async def _selected(state: Improvement, trier: Trier, keep: Keep) -> Improvement:
    steps = _rungs(state)
    repeats = steps[state.rung]
    doing = f"round {state.round}: {plural(len(state.alive), 'version')} on the select cases"
    state = _at(state, "selecting", doing, keep)
    tried = await trier.select(state, repeats)
    state = _paid(state, f"select {state.round}", tried)
    if tried.stopped:
        return _at(state, "stopped", tried.stopped, keep)
    left = kept(tried.standings, is_last=state.rung + 1 == len(steps))
    standings = {each.version: each for each in tried.standings}
    versions = tuple(_after_select(each, standings, left) for each in state.versions)
    return _at(
        state.model_copy(update={"versions": versions, "alive": left, "rung": state.rung + 1}), "selecting", "", keep
    )


def _after_select(version: Version, standings: Mapping[str, Standing], left: tuple[str, ...]) -> Version:
    """Dropped ones get a word; none can win here, since they were not the best."""
    standing = standings.get(version.name)
    if standing is None:
        return version
    word = None if version.name in left else "lost" if result_of(standing) == "lost" else "tie"
    return version.model_copy(update={"select": standing, "result": word})


async def _tested(state: Improvement, trier: Trier, keep: Keep) -> Improvement:
    best = state.version(state.alive[0])
    if best.select is None or not is_worth_a_look(best.select):
        word = "lost" if best.select and result_of(best.select) == "lost" else "tie"
        return _round_over(_with(state, best.model_copy(update={"result": word})), keep, accepted=False)
    state = _at(state, "testing", f"{best.name} and {state.incumbent} on the hold-out cases", keep)
    tried = await trier.test(state, best)
    state = _paid(state, f"holdout {best.name}", tried)
    if tried.stopped:
        return _at(state, "stopped", tried.stopped, keep)
    standing = tried.standings[0]
    word = result_of(standing)
    state = _with(state, best.model_copy(update={"holdout": standing, "result": word}))
    notices = (f"{best.name} on the hold-out cases: {standing.doubt}",) if standing.doubt else ()
    state = state.model_copy(update={"n_looks": state.n_looks + 1, "notices": (*state.notices, *notices)})
    if word == "won":
        state = state.model_copy(update={"incumbent": best.name})
    return _round_over(state, keep, accepted=word == "won")


def _round_over(state: Improvement, keep: Keep, *, accepted: bool) -> Improvement:
    n_without = 0 if accepted else state.n_without + 1
    ended = ""
    if state.round >= state.rounds:
        ended = f"{plural(state.round, 'round')} of {state.rounds} {'is' if state.round == 1 else 'are'} done"
    elif n_without >= state.patience:
        ended = f"no version was accepted in {plural(n_without, 'round')}"
    update: dict[str, Any] = {"n_without": n_without, "ended": ended}
    if not ended:
        update |= {"round": state.round + 1, "alive": (), "rung": 0}
    return _at(state.model_copy(update=update), "finished" if ended else "training", "", keep)


def _with(state: Improvement, version: Version) -> Improvement:
    versions = tuple(version if each.name == version.name else each for each in state.versions)
    return state.model_copy(update={"versions": versions})


def _paid(state: Improvement, name: str, tried: Tried) -> Improvement:
    return state.model_copy(update={"spent_on": {**state.spent_on, name: tried.spent}})


def _at(state: Improvement, step: ImproveStep, doing: str, keep: Keep) -> Improvement:
    state = state.model_copy(update={"step": step, "doing": doing})
    keep(state)
    return state


def sentence_of(state: Improvement) -> str:
    """What it came to, in one sentence with the figures of the hold-out cases."""
    first = state.versions[0].name
    if state.step == "stopped":
        return f"stopped. {state.doing} The same command goes on from there."
    if state.step == "proposed":
        return f"{plural(len(_of_round(state)), 'version')} proposed, untried. Without --propose-only the same command tries them."
    if state.step != "finished":
        return "not finished; the same command goes on from there."
    best = state.version(state.incumbent)
    if not state.calls:
        return f"there is nothing to learn from: {state.ended}."
    if best.name == first or best.holdout is None:
        return f"no version is better than {first} on the hold-out cases."
    lift = best.holdout
    span = f" ({signed_points(lift.low)} to {signed_points(lift.high)})"
    n_looks = state.n_looks + state.n_earlier_looks
    seen = (
        "that nothing before had seen" if n_looks == 1 else f"of hold-out, which were looked at {n_looks} times in all"
    )
    return (
        f"{best.name} is better than {lift.incumbent}: {signed_points(lift.estimate)} points{span} on "
        f"{plural(len(lift.pairs), 'case')} {seen}."
    )
