"""Harnesses in front of a person."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from skilltrial import wiring
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError, StoreError
from skilltrial.report.plain_text import line as one_line

if TYPE_CHECKING:
    from skilltrial.wiring.harnesses import Descriptor, Entry

INVALID = 2
_OWN = {
    "claude-code": ("Claude Code", "see `skilltrial doctor`"),
    "builtin": ("our own agent, on any model API", "see `skilltrial doctor`"),
    "command": ("any program", "by its command line in --harness-arg"),
}
"""Those that no file describes: a title, and what there is to know."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,38}[a-z0-9]")
_LABEL = 12


def print_list(*, as_json: bool) -> None:
    """Print all harnesses: ours in code, and those that files describe, broken ones too."""
    env = dict(os.environ)
    entries, programs = wiring.harness_catalogue(env).entries, wiring.installed_programs(env)
    if as_json:
        rows = [*map(_own_row, _OWN), *(_row(entry, programs) for entry in entries)]
        put(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return
    console = Screen()
    for name, told in _OWN.items():
        console.print(Text.assemble((f"{name:<16}", "bold"), "; ".join(told)))
    for entry in entries:
        console.print(
            Text.assemble((f"{one_line(entry.name, 40):<16}", "bold"), _state(entry, programs)), soft_wrap=True
        )
    console.print()
    console.print(Text("`skilltrial run SKILL --harness NAME` takes one; `harness show NAME` says more."))


def print_harness(name: str, *, as_json: bool) -> None:
    """Print what a descriptor says. Raises `SpecError` for an unknown name, or a file that is not right."""
    if name in _OWN:
        _print_own(name, as_json=as_json)
        return
    env = dict(os.environ)
    catalogue = wiring.harness_catalogue(env)
    entry = catalogue.find(name)
    if entry is None or entry.descriptor is None:
        known = ", ".join(sorted({*_OWN, *(one.name for one in catalogue.entries)}))
        raise SpecError(f"there is no harness named {name!r}.", hint=f"Known: {known}.")
    if as_json:
        put(
            json.dumps({**_row(entry, wiring.installed_programs(env)), "descriptor": _dump(entry.descriptor)}, indent=2)
        )
        put("\n")
        return
    console = Screen()
    console.print(Text(one_line(f"{entry.descriptor.title} ({entry.name})", 200), "bold"))
    for label, value in _facts(entry, entry.descriptor, wiring.installed_programs(env)).items():
        if value:
            console.print(Text(f"{label:<{_LABEL}}{one_line(value, 500)}"), soft_wrap=True)


def lint_and_print(file: Path, *, as_json: bool) -> int:
    """Check a file, also for a name that is taken; returns the exit code."""
    name, problem = _linted(file)
    if as_json:
        complaint = {"where": problem.where, "message": problem.message, "hint": problem.hint} if problem else None
        put(json.dumps({"file": str(file), "ok": problem is None, "problem": complaint}, indent=2) + "\n")
        return INVALID if problem else 0
    if problem:
        raise problem
    Screen().print(Text(one_line(f"{file} is right; it describes {name!r}.", 300)), soft_wrap=True)
    return 0


def start_and_print(name: str, *, program: str | None, file: Path | None, as_json: bool) -> None:
    """Write a descriptor to start from; `SpecError` for a name that cannot be used, and where the file is there."""
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"{name!r} is no name for a harness.", hint="Take 2 to 40 small letters, digits and hyphens, like my-agent."
        )
    target = file or Path.cwd() / ".skilltrial/harnesses" / f"{name}.toml"
    text = wiring.harness_starter(name, program or name)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise SpecError("there is such a file already.", where=str(target), hint="Give another with --out.") from None
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror}).", where=str(target)) from error
    problem = _linted(target)[1]
    if problem:
        target.unlink()
        raise problem
    if as_json:
        put(json.dumps({"name": name, "file": str(target)}, indent=2) + "\n")
        return
    console = Screen()
    console.print(Text(f"{one_line(str(target), 500)} describes {name!r}."), soft_wrap=True)
    console.print(Text(f"Fill it in. Then: skilltrial harness lint FILE; skilltrial harness probe {name}"))


def _linted(file: Path) -> tuple[str, SpecError | None]:
    """The name that a file gives, and what is wrong with the file."""
    try:
        name = wiring.read_harness(file).name
        entries = wiring.harness_catalogue(dict(os.environ)).entries
    except SpecError as error:
        return "", error
    taken = next((entry for entry in entries if entry.name == name and not _same(entry.path, file)), None)
    if not taken and name not in {*_OWN, "recorded"}:
        return name, None
    holder = f"the {taken.source} file {taken.path}" if taken else "a harness of this program"
    return name, SpecError(f"the name {name!r} is taken by {holder}.", where=str(file), hint="Give it another name.")


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _state(entry: Entry, programs: Mapping[str, str]) -> str:
    if entry.error:
        return one_line(f"not usable: {entry.error}", 300)
    own = "" if entry.source == "built-in" else f", from {entry.path}"
    state = "installed" if entry.name in programs else "not installed"
    return one_line(f"{entry.descriptor.title if entry.descriptor else ''}; {state}{own}", 300)


def _row(entry: Entry, programs: Mapping[str, str]) -> dict[str, object]:
    return {
        "name": entry.name,
        "title": entry.descriptor.title if entry.descriptor else None,
        "source": entry.source,
        "file": str(entry.path),
        "error": str(entry.error) if entry.error else None,
        "program": programs.get(entry.name),
    }


def _own_row(name: str) -> dict[str, object]:
    return {"name": name, "title": _OWN[name][0], "source": "code", "file": None, "error": None, "program": None}


def _print_own(name: str, *, as_json: bool) -> None:
    if as_json:
        put(json.dumps({**_own_row(name), "descriptor": None}, indent=2) + "\n")
        return
    title, more = _OWN[name]
    console = Screen()
    console.print(Text(f"{title} ({name})", "bold"))
    console.print(Text(f"{more}; no file describes it, docs/harnesses.md does"))


def _dump(descriptor: Descriptor) -> dict[str, object]:
    return descriptor.model_dump(mode="json", by_alias=True)


def _facts(entry: Entry, descriptor: Descriptor, programs: Mapping[str, str]) -> dict[str, str]:
    skills, endpoint = descriptor.skills, descriptor.endpoint
    place = skills.user_root or skills.root
    loads = f"the tool {skills.tool}" if skills.tool else "reading SKILL.md"
    return {
        "program": programs.get(entry.name) or f"{descriptor.program} (not found). {descriptor.install}",
        "tried with": descriptor.checked_with or "",
        "needs": ", ".join(descriptor.needs),
        "keys": " or ".join(descriptor.environment.keys),
        "command": " ".join((descriptor.program, *descriptor.run.args)),
        "prompt": descriptor.run.prompt,
        "skills": f"in {place}, loaded by {loads}",
        "later turns": "yes" if descriptor.resume else "no",
        "MCP servers": "yes (doubles)" if descriptor.servers else "no",
        "base URL": f"yes ({endpoint.wire})" if endpoint else "no",
        "stream": descriptor.stream.format,
        "remarks": " ".join(descriptor.remarks),
        "file": str(entry.path),
    }
