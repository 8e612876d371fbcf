"""`skilltrial demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    workspace: Annotated[Path, typer.Option(help="Where the replayed trials and the report are written.")] = Path(
        "skilltrial-demo-workspace"
    ),
    json_: Annotated[bool, typer.Option("--json", help="Print the benchmark as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Replay recorded trials of an example skill: no key, no agent.

    They go through everything that `run` does.
    """
    from skilltrial.cli.replay import replay_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(replay_and_print(workspace, as_json=json_))
