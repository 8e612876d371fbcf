"""`skilltrial gate`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def gate(
    workspace: Annotated[Path, typer.Argument(help="A workspace that `run` or `import` made.", show_default=False)],
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="A file with [gate]. Default: the skill's skilltrial.toml.", show_default=False),
    ] = None,
    against: Annotated[
        str, typer.Option(help="baseline-arm, or a file of `skilltrial baseline promote`.", metavar="WHAT")
    ] = "baseline-arm",
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.", show_default=False)] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write Markdown to this file.", show_default=False)] = None,
    github: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--github", help="Annotations for a workflow of GitHub, and its summary.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print every rule as JSON.")] = False,  # noqa: FBT002 - as above
) -> None:
    """Hold a workspace to rules, for a build server.

    Nothing is run. Exit code 0: all rules hold. 1: one does not. 2: the workspace or the settings cannot be used. 3: errors of
    tools left it incomplete. 4: cannot tell, and what would settle it.
    """
    from skilltrial.cli.gate_page import GateRequest, gate_and_print  # noqa: PLC0415 - only when it runs

    request = GateRequest(
        workspace=workspace,
        iteration=iteration,
        config=config,
        against=None if against == "baseline-arm" else Path(against),
        junit=junit,
        markdown=markdown,
        github=github,
        env=dict(os.environ),
    )
    raise typer.Exit(gate_and_print(request, as_json=json_))
