"""`skilltrial harness`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="List, show, try and describe agent programs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


@app.command("list")
def list_(json_: Json = False) -> None:  # noqa: FBT002 - typer's way
    """List every harness, and whether its program is installed."""
    from skilltrial.cli.harness_page import print_list  # noqa: PLC0415 - only when it runs

    print_list(as_json=json_)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a harness that a file describes.", show_default=False)],
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Show how a harness is started, isolated and read, and where its file is."""
    from skilltrial.cli.harness_page import print_harness  # noqa: PLC0415 - only when it runs

    print_harness(name, as_json=json_)


@app.command()
def lint(
    file: Annotated[Path, typer.Argument(help="A harness descriptor (TOML).", show_default=False)],
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Check a harness descriptor; exit code 2 where it is not right."""
    from skilltrial.cli.harness_page import lint_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(lint_and_print(file, as_json=json_))


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="What --harness is to call it, like my-agent.", show_default=False)],
    program: Annotated[
        str | None, typer.Option(help="The program: on PATH, or an absolute path. Default: NAME.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Default: .skilltrial/harnesses/NAME.toml here.", show_default=False)
    ] = None,
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Write a harness descriptor to start from; nothing is overwritten."""
    from skilltrial.cli.harness_page import start_and_print  # noqa: PLC0415 - only when it runs

    start_and_print(name, program=program, file=out, as_json=json_)
