"""CPU time of `skilltrial --help` against that of an empty Python program: median of N runs each."""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
from pathlib import Path

HELP = [str(Path(sys.executable).with_name("skilltrial")), "--help"]
EMPTY = [sys.executable, "-c", "pass"]


def cpu_ms(command: list[str]) -> float:
    """User and system time of one run, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def median_cpu_ms(command: list[str], *, runs: int) -> float:
    """Median over `runs`, after one run that only fills the caches."""
    cpu_ms(command)
    return statistics.median(cpu_ms(command) for _ in range(runs))


def main() -> None:
    """Print both medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs: int = parser.parse_args().runs
    empty = median_cpu_ms(EMPTY, runs=runs)
    help_ = median_cpu_ms(HELP, runs=runs)
    print(f"python -c pass     {empty:6.1f} ms CPU")
    print(f"skilltrial --help  {help_:6.1f} ms CPU   {help_ / empty:.1f} times as much   (median of {runs})")


if __name__ == "__main__":
    main()
