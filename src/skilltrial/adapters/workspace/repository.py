"""Git in somebody's repository, without starting anything that the repository names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from skilltrial.errors import NotInstalled

LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""How a file begins whose content git does not have."""

_FLAGS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
NOTHING = "none"
"""No protocol: git fetches nothing."""

_KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_SSH")
"""Of the variables of git those that say who somebody is, not which repository is meant (as hooks set them)."""
_ALONE = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
_USER = re.compile(r"(?<=://)[^/@]+@")


def without_user(address: str) -> str:
    """The address, or a text with addresses, without names and passwords."""
    return _USER.sub("", address)


class Repository:
    """Git in a folder, as the person has set it up, since it has the logins; but for what could run a program.

    `protocols` are those over which it may fetch. Raises `NotInstalled` with `hint` where there is no git.
    """

    def __init__(self, folder: Path, env: Mapping[str, str], *, protocols: str, timeout_s: float, hint: str) -> None:
        program = shutil.which("git", path=env.get("PATH"))
        if program is None:
            raise NotInstalled("there is no git.", hint=hint)
        kept = {name: value for name, value in env.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
        self._env = {**kept, **_ALONE, "GIT_ALLOW_PROTOCOL": protocols, "GIT_LFS_SKIP_SMUDGE": "1"}
        if protocols == NOTHING:
            # A missing object would be fetched by whatever program the repository's own configuration names.
            self._env["GIT_NO_LAZY_FETCH"] = "1"
        self._argv = (program, *_FLAGS)
        self._folder = folder
        self._timeout_s = timeout_s
        self.said = ""
        """Why the last call failed, in git's words, without a login."""

    def run(self, *arguments: str) -> bytes | None:
        """What it prints; None where it fails, see `said`."""
        try:
            done = subprocess.run(
                (*self._argv, *arguments),
                cwd=self._folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self._timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.said = f"nothing within {self._timeout_s:g} s"
            return None
        lines = without_user(done.stderr.decode("utf-8", "replace")).splitlines()
        self.said = next((line for line in lines if line.startswith(("fatal:", "error:"))), "".join(lines[:1]))[:300]
        return None if done.returncode else done.stdout

    def ask(self, *arguments: str) -> str | None:
        """What it prints, as a text without its last line break."""
        data = self.run(*arguments)
        return None if data is None else os.fsdecode(data).removesuffix("\n")

    def batch(self) -> subprocess.Popen[bytes]:
        """A process that answers the names of objects with their content."""
        argv = (*self._argv, "cat-file", "--batch")
        pipe = subprocess.PIPE
        return subprocess.Popen(
            argv, cwd=self._folder, env=self._env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
