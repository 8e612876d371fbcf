"""Many short trials at a time: wall clock against the ideal, CPU time and memory of our own process, against budgets.

The agent is a shell script that sleeps and says hello in Claude Code's words. What the machine itself adds is shown by
running the same script as often and as many at a time without us.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MOST_WALL, MOST_CPU_S, MOST_MB = 1.25, 5.0, 120.0
AGENT = """#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
cat > /dev/null
sleep {seconds}
echo done > answer.txt
echo '{{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0","tools":[],"skills":[]}}'
echo '{{"type":"assistant","message":{{"id":"1","role":"assistant","content":[{{"type":"text","text":"Hello."}}]}}}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":"Hello.","total_cost_usd":0.01,"usage":{{}}}}'
"""


def write_skill(folder: Path, n_cases: int) -> Path:
    """A skill with so many cases of one assertion each."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: hello\ndescription: Says hello. Use when greeted.\n---\nSay hello.\n")
    said = {"id": "said", "type": "answer_matches", "pattern": "Hello"}
    cases = [{"id": f"c{n}", "prompt": f"task {n}", "assertions": [said]} for n in range(n_cases)]
    (folder / "evals/evals.json").write_text(json.dumps({"skill_name": "hello", "evals": cases}))
    return folder


def bare_s(agent: Path, folder: Path, *, trials: int, concurrency: int) -> float:
    """Wall clock of the agents alone."""

    def one(_number: int) -> None:
        subprocess.run([agent], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)

    started = time.monotonic()
    with ThreadPoolExecutor(concurrency) as pool:
        list(pool.map(one, range(trials)))
    return time.monotonic() - started


def measure(command: list[str], env: dict[str, str]) -> tuple[float, float, float]:
    """Wall clock and CPU seconds, and most megabytes, of a process without its children."""
    started = time.monotonic()
    cpu_s = peak_mb = 0.0
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=said)
        entry, ticks = Path("/proc", str(process.pid)), os.sysconf("SC_CLK_TCK")
        while process.poll() is None:
            try:
                peak_mb = max(peak_mb, int((entry / "status").read_text().split("VmHWM:")[1].split()[0]) / 1024)
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                cpu_s = (int(fields[11]) + int(fields[12])) / ticks
            except (OSError, IndexError):
                pass
            time.sleep(0.05)
        if process.returncode:
            said.seek(0)
            sys.exit(f"the run ended with {process.returncode}:\n{said.read()[-2000:]}")
    return time.monotonic() - started, cpu_s, peak_mb


def main() -> None:
    """Print each figure and its ratio to the budget. Linux only: the figures come from /proc."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="a multiple of 4")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=1.0)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        agent = root / "agent"
        agent.write_text(AGENT.format(seconds=told.seconds))
        agent.chmod(0o755)
        skill = write_skill(root / "hello", told.trials // 4)
        command = [sys.executable, "-m", "skilltrial", "run", str(skill), "--harness", "claude-code", "--runs", "2"]
        command += ["--concurrency", str(told.concurrency), "--workspace", str(root / "w"), "--yes"]
        env = {**os.environ, "SKILLTRIAL_CLAUDE": str(agent), "ANTHROPIC_API_KEY": "dummy-key-1234"}
        bare = bare_s(agent, root, trials=told.trials, concurrency=told.concurrency)
        wall, cpu, memory = measure(command, env)
    ideal = math.ceil(told.trials / told.concurrency) * told.seconds
    print(f"{told.trials} trials of {told.seconds:g} s, {told.concurrency} at a time: ideal {ideal:.1f} s")
    print(f"the agents alone  {bare:6.2f} s      {bare / ideal:.2f} of the ideal")
    print(f"skilltrial, wall  {wall:6.2f} s      {wall / ideal:.2f} of the ideal (budget {MOST_WALL})")
    print(f"                                {wall / bare:.2f} of the agents alone")
    print(f"CPU of our own    {cpu:6.2f} s      {cpu / MOST_CPU_S:.2f} of the budget of {MOST_CPU_S:g} s")
    print(f"memory, most      {memory:6.1f} MB     {memory / MOST_MB:.2f} of the budget of {MOST_MB:g} MB")


if __name__ == "__main__":
    main()
