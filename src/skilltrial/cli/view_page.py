"""The review page: which workspace, and where a person finds it."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer

from skilltrial import wiring
from skilltrial.review.server import serve
from skilltrial.review.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """What the command line asks for."""

    workspace: Path
    port: int = 0
    by: str
    browser: bool = True


def view_workspace(request: ViewRequest) -> None:
    """Serve the page until it is ended."""
    store = wiring.open_store(request.workspace, write=False)
    subject = Subject(
        store=store,
        journal=store,
        name=str(request.workspace),
        by=request.by,
        now=lambda: datetime.now(UTC),
    )

    def told(link: str) -> None:
        typer.echo(f"{link}\nCtrl-C ends it.")
        if request.browser:
            webbrowser.open(link)

    serve(subject, port=request.port, told=told)
