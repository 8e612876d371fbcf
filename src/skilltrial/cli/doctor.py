"""`skilltrial doctor`."""

from __future__ import annotations

from typing import Annotated

import typer


def doctor(
    json_: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Show which agents could run trials here, and what to do next.

    Exit code 3: none could.
    """
    from skilltrial.cli.examination import examine_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(examine_and_print(as_json=json_))
