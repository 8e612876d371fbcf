"""Trials of queries -> what came of each query, and of all."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from skilltrial.records.plan import Plan
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.records.trigger_results import Listing, QueryResult, Share, TriggerArm, TriggerResults, TriggerWord
from skilltrial.report.figures import plural
from skilltrial.stats.wilson import wilson
from skilltrial.trigger.confusion import confusion_of
from skilltrial.trigger.figures import trigger_figures
from skilltrial.trigger.outcome import MOST_ERRORS, NOT_RUN, Seen, counts_as_loaded
from skilltrial.trigger.queries import CALLED, IDLE, is_canary


def trigger_results(
    plan: Plan,
    trials: Sequence[Trial],
    *,
    iteration: int,
    threshold: float,
    descriptions: Mapping[str, str],
    seen: Mapping[TrialKey, Seen],
    now: str,
) -> TriggerResults:
    """Count. `descriptions` are by arm, `seen` is by trial."""
    by_arm: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_arm[trial.key.arm].append(trial)
    arms = tuple(
        _arm(plan, arm.name, by_arm[arm.name], threshold=threshold, description=descriptions[arm.name], seen=seen)
        for arm in plan.arms
    )
    word, why = _word(arms, threshold)
    return TriggerResults(
        skill_name=plan.skill.name,
        iteration=iteration,
        created_at=now,
        plan_digest=plan.digest,
        queries_path=plan.suite.path,
        runs=plan.runs,
        threshold=threshold,
        siblings=tuple(sorted({ref.name for arm in plan.arms for ref in arm.beside})),
        arms=arms,
        notices=tuple(dict.fromkeys([*plan.notices, *(notice for arm in arms for notice in _notices(arm))])),
        word=word,
        why=why,
    )


def _arm(
    plan: Plan,
    name: str,
    trials: Sequence[Trial],
    *,
    threshold: float,
    description: str,
    seen: Mapping[TrialKey, Seen],
) -> TriggerArm:
    by_case: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_case[trial.key.case_id].append(trial)
    planned = Counter(each.key.case_id for each in plan.trials if each.key.arm == name)
    queries = tuple(
        _query(case, by_case[case.id], planned[case.id], threshold=threshold, seen=seen) for case in plan.suite.cases
    )
    ref = plan.arm(name).skill
    evidence = [trial.evidence for trial in trials]
    return TriggerArm(
        name=name,
        description=description,
        skill_fingerprint=ref.fingerprint if ref else "",
        harness=next((trial.harness for trial in trials), None),
        queries=queries,
        figures=trigger_figures(queries),
        confusion=confusion_of(plan, name, by_case, seen) if plan.arm(name).beside else (),
        n_listed=sum(each.offered is True for each in evidence),
        n_listing_told=sum(each.offered is not None for each in evidence),
        n_described=sum(each.described is True for each in evidence),
        n_described_told=sum(each.described is not None for each in evidence),
        listing=_listing([seen[trial.key] for trial in trials if trial.key in seen]),
        cost_usd=_total(attempt.cost_usd for trial in trials for attempt in trial.attempts),
        n_cost_untold=sum(attempt.cost_usd is None for trial in trials for attempt in trial.attempts),
        tokens=_total(trial.usage.total_tokens for trial in trials),
    )


def _query(
    case: Case, trials: Sequence[Trial], n_planned: int, *, threshold: float, seen: Mapping[TrialKey, Seen]
) -> QueryResult:
    loaded = [counts_as_loaded(trial) for trial in trials]
    n_loaded, n_not = loaded.count(True), loaded.count(False)
    errors = Counter(_reason(trial) for trial, each in zip(trials, loaded, strict=True) if each is None)
    missing = n_planned - len(trials)
    if missing > 0:
        errors[NOT_RUN] += missing
    return QueryResult(
        id=case.id,
        query=case.prompt,
        should_trigger=case.skill_should_trigger,
        kind="canary" if is_canary(case) else "query",
        n_planned=n_planned,
        n_loaded=n_loaded,
        n_not_loaded=n_not,
        n_attempted=sum(trial.evidence.attempted is True for trial in trials),
        n_read=sum(trial.evidence.read is True and not trial.evidence.loaded for trial in trials),
        errors=dict(sorted(errors.items())),
        others=_counted(name for trial in trials for name in seen.get(trial.key, Seen()).taken),
        rate=_rate(n_loaded, n_loaded + n_not),
        passes=_passes(n_loaded, n_not, threshold=threshold, should=case.skill_should_trigger),
    )


def _listing(seen: Sequence[Seen]) -> Listing:
    lengths = [each.listing_chars for each in seen if each.listing_chars is not None]
    return Listing(
        n_told=len(lengths),
        chars=max(lengths, default=None),
        n_skills=max((each.n_skills for each in seen if each.n_skills is not None), default=None),
        undescribed=_counted(name for each in seen for name in each.undescribed),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _rate(n_loaded: int, n: int) -> Share:
    if n == 0:
        return Share(estimate=None, n=0)
    interval = wilson(n_loaded, n)
    return Share(estimate=n_loaded / n, low=interval.low, high=interval.high, n=n)


def _passes(n_loaded: int, n_not: int, *, threshold: float, should: bool) -> bool | None:
    if n_loaded + n_not == 0:
        return None
    return (n_loaded / (n_loaded + n_not) >= threshold) is should


def _reason(trial: Trial) -> str:
    return trial.reason.code if trial.reason else "the agent program does not tell"


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def _word(arms: Sequence[TriggerArm], threshold: float) -> tuple[TriggerWord, str]:
    asked = [each for arm in arms for each in arm.queries if each.kind == "query"]
    n_runs = sum(each.n_planned for each in asked)
    n_errors = sum(each.n_errors for each in asked)
    queries = plural(len(asked), "query", "queries")
    if n_runs and n_errors / n_runs > MOST_ERRORS:
        return "cannot tell", f"without a result: {n_errors} of {plural(n_runs, 'run')}."
    undecided = [each for each in asked if each.passes is None]
    failed = [each for each in asked if each.passes is False]
    if failed:
        return "some fail", f"on the wrong side of {threshold:g}: {len(failed)} of {queries}."
    if undecided or not asked:
        return "cannot tell", f"without a result: {len(undecided)} of {queries}."
    return "all pass", f"on the right side of {threshold:g}: {len(asked)} of {queries}."


def _notices(arm: TriggerArm) -> list[str]:
    found: list[str] = []
    by_id = {each.id: each for each in arm.queries}
    called, idle = by_id.get(CALLED), by_id.get(IDLE)
    if called and called.passes is False:
        found.append(
            f"{arm.name}: asked for by its name, the skill was loaded in {_of(called)}: the set-up is in doubt."
        )
    if idle and idle.passes is False:
        found.append(f"{arm.name}: for a query that needs no skill it was loaded in {_of(idle)}: it is always loaded.")
    wanted = {each.should_trigger for each in arm.queries if each.kind == "query"}
    if len(wanted) == 1:
        missing = "none that should not" if wanted == {True} else "none that should"
        found.append(f"{arm.name}: there is {missing} load the skill, so precision and F1 are unknown.")
    decided = [each for each in arm.queries if each.kind == "query" and each.rate.estimate is not None]
    rates = {each.rate.estimate for each in decided}
    if len(rates) == 1 and len({each.should_trigger for each in decided}) > 1 and rates <= {0.0, 1.0}:
        what = "loaded in every run" if rates == {1.0} else "never loaded"
        found.append(f"{arm.name}: the skill was {what}, whatever the query: see whether anything is measured at all.")
    if cut := arm.n_described_told - arm.n_described:
        of = plural(arm.n_described_told, "run")
        found.append(f"{arm.name}: in {cut} of {of} the agent's listing had the description cut or not at all.")
    return found


def _of(query: QueryResult) -> str:
    return f"{query.n_loaded} of {plural(query.n_loaded + query.n_not_loaded, 'run')}"
