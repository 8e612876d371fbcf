"""`skilltrial oracle`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from skilltrial.cli import run_options as option


def oracle(
    skill: option.SkillFolder,
    evals: option.EvalFile = None,
    only: Annotated[str | None, typer.Option(help="Ids of cases, separated by commas.", show_default=False)] = None,
    sandbox: Annotated[
        str,
        typer.Option(help="What commands of checks run in: none, bwrap, landlock, auto, …", metavar="LEVEL"),
    ] = "none",
    json_: Annotated[bool, typer.Option("--json", help="Print every check and finding as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Try the checks where no agent worked.

    They are run on the files as each case starts with them, and on reference solutions. A check that passes before any
    work, or fails on a right solution, is a finding. Exit code 0: none. 1: at least one. 2: the skill or eval file
    cannot be used. 3: a sandbox or the disk failed.
    """
    from skilltrial.cli.oracle_page import consult_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.run import split  # noqa: PLC0415
    from skilltrial.operations.oracle import OracleRequest  # noqa: PLC0415

    request = OracleRequest(
        skill=skill,
        env=dict(os.environ),
        evals=evals,
        only=() if only is None else split(only, "--only"),
        sandbox=sandbox,
    )
    raise typer.Exit(consult_and_print(request, as_json=json_))
