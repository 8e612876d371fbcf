"""The review page: which workspace, and where a person finds it."""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from skilltrial.cli.failure import say
from skilltrial.cli.standard_output import put
from skilltrial.cli.view_browser import no_browser_because, open_browser
from skilltrial.errors import SpecError
from skilltrial.report.plain_text import line as one_line
from skilltrial.review.foreign import opened
from skilltrial.review.notes import Note, noted, notes_folder, open_pages, stop_page
from skilltrial.review.server import serve, usual_port
from skilltrial.review.subject import Subject

NOT_ENDED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """What the command line asks for."""

    workspace: Path | None
    port: int = 0
    by: str | None = None
    browser: bool = True
    previous: Path | None = None
    blind: bool = False
    as_json: bool = False


def view_workspace(request: ViewRequest) -> None:
    """Serve the page until it is ended."""
    workspace = _wanted(request)
    notes = notes_folder(os.environ)
    others = open_pages(notes, workspace)
    with _opened(request) as subject, ExitStack() as stack:

        def told(link: str) -> None:
            note = Note(link=link, pid=os.getpid(), workspace=str(workspace.resolve()))
            stack.enter_context(noted(note, notes))
            if request.as_json:
                put(json.dumps({"link": link, "port": _port(link), "pid": note.pid}) + "\n")
            else:
                _print_link(link, request, others)

        serve(subject, port=request.port, usual=usual_port(str(workspace.resolve())), told=told)


def write_page(request: ViewRequest, file: Path) -> None:
    """Write the page as one file."""
    from skilltrial.review.one_file import write_one_file  # noqa: PLC0415 - only for it

    if request.blind:
        raise SpecError("a page in one file shows verdicts.", where="--blind", hint="Serve it: leave out --static.")
    with _opened(request) as subject:
        size = write_one_file(subject, file)
    if request.as_json:
        put(json.dumps({"file": str(file), "bytes": size}) + "\n")
    else:
        put(f"Written to {one_line(str(file), 400)} ({size / 1_000_000:.1f} MB).\n")


def stop_pages(request: ViewRequest) -> int:
    """Ask the pages of a workspace, or all of this user's, to end; returns the exit code."""
    pages = open_pages(notes_folder(os.environ), request.workspace)
    ended = [page for page in pages if stop_page(page)]
    left = [page for page in pages if page not in ended]
    if request.as_json:
        facts = {"stopped": [_facts(page) for page in ended], "still_open": [_facts(page) for page in left]}
        put(json.dumps(facts) + "\n")
    else:
        for page in ended:
            put(f"Ended: the page of {one_line(page.workspace, 400)}\n")
        if not pages:
            of = f" of {one_line(str(request.workspace), 400)}" if request.workspace else ""
            put(f"No page{of} is open.\n")
    for page in left:
        say(f"the page of {page.workspace} still answers. Its process has the number {page.pid}.")
    return NOT_ENDED if left else 0


def _opened(request: ViewRequest) -> AbstractContextManager[Subject]:
    return opened(
        _wanted(request),
        by=request.by or os.environ.get("USER") or os.environ.get("USERNAME") or "somebody",
        now=lambda: datetime.now(UTC),
        previous=request.previous,
        blind=request.blind,
    )


def _wanted(request: ViewRequest) -> Path:
    if request.workspace is None:
        raise SpecError("which workspace?", where="WORKSPACE", hint="Give the folder that `skilltrial run` printed.")
    return request.workspace


def _print_link(link: str, request: ViewRequest, others: list[Note]) -> None:
    put(f"{link}\n")
    port = _port(link)
    reason = no_browser_because(os.environ, platform=sys.platform)
    if not request.browser:
        put("Open it in a browser.")
    elif reason is None:
        open_browser(link)
        put("It opens in your browser.")
    elif "SSH" in reason:
        host = socket.gethostname()
        put(f"No browser was opened: {reason}. On your own machine:\n  ssh -N -L {port}:127.0.0.1:{port} {host}\n")
        put("and open the link there.")
    else:
        put(f"No browser was opened: {reason}. To see it elsewhere, forward port {port}.")
    put(" Ctrl-C ends it.\n")
    for other in others:
        put(f"Also open: {other.link}\n")


def _port(link: str) -> int:
    return int(link.split("/")[2].rpartition(":")[2])


def _facts(page: Note) -> dict[str, object]:
    return {"workspace": page.workspace, "link": page.link, "port": _port(page.link), "pid": page.pid}
