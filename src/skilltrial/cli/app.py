"""The command line: one file a command; nothing heavy is imported before a command runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from skilltrial.cli.version import version

COMMANDS = {
    "run": "run",
    "prepare": "prepare",
    "collect": "collect",
    "grade": "grade",
    "judge-probe": "judge_probe",
    "compare": "compare",
    "analyse": "analyse",
    "label": "label",
    "calibration": "calibration",
    "report": "report",
    "view": "view",
    "history": "history",
    "power": "power",
    "aa": "aa",
    "gate": "gate",
    "trigger": "trigger",
    "optimise": "optimise",
    "improve": "improve",
    "baseline": "baseline",
    "validate": "validate",
    "oracle": "oracle",
    "audit": "audit",
    "convert": "convert",
    "import": "import_",
    "export": "export",
    "doctor": "doctor",
    "harness": "harness",
    "demo": "demo",
    "init": "init",
    "package": "package",
    "schema": "schema",
    "skill": "skill",
}
"""The commands in the order of `--help`, and the module of each: in it a function of the same name, or a group `app`."""


def _show_version(value: bool) -> None:  # noqa: FBT001 - typer's callback signature
    if value:
        typer.echo(f"skilltrial {version()}")
        raise typer.Exit


def root(
    _version: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--version", help="Print the version and leave.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Put an Agent Skill on trial."""


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line, with these commands in it: to know the options of all costs more than many a command's work."""
    app = typer.Typer(
        name="skilltrial",
        help="Put an Agent Skill on trial: does it help, by how much, how sure are we, at what cost?",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name in names:
        module = import_module(f"skilltrial.cli.{COMMANDS[name]}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, COMMANDS[name]))
    return app


def main() -> None:
    """Run the command line; every failure that a person can act on is one paragraph and an exit code."""
    from skilltrial.cli.charset import print_everything  # noqa: PLC0415 - as below
    from skilltrial.cli.failure import guarded  # noqa: PLC0415 - after --help and --version

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end
    print_everything()
    gc.set_threshold(100_000)  # what the modules and files leave is here to stay; the default looks through it often
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for some reads every package's metadata
    asked = sys.argv[1:2]
    code = guarded(make_app(asked if asked and asked[0] in COMMANDS else COMMANDS))
    gc.freeze()  # what is left goes with the process; looking through it for cycles would cost its reader time
    sys.exit(code)
