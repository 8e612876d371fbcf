"""The figures of an iteration: as `benchmark.json` has them where it is newer than all that they come from, else made anew.

They are made in a process that ends, since reading thousands of gradings takes memory that Python does not give back. Runs come
without the texts and evidence of their assertions, which are read with their trial; of more than `MOST_RUNS` trials only the first
run comes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

from skilltrial.errors import SkilltrialError, StoreError
from skilltrial.journal import read_journal
from skilltrial.plan.iteration import iterations
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.plan import Plan
from skilltrial.records.trial import TrialKey
from skilltrial.review.exclusions import excluded_trials
from skilltrial.review.plans import FileState, file_state, plan_of, trial_folders
from skilltrial.review.subject import Subject

_EXPECTATIONS = re.compile(rb'\n      "(expectations|unanswered)": \[\n.*?\n      \]', re.DOTALL)
"""As `benchmark.json` is written: no text holds a line feed, so that nothing within one looks like this."""
_RUNS = re.compile(rb'\n  "runs": \[\n    \{\n')
_RUN_END = b"\n    },\n"
_RUNS_END = b'\n    }\n  ],\n  "run_summary":'
MOST_RUNS = 2_000
"""A server that keeps more of them takes more memory than all the rest."""
_NOBODY: frozenset[TrialKey] = frozenset()
_SOON = 300
"""So few trials are counted while somebody waits."""


class Sources(NamedTuple):
    """What tells whether anything changed that figures come from.

    The plan counts by its digest, which `benchmark.json` names: an import writes the plan last.
    """

    plan_digest: str
    newest_ns: int
    total_ns: int
    n_finished: int
    """Planned trials with a record."""
    n_graded: int
    n_said: int


class Figures(NamedTuple):
    """What can be shown at once."""

    benchmark: Benchmark | None
    """None where nothing was counted yet."""
    fresh: bool
    """False: trials, gradings or verdicts changed since."""
    sources: Sources
    """What they were compared with."""


def benchmark_of(subject: Subject, iteration: int, *, adjusted: bool = False) -> Benchmark:
    """The figures as the files are now, or without the trials that people excluded; it may take seconds.

    Raises `StoreError` where they cannot be made.
    """
    plan = plan_of(subject, iteration)
    sources = sources_of(subject, plan, iteration)
    without = frozenset(excluded_by_people(subject, iteration)) if adjusted else _NOBODY
    if not without:
        found = _written(subject, plan, iteration, sources)
        if found is not None:
            return found
    stamp = (sources, without)
    return subject.kept.get(("made", iteration, adjusted), stamp, lambda: _made(subject, iteration, without))


def figures_now(subject: Subject, iteration: int) -> Figures:
    """The newest figures that need no long wait."""
    plan = plan_of(subject, iteration)
    sources = sources_of(subject, plan, iteration)
    found = _written(subject, plan, iteration, sources)
    if found is None:
        found = cast("Benchmark | None", subject.kept.peek(("made", iteration, False), (sources, _NOBODY)))
    if found is not None:
        return Figures(found, fresh=True, sources=sources)
    if len(plan.trials) <= _SOON:
        return Figures(benchmark_of(subject, iteration), fresh=True, sources=sources)
    before = subject.kept.peek(("made", iteration, False)) or subject.kept.peek(("written", iteration))
    old = cast("Benchmark | None", before) or _read(subject, plan, iteration)
    return Figures(old, fresh=False, sources=sources)


def read_ahead(subject: Subject) -> None:
    """Read what the first page needs: the plan and the figures that were written. Nothing is counted, and no error raised."""
    with suppress(SkilltrialError):
        there = iterations(subject.store)
        if there:
            plan = plan_of(subject, there[-1])
            _kept(subject, plan, there[-1], file_state(_benchmark_path(subject, there[-1])))


def sources_of(subject: Subject, plan: Plan, iteration: int) -> Sources:
    """The state of every file that the figures of an iteration come from."""
    root = str(subject.store.path(""))
    beside = (f"{layout.iteration_dir(iteration)}/{layout.STOP}", f"{layout.SELF_CHECKS}/{layout.SELF_CHECK}")
    folders = [f"{root}/{folder}" for _, folder in trial_folders(plan, iteration)]
    others = list(_changed(f"{root}/{path}" for path in beside))
    finished = list(_changed(f"{folder}/{layout.TRIAL}" for folder in folders))
    graded = list(_changed(f"{folder}/{layout.GRADING}" for folder in folders))
    said_ns, n_said = _said(subject)
    every = (*others, *finished, *graded)
    return Sources(plan.digest, max((*every, said_ns)), sum(every), len(finished), len(graded), n_said)


def _changed(paths: Iterable[str]) -> Iterator[int]:
    """When those that are there were written."""
    for path in paths:
        try:
            yield os.stat(path).st_mtime_ns  # noqa: PTH116 - tens of thousands: objects for paths take as long again
        except (OSError, ValueError):
            continue


def _said(subject: Subject) -> tuple[int, int]:
    """When the newest verdict of a person was given, and how many there are: they calibrate the judges."""

    def read() -> tuple[int, int]:
        verdicts = read_journal(subject.store).verdicts
        newest = max((verdict.at.timestamp() for verdict in verdicts), default=0)
        return int(newest * 1e9), len(verdicts)

    return subject.kept.get("said", file_state(subject.store.path(layout.JOURNAL)), read)


def _written(subject: Subject, plan: Plan, iteration: int, sources: Sources) -> Benchmark | None:
    """`benchmark.json`, where it is newer than its sources and of this plan."""
    state = file_state(_benchmark_path(subject, iteration))
    if state.changed_ns < sources.newest_ns:
        return None
    return _kept(subject, plan, iteration, state)


def _kept(subject: Subject, plan: Plan, iteration: int, state: FileState) -> Benchmark | None:
    return subject.kept.get(("written", iteration), (state, plan.digest), lambda: _read(subject, plan, iteration))


def _benchmark_path(subject: Subject, iteration: int) -> Path:
    return subject.store.path(f"{layout.iteration_dir(iteration)}/{layout.BENCHMARK}")


def _read(subject: Subject, plan: Plan, iteration: int) -> Benchmark | None:
    data = subject.store.read(f"{layout.iteration_dir(iteration)}/{layout.BENCHMARK}")
    if data is None:
        return None
    if len(plan.trials) > MOST_RUNS:
        data = _with_one_run(data)
    try:
        found = Benchmark.model_validate_json(_EXPECTATIONS.sub(rb'\n      "\1": []', data))
    except ValueError:
        return None
    return found if found.metadata.plan_digest == plan.digest else None


def _with_one_run(data: bytes) -> bytes:
    begin = _RUNS.search(data)
    first = data.find(_RUN_END, begin.end()) if begin else -1
    last = data.find(_RUNS_END, first) if first >= 0 else -1
    return data if last < 0 else data[:first] + data[last:]


def _made(subject: Subject, iteration: int, without: frozenset[TrialKey]) -> Benchmark:
    asked = {
        "workspace": str(subject.store.path("").absolute()),
        "iteration": iteration,
        "without": [key.model_dump() for key in without],
    }
    done = subprocess.run(
        [sys.executable, "-m", "skilltrial.review.tally"],
        input=json.dumps(asked).encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise StoreError(f"the figures could not be made ({why}).", where=subject.name)
    return Benchmark.model_validate_json(done.stdout)


def excluded_by_people(subject: Subject, iteration: int) -> Mapping[TrialKey, str]:
    """The trials that people took out of the figures, with their reasons."""
    return excluded_trials(subject, iteration)
