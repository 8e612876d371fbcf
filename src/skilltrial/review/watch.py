"""What has changed in a workspace since somebody last looked, told from times of folders alone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from pydantic import ValidationError

from skilltrial.errors import SkilltrialError
from skilltrial.execute.running import underway
from skilltrial.grade.run import read_grading
from skilltrial.plan.iteration import iterations
from skilltrial.records import layout
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.review.optimisations import SEARCHES
from skilltrial.review.plans import FileState, file_state, plan_of, trial_folders
from skilltrial.review.subject import Subject

Event = Mapping[str, object]
"""Plain JSON with a `kind`: trial, grading, benchmark, comparisons, triggers, history, iteration or progress."""

_MOST_READ = 300
"""Files that one look reads; what is left is for the next."""
_MOST_UNDERWAY = 50
"""Trials at work that are named; of more there is the number."""
_MOST_EVENTS = 200
"""More changes than these at once are told as one of the iteration."""


class _Spent(NamedTuple):
    tokens: int | None
    cost_usd: float | None


class Watch:
    """Looks at the newest iteration again and again. Not for two threads at once."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._has_looked = False
        self._iteration = 0
        self._beside: Mapping[str, object] = {}
        self._folders: dict[TrialKey, str] = {}
        self._seen: dict[TrialKey, int] = {}
        """When the folder of a trial that is finished last changed."""
        self._graded: dict[TrialKey, FileState] = {}
        self._is_read = False
        """Whether the iteration was unfinished at any look."""
        self._spent: dict[TrialKey, _Spent] = {}
        self._verdicts: dict[TrialKey, Counter[str]] = {}
        self._progress: Event = {}

    def look(self) -> list[Event]:
        """All that changed since the look before; the first one tells no more than how far the run is."""
        first, self._has_looked = not self._has_looked, True
        there = iterations(self._subject.store)
        events: list[Event] = []
        if there and there[-1] != self._iteration:
            self._begin(there[-1])
            events.append({"kind": "iteration", "iteration": self._iteration})
        events += self._changed_trials()
        if len(events) > _MOST_EVENTS:
            events = [{"kind": "iteration", "iteration": self._iteration}]
        beside = self._files_beside()
        changed = [kind for kind, state in beside.items() if state != self._beside.get(kind)]
        self._beside = beside
        events += [{"kind": kind, "iteration": self._iteration} for kind in changed]
        if first:
            events.clear()
        progress: Event = self._how_far() if there else {}
        if progress != self._progress:
            events.append(progress)
            self._progress = progress
        return events

    @property
    def progress(self) -> Event:
        """How far the run is, as of the last look; empty before the first."""
        return self._progress

    def _begin(self, iteration: int) -> None:
        plan = plan_of(self._subject, iteration)
        store = self._subject.store
        self._iteration = iteration
        root = str(store.path(""))
        self._folders = {key: f"{root}/{folder}" for key, folder in trial_folders(plan, iteration)}
        for known in (self._seen, self._graded, self._spent, self._verdicts):
            known.clear()
        self._is_read = False

    def _files_beside(self) -> Mapping[str, object]:
        """What tells, by kind of news, whether files of it were written. A folder changes with each name in it."""
        store, within = self._subject.store, layout.iteration_dir(self._iteration)
        names = {
            "benchmark": [f"{within}/{layout.BENCHMARK}"],
            "comparisons": [f"{within}/{layout.COMPARISONS}"],
            "triggers": [
                layout.TRIGGERS,
                f"{within}/{layout.TRIGGER_RESULTS}",
                *store.find(f"{layout.TRIGGERS}/iteration-*/{layout.TRIGGER_RESULTS}"),
                layout.OPTIMISATION,
                *store.find(SEARCHES),
            ],
            "history": [layout.HISTORY],
        }
        return {kind: [file_state(store.path(name)) for name in each] for kind, each in names.items()}

    def _changed_trials(self) -> Iterator[Event]:
        for key, folder in self._folders.items():
            try:
                changed = os.stat(folder).st_mtime_ns  # noqa: PTH116 - 10,000 of them at each look
            except OSError:
                if self._seen.pop(key, None) is not None:
                    self._forget(key)
                    yield self._event("trial", key)
                continue  # not finished: a trial's folder appears whole
            before = self._seen.get(key)
            if before == changed:
                continue
            self._seen[key] = changed
            if before is None:
                yield self._event("trial", key)
            graded = file_state(f"{folder}/{layout.GRADING}")
            if graded != self._graded.get(key, FileState(0, 0)):
                self._graded[key] = graded
                self._verdicts.pop(key, None)
                yield self._event("grading", key)

    def _forget(self, key: TrialKey) -> None:
        """Of a trial that is run again."""
        for known in (self._graded, self._spent, self._verdicts):
            known.pop(key, None)

    def _event(self, kind: str, key: TrialKey) -> Event:
        names = {"case": key.case_id, "arm": key.arm, "repeat": key.repeat}
        return {"kind": kind, "iteration": self._iteration, **names}

    def _relative(self, key: TrialKey, name: str) -> str:
        return f"{layout.trial_dir(self._iteration, key)}/{name}"

    def _how_far(self) -> Event:
        """Files are read only of an iteration that was not finished: figures of others are on their pages."""
        running = self._running()
        self._is_read = self._is_read or bool(running) or len(self._seen) < len(self._folders)
        if self._is_read:
            self._read()
        known = [self._spent.get(key, _Spent(None, None)) for key in self._seen]
        return {
            "kind": "progress",
            "iteration": self._iteration,
            "planned": len(self._folders),
            "finished": len(self._seen),
            "graded": len(self._graded),
            "running": running,
            "underway": self._underway() if running else [],
            "tokens": _total([each.tokens for each in known]),
            "cost_usd": _total([each.cost_usd for each in known]),
            "results": self._results(),
        }

    def _running(self) -> int:
        with suppress(OSError):
            return len(os.listdir(self._subject.store.path(layout.RUNNING)))  # noqa: PTH208 - names are all we want
        return 0

    def _underway(self) -> list[Event]:
        return [
            {"case": key.case_id, "arm": key.arm, "repeat": key.repeat, "since": since}
            for key, since in underway(self._subject.store)[:_MOST_UNDERWAY]
        ]

    def _read(self) -> None:
        unread = [key for key in self._seen if key not in self._spent]
        for key in unread[:_MOST_READ]:
            self._spent[key] = self._spent_by(key)
        for key in [key for key in self._graded if key not in self._verdicts][:_MOST_READ]:
            self._verdicts[key] = self._verdicts_of(key)

    def _spent_by(self, key: TrialKey) -> _Spent:
        with suppress(SkilltrialError, ValidationError):
            trial = Trial.model_validate_json(self._subject.store.read(self._relative(key, layout.TRIAL)) or b"")
            return _Spent(trial.spent_tokens, trial.spent_usd())
        return _Spent(None, None)

    def _verdicts_of(self, key: TrialKey) -> Counter[str]:
        with suppress(SkilltrialError):
            grading = read_grading(self._subject.store, self._iteration, key)
            if grading is not None:
                return Counter({"PASS": grading.n_passed, "FAIL": grading.n_failed})
        return Counter()

    def _results(self) -> list[Event]:
        """Verdicts by arm, so far; UNGRADED is none."""
        arms: dict[str, Counter[str]] = {}
        for key, counted in self._verdicts.items():
            arms.setdefault(key.arm, Counter()).update(counted)
        return [
            {"arm": arm, "passed": counted["PASS"], "decided": counted["PASS"] + counted["FAIL"]}
            for arm, counted in sorted(arms.items())
        ]


def _total(values: list[int | None] | list[float | None]) -> float | None:
    """None where one of them is unknown, or where there is none: unknown is not 0."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
