"""`skilltrial label`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def label(  # noqa: PLR0917 - options of a command line
    workspace: Annotated[Path, typer.Argument(help="A workspace with judged trials.", show_default=False)],
    n: Annotated[int, typer.Option("--n", min=1, help="How many assertions are drawn.")] = 30,
    iteration: Annotated[int | None, typer.Option(help="Default: the newest.", show_default=False)] = None,
    by: Annotated[
        str | None, typer.Option(help="Who answers. Default: your name on this machine.", show_default=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the draw. Default: the plan's.", show_default=False)] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Ids of cases or assertions, separated by commas. Then nothing is drawn: no figure is corrected by it.",
            show_default=False,
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the questions to this .csv or .jsonl file and ask nothing.", show_default=False),
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Take such a file back, with answers.", show_default=False)
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the counts as JSON; questions go to stderr.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Ask a person what the judge was asked.

    Blind to the arm and to what the judge says. Every answer is kept at once; the same command goes on later. `skilltrial
    calibration` says what follows. Exit code 2: no judge has a verdict there, or a sheet has a mistake.
    """
    from skilltrial.cli.label_page import label_and_print  # noqa: PLC0415 - only when it runs
    from skilltrial.cli.run import split  # noqa: PLC0415
    from skilltrial.labelling.desk import LabelRequest  # noqa: PLC0415

    request = LabelRequest(
        workspace=workspace,
        by=by or os.environ.get("USER") or os.environ.get("USERNAME") or "somebody",
        iteration=iteration,
        n=n,
        seed=seed,
        only=() if only is None else split(only, "--only"),
    )
    label_and_print(request, export=export, taken=import_, as_json=json_)
