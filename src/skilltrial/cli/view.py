"""`skilltrial view`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def view(
    workspace: Annotated[Path, typer.Argument(help="A workspace of ours or of another tool.", show_default=False)],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Default: a free one.", show_default=False)] = 0,
    by: Annotated[
        str | None, typer.Option(help="Who looks. Default: your name on this machine.", show_default=False)
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,  # noqa: FBT002 - typer's way
) -> None:
    """Look at a workspace in a browser, and say what you think of it.

    The page is on this machine alone and asks no other. Ctrl-C ends it. Exit code 2: no such workspace.
    """
    from skilltrial.cli.view_page import ViewRequest, view_workspace  # noqa: PLC0415 - only when it runs

    view_workspace(
        ViewRequest(
            workspace=workspace,
            port=port,
            by=by or os.environ.get("USER") or os.environ.get("USERNAME") or "somebody",
            browser=browser,
        )
    )
