"""A program of its own that counts an iteration: a question as JSON on standard input, its `Benchmark` on standard output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from skilltrial import wiring
from skilltrial.errors import SkilltrialError
from skilltrial.pipeline import summarise
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.trial import TrialKey
from skilltrial.review.numbers import MOST_RUNS


def tally(workspace: Path, iteration: int, *, without: frozenset[TrialKey]) -> Benchmark:
    """The figures without some trials; runs come as in `numbers`."""
    benchmark = summarise(wiring.open_store(workspace, write=False), iteration, without=without)
    bare = {"expectations": (), "unanswered": ()}
    runs = benchmark.runs if len(benchmark.runs) <= MOST_RUNS else benchmark.runs[:1]
    return benchmark.model_copy(update={"runs": tuple(run.model_copy(update=bare) for run in runs)})


def main() -> int:
    """Answer one question; 1 and a line on standard error where there is no answer."""
    asked = json.load(sys.stdin)
    without = frozenset(TrialKey(**key) for key in asked["without"])
    try:
        benchmark = tally(Path(asked["workspace"]), asked["iteration"], without=without)
    except SkilltrialError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.buffer.write(benchmark.model_dump_json().encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
