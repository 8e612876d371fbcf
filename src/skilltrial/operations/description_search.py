"""The search for a better description: measure, rewrite, measure, choose, and test once at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from skilltrial.errors import AuthFailed, HarnessError
from skilltrial.operations.rewriting import Rewriter
from skilltrial.operations.spending import no_room_to_call
from skilltrial.records.budget import Ceilings
from skilltrial.records.optimisation import (
    Candidate,
    DescriptionTest,
    Optimisation,
    OptimiseWord,
    QueryTally,
    RewriteCall,
    Score,
    Spent,
    Step,
)
from skilltrial.report.figures import plural
from skilltrial.trigger.choice import best_of, is_perfect
from skilltrial.trigger.description import fault_of
from skilltrial.trigger.material import material_of
from skilltrial.trigger.tally import compared, score_of, word_of

_NONE = Ceilings()
_UNPRICED = "The rewriting model does not tell what its calls cost: --max-cost holds for the runs alone."
_CALLS = 2
"""In a round: one, and one more where the first gave nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What the runs with one description came to."""

    tallies: tuple[QueryTally, ...]
    spent: Spent = field(default_factory=Spent)
    """Of all its runs, those of earlier commands too."""
    stopped: str = ""
    """Why not all were run; empty where they were."""
    notices: tuple[str, ...] = ()


class Prober(Protocol):
    """Runs queries with descriptions. What has a result is never run again."""

    async def search_runs(self, state: Optimisation, candidate: Candidate) -> Probed:
        """Train and validation, each query until it is settled."""
        ...

    async def test_runs(self, state: Optimisation, best: Candidate, incumbent: Candidate) -> tuple[Probed, Probed]:
        """The test queries with both, each as often; the same twice where both are one."""
        ...


Keep = Callable[[Optimisation], None]
"""Writes it down. Called before anything is done with what was paid for."""


async def search(
    state: Optimisation, *, prober: Prober, rewriter: Rewriter, keep: Keep, ceilings: Ceilings = _NONE
) -> Optimisation:
    """Go on from where it stands to its end, or to where it cannot go on (`step` is then `stopped`).

    A test in which runs had no result is gone over again: only these are run. Raises what the prober raises; all that was kept
    before stays. `ceilings` are held for the calls of the rewriting model here; the prober holds them for its runs.
    """
    if state.step == "finished":
        return state if state.test is None or not state.test.n_errors else await _tested(state, prober, keep)
    while True:
        waiting = next((each for each in state.candidates if not each.tallies), None)
        if waiting is not None:
            state = await _measured(state, waiting, prober, keep)
        elif not state.ended:
            state = await _rewritten(state, rewriter, keep, ceilings)
        else:
            return state if state.step == "finished" else await _tested(state, prober, keep)
        if state.step == "stopped":
            return state


async def _measured(state: Optimisation, candidate: Candidate, prober: Prober, keep: Keep) -> Optimisation:
    state = _at(state, "probing", f"description {candidate.number} on train and validation", keep)
    probed = await prober.search_runs(state, candidate)
    candidate = candidate.model_copy(update={"spent": probed.spent})
    scores = {name: _score(state, probed.tallies, state.part(name)) for name in ("train", "validation")}
    stopped = probed.stopped
    if not stopped and any(score.share is None for score in scores.values()):
        stopped = "No run of a whole part had a result."
    if not stopped:
        candidate = candidate.model_copy(update={"tallies": probed.tallies, **scores})
    candidates = tuple(candidate if each.number == candidate.number else each for each in state.candidates)
    notices = tuple(dict.fromkeys([*state.notices, *probed.notices]))
    state = state.model_copy(update={"candidates": candidates, "notices": notices, "best": best_of(candidates).number})
    if stopped:
        return _at(state, "stopped", stopped, keep)
    ended = _end(state)
    return _at(state.model_copy(update={"ended": ended}), "testing" if ended else "rewriting", ended, keep)


def _score(state: Optimisation, tallies: Sequence[QueryTally], ids: frozenset[str]) -> Score:
    return score_of([each for each in tallies if each.id in ids], state.threshold)


def _end(state: Optimisation) -> str:
    """Why nothing more is tried; empty where something is."""
    best = next(each for each in state.candidates if each.number == state.best)
    if is_perfect(best):
        return "every query of train and validation is on the right side"
    n_since = sum(each.number > best.number and bool(each.tallies) for each in state.candidates)
    if n_since >= state.patience:
        return f"{plural(n_since, 'description')} after the best one did no better on validation"
    if _next_call(state) is None:
        return f"{plural(state.rounds, 'round')} of {state.rounds} are done"
    return ""


def _next_call(state: Optimisation) -> tuple[int, bool] | None:
    """The round, and whether it asks again; None after the last round."""
    last = max((call.round for call in state.calls), default=0)
    of_last = [call for call in state.calls if call.round == last]
    if of_last and of_last[-1].refused and len(of_last) < _CALLS:
        return last, True
    return (last + 1, False) if last < state.rounds else None


async def _rewritten(state: Optimisation, rewriter: Rewriter, keep: Keep, ceilings: Ceilings) -> Optimisation:
    wanted = _next_call(state)
    if wanted is None:
        return _at(state.model_copy(update={"ended": _end(state)}), "testing", "", keep)
    if full := no_room_to_call(ceilings, state.spent, state.calls):
        return _at(state, "stopped", full, keep)
    number, again = wanted
    state = _at(state, "rewriting", f"round {number} of {state.rounds}", keep)
    before = state.calls[-1] if again else None
    call = RewriteCall(round=number, again=again)
    try:
        answer = await rewriter.propose(
            material_of(state), refused=(before.answer or "") if before else "", fault=before.refused if before else ""
        )
    except AuthFailed as error:
        return _at(state, "stopped", f"The rewriting model cannot be used: {error}", keep)
    except HarnessError as error:
        return _called(state, call.model_copy(update={"refused": f"The call failed: {error}"}), keep)
    text = answer.value.description.strip()
    told = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens, "cost_usd": answer.cost_usd}
    if answer.cost_usd is None and ceilings.max_cost_usd is not None:
        state = state.model_copy(update={"notices": tuple(dict.fromkeys([*state.notices, _UNPRICED]))})
    fault = fault_of(text, [each.description for each in state.candidates])
    return _called(state, call.model_copy(update={"answer": text, "refused": fault, **told}), keep)


def _called(state: Optimisation, call: RewriteCall, keep: Keep) -> Optimisation:
    """With the answer, and the candidate that it is."""
    update: dict[str, object] = {"calls": (*state.calls, call)}
    if call.answer is not None and not call.refused:
        new = Candidate(number=len(state.candidates), round=call.round, description=call.answer)
        update["candidates"] = (*state.candidates, new)
    elif call.again:
        text = f"Round {call.round} gave no description: {call.refused}"
        update["notices"] = (*state.notices, text)
    return _at(state.model_copy(update=update), "rewriting", state.doing, keep)


async def _tested(state: Optimisation, prober: Prober, keep: Keep) -> Optimisation:
    best = next(each for each in state.candidates if each.number == state.best)
    own = state.candidates[0]
    if len(state.candidates) == 1 and not is_perfect(own):
        why = f"in {plural(state.rounds, 'round')} the model wrote no description that can be tried"
        return _at(state.model_copy(update={"word": "kept", "why": why}), "finished", "", keep)
    state = _at(state, "testing", "the best description and the skill's own on the test queries", keep)
    new, old = await prober.test_runs(state, best, own)
    notices = tuple(dict.fromkeys([*state.notices, *new.notices, *old.notices]))
    state = state.model_copy(update={"notices": notices, "test_spent": new.spent})
    if stopped := new.stopped or old.stopped:
        return _at(state, "stopped", stopped, keep)
    test = compared(new.tallies, old.tallies if best is not own else (), state.threshold)
    word = "kept" if best is own else word_of(test)
    why = _why(word, test)
    return _at(state.model_copy(update={"test": test, "word": word, "why": why}), "finished", "", keep)


def _at(state: Optimisation, step: Step, doing: str, keep: Keep) -> Optimisation:
    state = state.model_copy(update={"step": step, "doing": doing})
    keep(state)
    return state


def _why(word: OptimiseWord, test: DescriptionTest) -> str:
    new, old = (f"{each.n_passed} of {each.n_decided}" for each in (test.best_score, test.incumbent_score))
    if word == "kept":
        return f"no other description did better on validation; it is right on {new} test queries"
    where = {"better": "is above zero", "worse": "is below zero"}.get(word, "holds zero")
    return f"right on {new} test queries, the skill's own on {old}; the interval of the difference {where}"
