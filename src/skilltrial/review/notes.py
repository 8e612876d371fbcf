"""Which pages are open on this machine: a small private file for each server, by which it can be asked to end.

No process is ever looked for, and none is ended: a server ends itself when it is asked with its own token.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

_ANSWER_S = 2.0
_END_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A server that is running, or was."""

    link: str
    pid: int
    workspace: str
    """Absolute."""


def notes_folder(env: Mapping[str, str]) -> Path:
    """Where this user's notes are, outside of every workspace."""
    state = env.get("XDG_STATE_HOME") or Path(env.get("HOME") or Path.home()) / ".local/state"
    return Path(state) / "skilltrial/pages"


@contextmanager
def noted(note: Note, folder: Path) -> Generator[bool]:
    """Keep a note for as long as the `with` lasts; False where it cannot be written, so that only Ctrl-C ends the server."""
    path = folder / f"{note.pid}-{note.link.split('/')[2].rpartition(':')[2]}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - nobody else may read it at any time
            json.dump(asdict(note), file)
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def open_pages(folder: Path, workspace: Path | None = None) -> list[Note]:
    """The servers that answer, of one workspace or of all; notes of others are removed."""
    wanted = None if workspace is None else str(workspace.resolve())
    found: list[Note] = []
    for path in sorted(folder.glob("*.json")):
        note = _read(path)
        if note is not None and wanted is not None and note.workspace != wanted:
            continue
        if note is not None and _ask(note, "api/workspace"):
            found.append(note)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)
    return found


def stop_page(note: Note) -> bool:
    """Ask a server to end and wait until it has; False where it still answers after five seconds."""
    _ask(note, "api/stop", body=b"{}")
    until = time.monotonic() + _END_S
    while time.monotonic() < until:
        if not _ask(note, "api/workspace"):
            return True
        time.sleep(0.1)
    return False


def _read(path: Path) -> Note | None:
    try:
        data: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    values = cast("dict[str, Any]", data)
    link, pid, workspace = (values.get(name) for name in ("link", "pid", "workspace"))
    if not (isinstance(link, str) and isinstance(pid, int) and isinstance(workspace, str)):
        return None
    return Note(link=link, pid=pid, workspace=workspace) if link.startswith("http://127.0.0.1:") else None


def _ask(note: Note, what: str, *, body: bytes | None = None) -> bool:
    """Whether a page of ours answers, whatever proxy this user has."""
    import urllib.error  # noqa: PLC0415 - a web client, for those with another page open
    import urllib.request  # noqa: PLC0415

    headers = {"Origin": "/".join(note.link.split("/")[:3]), "Content-Type": "application/json"}
    request = urllib.request.Request(note.link + what, data=body, headers=headers)  # noqa: S310 - http on this machine only
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_ANSWER_S) as answer:
            return answer.status == 200  # noqa: PLR2004 - HTTP's word for yes
    except urllib.error.HTTPError as error:
        return error.code == 500  # noqa: PLR2004 - ours, with a workspace that it cannot read
    except (OSError, ValueError):
        return False
