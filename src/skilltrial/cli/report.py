"""`skilltrial report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    workspace: Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)],
    iteration: Annotated[
        int | None, typer.Option(help="Default: the newest; of csv and jsonl all.", show_default=False)
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="terminal, markdown, html, json, junit, csv or jsonl.")
    ] = "terminal",
    table: Annotated[
        str, typer.Option(help="Of csv and jsonl: a row for each of these, trials or assertions.")
    ] = "trials",
    out: Annotated[
        Path | None, typer.Option(help="Write to this file instead of the screen.", show_default=False)
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page to this file as well.", show_default=False)] = None,
    json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Show what a workspace says, also of an unfinished run.

    Nothing is run. Of a matrix the table is shown. Exit code 2: there is no such workspace, or no such format.
    """
    from skilltrial.cli.workspace_report import ReportRequest, report_workspace  # noqa: PLC0415 - only when it runs

    report_workspace(
        ReportRequest(
            workspace=workspace,
            iteration=iteration,
            form="json" if json_ and form == "terminal" else form,
            table=table,
            out=out,
            html_file=html,
        )
    )
