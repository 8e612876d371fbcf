"""`skilltrial schema`."""

from __future__ import annotations

from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None, typer.Argument(help="evals, grading, benchmark, … Without: a list of all.", show_default=False)
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Without NAME: print all schemas, by name.")] = False,  # noqa: FBT002 - typer's way
) -> None:
    """Print the JSON Schema (draft 2020-12) of a file of ours."""
    from skilltrial.cli.schema_list import print_schemas  # noqa: PLC0415 - only when it runs

    print_schemas(name, as_json=json_)
