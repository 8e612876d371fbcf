"""Trigger trials in front of a person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
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
from skilltrial.operations.triggering import Triggered, trigger
from skilltrial.records.trigger_results import QueryResult, Share, TriggerArm, TriggerResults
from skilltrial.report.figures import UNKNOWN, count, dollars, percent, plural
from skilltrial.report.plain_text import encodable, line
from skilltrial.request import RunRequest

_COLUMN = 18
_MOST_NAMED = 5
_ORDER = {False: 0, None: 1, True: 2}


def trigger_and_print(
    request: RunRequest,
    *,
    threshold: float,
    as_json: bool,
    dry: bool,
    ask_above_usd: float,
    yes: bool,
    notice: str = "",
) -> int:
    """The whole of `skilltrial trigger`; `request` is one of `trigger_request`. Returns the exit code."""
    if dry:
        from skilltrial.cli.dry_run import dry_run_and_print  # noqa: PLC0415 - only when it is asked for

        return dry_run_and_print(request, as_json=as_json, notice=notice)
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.ceilings, progress=progress)
        try:
            if notice:
                progress.say(notice)
            work = partial(trigger, request, threshold=threshold, watcher=progress, agree=consent.agree)
            done = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            done = None
    if done is None:
        with suppress(OSError):  # the terminal may be what has gone
            say(f"stopped. {progress.kept} The same command goes on from there.")
        return INTERRUPTED
    if as_json:
        put(done.results.model_dump_json(indent=2) + "\n")
    else:
        console = Screen()
        text = "".join(f"{row}\n" for row in trigger_lines(done.results, min(console.width, 80)))
        put(encodable(text + _where(done), console.encoding))
    return done.exit_code


def trigger_lines(results: TriggerResults, width: int) -> Iterator[str]:
    """The sentence first, then what makes it doubtful, then the figures and the queries of each arm, wrong ones first."""
    yield paragraph(f"{results.skill_name}: {results.word}. {results.why[:1].upper()}{results.why[1:]}", width)
    for notice in results.notices:
        yield ""
        yield paragraph(notice, width, indent="! ", further="  ")
    for arm in results.arms:
        yield ""
        yield from _arm_lines(arm, results, width)


def _arm_lines(arm: TriggerArm, results: TriggerResults, width: int) -> Iterator[str]:
    about = [arm.name] if len(results.arms) > 1 else []
    if arm.harness:
        about.append(f"{arm.harness.name} {arm.harness.version or ''}".strip())
        about.append(f"model {arm.harness.model_served or arm.harness.model_asked or 'of its own'}")
    about.append(plural(results.runs, "run") + " a query")
    yield paragraph(", ".join(about) + ".", width)
    figures = arm.figures
    rows: list[tuple[str, Share, str]] = [
        ("recall", figures.recall, "loaded, where it should be"),
        ("false alarms", figures.false_positives, "loaded, where it should not be"),
        ("precision", figures.precision, "of the loads were right"),
        ("F1", figures.f1, "recall and precision together"),
        ("accuracy", figures.accuracy, "of the runs were right"),
    ]
    for name, share, meaning in rows:
        yield f"  {name:<{_COLUMN}}{_share(share)}{meaning}".rstrip()
    spent = [f"{count(arm.tokens)} tokens"] if arm.tokens is not None else []
    spent += [cost_words(arm)] if arm.cost_usd is not None else []
    if spent:
        yield f"  {'spent':<{_COLUMN}}{', '.join(spent)}"
    yield from _listing_lines(arm, width)
    yield from _confusion_lines(arm, width)
    yield ""
    yield f"  {'loaded':<9}{'95 %':<13}{'should be':<11}query"
    for row in sorted(arm.queries, key=lambda each: _ORDER[each.passes]):
        yield from _query_lines(row, width)


def cost_words(arm: TriggerArm) -> str:
    """What all runs cost; `at least` where some do not tell."""
    return f"at least {dollars(arm.cost_usd)}" if arm.cost_usd and arm.n_cost_untold else dollars(arm.cost_usd)


def _listing_lines(arm: TriggerArm, width: int) -> Iterator[str]:
    """How the agent listed its skills for the model, where that is seen."""
    listing = arm.listing
    if listing.chars is None:
        return
    parts = [f"{count(listing.chars)} characters"]
    parts += [plural(listing.n_skills, "skill")] if listing.n_skills else []
    if arm.n_described_told:
        parts.append(f"whole description in {arm.n_described} of {plural(arm.n_described_told, 'run')}")
    yield paragraph(", ".join(parts), width, indent=f"  {'listing':<{_COLUMN}}", further=" " * (_COLUMN + 2))
    if names := sorted(listing.undescribed, key=lambda name: (-listing.undescribed[name], name)):
        rest = f" and {plural(len(names) - _MOST_NAMED, 'more skill')}" if len(names) > _MOST_NAMED else ""
        said = f"cut or left out there: {', '.join(names[:_MOST_NAMED])}{rest}"
        yield paragraph(said, width, indent=" " * (_COLUMN + 2))


def _confusion_lines(arm: TriggerArm, width: int) -> Iterator[str]:
    if not arm.confusion:
        return
    yield ""
    yield f"  {'should be loaded':<{_COLUMN}}was loaded, in runs with a result"
    for row in arm.confusion:
        parts = [f"{name} {n}" for name, n in row.loaded.items()]
        parts += [f"nothing {row.n_nothing}"] if row.n_nothing or not row.loaded else []
        parts[-1] += f", of {row.n_runs}"
        parts += [f"no result: {row.n_errors}"] if row.n_errors else []
        expected = line(row.expected or "none of them", _COLUMN - 2)
        yield paragraph("; ".join(parts), width, indent=f"  {expected:<{_COLUMN}}", further=" " * (_COLUMN + 2))


def _query_lines(row: QueryResult, width: int) -> Iterator[str]:
    sign = {True: " ", False: "✗", None: "?"}[row.passes]
    done = f"{row.n_loaded} of {row.rate.n}" if row.rate.n else "–"
    should = "yes" if row.should_trigger else "no"
    kind = " (ours)" if row.kind == "canary" else ""
    head = f"{sign} {done:<9}{_interval(row.rate):<13}{should:<11}"
    yield f"{head}{line(row.query, width - len(head) - len(kind))}{kind}"
    said = [f"no result: {number} × {reason}" for reason, number in row.errors.items()]
    said += [f"{name} was loaded in {plural(number, 'run')}" for name, number in row.others.items()]
    if row.n_attempted > row.n_loaded:
        said.append(f"asked for in {plural(row.n_attempted, 'run')}")
    if said:
        yield paragraph("; ".join(said), width, indent=" " * len(head))


def _share(share: Share) -> str:
    if share.estimate is None:
        return f"{UNKNOWN:<23}"
    interval = _interval(share)
    return f"{percent(share.estimate):>5}  {f'({interval})' if interval else '':<16}"


def _interval(share: Share) -> str:
    """`21 to 94 %`; empty where there is none."""
    if share.low is None or share.high is None:
        return ""
    return f"{percent(share.low).removesuffix(' %')} to {percent(share.high)}"


def _where(done: Triggered) -> str:
    return f"\nKept in {done.workspace}, iteration {done.results.iteration}.\n"
