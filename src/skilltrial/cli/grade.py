"""`skilltrial grade`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option


def grade(  # noqa: PLR0917 - options of a command line
    workspace: Annotated[Path, typer.Argument(help="A workspace with finished trials.", show_default=False)],
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    evals: Annotated[
        Path | None,
        typer.Option(help="The eval file with changed assertions. Default: as planned.", show_default=False),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Ids of cases or assertions, separated by commas.", show_default=False)
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            "--judges",
            help="Who grades prose, as for `run`; none: nobody. Default: who did before.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    judge_samples: option.JudgeSamples = None,
    judge_prompt: option.JudgePrompt = None,
    base_url: Annotated[
        str | None, typer.Option(help="Another endpoint for the judge's --judge NAME.", show_default=False)
    ] = None,
    sandbox: Annotated[
        str | None,
        typer.Option(
            help="For command checks and judging agents. Default: as the agents had it.",
            metavar="LEVEL",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also what is not stale; judges are asked again.")] = False,  # noqa: FBT002 - typer's way
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print changes and benchmark as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Grade finished trials again, without running any agent.

    Only what is stale is done, and the verdicts that changed are told with the reason. Exit code 2: no such workspace,
    or other tasks. 3: the judge did not answer. 130: stopped; what is graded is kept.
    """
    from skilltrial.cli.grade_page import grade_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.run import split  # noqa: PLC0415
    from skilltrial.operations.regrading import RegradeRequest  # noqa: PLC0415

    request = RegradeRequest(
        workspace=workspace,
        env=dict(os.environ),
        iteration=iteration,
        evals=evals,
        only=() if only is None else split(only, "--only"),
        judge=judge,
        judge_samples=judge_samples,
        judge_prompt=judge_prompt,
        base_url=base_url,
        sandbox=sandbox,
        force=force,
    )
    raise typer.Exit(grade_and_print(request, as_json=json_, ask_above_usd=ask_above, yes=yes))
