"""`skilltrial validate`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Reference(StrEnum):
    """Validators whose verdict can be asked for."""

    SKILLS_REF = "skills-ref"


def validate(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Skill folders, SKILL.md files, eval files or folders of cases.", show_default=False),
    ],
    json_: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,  # noqa: FBT002 - typer's way
    sarif: Annotated[bool, typer.Option("--sarif", help="Print them as SARIF 2.1.0, for code scanning.")] = False,  # noqa: FBT002 - typer's way
    fix: Annotated[bool, typer.Option("--fix", help="First put right what is mechanical in SKILL.md.")] = False,  # noqa: FBT002 - typer's way
    like: Annotated[
        Reference | None,
        typer.Option("--like", help="Give this validator's verdict instead: exit code 0 or 1.", show_default=False),
    ] = None,
) -> None:
    """Check skills and eval files, and run nothing.

    Exit code 0: no error. 2: at least one. `skilltrial audit` looks at results, not at skills.
    """
    from skilltrial.cli import validation  # noqa: PLC0415 - only when it runs

    if sum((json_, sarif)) > 1 or (like and (sarif or fix)):
        raise typer.BadParameter("--json, --sarif and --like are different outputs; only --like goes with --json.")
    if like:
        raise typer.Exit(validation.print_reference_verdict(paths, as_json=json_))
    form: validation.Form = "json" if json_ else "sarif" if sarif else "text"
    raise typer.Exit(validation.validate_and_print(paths, form=form, fix=fix))
