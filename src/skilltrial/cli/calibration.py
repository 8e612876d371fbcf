"""`skilltrial calibration`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def calibration(
    workspace: Annotated[Path, typer.Argument(help="A workspace with judged trials.", show_default=False)],
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Say how far the judge can be trusted.

    By what people said with `skilltrial label`. Nobody is asked and nothing is written. Exit code 2: no such workspace, or no
    judge has a verdict there.
    """
    from skilltrial.cli.calibration_page import print_calibration  # noqa: PLC0415 - only when it runs

    print_calibration(workspace, iteration=iteration, as_json=json_)
