"""`skilltrial audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def audit(
    path: Annotated[
        Path, typer.Argument(help="A workspace, an iteration or a benchmark of any tool.", show_default=False)
    ],
    treatment: Annotated[str | None, typer.Option(help="Which arm has the skill, or the new version of it.")] = None,
    baseline: Annotated[str | None, typer.Option(help="Which arm is the baseline.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the audit as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Count another tool's results again and say what it got wrong.

    Exit code 0: no wrong number. 1: at least one. 2: these are no results, or an arm is called otherwise.
    """
    from skilltrial.cli.auditing import audit_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(audit_and_print(path, treatment=treatment, baseline=baseline, as_json=json_))
