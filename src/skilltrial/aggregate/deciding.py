"""Whether the rounds that were run decide: what `run --until-decided` stops by.

A pair is the same case and repeat in both compared arms. It counts where both trials have a verdict on the same assertions, and is
won by the arm in which more of these hold (with one assertion: the arm that passes where the other fails). Trials that ended in
errors of tools, and trials without verdicts, make no pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, Entry
from skilltrial.records.benchmark import Finding
from skilltrial.records.budget import Decision, Stop
from skilltrial.records.grading import Verdict
from skilltrial.records.trial import TrialKey
from skilltrial.stats.group_sequential import Round, group_sequential

ALPHA = 0.05
_Result = Literal["win", "loss", "tie"]


def decide(census: Census, sides: Contest, *, n_rounds: int) -> Decision | None:
    """What the first `n_rounds` rounds decide, by the look at which they did so first; None: go on.

    All rounds are those of the plan. Where no pair counts nothing is decided: what has no verdict speaks neither for an effect nor
    against one.
    """
    if sides.treatment is None or sides.baseline is None:
        return None
    results = _results(census, sides.treatment.name, sides.baseline.name)
    rounds = [Counter(results.get((case, number)) for case in _cases(census)) for number in range(1, n_rounds + 1)]
    if not any(found["win"] + found["loss"] + found["tie"] for found in rounds):
        return None
    max_rounds = max(key.repeat for key in census.planned)
    test = group_sequential(
        [Round(found["win"], found["loss"]) for found in rounds], max_rounds=max_rounds, alpha=ALPHA
    )
    if test.verdict not in {"effect", "futile"}:
        return None
    seen = rounds[: len(test.looks)]
    return Decision(
        verdict="effect" if test.verdict == "effect" else "futile",
        round=len(seen),
        max_rounds=max_rounds,
        treatment=sides.treatment.name,
        baseline=sides.baseline.name,
        wins=sum(found["win"] for found in seen),
        losses=sum(found["loss"] for found in seen),
        ties=sum(found["tie"] for found in seen),
        alpha=ALPHA,
    )


def outdated(stop: Stop | None, census: Census, sides: Contest) -> Iterator[Finding]:
    """A warning where the verdicts that there are now would not have stopped the rounds."""
    decided = stop.decision if stop else None
    if decided is None:
        return
    now = decide(census, sides, n_rounds=decided.round)
    if now is None or (now.round, now.verdict) != (decided.round, decided.verdict):
        yield Finding(
            code="decision-outdated",
            severity="warning",
            message=f"The rounds were stopped after round {decided.round} ({decided.why}), but verdicts have changed since, "
            "and with these it is not so: run the same command again.",
        )


def _cases(census: Census) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key.case_id for key in census.planned))


def _results(census: Census, treatment: str, baseline: str) -> Mapping[tuple[str, int], _Result]:
    entry_of = {entry.key: entry for entry in census.entries}
    found: dict[tuple[str, int], _Result] = {}
    for key, entry in entry_of.items():
        other = entry_of.get(TrialKey(case_id=key.case_id, arm=baseline, repeat=key.repeat))
        result = _result(entry, other) if key.arm == treatment and other else None
        if result:
            found[key.case_id, key.repeat] = result
    return found


def _result(treatment: Entry, baseline: Entry) -> _Result | None:
    mine, other = _verdicts(treatment), _verdicts(baseline)
    both = mine.keys() & other.keys()
    if not both:
        return None
    net = sum((mine[id_] == "PASS") - (other[id_] == "PASS") for id_ in both)
    return "win" if net > 0 else "loss" if net < 0 else "tie"


def _verdicts(entry: Entry) -> Mapping[str, Verdict]:
    return {result.id: result.verdict for result in entry.grading.results if result.verdict != "UNGRADED"}
