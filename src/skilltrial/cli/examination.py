"""What is on this machine."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass

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
    levels = _levels(dict(os.environ))
    if as_json:
        found = [{"model": item.model, **asdict(item.status)} for item in candidates]
        chosen = {"harness": ready[0].status.name, "model": ready[0].model} if ready else None
        said = {
            "version": version(),
            "harnesses": found,
            "run_takes": chosen,
            "other_programs": wiring.installed_programs(dict(os.environ)),
            "sandboxes": [asdict(level) for level in levels],
        }
        put(json.dumps(said, indent=2) + "\n")
        return 0 if ready else NOTHING_READY
    console = Screen()
    python = ".".join(map(str, sys.version_info[:3]))
    console.print(Text(f"skilltrial {version()}, Python {python}"))
    for candidate in candidates:
        _print(candidate, console)
    _print_others(wiring.installed_programs(dict(os.environ)), console)
    for level in levels:
        _print_level(level, console)
    console.print()
    if ready:
        model = f" with {ready[0].model}" if ready[0].model else ""
        console.print(Text(f"`skilltrial run SKILL` would take {ready[0].status.name}{model}."))
    else:
        console.print(Text("Nothing here can run a trial yet. `skilltrial demo` shows a recorded one."))
    return 0 if ready else NOTHING_READY


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    level: str
    works: bool
    detail: str
    limits_network: bool


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


def _levels(env: Mapping[str, str]) -> list[_Level]:
    found: list[_Level] = []
    for each in wiring.sandboxes(env):
        shut = "" if each.confinement is None else wiring.without_network(each.confinement, env)
        said = each.detail
        if each.confinement is not None:
            said += "; see docs/isolation.md for what it does not protect"
            said += f"; its network cannot be limited: {shut}" if isinstance(shut, str) else "; --network can limit it"
        works, limits = each.confinement is not None, not isinstance(shut, str)
        found.append(_Level(level=each.level, works=works, detail=said, limits_network=limits))
    for name, answers, said in wiring.container_engines(env):
        also = "; give it an image with the agent program" if answers else ""
        found.append(_Level(level=f"{name}:IMAGE", works=answers, detail=said + also, limits_network=False))
    return found


def _print_level(level: _Level, console: Console) -> None:
    sign, style = ("works", "green") if level.works else ("does not", "yellow")
    console.print()
    console.print(Text.assemble((f"{sign:>9}  ", style), (f"--sandbox {level.level}", "bold")))
    _print_below(f"{level.detail.rstrip('.')}.", console)


def _print_below(line: str, console: Console) -> None:
    width = min(console.width, _WIDTH)
    for part in textwrap.wrap(one_line(line, 300), width - _INDENT, break_on_hyphens=False):
        console.print(Text(" " * _INDENT + part))
