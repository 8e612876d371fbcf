"""CPU time of `skilltrial audit --json` on 2,000 runs, start-up included, against a budget and, where given, a peer's program."""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions

BUDGET_S = 0.58
"""Twice the 0.29 s that skill-creator's aggregator took for as many runs, on the machine of that study."""
STEPS = """
import json
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
import sys
from skilltrial.cli import app, auditing
from skilltrial.audit.outputs import look_into
from skilltrial.audit.run import audit
from skilltrial.wiring import read_foreign
marks = [time.process_time()]
workspace = read_foreign(Path(sys.argv[1]))
marks.append(time.process_time())
found = audit(workspace, outputs=partial(look_into, workspace.root))
marks.append(time.process_time())
json.dumps(asdict(found), indent=2)
marks.append(time.process_time())
print(*(round(mark, 3) for mark in marks))
"""


def cpu_s(command: Sequence[str | Path], *, runs: int) -> float:
    """User and system time of a whole process, median over `runs` after one that fills the caches."""
    seconds: list[float] = []
    for _ in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(seconds[1:])


def steps(workspace: Path) -> None:
    """Print where the time goes."""
    done = subprocess.run([sys.executable, "-c", STEPS, workspace], stdout=subprocess.PIPE, text=True, check=True)
    started, read, audited, written = map(float, done.stdout.split())
    parts = {"start-up": started, "read": read - started, "audit": audited - read, "JSON": written - audited}
    print("of it: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in parts.items()))


def main() -> None:
    """Print the time and its ratio to the budget, and to a peer's program on the same files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5, help="how often each program is started")
    parser.add_argument("--peer", type=Path, help="a copy of skill-creator's aggregate_benchmark.py")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        truth = write_workspace(root, WorkspaceOptions(evals=arguments.evals, runs=10))
        workspace = root / "workspace"
        ours = cpu_s([Path(sys.executable).with_name("skilltrial"), "audit", workspace, "--json"], runs=arguments.runs)
        print(f"{truth['run_count']:,} runs: {ours:.2f} s CPU, {ours / BUDGET_S:.2f} of the budget of {BUDGET_S} s")
        steps(workspace)
        if arguments.peer:
            peer = [sys.executable, arguments.peer, workspace / "iteration-1", "-o", root / "benchmark.json"]
            theirs = cpu_s(peer, runs=arguments.runs)
            print(f"the peer's aggregator: {theirs:.2f} s CPU; ours takes {ours / theirs:.1f} times as much")


if __name__ == "__main__":
    main()
