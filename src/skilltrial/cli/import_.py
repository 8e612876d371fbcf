"""`skilltrial import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def import_(
    path: Annotated[Path, typer.Argument(help="Another tool's workspace, iteration or results.", show_default=False)],
    to: Annotated[
        Path | None,
        typer.Option("--out", help="The workspace to write. Default: <name>-imported beside PATH.", show_default=False),
    ] = None,
    skill: Annotated[Path | None, typer.Option(help="The folder of the skill.", show_default=False)] = None,
    treatment: Annotated[
        str | None,
        typer.Option(help="Name of the arm with the skill, where the files do not tell.", show_default=False),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Name of the arm that it is compared with.", show_default=False)
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Make a workspace of ours from another tool's results.

    That one is only read. `skilltrial report` shows the new one. Exit code 2: there is nothing to import, nothing tells the
    roles of the arms, or the target cannot be used.
    """
    from skilltrial.cli.interchange_run import import_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.interchange.incoming import ImportRequest  # noqa: PLC0415 - only when it runs

    request = ImportRequest(path=path, to=to, skill=skill, treatment=treatment, baseline=baseline)
    import_and_print(request, as_json=json_)
