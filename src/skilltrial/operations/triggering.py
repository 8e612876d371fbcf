"""`skilltrial trigger`: whether the agent loads the skill for the queries that it is for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from skilltrial import wiring
from skilltrial.errors import HarnessError, SpecError
from skilltrial.execute.resume import read_trials
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.budget import Forecast
from skilltrial.records.events import SessionStarted
from skilltrial.records.plan import Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.records.trial import Trial
from skilltrial.records.trigger import TriggerSuite
from skilltrial.records.trigger_results import TriggerResults
from skilltrial.request import RunRequest, default_workspace
from skilltrial.spec.skill import load_skill
from skilltrial.spec.skill_folders import find_skills
from skilltrial.spec.suite import find_evals, load_suite, load_triggers
from skilltrial.transcript.evidence import is_described, listing_of, skills_taken
from skilltrial.transcript.kept_events import read_events
from skilltrial.trials import Trials, open_trials
from skilltrial.trigger.outcome import MOST_ERRORS, NOT_RUN, ErrorWatch, Seen
from skilltrial.trigger.queries import as_suite, queries_of
from skilltrial.trigger.results import trigger_results

THRESHOLD = 0.5
"""As agentskills.io has it."""
NAMES = (
    "triggers.json",
    "trigger.json",
    "trigger-eval.json",
    "trigger_eval.json",
    "triggers.yaml",
    "triggers.jsonl",
    "triggers.csv",
)
"""Where a skill's own queries are looked for, in its folder `evals`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """What came out, and where it lies."""

    results: TriggerResults
    workspace: Path
    stopped: bool
    """A ceiling kept a part from being run."""
    failed: bool = False
    """So many runs had no result that the rest was not run."""

    @property
    def exit_code(self) -> int:
        """0: all pass. 1: some fail. 3: errors of tools beyond `MOST_ERRORS`. 4: a ceiling, or it cannot be told."""
        asked = [row for arm in self.results.arms for row in arm.queries if row.kind == "query"]
        n_runs = sum(row.n_planned for row in asked)
        n_failed = sum(number for row in asked for reason, number in row.errors.items() if reason != NOT_RUN)
        if self.failed or (n_runs and n_failed / n_runs > MOST_ERRORS):
            return 3
        if self.stopped:
            return 4
        return {"all pass": 0, "some fail": 1, "cannot tell": 4}[self.results.word]


def find_queries(skill: Skill, path: Path | None) -> TriggerSuite:
    """The trigger set that is named, the skill's own, or its cases as queries. Raises `SpecError` where there is none of these."""
    if path is not None:
        return load_triggers(path, skill)
    if (own := own_queries(skill)) is not None:
        return load_triggers(own, skill)
    try:
        found = find_evals(skill, None)
    except SpecError as error:
        first = Path(skill.folder) / "evals" / NAMES[0]
        hint = f"Write {first}, or name a file with --queries; --draft lets a model begin one."
        raise SpecError("there is no trigger set and no eval file.", where=skill.folder, hint=hint) from error
    suite = load_suite(skill, found)
    return TriggerSuite(
        skill_name=skill.name,
        dialect=suite.dialect,
        path=suite.path,
        digest=suite.digest,
        queries=queries_of(suite),
        repairs=suite.repairs,
    )


def own_queries(skill: Skill) -> Path | None:
    """The trigger set in the skill's own folder; None where it has none."""
    folder = Path(skill.folder) / "evals"
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


def trigger_request(
    request: RunRequest, queries: Path | None, *, siblings: Path | None = None, canaries: bool = True
) -> RunRequest:
    """The request whose trials are the queries, in the folder `triggers` of its workspace; `siblings` is a folder of skills.

    Raises `SpecError` for what cannot be read, and for a folder without other skills.
    """
    skill = load_skill(request.skill)
    others = () if siblings is None else _others(siblings, skill)
    home = (request.workspace or default_workspace(Path(skill.folder))).absolute()
    return replace(
        request,
        workspace=home / layout.TRIGGERS,
        suite=_beginning(as_suite(find_queries(skill, queries), skill, canaries=canaries), skill),
        arms=request.arms or ("with_skill",),
        beside=(*request.beside, *others),
        until_loaded=True,
    )


