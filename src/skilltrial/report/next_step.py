"""What to do after reading a report: one sentence."""

from __future__ import annotations

from typing import assert_never

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.budget import Stop
from skilltrial.records.estimate import Lift
from skilltrial.records.handover import NOT_ISOLATED
from skilltrial.records.self_check import SAME_ARMS
from skilltrial.report.figures import plural, size_in_points
from skilltrial.report.headline import is_invalid, paired
from skilltrial.stats.planner import Repeats, Spread, cases_needed, repeats_needed

_UNFINISHED = frozenset({"not_run", "cancelled", "harness_error"})
_FEWEST = 2
_MOST_RUNS = 20
"""More repeats of a case than these are no advice."""


def next_step(benchmark: Benchmark) -> str:
    """The step that helps most: a valid and whole trial comes before verdicts, verdicts before conclusions."""
    if benchmark.metadata.harness.discovery == "recorded":
        return "`skilltrial doctor` shows which agents could put a skill of your own on trial here."
    if NOT_ISOLATED in benchmark.notices:
        step = _handed_out(benchmark)
        if step:
            return step
    elif benchmark.metadata.harness.discovery == "unknown":
        return _imported(benchmark)
    obstacle = _unfinished(benchmark) or _unanswered(benchmark)
    if obstacle:
        return obstacle
    if benchmark.lift is None:
        return "run it with both arms, to see what the skill adds."
    return _nothing_differs(benchmark) or _after(benchmark, benchmark.lift)


def _handed_out(benchmark: Benchmark) -> str:
    """Somebody else runs these trials; no command of ours does."""
    if is_invalid(benchmark):
        return "mend what makes the comparison invalid (see the findings), then `skilltrial prepare` the tasks anew."
    missing = sum(entry.outcome in _UNFINISHED for entry in benchmark.excluded)
    if not missing:
        return ""
    have = "task has" if missing == 1 else "tasks have"
    return (
        f"{missing:,} {have} no result yet: `skilltrial collect` again when more has come back; `skilltrial prepare` "
        "hands out fresh copies."
    )


def _imported(benchmark: Benchmark) -> str:
    """No command of ours made these trials, so none can go on with them."""
    if is_invalid(benchmark) or benchmark.lift is None or benchmark.lift.estimate is None:
        return "`skilltrial run SKILL` runs the skill's cases anew, with the skill and without it."
    return _nothing_differs(benchmark) or _after(benchmark, benchmark.lift)


def _unfinished(benchmark: Benchmark) -> str:
    if is_invalid(benchmark):
        return "mend what makes the comparison invalid (see the findings), then run the same command again."
    if benchmark.stop is not None and benchmark.stop.ceiling is not None:
        return _beyond_the_ceiling(benchmark, benchmark.stop)
    unfinished = _UNFINISHED - {"not_run"} if benchmark.stop is not None else _UNFINISHED
    missing = sum(entry.outcome in unfinished for entry in benchmark.excluded)
    if missing and not benchmark.runs:
        return "see under 'Excluded' why no trial could be graded, then run the same command again."
    return f"run the same command again; {plural(missing, 'trial')} did not come to an end." if missing else ""


def _beyond_the_ceiling(benchmark: Benchmark, stop: Stop) -> str:
    left = plural(sum(entry.outcome == "not_run" for entry in benchmark.excluded), "trial")
    return f"raise or drop {stop.ceiling} and run the same command again; {left} of the plan are left."


def _unanswered(benchmark: Benchmark) -> str:
    prose = sum(sum(row.ungraded.values()) for row in benchmark.assertions if row.type == "llm_judge")
    if prose and benchmark.metadata.analyzer_model is None:
        return f"--judge MODEL grades the assertions in prose ({prose:,}); no agent runs again for that."
    return "" if benchmark.runs else "see under 'Not graded' and 'Excluded' why there is no verdict."


def _after(benchmark: Benchmark, lift: Lift) -> str:
    match lift.word:
        case "better":
            config = benchmark.configs.get(lift.treatment)
            if config and not any(case.fail_count for case in config.evals):
                return "no assertion fails with the skill; add harder cases."
            return "look at the assertions that still fail with the skill."
        case "worse":
            return "look at the cases that lost, and at what the skill made the agent do there."
        case "no difference beyond the margin":
            return "try harder cases, or ask whether the skill is worth its tokens."
        case "cannot tell":
            return (
                _settling(benchmark, lift) or "add cases first, then repeats (--runs): both make the interval narrower."
            )
        case _:
            assert_never(lift.word)


def _settling(benchmark: Benchmark, lift: Lift) -> str:
    """How many cases or repeats would probably show a lift of the measured size; empty where the trials do not tell."""
    pilot = benchmark.pilot
    here = lift.n_clusters or lift.n_cases
    if pilot is None or lift.estimate is None or here < _FEWEST or is_invalid(benchmark):
        return ""
    size = max(abs(lift.estimate), lift.margin)
    if size == 0:
        return ""
    spread = Spread(between=pilot.between, treatment=pilot.treatment, baseline=pilot.baseline)
    runs = Repeats(lift.repeats_max, lift.repeats_max)
    alpha = (1 - lift.level) / 2
    n_cases = cases_needed(size, repeats=runs, spread=spread, alpha=alpha)
    n_runs = repeats_needed(size, n_cases=here, spread=spread, alpha=alpha)
    if n_cases is None or n_cases <= here:
        return ""
    more = f"about {plural(n_cases, 'case')} like these instead of {here:,}"
    more += (
        f", or {plural(n_runs, 'run')} of each (--runs {n_runs}),"
        if n_runs is not None and n_runs <= _MOST_RUNS
        else ""
    )
    return (
        f"{more} would show a difference of {size_in_points(size)} four times in five; `skilltrial power` tells more."
    )


def _nothing_differs(benchmark: Benchmark) -> str:
    if SAME_ARMS in benchmark.notices:
        return "`skilltrial aa`, the same command again, says what this noise means."
    rates = {rate for row in paired(benchmark) for rate in (row.treatment, row.baseline)}
    if rates == {1}:
        return "add harder cases: where everything passes without the skill, no skill can show that it helps."
    if rates == {0}:
        return "look at the assertions: none holds in either arm, so they are too hard, or ask for the wrong thing."
    return ""
