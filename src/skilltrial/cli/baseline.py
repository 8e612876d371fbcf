"""`skilltrial baseline`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Keep the figures that later versions are held to.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
Workspace = Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)]
Iteration = Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)]


@app.command()
def promote(
    workspace: Workspace,
    iteration: Iteration = None,
    to: Annotated[
        Path | None, typer.Option(help="Default: baseline.json beside the eval file.", show_default=False)
    ] = None,
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Write an iteration's figures to a small file, to be committed.

    Figures and digests of cases and arms; no outputs, no paths. Exit code 2: no such workspace, or nothing is graded there.
    """
    from skilltrial.cli.baseline_page import promote_and_print  # noqa: PLC0415 - only when it runs

    promote_and_print(workspace, iteration=iteration, to=to, as_json=json_)


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A promoted file, or a skill with one.", show_default=False)],
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Show what was promoted; exit code 2 where it is no such file."""
    from skilltrial.cli.baseline_page import print_promoted  # noqa: PLC0415 - only when it runs

    print_promoted(file, as_json=json_)


@app.command()
def diff(
    workspace: Workspace,
    iteration: Iteration = None,
    against: Annotated[
        Path | None, typer.Option(help="Default: baseline.json beside the eval file.", show_default=False)
    ] = None,
    json_: Json = False,  # noqa: FBT002 - typer's way
) -> None:
    """Say case by case what is better or worse than what was promoted.

    Exit code 0 whatever it says: `skilltrial gate --against FILE` judges. 2: the files cannot be used.
    """
    from skilltrial.cli.baseline_page import print_drift  # noqa: PLC0415 - only when it runs

    print_drift(workspace, iteration=iteration, against=against, as_json=json_)
