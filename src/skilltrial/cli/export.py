"""`skilltrial export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    workspace: Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)],
    target: Annotated[
        str,
        typer.Option(
            "--as",
            help="skill-creator, skill-creator-benchmark, skill-builder, slow-powers or agentskills.",
            show_default=False,
        ),
    ],
    to: Annotated[Path, typer.Option("--out", help="A new or empty folder.", show_default=False)],
    iteration: Annotated[str, typer.Option(help="A number, or all.", show_default=True)] = "all",
    lossy: Annotated[bool, typer.Option("--lossy", help="Write even where something is lost.")] = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print files and losses as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Write a workspace in the form of another tool.

    Exit code 0: written. 2: something would be lost, or is wrong with the request; nothing is written.
    """
    from skilltrial.cli.interchange_run import export_and_print, iteration_number  # noqa: PLC0415 - only when it runs
    from skilltrial.interchange.outgoing import ExportRequest  # noqa: PLC0415 - only when it runs

    request = ExportRequest(
        workspace=workspace, target=target, to=to, iteration=iteration_number(iteration), lossy=lossy
    )
    raise typer.Exit(export_and_print(request, as_json=json_))
