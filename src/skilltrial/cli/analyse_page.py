"""Analyses of comparisons in front of a person."""

from __future__ import annotations

import asyncio
import json
import math
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import anyio

from skilltrial.cli.compare_page import INCOMPLETE, UNDECIDED, Count, held
from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import heeding
from skilltrial.operations.analysing import Analysed, AnalysedWorkspace, AnalyseOutlay, AnalyseRequest, analyse
from skilltrial.records import layout
from skilltrial.report.figures import dollars, plural

_PRIORITIES = {"high": 0, "medium": 1, "low": 2}
_SHOWN_CHANGES = 12
_SHOWN = 10
_NOT_FOUND = "(quote not found) "


def analyse_and_print(
    request: AnalyseRequest, *, as_json: bool, ask_above_usd: float = math.inf, yes: bool = False
) -> int:
    """Analyse, print; returns the exit code."""
    with Progress(Screen(stderr=True, gone=partial(signal.raise_signal, signal.SIGTERM))) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.ceilings, progress=progress)
        count = Count(progress, "analysis", "analyses")
        work = partial(analyse, request, agree=partial(_agree, consent, count, request), on_analysed=count)
        try:
            done = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            with suppress(OSError):  # the terminal may be what has gone
                say(f"stopped. {count.kept} The same command goes on from there.")
            return INTERRUPTED
    if done is None:
        return 0
    if as_json:
        put(json.dumps(_told(done), indent=2, ensure_ascii=False) + "\n")
    else:
        width = Screen().width
        put("".join(f"{text}\n" for text in _lines(done, width)))
    if done.failed:
        return INCOMPLETE
    return UNDECIDED if done.stopped else 0


async def _agree(consent: Consent, count: Count, request: AnalyseRequest, outlay: AnalyseOutlay) -> None:
    count.total = outlay.n_calls
    kept = f", {outlay.n_kept} of them analysed before" if outlay.n_kept else ""
    consent.progress.say(f"{plural(outlay.n_decided, 'comparison')} with a winner{kept}")
    about = "at an unknown price" if outlay.usd is None else f"about {dollars(outlay.usd)}"
    calls = f"{plural(outlay.n_calls, 'call')} of the judge {outlay.judge}, {about}"
    consent.progress.say(calls if outlay.n_calls else "nothing to ask")
    if not request.dry_run and not held(request.ceilings, consent):
        await consent.agree_to_calls(outlay.n_calls, outlay.usd, limits="--max-cost and --comparison limit it")


def _told(done: AnalysedWorkspace) -> dict[str, Any]:
    return {
        "workspace": str(done.workspace),
        "iteration": done.iteration,
        "judge": done.judge,
        "asked": done.n_asked,
        "stopped": done.stopped or None,
        "failed": dict(done.failed),
        "analyses": [
            {
                "comparison": each.comparison,
                "case_id": each.case_id,
                "winner": each.winner,
                "loser": each.loser,
                "analysis": each.analysis.model_dump(mode="json"),
            }
            for each in done.analysed
        ],
    }


def _lines(done: AnalysedWorkspace, width: int) -> Iterator[str]:
    n_quotes, n_missing = _quotes(done)
    head = f"{plural(len(done.analysed), 'analysis', 'analyses')} of comparisons with a winner, {done.n_asked} new."
    if n_missing:
        head += f" {n_missing} of {plural(n_quotes, 'quote')} do not stand where they are said to: take these claims as guesses."
    yield paragraph(head, width)
    yield from _changes(done, width)
    for each in done.analysed[:_SHOWN]:
        yield ""
        yield from _one(each, width)
    if len(done.analysed) > _SHOWN:
        yield f"and {len(done.analysed) - _SHOWN:,} more; --json has them all"
    yield ""
    if done.stopped:
        yield paragraph(f"Stopped: {done.stopped} The same command with a higher one goes on.", width)
    for name, why in list(done.failed.items())[:_SHOWN]:
        yield paragraph(f"{name}: no analysis: {why}", width, further="  ")
    folder = f"{done.workspace}/{layout.iteration_dir(done.iteration)}/{layout.COMPARISONS}"
    costs = [each.analysis.skilltrial.cost_usd for each in done.analysed if each.analysis.skilltrial]
    known = [cost for cost in costs if cost is not None]
    cost = f"for {dollars(sum(known))}" if len(known) == len(costs) else "at an unknown price"
    yield paragraph(f"By {done.judge}, {cost}: {folder}", width)


def _quotes(done: AnalysedWorkspace) -> tuple[int, int]:
    quotes = [quote for each in done.analysed if each.analysis.skilltrial for quote in each.analysis.skilltrial.quotes]
    return len(quotes), sum(quote.found is False for quote in quotes)


def _changes(done: AnalysedWorkspace, width: int) -> Iterator[str]:
    """What to change, of all analyses, what matters most first."""
    changes = [
        (change, _mark(each, f"improvement_suggestions.{number}"), each)
        for each in done.analysed
        for number, change in enumerate(each.analysis.improvement_suggestions)
    ]
    changes.sort(key=lambda item: _PRIORITIES.get(item[0].priority, len(_PRIORITIES)))
    if not changes:
        return
    yield ""
    yield "What to change, by what it would matter:"
    for change, mark, each in changes[:_SHOWN_CHANGES]:
        kind = f"{change.priority}, {change.category.replace('_', ' ')} ({each.comparison})"
        yield paragraph(f"{kind}: {mark}{change.suggestion}", width, indent="  ", further="    ")
    if len(changes) > _SHOWN_CHANGES:
        yield f"  and {len(changes) - _SHOWN_CHANGES:,} more; --json has them all"


def _one(each: Analysed, width: int) -> Iterator[str]:
    analysis = each.analysis
    yield paragraph(f"{each.comparison}, {each.case_id}: {each.winner} won against {each.loser}.", width)
    for number, text in enumerate(analysis.winner_strengths):
        mark = _mark(each, f"winner_strengths.{number}")
        yield paragraph(f"{each.winner}: {mark}{text}", width, indent="  + ", further="    ")
    for number, text in enumerate(analysis.loser_weaknesses):
        mark = _mark(each, f"loser_weaknesses.{number}")
        yield paragraph(f"{each.loser}: {mark}{text}", width, indent="  - ", further="    ")
    for side, arm in (("winner", each.winner), ("loser", each.loser)):
        followed = next((one for name, one in analysis.instruction_following.items() if name == side), None)
        if followed and followed.score is not None:
            yield paragraph(f"{arm} followed its skill: {followed.score:g} of 10", width, indent="    ")


def _mark(each: Analysed, place: str) -> str:
    facts = each.analysis.skilltrial
    missing = facts and any(quote.claim == place and quote.found is False for quote in facts.quotes)
    return _NOT_FOUND if missing else ""
