"""`skilltrial history add`: a version that a person wrote goes through the same trial, and into the history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.execute.watcher import Watcher
from skilltrial.improve.patch import patch_of
from skilltrial.operations.history_keeping import (
    HistoryRow,
    current_best,
    history_document,
    known_versions,
    write_history,
)
from skilltrial.operations.improving import workspace_of
from skilltrial.operations.trend import read_history
from skilltrial.operations.version_shelf import VersionShelf, files_of
from skilltrial.pipeline import run
from skilltrial.ports import Store
from skilltrial.preparing.lineup import NEW, OLD
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.budget import Forecast
from skilltrial.records.estimate import Lift
from skilltrial.records.improvement import VersionResult
from skilltrial.records.skill import Skill
from skilltrial.report.figures import plural, signed_points
from skilltrial.request import RunRequest
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import find_evals


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """A version that is to be tried, and what it is compared with. Both are kept in the workspace."""

    name: str
    incumbent: str
    request: RunRequest
    """Of its trial: all cases, both versions."""
    skill_name: str
    workspace: Path
    fingerprint: str
    incumbent_fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What the trial came to."""

    addition: Addition
    benchmark: Benchmark
    report: Path
    result: VersionResult | None
    """None where the trial is not complete: there is no row in the history then."""
    at_ceiling: bool

    @property
    def sentence(self) -> str:
        """With the figures."""
        name, old, lift = self.addition.name, self.addition.incumbent, self.benchmark.lift
        if self.result is None or lift is None:
            return f"{name} is not tried to its end. The same command goes on from there."
        word = {"won": "is better than", "lost": "is worse than"}.get(self.result, "cannot be told from")
        span = f" ({signed_points(lift.low)} to {signed_points(lift.high)})" if lift.low is not None else ""
        best = name if self.result == "won" else old
        return (
            f"{name} {word} {old}: {signed_points(lift.estimate)} points{span} on {plural(lift.n_cases, 'case')}. "
            f"The best is {best}. Whoever wrote {name} may have known these cases."
        )


def prepare_addition(version: Path, asked: RunRequest) -> Addition:
    """Keep both versions in the workspace. `asked.skill` is the skill that `version` is one of, and may be the same folder.

    Raises `SpecError` where there is nothing to compare with, or where it is the best version already.
    """
    new, home = load_skill(version), load_skill(asked.skill)
    if new.name != home.name:
        raise SpecError(f"this skill is called {new.name!r}, not {home.name!r}.", where=new.folder)
    evals = find_evals(home, asked.evals)
    workspace = workspace_of(home, asked.workspace)
    store = wiring.open_store(workspace, write=True)
    try:
        history_document(store)  # what could not be written at the end is said before anything is spent
        shelf = VersionShelf(store=store, folder_name=Path(home.folder).name)
        known = known_versions(store)
        incumbent, old = _incumbent(store, shelf, new, home)
        name = next((each for each, of in known.items() if of == new.fingerprint and shelf.is_kept(each, of)), None)
        # What is compared with has a name too, also where no record knows it yet.
        name = name or shelf.free_name(new.fingerprint, known=[incumbent])
        shelf.keep(name, new)
        store.write(f"{layout.VERSIONS}/{name}.patch", patch_of(files_of(old), files_of(new)).encode("utf-8"))
        request = replace(
            asked,
            skill=shelf.folder(name),
            baseline=str(shelf.folder(incumbent)),
            evals=evals,
            workspace=workspace,
        )
    finally:
        store.close()
    return Addition(
        name=name,
        incumbent=incumbent,
        request=request,
        skill_name=home.name,
        workspace=workspace,
        fingerprint=new.fingerprint,
        incumbent_fingerprint=old.fingerprint,
    )


async def try_addition(
    addition: Addition, *, watcher: Watcher | None = None, agree: Callable[[Forecast], Awaitable[None]] | None = None
) -> Added:
    """Run all cases with both, and write the row where the trial is complete. Raises what `pipeline.run` raises."""
    done = await run(addition.request, watcher=watcher, agree=agree)
    benchmark, lift = done.benchmark, done.benchmark.lift
    if not done.complete or done.stopped or lift is None:
        return Added(addition=addition, benchmark=benchmark, report=done.report, result=None, at_ceiling=done.stopped)
    in_doubt = any(each.severity == "invalid" for each in benchmark.findings)
    result: VersionResult = "tie" if in_doubt else _result(lift)
    store = wiring.open_store(addition.workspace, write=True)
    try:
        _write(store, addition, benchmark, result, done.iteration)
    finally:
        store.close()
    return Added(addition=addition, benchmark=benchmark, report=done.report, result=result, at_ceiling=False)


def _incumbent(store: Store, shelf: VersionShelf, new: Skill, home: Skill) -> tuple[str, Skill]:
    """The best version of the history as it was kept; else the skill itself, which is `v0` then."""
    best, known = current_best(store), known_versions(store)
    if best is not None and shelf.is_kept(best, known.get(best)):
        name, old = best, load_skill(shelf.folder(best))
    elif new.fingerprint != home.fingerprint:
        kept = (each for each, of in known.items() if of == home.fingerprint and shelf.is_kept(each, of))
        name, old = next(kept, None) or shelf.free_name(home.fingerprint), home
        shelf.keep(name, home)
    else:
        hint = "Give the folder of the new version, and the skill as it was with --skill."
        raise SpecError("there is no other version to compare with.", where=new.folder, hint=hint)
    if old.fingerprint == new.fingerprint:
        raise SpecError(f"this is {name}, the best version so far; nothing differs.", where=new.folder)
    return name, old


def _result(lift: Lift) -> VersionResult:
    """The same rule as on hold-out: the whole interval on one side of zero."""
    if lift.low is not None and lift.low > 0:
        return "won"
    return "lost" if lift.high is not None and lift.high < 0 else "tie"


def _write(store: Store, addition: Addition, benchmark: Benchmark, result: VersionResult, iteration: int) -> None:
    history, _ = read_history(store)
    had = {each.version for each in history.iterations} if history else set[str]()
    lift = benchmark.lift
    figures = {} if lift is None else {"estimate": lift.estimate, "low": lift.low, "high": lift.high}
    rows: list[HistoryRow] = []
    if addition.incumbent not in had:
        rows.append(
            HistoryRow(
                version=addition.incumbent,
                parent=None,
                rate=benchmark.configs[OLD].overall_pass_rate,
                result="baseline",
                fingerprint=addition.incumbent_fingerprint,
                iteration=iteration,
                more={"origin": "own", "rate_of": "all"},
            )
        )
    rows.append(
        HistoryRow(
            version=addition.name,
            parent=addition.incumbent,
            rate=benchmark.configs[NEW].overall_pass_rate,
            result=result,
            fingerprint=addition.fingerprint,
            iteration=iteration,
            more={"origin": "hand", "rate_of": "all", "all": {"incumbent": addition.incumbent, **figures}},
        )
    )
    write_history(
        store,
        skill_name=addition.skill_name,
        started_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        rows=rows,
        best=addition.name if result == "won" else addition.incumbent,
    )
