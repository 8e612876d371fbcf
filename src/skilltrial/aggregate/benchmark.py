"""Plan, trials and gradings -> `Benchmark`."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.aggregate.arms import contest, contests
from skilltrial.aggregate.calibration import calibrate
from skilltrial.aggregate.census import take_census
from skilltrial.aggregate.deciding import outdated
from skilltrial.aggregate.findings import find
from skilltrial.aggregate.lift import measure_lift, measure_lifts
from skilltrial.aggregate.notes import MOST, notes
from skilltrial.aggregate.pilot import pilot
from skilltrial.aggregate.ratios import ratios
from skilltrial.aggregate.reliability import reliability, trial_passes
from skilltrial.aggregate.scores import case_scores
from skilltrial.aggregate.self_check import cited
from skilltrial.aggregate.skill_builder import comparison, configs
from skilltrial.aggregate.skill_creator import benchmark_run, metadata, run_summary
from skilltrial.aggregate.tables import assertion_rows, case_rows, ungraded_table, verdict_counts
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.budget import Stop
from skilltrial.records.grading import Grading
from skilltrial.records.journal import PersonVerdict
from skilltrial.records.plan import Plan
from skilltrial.records.self_check import SelfCheck
from skilltrial.records.trial import Trial


def aggregate(
    plan: Plan,
    iteration: int,
    trials: Sequence[Trial],
    gradings: Sequence[Grading],
    *,
    now: str,
    margin: float = 0.10,
    stop: Stop | None = None,
    said: Sequence[PersonVerdict] = (),
    noise: SelfCheck | None = None,
) -> Benchmark:
    """Everything that the trials so far say, in one record.

    Every planned trial is in `runs` or in `excluded`, exactly once. Only PASS and FAIL enter a rate. `margin` is the
    difference of rates that would not matter. `now` is ISO 8601. The order of `trials` and `gradings` does not matter.
    `stop` is the ceiling or the decision that the rest of the plan was not run for; `said` is what people said of trials,
    in any iteration; `noise` what the baseline against itself came to, which is cited where it fits.
    Raises StoreError where two records claim the same trial.
    """
    sides = contest(plan)
    census = take_census(plan, trials, gradings, stop=stop)
    stop = stop if any(item.outcome == "not_run" for item in census.excluded) else None
    scores = case_scores(plan, census, sides)
    findings = (*find(plan, census, sides, scores=scores), *outdated(stop, census, sides))
    lift = measure_lift(sides, scores, findings=findings, margin=margin, seed=plan.seed)
    assertions = assertion_rows(plan, census, sides)
    summaries = configs(plan, census)
    about = metadata(plan, census, gradings, now=now)
    noted = tuple(cited(noise, about))
    passes = trial_passes(census)
    lifts = measure_lifts(plan, census, lift)
    return Benchmark(
        metadata=about,
        runs=tuple(benchmark_run(entry, entry.score) for entry in census.counted if entry.score is not None),
        run_summary=run_summary(census, sides),
        notes=(
            *notes(census, sides, scores=scores, assertions=assertions, summaries=summaries, lifts=lifts)[
                : MOST - len(noted)
            ],
            *noted,
        ),
        iteration=iteration,
        timestamp=now,
        configs=summaries,
        comparison=comparison(summaries, assertions, sides=sides, lift=lift),
        lift=lifts[0] if lifts else None,
        lifts=lifts,
        reliability=reliability(census, passes),
        ratios=ratios(census, contests(plan)),
        cases=case_rows(scores, census, passes),
        assertions=assertions,
        findings=findings,
        excluded=census.excluded,
        ungraded=ungraded_table(census.entries),
        notices=plan.notices,
        stop=stop,
        verdict_counts=verdict_counts(census.entries),
        calibration=calibrate(census, sides, scores=scores, lift=lift, said=said, iteration=iteration, seed=plan.seed),
        pilot=pilot(scores) if lift is not None else None,
    )
