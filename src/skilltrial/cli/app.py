"""The command line: one file a command; nothing heavy is imported before a command runs."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

from skilltrial.cli import (
    audit,
    convert,
    demo,
    doctor,
    export,
    harness,
    import_,
    init,
    package,
    report,
    run,
    schema,
    validate,
)
from skilltrial.cli.version import version

app = typer.Typer(
    name="skilltrial",
    help="Put an Agent Skill on trial: does it help, by how much, how sure are we, at what cost?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:  # noqa: FBT001 - typer's callback signature
    if value:
        typer.echo(f"skilltrial {version()}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--version", help="Print the version and leave.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Put an Agent Skill on trial."""


app.command("run")(run.run)
app.command("report")(report.report)
app.command("validate")(validate.validate)
app.command("audit")(audit.audit)
app.command("convert")(convert.convert)
app.command("import")(import_.import_)
app.command("export")(export.export)
app.command("doctor")(doctor.doctor)
app.add_typer(harness.app, name="harness")
app.command("demo")(demo.demo)
app.command("init")(init.init)
app.command("package")(package.package)
app.command("schema")(schema.schema)


def main() -> None:
    """Run the command line; every failure that a person can act on is one paragraph and an exit code."""
    from skilltrial.cli.charset import print_everything  # noqa: PLC0415 - as below
    from skilltrial.cli.failure import guarded  # noqa: PLC0415 - after --help and --version

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end
    print_everything()
    code = guarded(app)
    gc.freeze()  # what is left goes with the process; looking through it for cycles would cost its reader time
    sys.exit(code)
