"""`skilltrial validate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def validate(
    path: Annotated[Path, typer.Argument(help="A skill folder, a SKILL.md or an eval file.", show_default=False)],
    json_: Annotated[bool, typer.Option("--json", help="Print the problems as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Check a skill and its eval file without running anything. Exit code 2 where something is wrong."""
    from skilltrial.cli.validation import validate_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(validate_and_print(path, as_json=json_))
