"""`skilltrial power`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def power(
    workspace: Annotated[
        Path | None,
        typer.Argument(help="A workspace to learn from. Default: usual values.", show_default=False),
    ] = None,
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    lift: Annotated[float, typer.Option(help="The lift to find, as a fraction: 0.2 are 20 points.")] = 0.2,
    cases: Annotated[
        int | None, typer.Option(min=2, help="Cases that there are. Default: the workspace's.", show_default=False)
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, help="Runs of each case in each arm. Default: the workspace's, else 3.", show_default=False
        ),
    ] = None,
    power: Annotated[float, typer.Option(help="The chance to find it.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="The chance to find a lift where there is none.")] = 0.05,
    json_: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Say how many cases and runs it takes to find a lift.

    Also what a design can find at all. Variances, cost and time come from the workspace's trials; nothing is run. Exit
    code 2: there is no such workspace, or a number that makes no sense.
    """
    from skilltrial.cli.power_page import Asked, plan_and_print  # noqa: PLC0415 - only when it runs

    asked = Asked(lift=lift, n_cases=cases, repeats=repeats, power=power, alpha=alpha)
    plan_and_print(workspace, asked, iteration=iteration, as_json=json_)
