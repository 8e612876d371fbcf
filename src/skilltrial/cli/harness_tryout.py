"""One trial of an agent program in front of a person."""

from __future__ import annotations

import json
import os
import sys

import anyio
from rich.text import Text

from skilltrial import wiring
from skilltrial.cli.consent import Declined
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.operations.tryout import ANSWERS, ENDS, FINDS, LOADS, LOGS_IN, STARTS, Tryout, try_out
from skilltrial.ports import Capabilities
from skilltrial.records.plan import HarnessChoice

FINDINGS = 1
UNUSABLE = 3
_LABEL = 15
_STYLES = {"yes": "green", "no": "bold red", "cannot tell": "yellow"}


def try_and_print(
    name: str, *, model: str | None, base_url: str | None, args: tuple[str, ...], yes: bool, as_json: bool
) -> int:
    """Run the trial and print what it showed; returns the exit code."""
    wanted = wiring.Wanted(harness=name, model=model, base_url=base_url, args=args, env=dict(os.environ))

    async def agree(choice: HarnessChoice, capabilities: Capabilities) -> None:
        if capabilities.paid and not yes:
            await _ask(choice)

    async def work() -> Tryout:
        return await try_out(wanted, agree=agree)

    tryout = anyio.run(work)
    if as_json:
        put(json.dumps(_told(name, tryout), indent=2) + "\n")
    else:
        _print(name, tryout)
    return _exit_code(tryout)


async def _ask(choice: HarnessChoice) -> None:
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise SpecError("this trial may cost money, and nobody can be asked here.", hint="Add --yes.")
    which = f"{choice.name} with {choice.model}" if choice.model else choice.name
    sys.stderr.write(f"  One small trial of {which}: a few requests to its model. Go on? [y/N] ")
    sys.stderr.flush()
    await anyio.wait_readable(sys.stdin)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise Declined("nothing was started.", hint="--yes goes on without a question.")


def _told(name: str, tryout: Tryout) -> dict[str, object]:
    return {
        "harness": name,
        "version": tryout.choice.version if tryout.choice else None,
        "model": tryout.choice.model if tryout.choice else None,
        "findings": [finding._asdict() for finding in tryout.findings],
        "notices": list(tryout.notices),
    }


def _print(name: str, tryout: Tryout) -> None:
    console = Screen()
    version = f" {tryout.choice.version}" if tryout.choice and tryout.choice.version else ""
    console.print(Text(f"{name}{version}", "bold"))
    for finding in tryout.findings:
        head = Text.assemble(f"  {finding.what:<{_LABEL}}", (f"{finding.word:<13}", _STYLES[finding.word]))
        indent = " " * (_LABEL + 15)
        console.print(head.append(paragraph(finding.why, console.width, indent=indent).lstrip()), soft_wrap=True)
    for notice in tryout.notices:
        console.print(Text(paragraph(f"! {notice}", console.width, indent="  ")), soft_wrap=True)


def _exit_code(tryout: Tryout) -> int:
    if any(tryout.word(what) != "yes" for what in (STARTS, LOGS_IN, ANSWERS)):
        return UNUSABLE
    return FINDINGS if any(tryout.word(what) == "no" for what in (FINDS, LOADS, ENDS)) else 0
