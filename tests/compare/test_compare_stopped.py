"""`skilltrial compare` as a program: ended in the middle, started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from comparison_bench import Bench, variables
from comparison_words import BETTER, GOOD, POOR

from skilltrial.testing.mock_llm import MockLLM

N = 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_what_is_compared_stays(bench: Bench, number: signal.Signals) -> None:
    """Stopped during its second comparison: what is whole is kept, and the same command asks for the rest alone."""
    bench.fill({"one": {"with_skill": [GOOD] * N, "without_skill": [POOR] * N}})
    command = [sys.executable, "-m", "skilltrial", "compare", str(bench.folder), "--judge", "openai:m"]
    slow = [{**rule, "reply": {**rule["reply"], "delay": 0.15}} for rule in BETTER]
    with MockLLM({"name": "judge", "rules": slow}) as mock:
        process = subprocess.Popen(
            [*command, "--concurrency", "1"], env={**os.environ, **variables(mock)}, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 60
        while not (bench.comparisons / "comparison-1.json").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "1 new comparison is kept. The same command goes on from there." in " ".join(err.split())
    kept = sorted(bench.comparisons.glob("comparison-*.json"))
    assert [path.name for path in kept] == ["comparison-1.json"]
    before = kept[0].read_bytes()
    assert bench.compare(BETTER) == 0
    assert len(bench.asked) == 2 * (N - 1)
    assert kept[0].read_bytes() == before
    assert set(bench.read("key.json")["labels"]) == {f"comparison-{n}" for n in range(1, N + 1)}
