"""Wall time of starting `true` in each sandbox of this machine: best of N, since another program's work only adds to it."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from skilltrial import wiring
from skilltrial.ports import Confinement


def start_ms(confinement: Confinement | None, folder: Path) -> float:
    """One start, in milliseconds."""
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    begun = time.perf_counter()
    argv = ("true",) if confinement is None else confinement.wrap(("true",), cwd=folder, writable=[folder], env=env)
    subprocess.run(argv, cwd=folder, env=env, check=True)
    return 1000 * (time.perf_counter() - begun)


def main() -> None:
    """Print one line a level, with an open network and without any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=25)
    runs: int = parser.parse_args().runs
    env = dict(os.environ)
    levels: dict[str, Confinement | None] = {"none": None}
    for found in (*wiring.sandboxes(env), *wiring.sandboxes(env, reach=())):
        if found.confinement is not None:
            levels[found.confinement.level] = found.confinement
    with TemporaryDirectory() as folder:
        for level, confinement in levels.items():
            best = min(start_ms(confinement, Path(folder)) for _ in range(runs))
            print(f"{level:26} {best:6.0f} ms   (best of {runs})")


if __name__ == "__main__":
    main()
