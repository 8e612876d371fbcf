"""`skilltrial compare`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from skilltrial.cli import run_options as option

Judge = Annotated[
    str | None,
    typer.Option("--judge", help="Who judges, as for `run`. Default: who graded.", metavar="NAME", show_default=False),
]
JudgeBaseUrl = Annotated[
    str | None, typer.Option("--base-url", help="Another endpoint for the judge's --judge NAME.", show_default=False)
]
Number = Annotated[int | None, typer.Option("--iteration", help="Default: the newest.", show_default=False)]
Workspace = Annotated[Path, typer.Argument(help="A workspace with finished trials.", show_default=False)]
Arms = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ARM_A ARM_B]", help="Two arms. Default: every two.", show_default=False),
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="US dollars that the judge may take in all.", show_default=False)
]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Tokens that the judge may take.", show_default=False)]
Concurrency = Annotated[int, typer.Option(min=1, help="Calls at a time.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be asked; ask and write nothing.")]


def compare(  # noqa: PLR0917 - options of a command line
    workspace: Workspace,
    arms: Arms = None,
    iteration: Number = None,
    only: option.Only = None,
    judge: Judge = None,
    base_url: JudgeBaseUrl = None,
    seed: Annotated[int | None, typer.Option(help="Of the labels. Default: the plan's.", show_default=False)] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    concurrency: Concurrency = 4,
    ask_above: option.AskAbove = 5.0,
    yes: option.Yes = False,  # noqa: FBT002 - typer's way
    dry_run: DryRun = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Let a judge say which of two outputs is better, blind.

    Trials of the same case and repeat are shown side by side without a name, once in each order, with a rubric made for the task
    beforehand; a winner in one order alone is a tie. What is compared and has not changed is not asked again. Exit code 0: done,
    whoever won. 2: no such workspace, arm or case, or no judge. 3: the judge gave no answer for a pair. 4: a ceiling was
    reached, or nothing could be compared. 130: stopped; what is compared is kept.
    """
    from skilltrial.cli.compare_page import compare_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.run import split  # noqa: PLC0415
    from skilltrial.operations.comparing import CompareRequest  # noqa: PLC0415
    from skilltrial.records.budget import Ceilings  # noqa: PLC0415

    request = CompareRequest(
        workspace=workspace,
        env=dict(os.environ),
        arms=tuple(arms or ()),
        iteration=iteration,
        only=() if only is None else split(only, "--only"),
        judge=judge,
        base_url=base_url,
        seed=seed,
        ceilings=Ceilings(max_cost_usd=max_cost, max_tokens=max_tokens),
        concurrency=concurrency,
        dry_run=dry_run,
    )
    raise typer.Exit(compare_and_print(request, as_json=json_, ask_above_usd=ask_above, yes=yes))
