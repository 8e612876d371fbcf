"""Becomes the client of a container, and leaves a guard: `python -I -S container_guard.py RULES CLIENT ARGUMENT…`.

A client that is killed leaves its container behind. The guard waits for the client's end, however that comes, and then removes the
container. RULES is a JSON object: `engine` (the client's program), `name` (of the container), `environment` (what the client needs
beside the agent's variables, and all that the guard has, so that it is not found as a part of the trial). Imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

NOT_CONFINED = 125
_TRIES = 2
_ASK_S, _AGAIN_S = 60.0, 2.0


def main(rules: str, *argv: str) -> None:
    """Start the guard, and become the client."""
    told: Any = json.loads(rules)
    watched = os.pidfd_open(os.getpid())
    child = os.fork()
    if child == 0:
        _leave(watched, rules)
    os.waitpid(child, 0)
    os.close(watched)
    os.environ.update(told["environment"])
    try:
        os.execv(argv[0], argv)  # noqa: S606 - a shell is what must not come between
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.exit(NOT_CONFINED)


def _leave(watched: int, rules: str) -> None:
    """In a session of its own, without the agent's streams: what ends the trial's processes must not end it."""
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.set_inheritable(watched, True)
    words = [sys.executable, "-I", "-S", __file__, "--guard", str(watched), rules]
    os.execve(sys.executable, words, json.loads(rules)["environment"])  # noqa: S606


def guard(watched: str, rules: str) -> None:
    """Wait for the client's end, and remove its container."""
    told: Any = json.loads(rules)
    select.select([int(watched)], [], [])
    for _ in range(_TRIES):
        for words in (["kill"], ["rm", "--force"]):  # `rm` alone asks first, in podman, and waits
            with suppress(subprocess.TimeoutExpired):
                subprocess.run([told["engine"], *words, told["name"]], check=False, capture_output=True, timeout=_ASK_S)
        time.sleep(_AGAIN_S)  # the engine may only have been about to make it when the client was killed


if __name__ == "__main__":
    if sys.argv[1] == "--guard":
        guard(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
