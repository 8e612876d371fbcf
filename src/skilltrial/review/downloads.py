"""The reports of an iteration as files to take away: exactly what `skilltrial report` writes.

They are made in a process that ends, since reading thousands of trials takes memory that Python does not give back.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from skilltrial.errors import SkilltrialError, SpecError, StoreError
from skilltrial.review.subject import Query, Subject


class _Form(NamedTuple):
    arguments: tuple[str, ...]
    media_type: str


FORMS: Mapping[str, _Form] = {
    "report.html": _Form(("--format", "html"), "text/html"),
    "report.md": _Form(("--format", "markdown"), "text/markdown"),
    "benchmark.json": _Form(("--format", "json"), "application/json"),
    "trials.csv": _Form(("--format", "csv"), "text/csv"),
    "assertions.csv": _Form(("--format", "csv", "--table", "assertions"), "text/csv"),
    "trials.jsonl": _Form(("--format", "jsonl"), "application/x-ndjson"),
    "junit.xml": _Form(("--format", "junit"), "application/xml"),
}
"""By the name of the file."""


def download_routes(subject: Subject) -> list[Route]:
    """`download/NAME?iteration=…`."""
    return [Route("/download/{name}", partial(_download, subject=subject), methods=["GET"])]


def report_file(subject: Subject, name: str, iteration: int) -> bytes:
    """One of `FORMS`. Raises `SpecError` where there is no such one here, `StoreError` where it cannot be made."""
    if name not in FORMS or subject.blind:
        raise SpecError(f"there is no download {name[:40]!r} here.")
    workspace = str(subject.store.path("").absolute())
    with TemporaryDirectory() as folder:
        file = Path(folder) / name
        asked = ("report", workspace, "--iteration", str(iteration), *FORMS[name].arguments, "--out", str(file))
        done = subprocess.run([sys.executable, "-m", "skilltrial", *asked], capture_output=True, check=False)
        if done.returncode or not file.is_file():
            why = " ".join(done.stderr.decode(errors="replace").split())[-300:] or f"exit code {done.returncode}"
            raise StoreError(f"{name} could not be made ({why}).", where=subject.name)
        return file.read_bytes()


async def _download(request: Request, *, subject: Subject) -> Response:
    name = request.path_params["name"]

    def made() -> bytes:
        return report_file(subject, name, Query(dict(request.query_params)).iteration(subject))

    try:
        data = await anyio.to_thread.run_sync(made)
    except SkilltrialError as error:
        return PlainTextResponse(f"{error}\n", 404 if isinstance(error, SpecError) else 500)
    head = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=FORMS[name].media_type, headers=head)
