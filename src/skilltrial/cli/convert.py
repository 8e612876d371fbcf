"""`skilltrial convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Target = Literal["agentskills", "skill-creator", "skill-builder", "slow-powers"]


def convert(
    file: Annotated[Path, typer.Argument(help="An eval file or trigger set of any kind.", show_default=False)],
    to: Annotated[Target, typer.Option(help="Whose form to write.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="Default: standard output.", show_default=False)] = None,
    lossy: Annotated[bool, typer.Option("--lossy", help="Write it even where the form cannot hold all.")] = False,  # noqa: FBT002 - typer's way
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,  # noqa: FBT002 - as above
    json_: Annotated[bool, typer.Option("--json", help="Print the result with losses and notes as JSON.")] = False,  # noqa: FBT002 - as above
) -> None:
    """Write an eval file in another tool's form.

    Exit code 0: written. 2: the form cannot hold everything, or the file has errors; nothing is written.
    """
    from skilltrial.cli.conversion import convert_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(convert_and_print(file, to=to, out=out, lossy=lossy, force=force, as_json=json_))
