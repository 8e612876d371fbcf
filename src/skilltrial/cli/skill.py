"""`skilltrial skill`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Teach an agent to use skilltrial, by a skill of our own.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def group() -> None:
    """Teach an agent to use skilltrial, by a skill of our own."""


@app.command()
def install(
    agent: Annotated[
        str | None,
        typer.Option(help="claude-code, codex, … (`harness list`). Default: claude-code.", show_default=False),
    ] = None,
    user: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--user/--project", help="For you everywhere, or for the project in the current folder.")
    ] = True,
    to: Annotated[Path | None, typer.Option(help="Any other folder of skills.", show_default=False)] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a copy that was changed.")] = False,  # noqa: FBT002 - typer's way
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")] = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Copy our skill to where an agent finds it.

    An older copy is updated, a changed one stays. Exit code 0: it is there. 2: a changed copy, a link, or no such agent. 3: the
    disk.
    """
    from skilltrial.cli.skill_page import install_and_print  # noqa: PLC0415 - only when it runs

    install_and_print(agent, user=user, to=to, force=force, dry_run=dry_run, as_json=json_)
