"""`skilltrial init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    skill: Annotated[Path, typer.Argument(help="The skill: a folder with a SKILL.md.", show_default=False)],
    model: Annotated[
        str | None,
        typer.Option(
            help="Let a model draft the cases: openai:NAME, anthropic:NAME, or NAME with --base-url.",
            show_default=False,
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible endpoint, for --model NAME.", show_default=False)
    ] = None,
    cases: Annotated[int, typer.Option(min=1, max=20, help="How many cases.")] = 3,
    force: Annotated[bool, typer.Option("--force", help="Replace an eval file that is there.")] = False,  # noqa: FBT002 - typer's way
    json_: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,  # noqa: FBT002 - as above
) -> None:
    """Write a first evals/evals.json for a skill.

    A template to fill in or, with --model, drafted cases. Exit code 2: there is an eval file already, or something is wrong
    with the request. 3: the model did not answer.
    """
    from skilltrial.cli.first_evals import init_and_print  # noqa: PLC0415 - only when it runs

    raise typer.Exit(init_and_print(skill, model=model, base_url=base_url, n_cases=cases, force=force, as_json=json_))
