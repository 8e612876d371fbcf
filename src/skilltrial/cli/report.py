"""`skilltrial report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    workspace: Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)],
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page to this file as well.", show_default=False)] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the benchmark as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Show what a workspace says, also of an unfinished run.

    Nothing is run. Of a matrix the table is shown. Exit code 2: there is no such workspace.
    """
    from skilltrial.cli.workspace_report import report_workspace  # noqa: PLC0415 - only when it runs

    report_workspace(workspace, iteration=iteration, html_file=html, as_json=json_)
