"""The baseline against itself, in front of a person."""

from __future__ import annotations

import asyncio
import json
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
from skilltrial.cli.trial_run import AT_A_CEILING, INCOMPLETE, heeding
from skilltrial.operations.judge_probing import Outlay
from skilltrial.operations.self_checking import Checked, check_against_itself, self_request
from skilltrial.records.self_check import Flips
from skilltrial.report.figures import UNKNOWN, percent, size_in_points
from skilltrial.report.plain_text import encodable, line
from skilltrial.report.self_check import meaning, sentence
from skilltrial.request import RunRequest

ALARM, CANNOT_TELL = 1, 4
_COLUMN = 34


def check_and_print(
    request: RunRequest, *, as_json: bool, dry: bool, ask_above_usd: float, yes: bool, notice: str = ""
) -> int:
    """The whole of `skilltrial aa`; returns the exit code."""
    asked = self_request(request)
    if dry:
        from skilltrial.cli.dry_run import dry_run_and_print  # noqa: PLC0415 - only when it is asked for

        return dry_run_and_print(asked, as_json=as_json, notice=notice)
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=asked.ceilings, progress=progress)
        try:
            if notice:
                progress.say(notice)
            work = partial(
                check_against_itself,
                asked,
                watcher=progress,
                agree=consent.agree,
                agree_to_calls=partial(_agree_to_calls, consent),
            )
            done = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            done = None
    if done is None:
        with suppress(OSError):  # the terminal may be what has gone
            say(f"stopped. {progress.kept} The same command goes on from there.")
        return INTERRUPTED
    if as_json:
        told = {**done.check.model_dump(mode="json"), "sentence": sentence(done.check), "meaning": meaning(done.check)}
        put(json.dumps(told, indent=2) + "\n")
    else:
        console = Screen()
        text = "".join(f"{row}\n" for row in _lines(done, min(console.width, 80)))
        put(encodable(text, console.encoding))
    return _code(done)


def _lines(done: Checked, width: int) -> Iterator[str]:
    check = done.check
    yield paragraph(sentence(check), width)
    yield ""
    yield paragraph(meaning(check), width)
    yield ""
    rows = [
        ("what was in both arms", line(check.what, 40)),
        ("differences of cases, std. dev.", UNKNOWN if check.noise is None else size_in_points(check.noise)),
        ("verdicts that flip between runs", _flips(check.repeats)),
    ]
    if check.judge_name is not None:
        again = "not asked" if check.judge is None else _flips(check.judge)
        rows.append(("the judge's, asked again", again))
    rows += [("trials without a score", f"{check.n_excluded:,}")] if check.n_excluded else []
    yield from (f"{name:<{_COLUMN}}{value}" for name, value in rows)
    if done.judge_trouble:
        yield paragraph(f"The judge could not be asked again: {done.judge_trouble}", width)
    yield ""
    yield line(f"Report: {done.run.report}", 600)


def _flips(found: Flips) -> str:
    if found.rate is None or found.low is None or found.high is None:
        return "unknown: nothing was judged twice"
    return f"{percent(found.rate)} ({found.flipped:,} of {found.n:,}; {percent(found.low)} to {percent(found.high)})"


def _code(done: Checked) -> int:
    if not done.run.complete:
        return INCOMPLETE
    if done.check.word == "false alarm":
        return ALARM
    return AT_A_CEILING if done.run.stopped or done.check.word == "cannot tell" else 0


async def _agree_to_calls(consent: Consent, outlay: Outlay) -> None:
    await consent.agree_to_calls(outlay.n_calls, outlay.usd, limits="--yes asks nothing")
