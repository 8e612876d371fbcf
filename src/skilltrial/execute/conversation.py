"""A trial with more than one turn: what is said to the agent after its first answer, and when nothing more is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from anyio import to_thread

from skilltrial.errors import HarnessError, NotInstalled
from skilltrial.execute.long_texts import bounded
from skilltrial.execute.player import Played, play
from skilltrial.execute.question import asks
from skilltrial.execute.rounds import joined, total_cost, total_usage
from skilltrial.ports import Harness, LanguageModel, TrialRequest
from skilltrial.records.conversation import Conversation, Round, StopCause, Turn
from skilltrial.records.suite import Case
from skilltrial.records.trial import HarnessResult, Reason, ReasonCode
from skilltrial.spec.patterns import BadPattern, compile_pattern

_SEARCH_S = 5.0
"""For one search of an author's pattern in an agent's message."""
_RATIONALE_CHARS = 500
_CODES: Mapping[str, ReasonCode] = {
    "auth_failed": "auth_failed",
    "rate_limited": "rate_limited",
    "not_installed": "not_installed",
    "unparsable": "unparsable",
}
"""By the error's own code; any other is an error of the service."""


class Conversed(NamedTuple):
    """One result for all that was said, and what was said; None for a case with one prompt alone."""

    result: HarnessResult
    conversation: Conversation | None


class _Said(NamedTuple):
    """The next message of the user's."""

    text: str
    rationale: str | None = None


class _Stop(NamedTuple):
    """Nothing more is said. `cause` None: all was."""

    cause: StopCause | None
    why: str = ""


@dataclass(kw_only=True)
class _Talk:
    """What was said so far, and what it took."""

    results: list[HarnessResult] = field(default_factory=list[HarnessResult])
    rounds: list[Round] = field(default_factory=list[Round])
    played: list[Played] = field(default_factory=list[Played])

    @property
    def taken_ms(self) -> int:
        """By the agent; the player's time is not its own."""
        return sum(each.duration_ms or 0 for each in self.rounds)

    def end(self, stop: _Stop, *, player: LanguageModel | None) -> Conversed:
        """All of it, as one."""
        conversation = Conversation(
            rounds=tuple(self.rounds),
            stop=stop.cause,
            why=_printable(stop.why),
            responder=player.name if player else None,
            responder_usage=total_usage(each.usage for each in self.played) if self.played else _NO_USAGE,
            responder_usd=total_cost(each.cost_usd for each in self.played),
        )
        result = joined(self.results).model_copy(update={"duration_ms": self.taken_ms})
        return Conversed(result, conversation)


_NO_USAGE = Conversation(rounds=(), stop=None).responder_usage


async def converse(
    harness: Harness,
    request: TrialRequest,
    case: Case,
    *,
    player: LanguageModel | None,
    monotonic: Callable[[], float],
) -> Conversed:
    """Run the request, and then every further message in the session and the folders of the first.

    The time limit of the request is for all rounds of the agent together. The raw streams of the message `n` from the second
    on lie in `turn-<n>` of `request.capture`. An error of the player is an error of a tool.
    """
    if not case.turns and case.responder is None:
        return Conversed(bounded(await harness.run(request)), None)
    talk = _Talk()
    said = _Said(request.prompt)
    speaker = player if case.responder else None
    while True:
        await _round(harness, request, said, talk=talk, monotonic=monotonic)
        last = talk.results[-1]
        if last.outcome != "completed":
            return talk.end(_Stop("agent_ended", last.reason.message if last.reason else ""), player=speaker)
        try:
            then = await _next(case, talk, player=speaker)
        except HarnessError as error:
            return _failed(talk, _reason(error), player=speaker)
        if isinstance(then, _Stop):
            return talk.end(then, player=speaker)
        if talk.results[-1].session is None:
            message = "the agent program did not name its session, so that nothing more could be said in it."
            return _failed(talk, Reason(code="unparsable", message=message), player=speaker)
        if talk.taken_ms >= request.timeout_s * 1000:
            return _late(talk, request, player=speaker)
        said = then


