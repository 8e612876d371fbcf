"""All cases of an iteration, a row each: small, since there may be thousands."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark, CaseRow
from skilltrial.records.journal import ForeignRun
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.suite import Case
from skilltrial.report.plain_text import natural_key
from skilltrial.review.numbers import benchmark_of, figures_now
from skilltrial.review.plans import plan_of
from skilltrial.review.said import said_of
from skilltrial.review.subject import Query, Subject

_LINE = 160
_SEARCHED = 600
"""Characters of prompt and assertions that the search of the page looks at."""
_STRANGERS = 50
NOTHING_SAID: Mapping[str, object] = {"reviewed": 0, "comments": 0, "ratings": []}


def cases(subject: Subject, query: Query) -> object:
    """In natural order; with `wait=1` only once the figures are those of the files."""
    iteration = query.iteration(subject)
    plan = plan_of(subject, iteration)
    if query.number("wait", 0):
        benchmark, fresh = benchmark_of(subject, iteration), True
    else:
        benchmark, fresh, _ = figures_now(subject, iteration)
    rows = _rows_by_case(plan, benchmark)
    rates = _rates(benchmark)
    lost = benchmark.excluded if benchmark else ()
    counts = {
        "planned": Counter((trial.key.case_id, trial.key.arm) for trial in plan.trials),
        "lost": Counter((entry.key.case_id, entry.key.arm) for entry in lost),
    }
    arms = [arm.name for arm in ordered(plan)]
    said = said_by_case(subject, iteration)
    return {
        "iteration": iteration,
        "fresh": fresh,
        "arms": [{"name": arm.name, "role": arm.role} for arm in ordered(plan)],
        "cases": [
            {
                **_about(case),
                **_figures(rows.get(case.id)),
                **said.get(case.id, NOTHING_SAID),
                "arms": [_arm(case, arm, rows.get(case.id), rates, counts) for arm in arms],
            }
            for case in in_natural_order(plan)
        ],
        "strangers": _strangers(subject, plan, iteration),
    }


def ordered(plan: Plan) -> list[Arm]:
    """The arms, baselines first, as they stand on the page from left to right."""
    return sorted(plan.arms, key=lambda arm: arm.role != "baseline")


def in_natural_order(plan: Plan) -> list[Case]:
    """`eval 2` before `eval 10`, by what people call the cases."""
    return sorted(plan.suite.cases, key=lambda case: (natural_key(_title(case)), natural_key(case.id)))


def _title(case: Case) -> str:
    return case.name or case.id


def _about(case: Case) -> dict[str, object]:
    searched = "\n".join((case.prompt[:_SEARCHED], *(each.text for each in case.assertions)))
    return {
        "id": case.id,
        "title": _title(case),
        "line": next((line for line in case.prompt[:2000].splitlines() if line.strip()), "")[:_LINE],
        "searched": searched[: 2 * _SEARCHED],
        "family": case.family,
        "assertions": len(case.assertions),
    }


def _rows_by_case(plan: Plan, benchmark: Benchmark | None) -> Mapping[str, CaseRow]:
    """Figures know cases by the ids that their authors wrote."""
    if benchmark is None:
        return {}
    ids = {_written(case): case.id for case in plan.suite.cases}
    return {ids[row.eval_id]: row for row in benchmark.cases if row.eval_id in ids}


def _written(case: Case) -> str | int:
    return case.id if case.written_id is None else case.written_id


def _rates(benchmark: Benchmark | None) -> Mapping[tuple[str, str | int], float | None]:
    if benchmark is None:
        return {}
    return {(name, each.eval_id): each.pass_rate for name, config in benchmark.configs.items() for each in config.evals}


def _figures(row: CaseRow | None) -> dict[str, object]:
    return {
        "difference": row.difference if row else None,
        "word": row.word if row else None,
        "harm": row.harm if row else None,
        "ungraded": row.ungraded if row else None,
    }


def _arm(
    case: Case,
    arm: str,
    row: CaseRow | None,
    rates: Mapping[tuple[str, str | int], float | None],
    counts: Mapping[str, Counter[tuple[str, str]]],
) -> object:
    """Share of assertions that hold; trials in which nothing failed, of those graded, of those planned; and those in no rate."""
    passes = row.passes.get(arm) if row else None
    return {
        "rate": rates.get((arm, _written(case))),
        "passed": passes.passed if passes else 0,
        "graded": passes.graded if passes else 0,
        "planned": counts["planned"][case.id, arm],
        "lost": counts["lost"][case.id, arm],
    }


def said_by_case(subject: Subject, iteration: int) -> Mapping[str, Mapping[str, object]]:
    """By case: things that the one who looks has reviewed, comments of everybody, and ratings."""
    reviewed, comments = Counter[str](), Counter[str]()
    ratings: defaultdict[str, set[str]] = defaultdict(set)
    for about, opinions in said_of(subject, iteration).opinions.items():
        if isinstance(about, ForeignRun):
            continue
        case = about.case_id
        reviewed[case] += subject.by in opinions
        comments[case] += sum(len(own.comments) for own in opinions.values())
        ratings[case].update(own.rating.rating for own in opinions.values() if own.rating and own.rating.rating)
    return {
        case: {"reviewed": reviewed[case], "comments": comments[case], "ratings": sorted(ratings[case])}
        for case in (*reviewed, *ratings)
    }


def _strangers(subject: Subject, plan: Plan, iteration: int) -> list[str]:
    """Folders of cases that the plan does not know."""
    known = {layout.case_dir(iteration, case.id) for case in plan.suite.cases}
    found = {
        path.rpartition("/")[0]
        for path in subject.store.find(f"{layout.iteration_dir(iteration)}/eval-*/eval_metadata.json")
    }
    return sorted((path.partition("/")[2] for path in found - known), key=natural_key)[:_STRANGERS]
