"""The options of `skilltrial improve` that no other command has."""

from __future__ import annotations

from typing import Annotated

import typer

Proposer = Annotated[
    str | None,
    typer.Option(
        help="The model that writes versions: openai:NAME, anthropic:NAME, claude-code[:MODEL], …",
        metavar="NAME",
        show_default=False,
    ),
]
ProposerUrl = Annotated[
    str | None, typer.Option(help="Another endpoint for --proposer NAME, OpenAI-compatible.", show_default=False)
]
Rounds = Annotated[int, typer.Option(min=1, help="Rounds at the most.")]
Candidates = Annotated[int, typer.Option(min=1, max=16, help="Versions that are tried side by side in a round.")]
ProposeOnly = Annotated[
    bool, typer.Option("--propose-only", help="Stop once versions are written, with their patches; try none.")
]
Apply = Annotated[
    str | None,
    typer.Option(help="Write a version into the skill's folder; nothing is run.", metavar="vN", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print improve.json, or what was applied or planned, as JSON.")]
