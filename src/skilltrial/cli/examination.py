"""What is on this machine."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict

import anyio
from rich.console import Console
from rich.text import Text

from skilltrial import wiring
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.version import version
from skilltrial.report.plain_text import line as one_line

NOTHING_READY = 3
_WIDTH = 80
_INDENT = 11


def examine_and_print(*, as_json: bool) -> int:
    """Probe every harness and say which one `run` would take; returns the exit code."""
    candidates = anyio.run(_survey)
    ready = [candidate for candidate in candidates if candidate.status.ready]
    walls = list(wiring.sandboxes(dict(os.environ)))
    if as_json:
        levels = [{"level": each.level, "works": each.confinement is not None, "detail": each.detail} for each in walls]
        found = [{"model": item.model, **asdict(item.status)} for item in candidates]
        chosen = {"harness": ready[0].status.name, "model": ready[0].model} if ready else None
        said = {
            "version": version(),
            "harnesses": found,
            "run_takes": chosen,
            "other_programs": wiring.installed_programs(dict(os.environ)),
            "sandboxes": levels,
        }
        put(json.dumps(said, indent=2) + "\n")
        return 0 if ready else NOTHING_READY
    console = Screen()
    python = ".".join(map(str, sys.version_info[:3]))
    console.print(Text(f"skilltrial {version()}, Python {python}"))
    for candidate in candidates:
        _print(candidate, console)
    _print_others(wiring.installed_programs(dict(os.environ)), console)
    for sandbox in walls:
        _print_sandbox(sandbox.level, sandbox.detail, console, works=sandbox.confinement is not None)
    console.print()
    if ready:
        model = f" with {ready[0].model}" if ready[0].model else ""
        console.print(Text(f"`skilltrial run SKILL` would take {ready[0].status.name}{model}."))
    else:
        console.print(Text("Nothing here can run a trial yet. `skilltrial demo` shows a recorded one."))
    return 0 if ready else NOTHING_READY


async def _survey() -> list[wiring.Candidate]:
    return await wiring.survey(dict(os.environ))


def _print(candidate: wiring.Candidate, console: Console) -> None:
    status = candidate.status
    sign, style = ("ready", "green") if status.ready else ("not ready", "yellow")
    model = f" ({candidate.model})" if candidate.model else ""
    version_text = f" {status.version}" if status.version else ""
    console.print()
    console.print(
        Text.assemble((f"{sign:>9}  ", style), (one_line(f"{status.name}{model}{version_text}", 100), "bold"))
    )
    for line in (status.detail, status.todo, *status.notices):
        _print_below(line, console)


def _print_others(programs: Mapping[str, str], console: Console) -> None:
    """Agent programs that are there; they are not started, so that nothing is said of keys."""
    if programs:
        console.print()
        console.print(Text.assemble(("installed  ", "green"), (one_line(", ".join(programs), 200), "bold")))
        _print_below("Take one with --harness NAME; `skilltrial harness show NAME` says what it needs.", console)


def _print_sandbox(level: str, detail: str, console: Console, *, works: bool) -> None:
    sign, style = ("works", "green") if works else ("does not", "yellow")
    console.print()
    console.print(Text.assemble((f"{sign:>9}  ", style), (f"--sandbox {level}", "bold")))
    _print_below(f"{detail}; see docs/isolation.md for what it does not protect." if works else detail, console)


def _print_below(line: str, console: Console) -> None:
    width = min(console.width, _WIDTH)
    for part in textwrap.wrap(one_line(line, 300), width - _INDENT, break_on_hyphens=False):
        console.print(Text(" " * _INDENT + part))
