"""`skilltrial history`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def history(
    workspace: Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)],
    html: Annotated[Path | None, typer.Option(help="Write the page to this file as well.", show_default=False)] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the iterations as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Compare the iterations of a workspace.

    The lift of each with its interval, and what changed between them. Nothing is run. Exit code 2: there is no such workspace.
    """
    from skilltrial.cli.history_page import show_history  # noqa: PLC0415 - only when it runs

    show_history(workspace, html_file=html, as_json=json_)
