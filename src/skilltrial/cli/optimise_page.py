"""The search for a better description in front of a person."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.optimisation_text import optimisation_lines
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import AT_A_CEILING, INCOMPLETE, heeding
from skilltrial.errors import SpecError
from skilltrial.operations.optimising import (
    Optimised,
    OptimiseRequest,
    apply_description,
    optimise,
    prepare_search,
)
from skilltrial.records.optimisation import DescriptionTest, Optimisation
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import encodable, line
from skilltrial.trigger.outcome import MOST_ERRORS

_CANNOT_TELL = 4
_WIDTH = 80


def optimise_and_print(
    request: OptimiseRequest, *, as_json: bool, dry: bool, ask_above_usd: float, yes: bool, notice: str = ""
) -> int:
    """The whole of `skilltrial optimise` but for `--apply`; returns the exit code."""
    if dry:
        return _dry(request, as_json=as_json)
    if not request.rewriter:
        raise SpecError("there is no model that writes descriptions.", hint="Add --rewriter NAME, as anthropic:NAME.")
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.run.ceilings, progress=progress)
        try:
            if notice:
                progress.say(notice)
            work = partial(optimise, request, watcher=progress, agree=consent.agree)
            done = anyio.run(heeding, progress.stops, work)
        except (KeyboardInterrupt, asyncio.CancelledError):
            done = None
    if done is None:
        with suppress(OSError):  # the terminal may be what has gone
            say("stopped. What is finished is kept; the same command goes on from there.")
        return INTERRUPTED
    if as_json:
        put(done.state.model_dump_json(indent=2) + "\n")
    else:
        console = Screen()
        text = "".join(f"{row}\n" for row in optimisation_lines(done.state, min(console.width, _WIDTH)))
        put(encodable(text + _where(done, request), console.encoding))
    return _code(done.state)


def apply_and_print(skill: Path, workspace: Path | None, *, as_json: bool) -> int:
    """`--apply`: write the description, and say so."""
    state = apply_description(skill, workspace)
    new = next(each for each in state.candidates if each.number == state.best).description
    if as_json:
        put(json.dumps({"applied": True, "search": state.number, "description": new}, indent=2) + "\n")
    else:
        put(f"SKILL.md of {line(str(skill), 600)} has the description of search {state.number} now.\n")
    return 0


def _dry(request: OptimiseRequest, *, as_json: bool) -> int:
    """What would be done."""
    prepared = prepare_search(request)
    sizes = {
        part: tuple(
            sum(each.part == part and each.should_trigger is should for each in prepared.queries)
            for should in (True, False)
        )
        for part in ("train", "validation", "test")
    }
    n_search = sum(sizes["train"]) + sum(sizes["validation"])
    n_most = request.run.runs * ((request.rounds + 1) * n_search + 2 * sum(sizes["test"]))
    if as_json:
        put(json.dumps({"parts": sizes, "most_runs": n_most, "notices": prepared.notices}, indent=2) + "\n")
        return 0
    calls = f"{2 * request.rounds} calls of {request.rewriter or 'the rewriting model'}"
    rows = [paragraph(f"{prepared.skill.name}: at most {plural(n_most, 'run')} of an agent, and {calls}.", _WIDTH)]
    rows += [
        f"  {part:<12}{wanted} that should load the skill, {not_} that should not"
        for part, (wanted, not_) in sizes.items()
    ]
    rows += [paragraph(text, _WIDTH, indent="! ", further="  ") for text in prepared.notices]
    put("".join(f"{row}\n" for row in rows))
    return 0


def _where(done: Optimised, request: OptimiseRequest) -> str:
    rows = [f"\nKept in {done.folder}.\n"]
    if done.patch is not None:
        rows.append(f"As a patch: {done.patch}\n")
        rows.append(f"Read it, then: skilltrial optimise {line(str(request.run.skill), 600)} --apply\n")
    return "".join(rows)


def _code(state: Optimisation) -> int:
    if state.step == "stopped":
        at_ceiling = "--max-" in state.doing
        return AT_A_CEILING if at_ceiling else INCOMPLETE
    if state.test is None or _lost(state.test) > MOST_ERRORS:
        return INCOMPLETE
    return _CANNOT_TELL if state.word == "cannot tell" else 0


def _lost(test: DescriptionTest) -> float:
    """The share of runs without a result."""
    n = sum(each.n_loaded + each.n_not_loaded + each.n_errors for each in (*test.best, *test.incumbent))
    return sum(each.n_errors for each in (*test.best, *test.incumbent)) / n if n else 1.0