async def _round(
    harness: Harness, request: TrialRequest, said: _Said, *, talk: _Talk, monotonic: Callable[[], float]
) -> None:
    number = len(talk.rounds) + 1
    asked = request
    if number > 1:
        capture = request.capture / f"turn-{number}"
        await to_thread.run_sync(capture.mkdir)
        left = request.timeout_s - talk.taken_ms / 1000
        session = talk.results[-1].session
        asked = replace(request, prompt=said.text, resume=session, capture=capture, timeout_s=left)
    begun = monotonic()
    result = bounded(await harness.run(asked))
    clock_ms = round((monotonic() - begun) * 1000)
    talk.results.append(result)
    talk.rounds.append(
        Round(
            prompt=_printable(said.text),
            answer=None if result.final_message is None else _printable(result.final_message),
            outcome=result.outcome,
            duration_ms=clock_ms if result.duration_ms is None else result.duration_ms,
            rationale=None if said.rationale is None else _printable(said.rationale),
        )
    )


async def _next(case: Case, talk: _Talk, *, player: LanguageModel | None) -> _Said | _Stop:
    n_said = len(talk.rounds) - 1
    if case.responder is None:
        if n_said == len(case.turns):
            return _Stop(None)
        answer = talk.rounds[-1].answer or ""
        return await to_thread.run_sync(_scripted, case.turns[n_said], answer, n_said + 1)
    if n_said == case.responder.max_turns:
        return _Stop("max_turns_reached", f"The user has said {n_said} more, which is all that max_turns allows.")
    if player is None:
        raise NotInstalled("the case has a responder, and no model was given to play it.", hint="Add --responder.")
    played = await play(case, talk.rounds, player=player)
    talk.played.append(played)
    move = played.move
    match move.action:
        case "message":
            return _Said(_printable(move.message), move.rationale[:_RATIONALE_CHARS])
        case "done":
            return _Stop("responder_done", move.rationale[:_RATIONALE_CHARS])
        case "cannot_answer":
            return _Stop("responder_cannot_answer", move.rationale[:_RATIONALE_CHARS])


def _scripted(turn: Turn, answer: str, number: int) -> _Said | _Stop:
    if turn.deliver_when == "always":
        return _Said(turn.prompt)
    pattern = turn.agent_response_matches
    if pattern is None:
        if asks(answer):
            return _Said(turn.prompt)
        return _Stop("agent_did_not_ask", f"Turn {number} waits for a question, and the agent asked none.")
    try:
        found = compile_pattern(pattern).search(answer, timeout=_SEARCH_S)
    except (BadPattern, TimeoutError, MemoryError) as error:
        return _Stop("agent_response_mismatch", f"Turn {number}: its pattern cannot be used ({error}).")
    if found:
        return _Said(turn.prompt)
    return _Stop(
        "agent_response_mismatch", f"Turn {number} waits for {pattern!r}, which is not in the agent's message."
    )


def _failed(talk: _Talk, reason: Reason, *, player: LanguageModel | None) -> Conversed:
    """A tool failed after the agent's answer: no statement about the skill follows."""
    done = talk.end(_Stop("agent_ended", reason.message), player=player)
    return done._replace(result=done.result.model_copy(update={"outcome": "harness_error", "reason": reason}))


def _late(talk: _Talk, request: TrialRequest, *, player: LanguageModel | None) -> Conversed:
    reason = Reason(code="timeout", message=f"the time of {request.timeout_s:g} s was over before all was said.")
    done = talk.end(_Stop("agent_ended", reason.message), player=player)
    return done._replace(result=done.result.model_copy(update={"outcome": "timed_out", "reason": reason}))


def _reason(error: HarnessError) -> Reason:
    code = _CODES.get(error.code, "api_error")
    return Reason(code=code, message=f"the model that plays the user: {error}"[:500])


def _printable(text: str) -> str:
    """Without half characters, which no file can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
