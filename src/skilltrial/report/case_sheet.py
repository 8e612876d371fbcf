"""One case with everything that belongs to it, for the page: its row, its assertions in every arm, its runs with evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skilltrial.records.benchmark import AssertionRow, Benchmark, BenchmarkRun
from skilltrial.records.json_value import Json
from skilltrial.report import figures
from skilltrial.report.assertion_table import count_cell, weight_cell, word_cell
from skilltrial.report.charts import PairChart, pair_chart
from skilltrial.report.figures import Tone
from skilltrial.report.headline import arm_names
from skilltrial.report.plain_text import block, line, natural_key
from skilltrial.report.tables import Cell, case_table, cases_in_order

_EVIDENCE_OF_ALL = 500_000
_EVIDENCE_LEAST, _EVIDENCE_MOST = 40, 4_000
_TEXT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionLine:
    """An assertion by its number within the case, with how often it holds in every arm."""

    number: int
    text: str
    type: str
    arms: tuple[Cell, ...]
    weight: Cell
    word: Cell
    """Whether it tells the arms apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLine:
    """The verdict on one assertion in one run; `name` is the assertion's number."""

    verdict: str
    tone: Tone
    name: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSheet:
    """One run: a line of facts, and its verdicts."""

    arm: str
    number: int
    facts: str
    tone: Tone
    results: tuple[ResultLine, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSheet:
    """One case. `cells` is its row of the case table."""

    cells: tuple[Cell, ...]
    chart: PairChart | None
    assertions: tuple[AssertionLine, ...]
    runs: tuple[RunSheet, ...]


def case_sheets(benchmark: Benchmark) -> tuple[CaseSheet, ...]:
    """All cases in the order of the case table; long evidence is cut so that the page stays small."""
    names = arm_names(benchmark)
    assertions: dict[str, list[AssertionRow]] = defaultdict(list)
    for row in benchmark.assertions:
        assertions[str(row.eval_id)].append(row)
    runs: dict[str, list[BenchmarkRun]] = defaultdict(list)
    for run in benchmark.runs:
        runs[str(run.eval_id)].append(run)
    limit = _evidence_limit(benchmark)
    sheets: list[CaseSheet] = []
    for case, cells in zip(cases_in_order(benchmark), case_table(benchmark).rows, strict=True):
        mine = assertions[str(case.eval_id)]
        numbers = {row.assertion_id: str(number) for number, row in enumerate(mine, 1)}
        sheets.append(
            CaseSheet(
                cells=cells,
                chart=pair_chart(case, benchmark.lift) if benchmark.lift else None,
                assertions=tuple(_assertion(row, number, names) for number, row in enumerate(mine, 1)),
                runs=tuple(_run(run, numbers, limit) for run in _in_order(runs[str(case.eval_id)], names)),
            )
        )
    return tuple(sheets)


def _evidence_limit(benchmark: Benchmark) -> int:
    n_results = sum(len(run.expectations) + len(run.unanswered) for run in benchmark.runs)
    return min(max(_EVIDENCE_OF_ALL // max(n_results, 1), _EVIDENCE_LEAST), _EVIDENCE_MOST)


def _in_order(runs: Sequence[BenchmarkRun], names: Sequence[str]) -> list[BenchmarkRun]:
    places = {name: place for place, name in enumerate(names)}
    return sorted(
        runs,
        key=lambda run: (run.run_number, places.get(run.configuration, len(places)), natural_key(run.configuration)),
    )


def _assertion(row: AssertionRow, number: int, names: Sequence[str]) -> AssertionLine:
    return AssertionLine(
        number=number,
        text=line(row.text, _TEXT),
        type=line(row.type, 40),
        arms=tuple(count_cell(row, name) for name in names),
        weight=weight_cell(row),
        word=word_cell(row),
    )


def _run(run: BenchmarkRun, numbers: Mapping[str, str], limit: int) -> RunSheet:
    result = run.result
    facts = [
        f"{result.passed} of {result.total} hold" if result.total else "nothing graded",
        f"{run.ungraded} ungraded" if run.ungraded else "",
        "time unknown" if result.time_seconds is None else figures.seconds(result.time_seconds),
        "tokens unknown" if result.tokens is None else f"{figures.count(result.tokens)} tokens",
        "" if run.cost_usd is None else figures.dollars(run.cost_usd),
        _reached(run),
        "" if run.outcome == "completed" else run.outcome.replace("_", " "),
    ]
    results = [_result(one, numbers, limit) for one in (*run.expectations, *run.unanswered)]
    return RunSheet(
        arm=line(run.configuration, 40),
        number=run.run_number,
        facts=", ".join(fact for fact in facts if fact),
        tone="bad" if result.failed else "plain",
        results=tuple(sorted(results, key=lambda one: natural_key(one.name))),
        notes=tuple(line(note, _TEXT) for note in run.notes),
    )


def _reached(run: BenchmarkRun) -> str:
    if run.skill.reached is None:
        return ""
    return "skill reached the agent" if run.skill.reached else "skill not reached"


def _result(expectation: Mapping[str, Json], numbers: Mapping[str, str], limit: int) -> ResultLine:
    verdict, tone = _verdict(expectation)
    name = numbers.get(str(expectation.get("id"))) or line(str(expectation.get("text", "")), 80)
    return ResultLine(
        verdict=verdict, tone=tone, name=name, evidence=block(str(expectation.get("evidence", "")), limit)
    )


def _verdict(expectation: Mapping[str, Json]) -> tuple[str, Tone]:
    match expectation.get("verdict"), expectation.get("passed"):
        case ("PASS", _) | (None, True):
            return "PASS", "good"
        case ("FAIL", _) | (None, False):
            return "FAIL", "bad"
        case _:
            return "UNGRADED", "muted"
