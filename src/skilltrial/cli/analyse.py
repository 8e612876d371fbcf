"""`skilltrial analyse`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import compare as shared
from skilltrial.cli import run_options as option


def analyse(  # noqa: PLR0917 - options of a command line
    workspace: Annotated[Path, typer.Argument(help="A workspace with comparisons.", show_default=False)],
    arms: shared.Arms = None,
    comparison: Annotated[
        int | None,
        typer.Option(min=1, help="The number of one comparison. Default: all with a winner.", show_default=False),
    ] = None,
    iteration: shared.Number = None,
    only: option.Only = None,
    judge: Annotated[
        str | None,
        typer.Option(help="Who reads, as for `compare`. Default: who compared.", metavar="NAME", show_default=False),
    ] = None,
    base_url: shared.JudgeBaseUrl = None,
    max_cost: shared.MaxCost = None,
    max_tokens: shared.MaxTokens = None,
    concurrency: shared.Concurrency = 4,
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    dry_run: shared.DryRun = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print the analyses as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Find out why one of two compared outputs won.

    A model reads both skills, transcripts and outputs, and what `compare` said of them: strengths, weaknesses, how well each
    skill was followed, what to change. Code looks up every quote. What is analysed and has not changed is not asked again. Exit
    code 0: done. 2: nothing is compared or has a winner. 3: the judge gave no answer for a comparison. 4: a ceiling was reached.
    130: stopped; what is analysed is kept.
    """
    from skilltrial.cli.analyse_page import analyse_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.run import split  # noqa: PLC0415
    from skilltrial.operations.analysing import AnalyseRequest  # noqa: PLC0415
    from skilltrial.records.budget import Ceilings  # noqa: PLC0415

    request = AnalyseRequest(
        workspace=workspace,
        env=dict(os.environ),
        arms=tuple(arms or ()),
        iteration=iteration,
        comparison=comparison,
        only=() if only is None else split(only, "--only"),
        judge=judge,
        base_url=base_url,
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens),
        concurrency=concurrency,
        dry_run=dry_run,
    )
    raise typer.Exit(analyse_and_print(request, as_json=json_, ask_above_usd=ask_above, yes=yes))
