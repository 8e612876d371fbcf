"""`skilltrial view`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def view(  # noqa: PLR0917 - options of a command line
    workspace: Annotated[
        Path | None, typer.Argument(help="A workspace of ours or of another tool.", show_default=False)
    ] = None,
    static: Annotated[
        Path | None, typer.Option(help="Write the page to this file instead of serving it.", show_default=False)
    ] = None,
    previous: Annotated[
        Path | None,
        typer.Option(
            "--previous-workspace", help="Another workspace, shown as the iteration before.", show_default=False
        ),
    ] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Show no arm and no verdict: for your own verdicts.")] = False,  # noqa: FBT002 - typer's way
    port: Annotated[int, typer.Option(min=0, max=65535, help="Default: a free one.", show_default=False)] = 0,
    by: Annotated[
        str | None, typer.Option(help="Who looks. Default: your name on this machine.", show_default=False)
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,  # noqa: FBT002 - typer's way
    stop: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--stop", help="End the open pages of WORKSPACE, or all of yours.")
    ] = False,
    json_: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--json", help="Print the link, port and pid as one line of JSON; open no browser.")
    ] = False,
) -> None:
    """Look at a workspace in a browser, and say what you think.

    The page is on this machine alone and asks no other. Ctrl-C ends it, or --stop from anywhere else. Exit code 2: no such
    workspace. Exit code 3: the port cannot be had, or a page did not end.
    """
    from skilltrial.cli.view_page import ViewRequest, stop_pages, view_workspace, write_page  # noqa: PLC0415 - when it runs

    request = ViewRequest(
        workspace=workspace, port=port, by=by, browser=browser, previous=previous, blind=blind, as_json=json_
    )
    if stop:
        raise typer.Exit(stop_pages(request))
    if static is not None:
        write_page(request, static)
    else:
        view_workspace(request)
