"""`skilltrial collect`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option


def collect(
    folder: Annotated[Path, typer.Argument(help="The folder that `prepare` made.", show_default=False)],
    judge: option.Judge = None,
    judge_samples: option.JudgeSamples = None,
    judge_prompt: option.JudgePrompt = None,
    base_url: Annotated[
        str | None, typer.Option(help="Another endpoint for the judge's --judge NAME.", show_default=False)
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option(help="Default: the one that it was prepared from.", show_default=False)
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print tasks and benchmark as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Take back what came of prepared tasks, grade it and report.

    May be called again whenever more has come. Exit code 1: some of it could not be taken. 2: the folder was
    not prepared. 3: the judge did not answer.
    """
    from skilltrial.cli.handover_page import collect_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.handover.collection import CollectRequest  # noqa: PLC0415

    request = CollectRequest(
        folder=folder,
        env=dict(os.environ),
        workspace=workspace,
        judge=judge,
        judge_samples=judge_samples,
        judge_prompt=judge_prompt,
        base_url=base_url,
    )
    raise typer.Exit(collect_and_print(request, as_json=json_))
