"""`skilltrial package`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def package(
    skill: Annotated[Path, typer.Argument(help="A skill folder or its SKILL.md.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write, or a folder for it. Default: beside the skill's folder.", show_default=False
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print what was packed as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Check a skill and pack it into one .skill file.

    The same files give the same bytes. Exit code 0: written. 2: an error, a link or a key in the skill stops it.
    """
    from skilltrial.cli.packaging import package_and_print  # noqa: PLC0415 - only when it runs

    package_and_print(skill, out, as_json=json_)
