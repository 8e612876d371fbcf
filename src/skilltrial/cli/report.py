"""`skilltrial report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option


def report(  # noqa: PLR0917 - options of a command line
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
    explain: Annotated[
        str | None,
        typer.Option(
            help="Have a model add sentences (a call): openai:NAME, anthropic:NAME, an agent, a NAME with --base-url.",
            metavar="MODEL",
            show_default=False,
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Of the model that explains.", metavar="URL", show_default=False)
    ] = None,
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Show what a workspace says, also of an unfinished run.

    Nothing is run. Of a matrix the table is shown. Exit code 2: there is no such workspace, or no such format. 3: the model that
    was to explain it did not answer.
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
            explain=explain,
            base_url=base_url,
            ask_above_usd=ask_above,
            yes=yes,
        )
    )
