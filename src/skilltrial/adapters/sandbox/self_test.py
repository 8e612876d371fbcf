"""The proof that a sandbox holds on this machine: a process is started inside and tries."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skilltrial.adapters.sandbox import probe
from skilltrial.ports import Confinement

_TIMEOUT_S = 60.0
_OF_HOME = 20
"""Entries of the home that are tried."""
_KERNEL_SETTING = "/proc/sys/kernel/core_pattern"
"""Names a program that the kernel starts as root, outside of every sandbox."""
_SHOWN = 3
_IN_A_CONTAINER = """
network=$1 decoy=$2
shift 2
if [ -e "$decoy" ]; then echo "a file beside its folders is there"; fi
for path; do : > "$path" || echo "$path cannot be written"; done
if [ "$network" = no ]; then
    while read -r name _; do
        case $name in lo:*) ;; *:*) echo "it has the network $name" ;; esac
    done < /proc/net/dev
fi
echo done
"""
_EXPLANATION = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a sandbox has to keep out of reach, and what in reach."""

    home: Path
    """The person's."""
    address: tuple[str, int] | None = None
    """Host and port of the model, where they are known."""


def prove(confinement: Confinement, around: Surroundings, *, reach: Sequence[tuple[str, int]] | None = None) -> str:
    """An empty text where the sandbox holds; else one sentence on what it lets through, forbids, or says.

    `reach` are the only addresses that it is to leave open, and None where it leaves the network open.
    The home is only read, unless the sandbox is open: then an empty file in it is made and removed again.
    """
    with tempfile.TemporaryDirectory() as name, _listening() as port, _terminal() as terminals:
        root = Path(os.path.realpath(name))
        folders = [root / each for each in ("work", "home", "tmp")]
        for folder in folders:
            folder.mkdir()
        decoy, word = root / "decoy", secrets.token_hex(8)
        decoy.write_text(word)
        known = [around.address] if around.address else []
        wanted = [("127.0.0.1", port), *known] if reach is None else [*reach]
        outside = [root / word, around.home / f".{word}"]
        questions = {
            "secrets": [str(decoy), f"/proc/{os.getpid()}/environ", *_of_home(around.home)],
            "outside": [str(path) for path in outside],
            "sealed": [_KERNEL_SETTING, *terminals],
            "own": [str(folder / word) for folder in folders],
            "addresses": [each for each in wanted if each[1] == port or _answers(each)],
            "closed": [] if reach is None else [("127.0.0.1", port)],
        }
        said = _inside(confinement, json.dumps(questions), folders)
        if isinstance(said, str):
            return said
        lost = [f"{str(folder)!r} is not the one outside" for folder in folders if not (folder / word).exists()]
        wrong = [*said, *lost, *_left(outside), *([] if decoy.read_text() == word else ["a file outside was changed"])]
        return f"{'; '.join(wrong[:_SHOWN])}." if wrong else ""


def prove_container(confinement: Confinement, *, has_network: bool) -> str:
    """As `prove`, in a container, which has a shell and perhaps nothing else."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(os.path.realpath(name))
        folders = [root / each for each in ("work", "home", "tmp")]
        for folder in folders:
            folder.mkdir()
        decoy, word = root / "decoy", secrets.token_hex(8)
        decoy.write_text(word)
        made = [folder / word for folder in folders]
        argv = ("sh", "-c", _IN_A_CONTAINER, "sh", "yes" if has_network else "no", str(decoy), *map(str, made))
        done = _started(confinement, argv, folders)
        if isinstance(done, str):
            return done
        said = done.stdout.decode("utf-8", "replace").splitlines()
        if done.returncode != 0 or said[-1:] != ["done"]:
            return _unsaid(done)
        lost = [f"{str(path)!r} is not written outside, or is another user's" for path in made if not _is_ours(path)]
        wrong = [*said[:-1], *lost]
        return f"{'; '.join(wrong[:_SHOWN])}." if wrong else ""


def _is_ours(path: Path) -> bool:
    return path.exists() and path.stat().st_uid == os.getuid()


def _inside(confinement: Confinement, questions: str, folders: Sequence[Path]) -> list[str] | str:
    code = Path(probe.__file__).read_text(encoding="utf-8")
    done = _started(confinement, (sys.executable, "-I", "-S", "-c", code, questions), folders)
    if isinstance(done, str):
        return done
    try:
        answer: Any = json.loads(done.stdout)
        return [str(each) for each in answer["wrong"]]
    except (ValueError, KeyError, TypeError):
        return _unsaid(done)


def _unsaid(done: subprocess.CompletedProcess[bytes]) -> str:
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_EXPLANATION]
    return f"nothing can be started in it: {said or 'it says nothing'}."


def _started(
    confinement: Confinement, program: Sequence[str], folders: Sequence[Path]
) -> subprocess.CompletedProcess[bytes] | str:
    env: Mapping[str, str] = {"PATH": os.defpath, "HOME": str(folders[1]), "TMPDIR": str(folders[2]), "LANG": "C.UTF-8"}
    argv = confinement.wrap(program, cwd=folders[0], writable=folders, env=env)
    try:
        return subprocess.run(
            argv,
            cwd=folders[0],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it cannot be started: {error}."


def _of_home(home: Path) -> list[str]:
    """Some files of the home that can be read outside, so that it means something that they cannot be read inside."""
    try:
        entries = sorted(home.iterdir())
    except OSError:
        return []
    return [str(each) for each in entries if each.is_file() and os.access(each, os.R_OK)][:_OF_HOME]


def _left(outside: Sequence[Path]) -> list[str]:
    found = [path for path in outside if path.exists()]
    for path in found:
        path.unlink()
    return [f"{str(path)!r} was written" for path in found]


def _answers(address: tuple[str, int]) -> bool:
    """Whether it is reached from outside: what is down or behind a proxy says nothing about the sandbox."""
    try:
        socket.create_connection(address, timeout=_TIMEOUT_S / 6).close()
    except OSError:
        return False
    return True


@contextmanager
def _terminal() -> Generator[list[str]]:
    """The name of a terminal of this user, as the person's is one; none where the system has none."""
    try:
        ends = os.openpty()
    except OSError:
        yield []
        return
    try:
        yield [os.ttyname(ends[1])]
    finally:
        for end in ends:
            os.close(end)


@contextmanager
def _listening() -> Generator[int]:
    """A port of this machine that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
