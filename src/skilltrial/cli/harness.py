"""`skilltrial harness`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option

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


@app.command()
def probe(
    name: Annotated[str, typer.Argument(help="A harness: claude-code, codex, …", show_default=False)],
    model: option.Model = None,
    base_url: option.BaseUrl = None,
    harness_arg: option.HarnessArg = None,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Try an agent program in one small real trial.

    It costs a few requests, and asks first. Exit code 0: trials can be run with it. 1: no skill is found, or it does not
    end cleanly. 3: it does not start, log in or answer.
    """
    from skilltrial.cli.harness_tryout import try_and_print  # noqa: PLC0415 - only when it runs

    args = tuple(harness_arg or ())
    raise typer.Exit(try_and_print(name, model=model, base_url=base_url, args=args, yes=yes, as_json=json_))
