"""Importing and exporting in front of a person."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.interchange.incoming import Imported, ImportRequest, import_workspace
from skilltrial.interchange.outgoing import Exported, ExportRequest, export_workspace
from skilltrial.interchange.staging import ImportedIteration
from skilltrial.report.figures import plural
from skilltrial.report.headline import headline
from skilltrial.report.plain_text import line as one_line

LOSSES = 2
_WIDTH = 80
_MOST = 20
"""Lines of a list; the rest is counted, and in the JSON."""


def import_and_print(request: ImportRequest, *, as_json: bool) -> None:
    """Import, then say what came of it."""
    done = import_workspace(request)
    if as_json:
        put(json.dumps(_import_facts(done), indent=2) + "\n")
    else:
        _print_import(done, Screen())


def export_and_print(request: ExportRequest, *, as_json: bool) -> int:
    """Export, then say what was written and what is lost; returns the exit code."""
    done = export_workspace(request)
    if as_json:
        put(json.dumps(_export_facts(done, request.target), indent=2) + "\n")
    else:
        _print_export(done, request, Screen())
    return 0 if done.written else LOSSES


def iteration_number(text: str) -> int | None:
    """A number, None for `all`. Raises `SpecError` for anything else."""
    if text == "all":
        return None
    if text.isascii() and text.isdecimal():
        return int(text)
    raise SpecError(f"--iteration is {text!r}.", hint="Give a number, or all.")


def _import_facts(done: Imported) -> dict[str, object]:
    return {
        "workspace": str(done.workspace),
        "from": done.foreign.root,
        "family": done.foreign.family,
        "iterations": [
            {
                "iteration": each.number,
                "place": each.place,
                "trials": len(each.benchmark.runs) + len(each.benchmark.excluded),
                "graded": len(each.benchmark.runs),
                "verdicts": each.benchmark.verdict_counts,
                "notices": list(each.benchmark.notices),
                "repairs": each.n_repairs,
            }
            for each in done.iterations
        ],
        "stray": list(done.foreign.stray),
        "refused": [asdict(refused) for refused in done.foreign.refused],
    }


def _print_import(done: Imported, console: Console) -> None:
    for each in done.iterations:
        _print_iteration(each, console)
    notices = list(dict.fromkeys(notice for each in done.iterations for notice in each.benchmark.notices))
    if notices:
        console.print()
    for notice in notices[:_MOST]:
        _item(notice, console)
    left = [*(f"{item.place}: {item.reason}" for item in done.foreign.refused), *done.foreign.stray]
    if left:
        console.print()
        console.print(Text(f"Left where they are ({len(left)}):"))
    _list(left, console)
    console.print()
    _say(f"Written to {done.workspace}. The original is as it was.", console)
    _say(f"Next: skilltrial report {done.workspace}", console)


def _print_iteration(each: ImportedIteration, console: Console) -> None:
    benchmark = each.benchmark
    n = len(benchmark.runs) + len(benchmark.excluded)
    head = f"iteration {each.number}"
    source = f" from {one_line(each.place, 60)}" if each.place else ""
    console.print(Text.assemble((head, "bold"), f"{source}: {plural(n, 'run')}, {len(benchmark.runs):,} graded"))
    said = headline(benchmark)
    _say(f"{said.word}: {said.sentence}", console, indent=2)


def _export_facts(done: Exported, target: str) -> dict[str, object]:
    return {
        "as": target,
        "folder": str(done.folder),
        "iterations": list(done.iterations),
        "written": done.written,
        "files": list(done.files) if done.written else [],
        "losses": [{"place": loss.place, "what": loss.what} for loss in done.losses],
    }


def _print_export(done: Exported, request: ExportRequest, console: Console) -> None:
    lost = f"{request.target} cannot hold {plural(len(done.losses), 'thing')}"
    if not done.written:
        _say(f"Nothing was written: {lost}.", console)
    else:
        end = f"; {lost}:" if done.losses else "."
        _say(f"{plural(len(done.files), 'file')} written to {done.folder}{end}", console)
    _list([f"{loss.place}: {loss.what}" for loss in done.losses], console)
    if done.losses:
        console.print()
    if done.written:
        _say(f"How the trials were made (seed, versions, digests) stays in {request.workspace}.", console)
    else:
        _say("Add --lossy to write the rest; the workspace keeps everything.", console)


def _list(texts: list[str], console: Console) -> None:
    for text in texts[:_MOST]:
        _item(text, console)
    if len(texts) > _MOST:
        console.print(Text(f"  and {len(texts) - _MOST:,} more; --json lists all"))


def _item(text: str, console: Console) -> None:
    width = min(console.width, _WIDTH)
    console.print(Text(paragraph(text, width, indent="  - ", further="    ")), soft_wrap=True)


def _say(text: str, console: Console, *, indent: int = 0) -> None:
    width = min(console.width, _WIDTH)
    console.print(Text(paragraph(text, width, indent=" " * indent)), soft_wrap=True)
