"""`skilltrial judge-probe`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option


def judge_probe(  # noqa: PLR0917 - options of a command line
    workspace: Annotated[Path, typer.Argument(help="A workspace with trials that a judge graded.", show_default=False)],
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            "--judges",
            help="Who is probed, as for `run`. Default: who graded.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    judge_prompt: option.JudgePrompt = None,
    base_url: Annotated[
        str | None, typer.Option(help="Another endpoint for the judge's --judge NAME.", show_default=False)
    ] = None,
    n: Annotated[int, typer.Option("--n", help="At most so many trials.")] = 10,
    seed: Annotated[int, typer.Option(help="Which trials.")] = 1,
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Find out what makes a judge's verdicts flip.

    Trials that it graded are asked about again: the same, with harmless changes, and with an instruction to pass
    everything in what the agent left. No grading changes. Exit code 1: an injected instruction made a PASS, or a change
    flips more than asking again does. 2: nothing was judged. 3: the judge did not answer. 4: nothing
    can be told, since no statement had a verdict.
    """
    from skilltrial.cli.judge_probe_page import probe_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.operations.judge_probing import ProbeRequest  # noqa: PLC0415

    request = ProbeRequest(
        workspace=workspace,
        env=dict(os.environ),
        iteration=iteration,
        judge=judge,
        judge_prompt=judge_prompt,
        base_url=base_url,
        n=n,
        seed=seed,
    )
    raise typer.Exit(probe_and_print(request, ask_above_usd=ask_above, yes=yes, as_json=json_))
