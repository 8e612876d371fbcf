"""`skilltrial optimise`: a better description for a skill, measured on queries that nothing else has seen."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Collection, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anyio import to_thread
from pydantic import ValidationError

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.execute.watcher import Silent, Watcher
from skilltrial.operations.description_probing import Agree, TrialProber
from skilltrial.operations.description_search import search
from skilltrial.operations.rewriting import ModelRewriter
from skilltrial.operations.triggering import THRESHOLD, find_queries
from skilltrial.ports import LanguageModel, Store
from skilltrial.records import layout
from skilltrial.records.json_value import Json
from skilltrial.records.optimisation import Candidate, Optimisation, PartedQuery
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.report.figures import plural
from skilltrial.request import RunRequest, default_workspace
from skilltrial.spec.description import with_description
from skilltrial.spec.skill import SKILL_FILE, load_skill
from skilltrial.spec.whole_file import write_whole
from skilltrial.trigger.queries import as_suite
from skilltrial.trigger.split import FEW, split_queries

ROUNDS, PATIENCE, HOLDOUT = 5, 2, 0.4
PATCH = "description.patch"
_MANY_TESTS = 1
_SEARCH = re.compile(rf"search-(\d+)/{re.escape(layout.OPTIMISATION)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimiseRequest:
    """What a person asks for."""

    run: RunRequest
    """The skill, the agent that is probed, and the ceilings; `runs` are those of each query at the most, and on test."""
    rewriter: str
    """The model that writes descriptions."""
    rewriter_url: str | None = None
    queries: Path | None = None
    holdout: float = HOLDOUT
    rounds: int = ROUNDS
    patience: int = PATIENCE
    threshold: float = THRESHOLD
    canaries: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What is read before anything is spent."""

    skill: Skill
    suite: Suite
    queries: tuple[PartedQuery, ...]
    folder: Path
    """Of all searches."""
    digest: str
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimised:
    """Where the search stands, and where it lies."""

    state: Optimisation
    folder: Path
    patch: Path | None
    """Of the description that is offered."""


def prepare_search(request: OptimiseRequest) -> Prepared:
    """Read and split. Raises `SpecError` for what cannot be read, and for sets of queries too small to learn anything from."""
    skill = load_skill(request.run.skill)
    triggers = find_queries(skill, request.queries)
    suite = as_suite(triggers, skill, canaries=True)
    queries = split_queries(
        triggers.queries, skill_name=skill.name, holdout=request.holdout, seed=request.run.seed, where=triggers.path
    )
    n_test = sum(each.part == "test" for each in queries)
    few = f"There are {plural(n_test, 'test query', 'test queries')}: only a change of most of them can be told from chance."
    home = (request.run.workspace or default_workspace(Path(skill.folder))).absolute()
    return Prepared(
        skill=skill,
        suite=suite,
        queries=queries,
        folder=home / layout.OPTIMISE,
        digest=_digest(_asked(request, skill, queries)),
        notices=(few,) if n_test < FEW else (),
    )


async def optimise(
    request: OptimiseRequest, *, watcher: Watcher | None = None, agree: Agree | None = None
) -> Optimised:
    """Search, or go on with the search of the same request. What was paid for before is not paid for again.

    Raises `SpecError` as `prepare_search` does, what `open_trials` raises, and what opening the rewriting model does.
    """
    prepared = prepare_search(request)
    watcher = watcher or Silent()
    async with AsyncExitStack() as stack:
        store = wiring.open_store(prepared.folder, write=True)
        stack.callback(store.close)
        state = _begun(request, prepared, store)
        path = f"search-{state.number}/{layout.OPTIMISATION}"
        if state.step != "finished":
            model = await _open(request, prepared, stack)
            prober = TrialProber(
                request=request.run,
                skill=prepared.skill,
                suite=prepared.suite,
                home=prepared.folder / f"search-{state.number}",
                heeds_canaries=request.canaries,
                watcher=watcher,
                agree=agree,
            )

            def keep(now: Optimisation) -> None:
                store.write(path, now.model_dump_json(indent=2).encode() + b"\n")

            rewriter = ModelRewriter(model, prepared.skill)
            state = await search(state, prober=prober, rewriter=rewriter, keep=keep, ceilings=request.run.ceilings)
        patch = _write_patch(state, prepared.skill, store)
    return Optimised(state=state, folder=prepared.folder / f"search-{state.number}", patch=patch)


def read_searches(folder: Path) -> list[Optimisation]:
    """Of the folder `optimise` of a workspace, the newest first, without what cannot be read."""
    return _searches(wiring.open_store(folder, write=False)) if folder.is_dir() else []


def apply_description(skill_folder: Path, workspace: Path | None) -> Optimisation:
    """Write the description of the newest search into the skill's SKILL.md.

    Raises `SpecError` where no search has found a better one, and where the file has changed since.
    """
    skill = load_skill(skill_folder)
    folder = (workspace or default_workspace(Path(skill.folder))).absolute() / layout.OPTIMISE
    found = read_searches(folder)
    hint = "Run `skilltrial optimise SKILL --rewriter NAME` first."
    if not found:
        raise SpecError("there is no search for a description.", where=str(folder), hint=hint)
    state, file = found[0], Path(skill.folder) / SKILL_FILE
    if state.step != "finished":
        raise SpecError(
            "the search has not come to its end.", where=str(folder), hint="The same command goes on with it."
        )
    if state.word != "better":
        raise SpecError(f"the search found no better description: {state.word}, {state.why}.", where=str(folder))
    new = _best(state).description
    if skill.description == new:
        return state
    data = file.read_bytes()
    if _bytes_digest(data) != state.skill_file_digest:
        message = "this file has changed since the search began."
        raise SpecError(message, where=str(file), hint=f"The new description is in {folder}, search-{state.number}.")
    write_whole(file, with_description(data.decode("utf-8"), new, file=str(file)).encode("utf-8"))
    return state


