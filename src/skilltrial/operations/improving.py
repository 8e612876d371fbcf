"""`skilltrial improve`: versions of a skill that a model writes, tried on cases that it has not seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anyio import to_thread

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.improve.split import split_cases
from skilltrial.operations.history_keeping import (
    current_best,
    history_document,
    known_versions,
    read_improvements,
    rows_of,
    write_history,
)
from skilltrial.operations.improvement_loop import improve
from skilltrial.operations.improvement_trials import AgentTrier, Agree
from skilltrial.operations.proposing import ModelProposer
from skilltrial.operations.version_shelf import VersionShelf, apply_files, files_of
from skilltrial.ports import LanguageModel, Store
from skilltrial.records import layout
from skilltrial.records.improvement import Improvement, PartedCase, Version
from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Assertion, Case, Foreign, LlmJudge, Suite
from skilltrial.report.figures import plural
from skilltrial.request import RunRequest, default_workspace
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite

ROUNDS, CANDIDATES, PATIENCE = 3, 3, 2
_MANY_LOOKS = 10
_LEAST_TASK = 20
"""Characters of a task that is known again; shorter ones may stand anywhere."""
_MOST_TOLD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveRequest:
    """What a person asks for."""

    run: RunRequest
    """The skill, its cases, the agent, the judge and the ceilings."""
    proposer: str
    """The model that writes versions."""
    proposer_url: str | None = None
    rounds: int = ROUNDS
    candidates: int = CANDIDATES
    propose_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedImprovement:
    """What is read before anything is spent."""

    skill: Skill
    suite: Suite
    cases: tuple[PartedCase, ...]
    workspace: Path
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Improved:
    """Where it stands, and where it lies."""

    state: Improvement
    workspace: Path


def prepare_improvement(request: ImproveRequest) -> PreparedImprovement:
    """Read and split. Raises `SpecError` for what cannot be read, and for too few cases."""
    skill = load_skill(request.run.skill)
    suite = load_suite(skill, request.run.evals)
    _require_apart(skill, Path(suite.path))
    cases = split_cases(_decidable(suite, judge=request.run.judge is not None), seed=request.run.seed, where=suite.path)
    return PreparedImprovement(
        skill=skill,
        suite=suite,
        cases=cases,
        workspace=workspace_of(skill, request.run.workspace),
        digest=_digest(_asked(request, skill, suite, cases)),
    )


def _require_apart(skill: Skill, evals: Path) -> None:
    """Raises `SpecError` where the cases are files of the skill: who proposes gets those, and agents read them, too."""
    real = evals.resolve()
    place = next(
        (each.path for each in skill.files if Path(skill.folder, each.path).resolve().is_relative_to(real)), None
    )
    if place is not None:
        raise SpecError(
            f"{place} is a file of the skill, so that the proposing model and agents would read the hold-out cases.",
            where=str(evals),
            hint="Move it into the folder evals/ of the skill, or out of the skill.",
        )


def told_before(skill: Skill, suite: Suite, parts: Collection[PartedCase]) -> list[str]:
    """Files of the skill that hold the task of a case word for word that is to be kept from who proposes, a sentence each."""
    kept_from = {each.id for each in parts if each.part != "train"}
    tasks = {case.id: " ".join(case.prompt.split()) for case in suite.cases if case.id in kept_from}
    texts = {path: " ".join(data.decode("utf-8", "replace").split()) for path, data in files_of(skill).items()}
    return [
        f"{path} holds the task of the case {name!r} word for word: who proposes reads it, though it is no train case."
        for path, text in texts.items()
        for name, task in tasks.items()
        if len(task) >= _LEAST_TASK and task in text
    ]


def _decidable(suite: Suite, *, judge: bool) -> tuple[Case, ...]:
    """The cases that can get a verdict. Raises `SpecError` where all have prose alone, and there is no judge."""
    found = tuple(case for case in suite.cases if any(_has_verdict(each, judge=judge) for each in case.assertions))
    if not found and any(case.assertions for case in suite.cases):
        message = "every assertion is prose, which a judge grades, and there is no judge: nothing could be told apart."
        raise SpecError(message, where=suite.path, hint="Give --judge NAME, or write assertions that code can check.")
    return found


def _has_verdict(assertion: Assertion, *, judge: bool) -> bool:
    if isinstance(assertion, LlmJudge):
        return judge or assertion.model is not None
    return not isinstance(assertion, Foreign)


def workspace_of(skill: Skill, wanted: Path | None) -> Path:
    """The absolute folder."""
    return (wanted or default_workspace(Path(skill.folder))).absolute()


async def run_improvement(
    request: ImproveRequest, *, watcher: Watcher | None = None, agree: Agree | None = None
) -> Improved:
    """Improve, or go on with the improvement of the same request. What was paid for before is not paid for again.

    Raises `SpecError` as `prepare_improvement` does, what `open_trials` raises, and what opening the proposing model does.
    """
    prepared = prepare_improvement(request)
    watcher = watcher or Silent()
    async with AsyncExitStack() as stack:
        store = wiring.open_store(prepared.workspace, write=True)
        stack.callback(store.close)
        history_document(store)  # what could not be written at the end is said before anything is spent
        shelf = VersionShelf(store=store, folder_name=Path(prepared.skill.folder).name)
        state = _begun(request, prepared, store, shelf)
        folder = f"{layout.IMPROVE}/improvement-{state.number}"

        def keep(now: Improvement) -> None:
            store.write(f"{folder}/{layout.IMPROVEMENT}", now.model_dump_json(indent=2).encode() + b"\n")
            if any(each.result not in (None, "baseline") for each in now.versions) or now.step == "finished":
                write_history(
                    store,
                    skill_name=now.skill_name,
                    started_at=now.created_at,
                    rows=rows_of(now),
                    best=now.incumbent,
                )

        if state.step != "finished":
            home = store.path(f"{folder}/trials")
            model = await _open(request, prepared, stack)
            trier = AgentTrier(
                request=request.run,
                suite=prepared.suite,
                home=home,
                root=store,
                trials_store=lambda: wiring.open_store(home, write=False),
                shelf=shelf,
                watcher=watcher,
                agree=agree,
            )
            state = await improve(
                state,
                trier=trier,
                proposer=ModelProposer(model),
                shelf=shelf,
                keep=keep,
                propose_only=request.propose_only,
                ceilings=request.run.ceilings,
            )
    return Improved(state=state, workspace=prepared.workspace)


def apply_version(skill_folder: Path, workspace: Path | None, name: str) -> tuple[str, ...]:
    """Write a version into the skill's folder; the paths that are different there now.

    Raises `SpecError` where there is no such version, and where a file that it changes was changed by somebody since.
    """
    skill = load_skill(skill_folder)
    root = workspace_of(skill, workspace)
    store = wiring.open_store(root, write=False) if root.is_dir() else None
    states = read_improvements(store) if store else []
    state = next((each for each in states if any(name == version.name for version in each.versions)), None)
    if store is None or state is None:
        have = sorted({version.name for each in states for version in each.versions})
        known = f"There are {', '.join(have)}." if have else "`skilltrial improve SKILL --proposer NAME` makes some."
        raise SpecError(f"there is no version {name!r}.", where=str(root), hint=known)
    shelf = VersionShelf(store=store, folder_name=Path(skill.folder).name)
    kept = load_skill(shelf.folder(name))
    if kept.fingerprint != state.version(name).fingerprint:
        hint = f"Somebody changed the copy. Its patch is {shelf.patch(name)}."
        raise SpecError("this is not the version that was tried.", where=kept.folder, hint=hint)
    return apply_files(skill, shelf.files(state.versions[0].name), files_of(kept))


def _begun(request: ImproveRequest, prepared: PreparedImprovement, store: Store, shelf: VersionShelf) -> Improvement:
    """The newest improvement, where it is of the same request; else a new one."""
    earlier = read_improvements(store)
    if earlier and earlier[0].digest == prepared.digest:
        return earlier[0]
    holdout = {each.id for each in prepared.cases if each.part == "holdout"}
    holdout_digest = _digest([case.model_dump(mode="json") for case in prepared.suite.cases if case.id in holdout])
    n_looks = sum(each.n_looks for each in earlier if each.holdout_digest == holdout_digest)
    notices: list[str] = []
    if n_looks:
        again = " Write fresh ones." if n_looks > _MANY_LOOKS else ""
        notices.append(
            f"Earlier improvements looked at these hold-out cases ({plural(n_looks, 'look')}): they say less each time.{again}"
        )
    if n_out := len(prepared.suite.cases) - len(prepared.cases):
        notices.append(
            f"{plural(n_out, 'case')} left out: no assertion that code, or a judge that was named, can decide."
        )
    notices += told_before(prepared.skill, prepared.suite, prepared.cases)[:_MOST_TOLD]
    own = _own_version(prepared.skill, store, shelf)
    run = request.run
    return Improvement(
        skill_name=prepared.skill.name,
        number=max([0, *(each.number for each in earlier)]) + 1,
        created_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        digest=prepared.digest,
        holdout_digest=holdout_digest,
        n_earlier_looks=n_looks,
        cases=prepared.cases,
        runs=run.runs,
        rounds=request.rounds,
        candidates=request.candidates,
        patience=PATIENCE,
        harness=run.harness,
        model=run.model,
        proposer=request.proposer,
        versions=(own,),
        incumbent=own.name,
        notices=tuple(notices),
    )


def _own_version(skill: Skill, store: Store, shelf: VersionShelf) -> Version:
    """The skill as it is: a version that was kept before, or one more."""
    known = known_versions(store)
    name = next((each for each, of in known.items() if of == skill.fingerprint and shelf.is_kept(each, of)), None)
    parent = current_best(store) if name is None else None
    name = name or shelf.free_name(skill.fingerprint)
    shelf.keep(name, skill)
    return Version(
        name=name,
        parent=parent,
        origin="own",
        fingerprint=skill.fingerprint,
        result=None if name in known else "baseline",
    )


def _asked(request: ImproveRequest, skill: Skill, suite: Suite, cases: Collection[PartedCase]) -> Json:
    """All that another improvement would follow from. Ceilings may be raised, and tools looked after, on the way."""
    run = request.run
    return [
        [skill.name, skill.fingerprint, suite.digest],
        [each.model_dump(mode="json") for each in cases],
        [run.runs, run.seed, run.timeout_s, request.rounds, request.candidates],
        [run.harness, run.model, run.base_url, list(run.harness_args), run.sandbox, run.network],
        [run.judge, run.judge_samples, str(run.judge_prompt or "")],
        [load_skill(place).fingerprint for place in run.beside],
        [request.proposer, request.proposer_url],
    ]


def _digest(facts: Json) -> str:
    return f"sha256:{hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()}"


async def _open(request: ImproveRequest, prepared: PreparedImprovement, stack: AsyncExitStack) -> LanguageModel:
    """The proposing model; an agent program as one runs in the sandbox asked for, away from the cases."""
    if request.proposer == wiring.EMBEDDED:
        hint = "Give --proposer openai:NAME, anthropic:NAME, or a NAME with --proposer-url."
        raise SpecError("the embedded model is too small to write skills.", where="--proposer", hint=hint)
    env = request.run.env
    hidden = (Path(prepared.skill.folder), prepared.workspace)
    confinement = await to_thread.run_sync(
        lambda: wiring.open_sandbox(request.run.sandbox, env, hidden=hidden, base_url=request.proposer_url)
    )
    opened = wiring.open_judge(request.proposer, base_url=request.proposer_url, env=env, confinement=confinement)
    return await stack.enter_async_context(opened)
