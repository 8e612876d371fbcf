"""Tries from inside what a sandbox has to allow and to forbid: `python -I -S -c PROBE QUESTIONS`. Imports nothing of ours.

QUESTIONS is a JSON object: `secrets` (files that must not be opened), `outside` (files that must not come to be where they are
seen from outside, which is for the asker to look at), `own` (files that must), `addresses` (host and port of what must be
reached), `closed` (of what must not). The answer is a JSON object with a list of sentences on what was wrong, on standard output.
"""

from __future__ import annotations

import json
import os
import socket
import sys

_CONNECT_S = 10.0


def _opened(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags, 0o600))
    except OSError:
        return False
    return True


def _emptied(path: str) -> bool:
    try:
        os.truncate(path, 0)
    except OSError:
        return False
    return True


def _reached(host: str, port: int) -> str:
    try:
        socket.create_connection((host, port), timeout=_CONNECT_S).close()
    except OSError as error:
        return str(error) or type(error).__name__
    return ""


def main(questions: str) -> None:
    """Print what was wrong."""
    asked = json.loads(questions)
    create = os.O_WRONLY | os.O_CREAT
    wrong = [f"{path!r} can be read" for path in asked["secrets"] if _opened(path, os.O_RDONLY)]
    for path in asked["outside"]:
        _opened(path, create)
    wrong += [f"{path!r} can be made empty" for path in asked["secrets"][:1] if _emptied(path)]
    wrong += [f"{path!r} can be written" for path in asked["sealed"] if _opened(path, os.O_WRONLY | os.O_NOCTTY)]
    wrong += [f"{path!r} cannot be written" for path in asked["own"] if not _opened(path, create)]
    for host, port in asked["addresses"]:
        why = _reached(host, port)
        wrong += [f"{host}:{port} cannot be reached ({why})"] if why else []
    for host, port in asked["closed"]:
        wrong += [] if _reached(host, port) else [f"{host}:{port} can be reached"]
    sys.stdout.write(json.dumps({"wrong": wrong}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
