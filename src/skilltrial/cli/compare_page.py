"""Blind comparisons in front of a person."""

from __future__ import annotations

import asyncio
import json
import math
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import heeding
from skilltrial.operations.comparing import ComparedWorkspace, CompareOutlay, CompareRequest, compare
from skilltrial.records import layout
from skilltrial.records.budget import Ceilings
from skilltrial.records.preference import ArmPreference, CasePreference, PreferenceSummary, Share
from skilltrial.report.figures import UNKNOWN, dollars, percent, plural
from skilltrial.report.preference import preference_sentence

INCOMPLETE, UNDECIDED = 3, 4
_SHOWN_CASES = 20
_SHOWN_GAPS = 5
_LOW_CONSISTENCY = 0.75
_HIGH_CORRELATION = 0.5
_TIES = 0.5
_HALF = 0.5


class Count:
    """How many are made of how many, said now and then."""

    def __init__(self, progress: Progress, one: str, several: str) -> None:
        self._progress = progress
        self._nouns = one, several
        self.done = self.total = 0

    @property
    def kept(self) -> str:
        """A sentence on what is done."""
        return f"{plural(self.done, f'new {self._nouns[0]} is', f'new {self._nouns[1]} are')} kept."

    def __call__(self) -> None:
        self.done += 1
        if self.done in {1, self.total} or self.done % max(1, self.total // 10) == 0:
            self._progress.say(f"{self.done} of {plural(self.total, *self._nouns)}")


def held(ceilings: Ceilings, consent: Consent) -> bool:
    """A ceiling holds the cost below what a person is asked about."""
    return ceilings.max_cost_usd is not None and ceilings.max_cost_usd <= consent.ask_above_usd


def compare_and_print(
    request: CompareRequest, *, as_json: bool, ask_above_usd: float = math.inf, yes: bool = False
) -> int:
    """Compare, print; returns the exit code."""
    with Progress(Screen(stderr=True, gone=partial(signal.raise_signal, signal.SIGTERM))) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.ceilings, progress=progress)
        count = Count(progress, "comparison", "comparisons")
        work = partial(compare, request, agree=partial(_agree, consent, count, request), on_compared=count)
        try:
            done = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            with suppress(OSError):  # the terminal may be what has gone
                say(f"stopped. {count.kept} The same command goes on from there.")
            return INTERRUPTED
    if done is None:
        return 0
    if as_json:
        told = {"workspace": str(done.workspace), "iteration": done.iteration, "asked": done.n_asked}
        value = {**told, "stopped": done.stopped or None, **done.summary.model_dump(mode="json")}
        put(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    else:
        width = Screen().width
        put("".join(f"{text}\n" for text in _lines(done, width)))
    if any(each.why == "judge failed" for each in done.summary.uncompared):
        return INCOMPLETE
    return UNDECIDED if done.stopped or not done.summary.n_comparisons else 0


async def _agree(consent: Consent, count: Count, request: CompareRequest, outlay: CompareOutlay) -> None:
    n_due = outlay.n_pairs - outlay.n_kept
    count.total = n_due
    kept = f", {outlay.n_kept} of them compared before" if outlay.n_kept else ""
    missing = f"; {plural(outlay.n_missing, 'pair')} without a result on a side" if outlay.n_missing else ""
    out = f"; {plural(outlay.n_left_out, 'pair')} left out by people" if outlay.n_left_out else ""
    consent.progress.say(f"{plural(outlay.n_pairs, 'pair')} of trials{kept}{missing}{out}")
    about = "at an unknown price" if outlay.usd is None else f"about {dollars(outlay.usd)}"
    calls = f"{plural(outlay.n_calls, 'call')} of the judge {outlay.judge}, {about}" if n_due else "nothing to ask"
    consent.progress.say(calls)
    if not request.dry_run and not held(request.ceilings, consent):
        await consent.agree_to_calls(outlay.n_calls, outlay.usd, limits="--max-cost and --only limit it")


def _lines(done: ComparedWorkspace, width: int) -> Iterator[str]:
    summary = done.summary
    for each in summary.arms:
        yield paragraph(preference_sentence(each), width)
    if len(summary.arms) > 1:
        yield paragraph("Each interval is for itself; with several pairs of arms one may seem clear by chance.", width)
    for strength in sorted(summary.strengths, key=lambda each: -each.log_strength):
        interval = (
            "" if strength.low is None or strength.high is None else f" ({strength.low:+.2f} to {strength.high:+.2f})"
        )
        yield paragraph(f"{strength.arm}: strength {strength.log_strength:+.2f}{interval}", width, indent="  ")
    yield ""
    for doubt in _doubts(summary):
        yield paragraph(doubt, width, indent="- ", further="  ")
    for each in summary.arms:
        yield from _cases(each, width)
    yield from _gaps(done, width)
    folder = f"{done.workspace}/{layout.iteration_dir(done.iteration)}/{layout.COMPARISONS}"
    cost = "at an unknown price" if summary.cost_usd is None else f"for {dollars(summary.cost_usd)}"
    yield ""
    yield paragraph(
        f"{plural(done.n_asked, 'new comparison')}, {summary.n_comparisons} in all {cost}, by {summary.judge}: {folder}",
        width,
    )


def _doubts(summary: PreferenceSummary) -> Iterator[str]:
    counts = Counter[str]()
    for each in summary.arms:
        for case in each.cases:
            counts.update({"won": case.wins + case.losses, "tied": case.ties})
    steady = summary.order_consistency
    if steady.of:
        low = steady.n / steady.of < _LOW_CONSISTENCY
        warning = ": low, so that much of this is the order" if low else ""
        yield f"Both orders agree in {steady.n} of {steady.of} ({_share(steady)}){warning}. Where they do not, it is a tie."
    first = summary.first_won
    if first.of:
        leans = first.low is not None and first.high is not None and not first.low <= _HALF <= first.high
        warning = ": the judge leans to a place" if leans else ""
        yield f"The output shown first won {first.n} of {first.of} verdicts of one order ({_share(first)}){warning}."
    yield from _length(summary)
    total = counts["won"] + counts["tied"]
    if total and counts["tied"] / total >= _TIES:
        yield f"{counts['tied']} of {total} are ties: the judge sees little difference, or none that lasts."


def _length(summary: PreferenceSummary) -> Iterator[str]:
    effect = summary.length
    longer = effect.longer_won
    if not longer.of:
        return
    said = f"The longer output won {longer.n} of {longer.of} that have a winner"
    if effect.r is None:
        yield f"{said}; too few to say whether length wins."
        return
    interval = "" if effect.low is None or effect.high is None else f", {effect.low:+.2f} to {effect.high:+.2f}"
    warning = ": high, so that length may be what won" if effect.r >= _HIGH_CORRELATION else ""
    yield f"{said}; correlation with length {effect.r:+.2f}{interval}{warning}."


def _share(share: Share) -> str:
    if share.mean is None:
        return UNKNOWN
    interval = "" if share.low is None or share.high is None else f", {percent(share.low)} to {percent(share.high)}"
    return f"{percent(share.mean)} over cases{interval}"


def _cases(each: ArmPreference, width: int) -> Iterator[str]:
    if not each.cases:
        return
    yield ""
    yield paragraph(f"{each.arm} against {each.against}, by case, worst first:", width)
    worst_first: Sequence[CasePreference] = sorted(each.cases, key=lambda case: case.share)
    for case in worst_first[:_SHOWN_CASES]:
        figures = f"{case.wins} won, {plural(case.ties, 'tie')}, {case.losses} lost"
        yield paragraph(f"{case.case_id}: {figures}", width, indent="  ", further="    ")
    more = len(worst_first) - _SHOWN_CASES
    if more > 0:
        yield f"  and {plural(more, 'more case', 'more cases')}; --json has them all"


def _gaps(done: ComparedWorkspace, width: int) -> Iterator[str]:
    gaps = done.summary.uncompared
    if done.stopped:
        yield ""
        yield paragraph(f"Stopped: {done.stopped} The same command with a higher one goes on.", width)
    if not gaps:
        return
    yield ""
    whys = ", ".join(f"{n} {why}" for why, n in Counter(each.why for each in gaps).most_common())
    yield paragraph(f"{plural(len(gaps), 'pair')} not compared ({whys}):", width)
    for each in gaps[:_SHOWN_GAPS]:
        place = f"{each.case_id} run-{each.repeat}, {each.arms[0]} and {each.arms[1]}"
        yield paragraph(f"{place} ({each.why}): {each.message}", width, indent="  ", further="    ")
    if len(gaps) > _SHOWN_GAPS:
        yield f"  and {len(gaps) - _SHOWN_GAPS:,} more; --json has them all"
