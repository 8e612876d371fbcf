"""Landlock: rights over files that a process gives up for itself and all that it starts."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skilltrial.adapters.sandbox import landlock_launcher
from skilltrial.adapters.sandbox.exposure import located, of_program, system, together, within

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")
_SIGNALS_SINCE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Landlock:
    """Satisfies `ports.Confinement`."""

    abi: int
    hidden: tuple[Path, ...]

    @property
    def level(self) -> str:
        """`landlock`."""
        return "landlock"

    @property
    def isolation(self) -> str:
        """The level and what it leaves open."""
        return self.told("", "the network is open, also to services of this machine; ")

    def told(self, closed: str, open_: str) -> str:
        """`isolation` with what is closed and what is open of the network."""
        signals = "" if self.abi >= _SIGNALS_SINCE else " and can be sent signals"
        return (
            f"landlock (version {self.abi}): the agent writes in the trial's own folders alone, and reads beside them only the "
            f"system and its own program{closed}. Not protected: {open_}sockets that are files can be reached; other processes "
            f"are seen{signals}; names, sizes, rights and times of other files are seen, and the last two can be changed; memory "
            "and processor have no limit; the kernel is shared"
        )

    @property
    def depth(self) -> int:
        """The launcher becomes the program."""
        return 0

    def wrap(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,  # noqa: ARG002 - the program starts where the launcher does
        writable: Sequence[Path],
        env: Mapping[str, str],
        needs: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """The launcher with its rules, and argv."""
        program = located(argv[0], env)
        exposure = together(system(), of_program(program, env, hidden=self.hidden, needs=needs))
        rules = {
            "read": [*map(str, exposure.readable), "/proc"],
            "write": [str(path) for path in writable],
            "devices": [str(path) for name in _DEVICES if (path := Path("/dev", name)).exists()],
            # git ends where this file of the system's is there and cannot be read.
            "environment": {
                "PATH": within(env.get("PATH", os.defpath), exposure, own=writable),
                "GIT_CONFIG_NOSYSTEM": "1",
            },
        }
        return (sys.executable, "-I", "-S", landlock_launcher.__file__, json.dumps(rules), str(program), *argv[1:])


def find(*, hidden: tuple[Path, ...]) -> Landlock | str:
    """Landlock of this kernel, or why it cannot be used."""
    if sys.platform != "linux":
        return "Landlock needs Linux."
    abi = landlock_launcher.version()
    if abi == 0:
        return "the kernel has no Landlock, or it is switched off (Linux 6.2 or newer has what is needed)."
    if abi < landlock_launcher.NEEDED_ABI:
        return (
            f"the kernel has version {abi} of Landlock; {landlock_launcher.NEEDED_ABI} is needed (Linux 6.2 or newer)."
        )
    return Landlock(abi=abi, hidden=hidden)
