"""The improvement of a skill in front of a person."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.improvement_text import improvement_lines
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_run import AT_A_CEILING, INCOMPLETE, heeding
from skilltrial.operations.improving import (
    Improved,
    ImproveRequest,
    apply_version,
    prepare_improvement,
    run_improvement,
)
from skilltrial.records import layout
from skilltrial.records.improvement import Improvement
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import encodable, line


def improve_and_print(
    request: ImproveRequest, *, as_json: bool, dry: bool, ask_above_usd: float, yes: bool, notice: str = ""
) -> int:
    """The whole of `skilltrial improve` but for `--apply`; returns the exit code."""
    if dry:
        return _dry(request, as_json=as_json)
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=request.run.ceilings, progress=progress)
        try:
            if notice:
                progress.say(notice)
            work = partial(run_improvement, request, watcher=progress, agree=consent.agree)
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
        text = "".join(f"{row}\n" for row in improvement_lines(done.state, min(console.width, 80)))
        put(encodable(text + _where(done, request), console.encoding))
    return _code(done.state)


def apply_and_print(skill: Path, workspace: Path | None, name: str, *, as_json: bool) -> int:
    """`--apply`: write the version, and say so."""
    changed = apply_version(skill, workspace, name)
    if as_json:
        put(json.dumps({"applied": name, "changed": changed}, indent=2) + "\n")
    else:
        put(
            f"{line(str(skill), 600)} is {name} now: {', '.join(line(path, 300) for path in changed) or 'it was before'}.\n"
        )
    return 0


def _dry(request: ImproveRequest, *, as_json: bool) -> int:
    """What would be done."""
    prepared = prepare_improvement(request)
    sizes = {part: sum(each.part == part for each in prepared.cases) for part in ("train", "select", "holdout")}
    in_round = sizes["train"] + (request.candidates + 1) * sizes["select"] + 2 * sizes["holdout"]
    n_most, n_calls = request.run.runs * request.rounds * in_round, 2 * request.rounds * request.candidates
    if as_json:
        put(json.dumps({"parts": sizes, "most_trials": n_most, "most_calls": n_calls}, indent=2) + "\n")
        return 0
    rows = [f"{prepared.skill.name}: at most {plural(n_most, 'trial')}, and {n_calls} calls of {request.proposer}."]
    rows += [f"  {part.replace('holdout', 'hold-out'):<10}{plural(n, 'case')}" for part, n in sizes.items()]
    put("".join(f"{row}\n" for row in rows))
    return 0


def _where(done: Improved, request: ImproveRequest) -> str:
    state, versions = done.state, done.workspace / layout.VERSIONS
    rows = [f"\nVersions and their patches: {versions}\n"]
    if state.incumbent != state.versions[0].name:
        rows.append(f"Read {state.incumbent}.patch there, then:\n")
        place = f" --workspace {line(str(request.run.workspace), 600)}" if request.run.workspace else ""
        rows.append(f"  skilltrial improve {line(str(request.run.skill), 600)} --apply {state.incumbent}{place}\n")
    return "".join(rows)


def _code(state: Improvement) -> int:
    if state.step == "stopped":
        return AT_A_CEILING if "--max-" in state.doing else INCOMPLETE
    return 0
