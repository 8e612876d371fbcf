"""Which skill was taken for which queries, where several lay there."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.records.trigger_results import Taken
from skilltrial.trigger.outcome import Seen, counts_as_loaded
from skilltrial.trigger.queries import expected_of, is_canary


def confusion_of(
    plan: Plan, arm: str, trials: Mapping[str, Sequence[Trial]], seen: Mapping[TrialKey, Seen]
) -> tuple[Taken, ...]:
    """A row for each skill that queries should load, the skill on trial first; `trials` are those of the arm, by case."""
    name = plan.skill.name
    there = {name, *(ref.name for ref in plan.arm(arm).beside)}
    rows: defaultdict[str | None, list[Trial]] = defaultdict(list)
    for case in plan.suite.cases:
        if not is_canary(case):
            expected = next((each for each in expected_of(case, name) if each in there), None)
            rows[expected] += trials.get(case.id, ())
    order = sorted(rows, key=lambda each: (each != name, each is None, each or ""))
    return tuple(_row(expected, rows[expected], name, seen) for expected in order)


def _row(expected: str | None, trials: Sequence[Trial], name: str, seen: Mapping[TrialKey, Seen]) -> Taken:
    loaded: Counter[str] = Counter()
    n_nothing = n_errors = 0
    for trial in trials:
        own = counts_as_loaded(trial)
        if own is None:
            n_errors += 1
            continue
        taken = [*([name] if own else ()), *seen.get(trial.key, Seen()).taken]
        loaded.update(taken)
        n_nothing += not taken
    order = sorted(loaded, key=lambda each: (each != name, -loaded[each], each))
    return Taken(
        expected=expected,
        n_runs=len(trials) - n_errors,
        loaded={each: loaded[each] for each in order},
        n_nothing=n_nothing,
        n_errors=n_errors,
    )
