"""Whether the cases of a run that have more than one turn can be run at all, and who plays their users."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack

from skilltrial import wiring
from skilltrial.errors import PlanError
from skilltrial.grade.panel import Panel
from skilltrial.ports import Harness, LanguageModel
from skilltrial.preparing.judging import judge_names
from skilltrial.records.suite import Case
from skilltrial.request import RunRequest


def check_conversations(cases: Collection[Case], harnesses: Mapping[str, Harness], env: Mapping[str, str]) -> None:
    """Raise `PlanError` where a case has more than one turn, and an agent program cannot go on with a session."""
    longer = [case.id for case in cases if case.turns or case.responder]
    unable = sorted({harness.name for harness in harnesses.values() if not harness.capabilities.resumes})
    if not longer or not unable:
        return
    if wiring.CLAUDE_CODE in unable:
        hint = "With the login of `claude` no session is kept: set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN."
    else:
        hint = f"Use one that can ({', '.join(_able(env))}), or --only other cases."
    raise PlanError(
        f"{longer[0]!r} has more than one turn{_others(longer)}, and {unable[0]} cannot go on with a session.",
        hint=hint,
    )


def responder_of(cases: Collection[Case], request: RunRequest) -> str | None:
    """The model that plays the user; None where no case needs one.

    Raises `PlanError` where none is given, and where one is given that would play nobody.
    """
    played = [case.id for case in cases if case.responder]
    if not played and request.responder:
        raise PlanError(
            f"--responder is {request.responder!r}, and no case of this run has a user to play.",
            hint="Leave it out, or give cases a `responder`.",
        )
    if not played:
        return None
    name = request.responder or next(iter(judge_names(request.judge)), None)
    if name is None:
        raise PlanError(
            f"{played[0]!r} has a responder{_others(played)}, and no model was given to play it.",
            hint="Add --responder MODEL (or --judge MODEL, which then plays it too), or --only other cases.",
        )
    if name == wiring.EMBEDDED:
        raise PlanError("the embedded model is too small to play a user.", hint="Give another --responder.")
    return name


async def open_player(
    name: str | None, request: RunRequest, *, judge: Panel | None, stack: AsyncExitStack
) -> LanguageModel | None:
    """The model of `responder_of`; the judge itself where that is the same. The stack closes it."""
    if name is None:
        return None
    there = next((each for each in judge.judges if each.name == name), None) if judge else None
    if there is not None:
        return there
    return await stack.enter_async_context(wiring.open_judge(name, base_url=request.base_url, env=request.env))


def _able(env: Mapping[str, str]) -> list[str]:
    described = (entry for entry in wiring.harness_catalogue(env).entries if entry.descriptor and not entry.error)
    names = (entry.name for entry in described if entry.descriptor and entry.descriptor.resume)
    return [wiring.CLAUDE_CODE, wiring.BUILTIN, *names]


def _others(ids: Collection[str]) -> str:
    return f" (and {len(ids) - 1} more)" if len(ids) > 1 else ""