def patch_of(state: Optimisation, text: str) -> str:
    """A patch for `git apply` in the skill's folder; `text` is the SKILL.md as it was."""
    after = with_description(text, _best(state).description, file=SKILL_FILE)
    rows = difflib.unified_diff(
        text.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{SKILL_FILE}", f"b/{SKILL_FILE}"
    )
    return "".join(_ended(rows))


def _ended(rows: Iterator[str]) -> Iterator[str]:
    for row in rows:
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"


def _best(state: Optimisation) -> Candidate:
    return next(each for each in state.candidates if each.number == state.best)


def _write_patch(state: Optimisation, skill: Skill, store: Store) -> Path | None:
    """Kept beside the search where its description is offered."""
    data = (Path(skill.folder) / SKILL_FILE).read_bytes()
    if state.word != "better" or _bytes_digest(data) != state.skill_file_digest:
        return None
    path = f"search-{state.number}/{PATCH}"
    store.write(path, patch_of(state, data.decode("utf-8")).encode("utf-8"))
    return store.path(path)


def _searches(store: Store) -> list[Optimisation]:
    found: dict[int, Optimisation] = {}
    for path in store.find(f"search-*/{layout.OPTIMISATION}"):
        match, data = _SEARCH.fullmatch(path), store.read(path)
        if match is None or data is None:
            continue
        try:
            found[int(match[1])] = Optimisation.model_validate_json(data)
        except ValidationError:
            continue  # of another version; its folder is left alone
    return [found[number] for number in sorted(found, reverse=True)]


def _begun(request: OptimiseRequest, prepared: Prepared, store: Store) -> Optimisation:
    """The newest search, where it is the same request; else a new one."""
    earlier = _searches(store)
    if earlier and earlier[0].digest == prepared.digest:
        return earlier[0]
    test = [each for each in prepared.queries if each.part == "test"]
    test_digest = _digest([each.query for each in test])
    n_tested = sum(each.test is not None and each.test_digest == test_digest for each in earlier)
    notices = list(prepared.notices)
    if n_tested >= _MANY_TESTS:
        times = plural(n_tested, "earlier search", "earlier searches")
        notices.append(f"The same test queries were used by {times}: each time they say less. Write fresh ones.")
    taken = [int(match[1]) for path in store.find("search-*/*") if (match := re.match(r"search-(\d+)/", path))]
    run, skill = request.run, prepared.skill
    return Optimisation(
        skill_name=skill.name,
        number=max([0, *taken, *(each.number for each in earlier)]) + 1,
        created_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        digest=prepared.digest,
        test_digest=test_digest,
        n_earlier_tests=n_tested,
        skill_file_digest=_bytes_digest((Path(skill.folder) / SKILL_FILE).read_bytes()),
        queries_path=prepared.suite.path,
        queries=prepared.queries,
        runs=run.runs,
        threshold=request.threshold,
        rounds=request.rounds,
        patience=request.patience,
        harness=run.harness,
        model=run.model,
        rewriter=request.rewriter,
        candidates=(Candidate(number=0, description=skill.description or ""),),
        notices=tuple(notices),
    )


def _asked(request: OptimiseRequest, skill: Skill, queries: Collection[PartedQuery]) -> Json:
    """All that another search would follow from. Ceilings may be raised, and tools looked after, on the way."""
    run = request.run
    return [
        [skill.name, skill.fingerprint],
        [each.model_dump(mode="json") for each in queries],
        [run.runs, run.seed, run.timeout_s, request.rounds, request.patience, request.threshold],
        [run.harness, run.model, run.base_url, list(run.harness_args), run.sandbox, run.network],
        [load_skill(place).fingerprint for place in run.beside],
        [request.rewriter, request.rewriter_url],
    ]


def _digest(facts: Json) -> str:
    return _bytes_digest(json.dumps(facts, sort_keys=True).encode())


def _bytes_digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


async def _open(request: OptimiseRequest, prepared: Prepared, stack: AsyncExitStack) -> LanguageModel:
    """The rewriting model; an agent program as one runs in the sandbox asked for, away from the queries."""
    if request.rewriter == wiring.EMBEDDED:
        hint = "Give --rewriter openai:NAME, anthropic:NAME, or a NAME with --rewriter-url."
        raise SpecError("the embedded model is too small to write descriptions.", where="--rewriter", hint=hint)
    env = request.run.env
    hidden = (Path(prepared.skill.folder), prepared.folder.parent)
    confinement = await to_thread.run_sync(
        lambda: wiring.open_sandbox(request.run.sandbox, env, hidden=hidden, base_url=request.rewriter_url)
    )
    opened = wiring.open_judge(request.rewriter, base_url=request.rewriter_url, env=env, confinement=confinement)
    return await stack.enter_async_context(opened)
