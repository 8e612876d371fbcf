"""What feedback files call runs, and which trial that is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from skilltrial.records import layout
from skilltrial.records.journal import About, ForeignRun, WholeCase
from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case
from skilltrial.records.trial import TrialKey
from skilltrial.review.plans import file_state, plan_of, trial_folders
from skilltrial.review.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNames:
    """Both ways for one iteration."""

    names: Mapping[About, str]
    things: Mapping[str, About]

    def name(self, about: TrialKey | WholeCase) -> str:
        """Its name in the files."""
        return self.names.get(about) or str(about)

    def about(self, name: str) -> About:
        """What a file calls so, a `ForeignRun` where nothing here is called so."""
        return self.things.get(name) or ForeignRun(run_id=name)


def names_of(subject: Subject, iteration: int) -> RunNames:
    """Paths below the iteration with dashes between their parts, as skill-creator has them; those of an import as they were."""
    folder = layout.iteration_dir(iteration)
    state = tuple(file_state(subject.store.path(f"{folder}/{name}")) for name in (layout.PLAN, layout.IMPORT_RECORD))
    return subject.kept.get(("run names", iteration), state, lambda: _made(subject, iteration))


def _made(subject: Subject, iteration: int) -> RunNames:
    plan = plan_of(subject, iteration)
    places = _places(subject, iteration)
    names: dict[About, str] = {}
    things: dict[str, About] = {}
    for case in plan.suite.cases:
        whole = WholeCase(case_id=case.id)
        names[whole] = f"eval-{layout.slug(case.id)}"
        for name in _called(case):
            things.setdefault(name, whole)
    for key, folder in trial_folders(plan, iteration):
        own = folder.partition("/")[2].replace("/", "-")
        names[key] = places.get(str(key), own)
        for name in (names[key], own, own.removesuffix("-run-1")):
            things.setdefault(name, key)
    return RunNames(names=names, things=things)


def _called(case: Case) -> list[str]:
    written = [] if case.written_id is None else [str(case.written_id), f"eval-{case.written_id}"]
    return [f"eval-{layout.slug(case.id)}", case.id, *written, *([case.name] if case.name else [])]


def _places(subject: Subject, iteration: int) -> Mapping[str, str]:
    """Where each imported trial was, below its iteration."""
    data = subject.store.read(f"{layout.iteration_dir(iteration)}/{layout.IMPORT_RECORD}")
    try:
        found: object = None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        return {}
    record = cast("dict[str, Json]", found) if isinstance(found, dict) else {}
    runs = record.get("runs")
    above = str(record.get("place") or "")
    told: dict[str, str] = {}
    for each in cast("list[Json]", runs) if isinstance(runs, list) else ():
        run = cast("dict[str, Json]", each) if isinstance(each, dict) else {}
        name, place = run.get("trial"), run.get("place")
        if isinstance(name, str) and isinstance(place, str):
            told[name] = place.removeprefix(f"{above}/" if above else "").replace("/", "-")
    return told
