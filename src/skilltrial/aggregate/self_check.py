"""Two arms that are the same -> how much noise there is, and whether it raised a false alarm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

from skilltrial.aggregate.findings import FEWEST_CASES
from skilltrial.records.benchmark import Benchmark, BenchmarkMetadata
from skilltrial.records.estimate import Lift
from skilltrial.records.grading import Grading
from skilltrial.records.self_check import Flips, SelfCheck
from skilltrial.stats.summary import summarise
from skilltrial.stats.wilson import wilson


def self_check(benchmark: Benchmark, gradings: Sequence[Grading], *, judge: Flips | None = None) -> SelfCheck:
    """The check, from a benchmark whose treatment and baseline are the same. ValueError without a comparison."""
    lift = benchmark.lift
    if lift is None:
        raise ValueError("a benchmark with one arm compares nothing")
    skill = next((arm.skill for arm in benchmark.metadata.arms if arm.name == lift.baseline), None)
    return SelfCheck(
        skill_name=benchmark.metadata.skill_name,
        what="no skill" if skill is None else skill.origin or skill.name,
        iteration=benchmark.iteration,
        plan_digest=benchmark.metadata.plan_digest,
        suite_digest=benchmark.metadata.suite_digest,
        harness=benchmark.metadata.harness.name,
        model=benchmark.metadata.executor_model,
        made=benchmark.timestamp,
        word=_word(lift),
        estimate=lift.estimate,
        low=lift.low,
        high=lift.high,
        level=lift.level,
        p_value=lift.p_value,
        n_cases=lift.n_cases,
        repeats_min=lift.repeats_min,
        repeats_max=lift.repeats_max,
        noise=summarise(row.difference for row in benchmark.cases if row.difference is not None).sd,
        visible=lift.visible,
        repeats=between_repeats(gradings),
        judge=judge,
        judge_name=benchmark.metadata.analyzer_model,
        n_excluded=len(benchmark.excluded),
    )


def cited(check: SelfCheck | None, about: BenchmarkMetadata) -> Iterator[str]:
    """A note on the noise, where the check was made with these cases, this agent program, this model and this judge."""
    if check is None or check.estimate is None or check.low is None or check.high is None:
        return
    here = (about.suite_digest, about.harness.name, about.executor_model, about.analyzer_model)
    if here != (check.suite_digest, check.harness, check.model, check.judge_name):
        return
    seen = (
        f"The baseline against itself (`skilltrial aa`) differed by {round(check.estimate * 100):+d} points "
        f"({round(check.low * 100):+d} to {round(check.high * 100):+d}; {check.n_cases} cases)"
    )
    yield f"{seen}: {'a false alarm' if check.word == 'false alarm' else 'so much is noise'}."


def between_repeats(gradings: Sequence[Grading]) -> Flips:
    """Every two runs of a case in an arm, assertion by assertion, where both have a verdict."""
    verdicts: Mapping[tuple[str, str, str], list[str]] = defaultdict(list)
    for grading in gradings:
        for result in grading.results:
            if result.verdict != "UNGRADED":
                verdicts[grading.key.case_id, grading.key.arm, result.id].append(result.verdict)
    pairs = [one != other for found in verdicts.values() for one, other in combinations(found, 2)]
    return flips(len(pairs), sum(pairs))


def flips(n: int, flipped: int) -> Flips:
    """With the interval of the share."""
    interval = wilson(flipped, n) if n else None
    return Flips(n=n, flipped=flipped, low=interval.low if interval else None, high=interval.high if interval else None)


def _word(lift: Lift) -> Literal["no alarm", "false alarm", "cannot tell"]:
    """With so few cases that no interval could leave 0 out, the absence of an alarm says nothing."""
    n_cases = lift.n_cases if lift.n_clusters is None else lift.n_clusters
    if lift.low is None or lift.high is None or n_cases < FEWEST_CASES:
        return "cannot tell"
    return "no alarm" if lift.low <= 0 <= lift.high else "false alarm"
