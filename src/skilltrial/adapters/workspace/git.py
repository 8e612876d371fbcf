"""Git, with nobody's configuration: the repository that agents see, and diffs."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skilltrial.errors import NotInstalled

_DATE = "2026-01-01T00:00:00+00:00"
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.attributesFile=/dev/null", "-c", "commit.gpgSign=false")
_EXACT = ("-c", "core.autocrlf=false", "-c", "core.quotePath=false", "-c", "gc.auto=0")
_TIMEOUT_S = 120.0
_MOST_REMEMBERED = 100_000_000
"""Bytes of repositories that are kept in memory."""
_AS_THEY_ARE = "* -text -eol -ident -filter -working-tree-encoding\n"
"""Wins over the attributes that files come with: nothing of them is converted, and no program is run on them."""


class _Known(NamedTuple):
    """A repository in memory."""

    entries: Mapping[str, bytes]
    """Files by path; folders have a slash at the end, and come before what is in them."""
    has_files: bool
    """Whether anything was committed, to be put beside it."""


class Repositories:
    """Makes repositories with one commit of all files: the first of a kind by git, the others alike from memory, files and all.

    Starting git five times a trial is what would hold up many short trials, and writing thousands of files one by one those in
    large codebases. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, _Known] = {}
        self._room = _MOST_REMEMBERED

    def make(self, work: Path, *, exclude: str, kind: Hashable) -> None:
        """Make a folder with files a clean repository. `exclude` is a folder that git shall not see; `kind` tells all of this."""
        _make(work, exclude=exclude)
        found = {path.relative_to(work / ".git").as_posix(): path for path in (work / ".git").rglob("*")}
        size = sum(path.stat().st_size for path in found.values() if path.is_file())
        if size <= self._room and kind not in self._known:
            self._room -= size
            entries = {
                name + ("/" if path.is_dir() else ""): b"" if path.is_dir() else path.read_bytes()
                for name, path in sorted(found.items())
            }
            self._known[kind] = _Known(entries, has_files=any(path.name != ".git" for path in work.iterdir()))

    def restore(self, work: Path, kind: Hashable) -> bool:
        """Put a repository of this kind with its files into an empty folder; False where none is remembered."""
        known = self._known.get(kind)
        if known is None:
            return False
        _put_back(known.entries, work / ".git")
        if known.has_files:
            _git(work, "checkout-index", "--all", "--force", "-u", "-q")
        return True

    def amend(self, work: Path) -> None:
        """Put what was added to a repository into its only commit."""
        _git(work, "add", "--all", "--force", ".")
        _git(work, "commit", "-q", "--amend", "--allow-empty", "--no-verify", "--no-edit", "--reset-author")


def _put_back(entries: Mapping[str, bytes], folder: Path) -> None:
    folder.mkdir()
    for name, data in entries.items():
        if name.endswith("/"):
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(data)
            if name.startswith("objects/"):
                (folder / name).chmod(0o444)


def _make(work: Path, *, exclude: str) -> None:
    exact = any(True for _ in work.rglob(".gitattributes"))
    _git(work, "init", "-q", "-b", "main", "--template=")
    git = work / ".git"
    (git / "info").mkdir(exist_ok=True)
    (git / "info" / "exclude").write_text(f"/{exclude}/\n", encoding="utf-8")
    if exact:  # else files with other line ends than these ask for would not come back as they are
        (git / "info" / "attributes").write_text(_AS_THEY_ARE, encoding="utf-8")
    with (git / "config").open("a", encoding="utf-8") as config:
        config.write("[user]\n\tname = Developer\n\temail = developer@localhost\n")
    _git(work, "add", "--all", "--force", ".")
    _git(work, "commit", "-q", "--allow-empty", "--no-verify", "-m", "Initial files")
    _slim(work)


def _slim(work: Path) -> None:
    """Leave as few files and folders as there can be: each trial writes and removes them all."""
    _git(work, "-c", "pack.writeReverseIndex=false", "repack", "-a", "-d", "-n", "-q")
    _git(work, "pack-refs", "--all")
    git = work / ".git"
    (git / "COMMIT_EDITMSG").unlink(missing_ok=True)
    shutil.rmtree(git / "logs", ignore_errors=True)
    for parent in ("objects", "refs"):
        for folder in (git / parent).iterdir():
            if not any(folder.iterdir()):
                folder.rmdir()


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
        done = subprocess.run(
            argv, cwd=work, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False, umask=0o022
        )
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
