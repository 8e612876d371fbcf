"""A version by hand in front of a person."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import AT_A_CEILING, INCOMPLETE, heeding
from skilltrial.operations.adding import prepare_addition, try_addition
from skilltrial.report import terminal
from skilltrial.report.plain_text import encodable
from skilltrial.request import RunRequest


def add_and_print(
    version: Path, request: RunRequest, *, as_json: bool, ask_above_usd: float, yes: bool, notice: str = ""
) -> int:
    """The whole of `skilltrial history add`; returns the exit code."""
    addition = prepare_addition(version, request)
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.ceilings, progress=progress)
        try:
            if notice:
                progress.say(notice)
            work = partial(try_addition, addition, watcher=progress, agree=consent.agree)
            done = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            done = None
    if done is None:
        with suppress(OSError):  # the terminal may be what has gone
            say("stopped. What is finished is kept; the same command goes on from there.")
        return INTERRUPTED
    if as_json:
        put(done.benchmark.model_dump_json(indent=2) + "\n")
    else:
        console = Screen()
        text = paragraph(f"{addition.skill_name}: {done.sentence}", min(console.width, 80))
        put(encodable(f"{text}\n\n", console.encoding))
        terminal.print_report(done.benchmark, console, report_path=str(done.report))
    if done.result is None:
        return AT_A_CEILING if done.at_ceiling else INCOMPLETE
    return 0
