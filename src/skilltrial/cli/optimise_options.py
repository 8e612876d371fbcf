"""The options of `skilltrial optimise` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Rewriter = Annotated[
    str | None,
    typer.Option(
        help="The model that writes descriptions: openai:NAME, anthropic:NAME, claude-code[:MODEL], …",
        metavar="NAME",
        show_default=False,
    ),
]
RewriterUrl = Annotated[
    str | None, typer.Option(help="Another endpoint for --rewriter NAME, OpenAI-compatible.", show_default=False)
]
Rounds = Annotated[int, typer.Option(min=1, help="New descriptions at the most.")]
Patience = Annotated[int, typer.Option(min=1, help="Stop after so many that did no better on validation.")]
Holdout = Annotated[float, typer.Option(help="The share of queries for the test at the end. The rest is halved.")]
Runs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Runs of each query on test; in the search at the most, fewer where they agree. Default: 3.",
        show_default=False,
    ),
]
Canaries = Annotated[
    bool,
    typer.Option("--canaries/--no-canaries", help="Stop where the skill is not loaded even if asked by its name."),
]
Apply = Annotated[
    bool, typer.Option("--apply", help="Write the description that was found into SKILL.md; nothing is run.")
]
Queries = Annotated[
    Path | None,
    typer.Option(
        help="The trigger set. Default: evals/triggers.json of the skill, else the prompts of its eval file.",
        show_default=False,
    ),
]
Threshold = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="A query passes where its rate is on the right side of this.")
]
