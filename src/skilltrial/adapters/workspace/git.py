"""Git, with nobody's configuration: the repository that agents see, and diffs."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from skilltrial.errors import NotInstalled

_DATE = "2026-01-01T00:00:00+00:00"
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.attributesFile=/dev/null", "-c", "commit.gpgSign=false")
_EXACT = ("-c", "core.autocrlf=false", "-c", "core.quotePath=false", "-c", "gc.auto=0")
_TIMEOUT_S = 120.0


def make_repository(work: Path, *, exclude: str) -> None:
    """Make `work` a clean repository with one commit of all its files. `exclude` is a folder that git shall not see."""
    _git(work, "init", "-q", "-b", "main", "--template=")
    info = work / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "exclude").write_text(f"/{exclude}/\n", encoding="utf-8")
    for key, value in (("user.name", "Developer"), ("user.email", "developer@localhost")):
        _git(work, "config", key, value)
    _git(work, "add", "--all", "--force", ".")
    _git(work, "commit", "-q", "--allow-empty", "--no-verify", "-m", "Initial files")


def difference(folder: Path, before: str, after: str, *, limit: int) -> tuple[bytes, bool]:
    """The unified diff between two folders below `folder`, and whether it had to be cut at `limit` bytes."""
    flags = ("--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--no-prefix")
    argv = _argv("diff", *flags, "--", before, after)
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        data = process.stdout.read(limit + 1) if process.stdout else b""
        process.kill()
    return data[:limit], len(data) > limit


def _git(work: Path, *arguments: str) -> None:
    argv = _argv(*arguments)
    environment = _environment(work.parent)
    try:
        done = subprocess.run(argv, cwd=work, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        message = f"git {arguments[0]} did not end within {_TIMEOUT_S:g} s"
        raise OSError(errno.ETIMEDOUT, message, str(work)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise OSError(done.returncode, f"git {arguments[0]} failed: {said}", str(work))


def _argv(*arguments: str) -> Sequence[str]:
    program = shutil.which("git")
    if program is None:
        raise NotInstalled("there is no git.", hint="Install git: trials run in repositories of their own.")
    return (program, *_SAFE, *_EXACT, *arguments)


def _environment(ceiling: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(ceiling),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_DATE": _DATE,
        "GIT_COMMITTER_DATE": _DATE,
    }