async def trigger(
    request: RunRequest,
    *,
    threshold: float = THRESHOLD,
    watcher: Watcher | None = None,
    agree: Callable[[Forecast], Awaitable[None]] | None = None,
) -> Triggered:
    """Run what is missing of a request of `trigger_request`, count, and keep `triggers.json`. Raises what `open_trials` raises."""
    async with open_trials(request, watcher=watcher or Silent(), agree=agree) as trials:
        try:
            stop = await trials.run_missing(enough=ErrorWatch())
        except HarnessError as error:
            _keep(trials, threshold, error.message)
            raise
        results = _keep(trials, threshold, stop.message if stop else None)
    return Triggered(
        results=results,
        workspace=trials.planned.workspace.absolute(),
        stopped=stop is not None and stop.ceiling is not None,
        failed=stop is not None and stop.ceiling is None,
    )


def _keep(trials: Trials, threshold: float, stopped: str | None) -> TriggerResults:
    """Count what is there, and write it down; `stopped` says why that is not all."""
    descriptions = {arm: skill.description or "" for arm, skill in trials.means.skills.items()}
    results = count(
        trials.store,
        trials.plan,
        trials.iteration,
        threshold=threshold,
        descriptions=descriptions,
        beside=trials.means.beside,
    )
    if stopped is not None:
        results = results.model_copy(update={"notices": (stopped, *results.notices)})
    path = f"{layout.iteration_dir(trials.iteration)}/{layout.TRIGGER_RESULTS}"
    trials.store.write(path, results.model_dump_json(indent=2).encode() + b"\n")
    return results


def count(
    store: Store,
    plan: Plan,
    iteration: int,
    *,
    threshold: float,
    descriptions: Mapping[str, str],
    beside: Mapping[str, Sequence[Skill]] | None = None,
) -> TriggerResults:
    """What the trials that are there come to; `descriptions`, and the skills `beside`, are by arm."""
    trials = read_trials(store, plan, iteration)
    others = beside or {}
    return trigger_results(
        plan,
        trials,
        iteration=iteration,
        threshold=threshold,
        descriptions=descriptions,
        seen={trial.key: _seen(store, iteration, trial, others.get(trial.key.arm, ())) for trial in trials},
        now=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )


def read_results(workspace: Path) -> list[TriggerResults]:
    """Those of a workspace, the newest first, without what cannot be read; none where no trigger trial was run there."""
    if not (workspace / layout.TRIGGERS).is_dir():
        return []
    store = wiring.open_store(workspace / layout.TRIGGERS, write=False)
    found = (results_in(store, number) for number in reversed(iterations(store)))
    return [each for each in found if each is not None]


def results_in(store: Store, iteration: int) -> TriggerResults | None:
    """Those of an iteration of a trigger workspace; None where it has none, or none that can be read."""
    data = store.read(f"{layout.iteration_dir(iteration)}/{layout.TRIGGER_RESULTS}")
    try:
        return None if data is None else TriggerResults.model_validate_json(data)
    except ValidationError:
        return None


def _beginning(suite: Suite, skill: Skill) -> Suite:
    """Where the queries are prompts of the skill's eval file: with the files that they speak of."""
    try:
        path = find_evals(skill, None)
    except SpecError:
        return suite
    if suite.path != str(path):
        return suite
    own = {case.id: case for case in load_suite(skill, path).cases}
    begun = [
        case.model_copy(update={"files": own[case.id].files, "codebase": own[case.id].codebase})
        if case.id in own
        else case
        for case in suite.cases
    ]
    return suite.model_copy(update={"cases": tuple(begun)})


def _others(folder: Path, skill: Skill) -> tuple[Path, ...]:
    """The skills there, but for this one and copies of it."""
    if not folder.is_dir():
        raise SpecError("there is no such folder.", where=str(folder), hint="--with-siblings takes a folder of skills.")
    names = {skill.name, Path(skill.folder).name}
    others = tuple(
        path for path in find_skills(folder) if path.name not in names and load_skill(path).name not in names
    )
    if not others:
        raise SpecError("there is no other skill in this folder.", where=str(folder), hint="Give a folder of skills.")
    return others


def _seen(store: Store, iteration: int, trial: Trial, beside: Sequence[Skill]) -> Seen:
    path = f"{layout.trial_dir(iteration, trial.key)}/{layout.TRANSCRIPT}"
    events = read_events(store.read(path) or b"", where=path)
    known = [len(each.skills) for each in events if isinstance(each, SessionStarted) and each.skills is not None]
    listing = listing_of(events)
    return Seen(
        taken=skills_taken(events, [skill.name for skill in beside]) if beside else (),
        listing_chars=len(listing) if listing else None,
        n_skills=max(known, default=None),
        undescribed=tuple(skill.name for skill in beside if is_described(listing, skill.description) is False),
    )
