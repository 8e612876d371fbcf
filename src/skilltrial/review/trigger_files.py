"""Results of trigger trials in one form: ours, and those that skill-creator's `run_eval` and `run_loop` write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from skilltrial.records.json_value import Json, is_object, real
from skilltrial.records.trigger_results import Listing, QueryResult, Share, TriggerArm, TriggerResults
from skilltrial.review.comparison_files import objects, text, whole
from skilltrial.stats.wilson import wilson

CHOSEN_BY_TEST = "The description was chosen by its result on the test queries, so that result is too good to be true."


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """What came of one query. None is unknown, as everywhere here."""

    query: str
    should_trigger: bool
    runs: int | None
    """Those that tell: without errors."""
    triggers: int | None
    rate: Share | None
    passes: bool | None
    split: str | None = None
    attempted: int | None = None
    read: int | None = None
    errors: Mapping[str, int] | None = None
    others: Mapping[str, int] = field(default_factory=dict[str, int])
    """Other skills that were taken, by name: in how many runs."""
    is_canary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One description of a search for a better one."""

    version: str
    description: str
    train: tuple[int | None, int | None] = (None, None)
    """Queries passed, of how many."""
    test: tuple[int | None, int | None] = (None, None)
    is_best: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSheet:
    """One description under one agent, or one search for a description."""

    name: str = ""
    """The arm, where the file has several."""
    skill: str | None = None
    description: str | None = None
    agent: str | None = None
    created_at: str | None = None
    threshold: float | None = None
    siblings: tuple[str, ...] = ()
    rows: tuple[QueryRow, ...]
    recall: Share | None = None
    precision: Share | None = None
    f1: Share | None = None
    unit: str = "queries, each triggered or not by its verdict"
    """What the three are over."""
    listed: tuple[int, int] | None = None
    """Runs whose listing had the skill, of those that tell."""
    described: tuple[int, int] | None = None
    """Runs whose listing had its whole description, of those that tell."""
    listing: str = ""
    """How long the agent's listing was, and what it dropped; empty where that is not seen."""
    said: str = ""
    notices: tuple[str, ...] = ()
    ended: str | None = None
    tried: tuple[Tried, ...] = ()


def sheets_of(value: Json) -> list[TriggerSheet]:
    """The results in a file; none for a file of anything else."""
    if not is_object(value):
        return []
    if "arms" in value and "plan_digest" in value:
        try:
            ours = TriggerResults.model_validate(value)
        except ValidationError:
            return []
        return [_own(arm, ours) for arm in ours.arms]
    if "best_description" in value or ("exit_reason" in value and "history" in value):
        return [_of_loop(value)]
    rows = _rows(value.get("results"))
    if not rows:
        return []
    skill, description = text(value.get("skill_name")) or None, text(value.get("description")) or None
    return [_over_queries(TriggerSheet(skill=skill, description=description, rows=rows))]


def _own(arm: TriggerArm, whole: TriggerResults) -> TriggerSheet:
    agent = arm.harness
    named = [agent.name, agent.version, agent.model_served or agent.model_asked] if agent else []
    return TriggerSheet(
        name=arm.name,
        skill=whole.skill_name,
        description=arm.description,
        agent=" ".join(part for part in named if part) or None,
        created_at=whole.created_at,
        threshold=whole.threshold,
        siblings=whole.siblings,
        rows=tuple(_own_row(each) for each in arm.queries),
        recall=arm.figures.recall,
        precision=arm.figures.precision,
        f1=arm.figures.f1,
        unit="runs, each query weighing the same",
        listed=(arm.n_listed, arm.n_listing_told),
        described=(arm.n_described, arm.n_described_told),
        listing=_listing(arm.listing),
        said=whole.why,
        notices=whole.notices,
    )


def _listing(listing: Listing) -> str:
    if listing.chars is None:
        return ""
    dropped = ", ".join(listing.undescribed)
    return f"{listing.chars:,} characters" + (f"; cut or left out in it: {dropped}" if dropped else "")


def _own_row(query: QueryResult) -> QueryRow:
    return QueryRow(
        query=query.query,
        should_trigger=query.should_trigger,
        runs=query.n_loaded + query.n_not_loaded,
        triggers=query.n_loaded,
        rate=query.rate,
        passes=query.passes,
        attempted=query.n_attempted,
        read=query.n_read,
        errors=query.errors,
        others=query.others,
        is_canary=query.kind == "canary",
    )


def _of_loop(value: Mapping[str, Json]) -> TriggerSheet:
    """`run_loop`'s: the rows are those of the best description, and all that were tried are told."""
    history = objects(value.get("history"))
    best = text(value.get("best_description"))
    chosen = next((each for each in history if best and text(each.get("description")) == best), None)
    chosen = chosen or (history[-1] if history else {})
    train, test = _rows(chosen.get("train_results"), "train"), _rows(chosen.get("test_results"), "test")
    sheet = TriggerSheet(
        skill=text(value.get("skill_name")) or None,
        description=best or text(chosen.get("description")) or None,
        rows=(*train, *test) or _rows(chosen.get("results")),
        notices=(CHOSEN_BY_TEST,) if test else (),
        ended=text(value.get("exit_reason")) or None,
        tried=tuple(_tried(each, is_best=each is chosen) for each in history),
    )
    return _over_queries(sheet)


def _tried(value: Mapping[str, Json], *, is_best: bool) -> Tried:
    train = [whole(value.get(name)) for name in ("train_passed", "train_total")]
    if train == [None, None]:
        train = [whole(value.get(name)) for name in ("passed", "total")]
    return Tried(
        version=str(value.get("iteration", "")),
        description=text(value.get("description")),
        train=(train[0], train[1]),
        test=(whole(value.get("test_passed")), whole(value.get("test_total"))),
        is_best=is_best,
    )


def _rows(value: Json, split: str | None = None) -> tuple[QueryRow, ...]:
    return tuple(
        _row(each, split)
        for each in objects(value)
        if isinstance(each.get("query"), str) and isinstance(each.get("should_trigger"), bool)
    )


def _row(value: Mapping[str, Json], split: str | None) -> QueryRow:
    """The interval is ours. These files do not tell errors: a run that failed counts there as one that did not trigger."""
    runs, triggers, passes = whole(value.get("runs")), whole(value.get("triggers")), value.get("pass")
    rate = real(value.get("trigger_rate"))
    share = None if rate is None else Share(estimate=rate, n=runs or 0)
    if runs and triggers is not None and triggers <= runs:
        share = _share(triggers, runs)
    return QueryRow(
        query=text(value["query"]),
        should_trigger=bool(value["should_trigger"]),
        runs=runs,
        triggers=triggers,
        rate=share,
        passes=passes if isinstance(passes, bool) else None,
        split=split,
    )


def _share(n: int, of: int) -> Share:
    """Of nothing it is unknown."""
    if of == 0:
        return Share(estimate=None, n=0)
    interval = wilson(n, of)
    return Share(estimate=n / of, low=interval.low, high=interval.high, n=of)


def _over_queries(sheet: TriggerSheet) -> TriggerSheet:
    """With precision and recall over queries: one is taken or left by its `pass`."""
    known: Sequence[QueryRow] = [row for row in sheet.rows if row.passes is not None]
    taken = [row for row in known if row.passes is row.should_trigger]
    right, wanted = sum(row.should_trigger for row in taken), sum(row.should_trigger for row in known)
    n = wanted + len(taken)
    f1 = Share(estimate=2 * right / n if n else None, n=len(known))
    return replace(sheet, recall=_share(right, wanted), precision=_share(right, len(taken)), f1=f1)
