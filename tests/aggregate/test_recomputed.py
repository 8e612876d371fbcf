"""Every figure of a benchmark recomputed from random trials with scipy and by enumeration, sharing no code with `stats`."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from statistics import fmean, geometric_mean, stdev
from typing import Any

import pytest
from scipy import stats

from skilltrial.aggregate.census import take_census
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.estimate import OverCases
from skilltrial.records.plan import Arm
from skilltrial.records.skill import SkillRef
from skilltrial.report import html
from skilltrial.report.trial_table import ASSERTION_COLUMNS, TRIAL_COLUMNS, as_csv, as_jsonl, assertion_rows, trial_rows

SEEDS = range(40)
MARGIN = 0.1
TREATMENT = Arm(
    name="with_skill", role="treatment", skill=SkillRef(name="tidy", folder="/skills/tidy", fingerprint="sha256:1")
)
BASELINE = Arm(name="without_skill", role="baseline")
OLD = Arm(name="old_skill", role="treatment", skill=SkillRef(name="tidy", folder="/skills/old", fingerprint="sha256:2"))
DEAD = {"harness_error", "cancelled"}
Pair = tuple[list[float], list[float]]


@pytest.fixture(scope="module")
def drawn(scene: Callable[..., Any]) -> Callable[[int], tuple[Any, Benchmark]]:
    """A random scene by its seed, with its benchmark."""

    @cache
    def draw(seed: int) -> tuple[Any, Benchmark]:
        made = _random_scene(scene, random.Random(seed), with_families=seed % 3 == 0, with_ungraded=seed % 2 == 1)
        return made, made.benchmark()

    return draw


def _random_scene(scene: Callable[..., Any], rng: random.Random, *, with_families: bool, with_ungraded: bool) -> Any:
    arms = (TREATMENT, BASELINE, OLD)[: rng.choice([2, 2, 3])]
    width, weights = rng.choice([1, 2, 5]), [5, 4, int(with_ungraded)]

    def cell() -> str:
        verdicts = "".join(rng.choices("PFU", weights, k=width))
        odd = {1: "-", 2: "?", 3: "harness_error", 4: "cancelled", 5: f"timed_out:{verdicts}"}
        return odd.get(rng.randrange(1, 40), verdicts)

    repeats = rng.choice([(1,), (2, 3), (0, 1, 2, 3)])
    table = {
        f"case {n}": {arm.name: [cell() for _ in range(rng.choice(repeats))] for arm in arms}
        for n in range(rng.choice([1, 2, 3, 5, 9]))
    }
    families = {case: rng.choice([None, "x", "y"]) if with_families else None for case in table}
    made = scene(table, arms=arms).with_cases(lambda case: {"family": families[case.id]})
    return made.with_trials(
        lambda _: {"duration_ms": rng.randrange(1, 90_000), "cost_usd": rng.choice([None, rng.uniform(0.01, 2)])}
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_lift_is_what_its_formula_says(seed: int, drawn: Callable[[int], tuple[Any, Benchmark]]) -> None:
    """The regularised paired interval, clusters, cases, the word; of the third arm too."""
    made, benchmark = drawn(seed)
    assert [lift.treatment for lift in benchmark.lifts] == [
        arm.name for arm in made.plan.arms if arm.name != BASELINE.name
    ]
    for lift in benchmark.lifts:
        pairs = _pairs(made, lift.treatment)
        means = _clusters({case: (fmean(new), fmean(old)) for case, (new, old) in pairs.items()}, made)
        estimate, low, high = _interval(means)
        assert (lift.n_cases, lift.n_clusters) == (len(pairs), len(means))
        _same([lift.estimate, lift.low, lift.high], [estimate, low, high])
        if not any(finding.severity == "invalid" for finding in benchmark.findings):
            assert lift.word == _word(low, high)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_p_is_the_share_of_relabellings(seed: int, drawn: Callable[[int], tuple[Any, Benchmark]]) -> None:
    """All relabellings counted in whole numbers: scores of 0 and 1 to 1e-9, others within four standard errors of the shuffles."""
    made, benchmark = drawn(seed)
    for lift in benchmark.lifts:
        pairs = list(_pairs(made, lift.treatment).values())
        if not pairs:
            assert lift.p_value is None
            continue
        share, found = _share_as_far(pairs), lift.p_value
        assert found is not None
        exact = all(score in (0, 1) for pair in pairs for score in pair[0] + pair[1])
        assert abs(found - share) < (1e-9 if exact else 4 * math.sqrt(share * (1 - share) / 9_999) + 2e-4)
    known = [lift.p_value for lift in benchmark.lifts if lift.p_value is not None]
    if len(benchmark.lifts) > 1 and known:
        adjusted = [lift.p_adjusted for lift in benchmark.lifts if lift.p_value is not None]
        assert adjusted == pytest.approx(list(stats.false_discovery_control(known)))


@pytest.mark.parametrize("seed", SEEDS)
def test_ratios_and_reliability_agree_with_scipy(seed: int, drawn: Callable[[int], tuple[Any, Benchmark]]) -> None:
    """Student's interval of log ratios; chances of k trials as hypergeometric; Wilson's rates. A family is one observation."""
    made, benchmark = drawn(seed)
    for ratio in benchmark.ratios:
        new, old = (_taken(made, benchmark, arm, ratio.measure) for arm in (ratio.treatment, ratio.baseline))
        logs = {case: math.log(new[case] / old[case]) for case in new if case in old}
        estimate, low, high, n = _student(logs, made)
        _same(
            [ratio.estimate, ratio.low, ratio.high], [None if x is None else math.exp(x) for x in (estimate, low, high)]
        )
        assert ratio.n_cases == n
    for arm, found in benchmark.reliability.items():
        counts = {case: (sum(passed), len(passed)) for case, passed in _whole_trials(made, arm).items()}
        k = min((n for _, n in counts.values()), default=0)
        if k < 2:
            assert (found.k, found.pass_at_k, found.pass_hat_k) == (None, None, None)
            continue
        assert found.k == k
        one = {case: 1 - stats.hypergeom.pmf(0, n, c, k) for case, (c, n) in counts.items()}
        whole = {case: stats.hypergeom.pmf(k, n, c, k) for case, (c, n) in counts.items()}
        _same_over_cases(found.pass_at_k, _student(one, made))
        _same_over_cases(found.pass_hat_k, _student(whole, made))
        for row in benchmark.cases:
            if rate := row.passes.get(arm):
                ends = stats.binomtest(*counts[str(row.eval_id)]).proportion_ci(method="wilson")
                assert (rate.passed, rate.graded) == counts[str(row.eval_id)]
                _same([rate.low, rate.high], [ends.low, ends.high])


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_of_trials_give_the_same_figures(seed: int, drawn: Callable[[int], tuple[Any, Benchmark]]) -> None:
    """Read back as CSV and as JSON lines: means of arms and cases, counts of verdicts, and who is in no rate."""
    made, benchmark = drawn(seed)
    census = take_census(made.plan, made.trials, made.gradings)
    rows = list(trial_rows(made.plan, 1, census))
    cells = list(csv.DictReader(io.StringIO(as_csv(TRIAL_COLUMNS, rows))))
    lines = [json.loads(each) for each in as_jsonl(TRIAL_COLUMNS, rows).splitlines()]
    assert len(cells) == len(lines) == len(made.plan.trials)
    for arm, summary in benchmark.run_summary.items():
        if isinstance(summary, Mapping):
            continue
        own = [(cell, each) for cell, each in zip(cells, lines, strict=True) if each["arm"] == arm]
        scores = [float(cell["score"]) for cell, _ in own if cell["score"]]
        assert scores == [each["score"] for _, each in own if each["score"] is not None]
        assert summary.pass_rate.n == summary.trials_graded == len(scores)
        _same([summary.pass_rate.mean], [fmean(scores) if scores else None])
        _same([summary.pass_rate.stddev], [stdev(scores) if len(scores) > 1 else None])
        costs = [float(cell["cost_usd"]) for cell, _ in own if cell["score"] and cell["cost_usd"]]
        _same([summary.cost_usd.mean], [fmean(costs) if costs else None])
        of_cases = defaultdict[str, list[float]](list)
        for cell, _ in own:
            if cell["score"]:
                of_cases[cell["case"]].append(float(cell["score"]))
        overall = fmean(map(fmean, of_cases.values())) if of_cases else None
        _same([benchmark.configs[arm].overall_pass_rate], [overall])
    assert sum(bool(cell["excluded"]) for cell in cells) == len(benchmark.excluded)
    answers = list(csv.DictReader(io.StringIO(as_csv(ASSERTION_COLUMNS, assertion_rows(made.plan, 1, census)))))
    verdicts = Counter(each["verdict"] for each in answers)
    assert {verdict: verdicts[verdict] for verdict in ("PASS", "FAIL", "UNGRADED")} == benchmark.verdict_counts


@pytest.mark.parametrize("seed", SEEDS)
def test_the_page_shows_the_same_figures(seed: int, drawn: Callable[[int], tuple[Any, Benchmark]]) -> None:
    """Parsed back: every case's rates and difference, and where the interval is drawn."""
    _, benchmark = drawn(seed)
    page = html.render(benchmark)
    assert not re.search(r">[^<]*\b(nan|inf|infinity)\b[^<]*<", page, re.IGNORECASE)
    shown = _case_cells(page)
    assert len(shown) == len(benchmark.cases)
    for row in benchmark.cases:
        told = {
            f"{TREATMENT.name} (treatment)": row.treatment,
            f"{BASELINE.name} (baseline)": row.baseline,
            "difference (points)": row.difference,
        }
        for column, value in told.items():
            cell = shown[row.eval_name][column]
            number = re.search(r"[+−-]?\d+(\.\d+)?", cell)
            assert (number is None) == (value is None), (row, cell)
            if number and value is not None:
                assert abs(float(number[0].replace("−", "-")) - value * 100) <= 0.5 + 1e-6
    drawn_spans = re.findall(r'<line class="span" x1="([\d.]+)%" x2="([\d.]+)%"', page)
    whole = [lift for lift in benchmark.lifts if lift.low is not None and lift.high is not None]
    if drawn_spans:
        assert len(drawn_spans) == len(whole)
    for (start, end), lift in zip(drawn_spans, whole, strict=False):
        assert lift.low is not None
        assert lift.high is not None
        assert [float(start), float(end)] == pytest.approx([3 + 47 * (x + 1) for x in (lift.low, lift.high)], abs=0.1)


def _pairs(made: Any, treatment: str) -> dict[str, Pair]:
    """Scores of both arms by case, on the assertions that have a verdict in both."""
    verdicts = _verdicts(made)
    found: dict[str, Pair] = {}
    for case in made.plan.suite.cases:
        sides = [verdicts[case.id, arm] for arm in (treatment, BASELINE.name)]
        both = set[str].intersection(*({name for trial in side for name in trial} for side in sides))
        scores = [
            [fmean(passed) for trial in side if (passed := [float(v) for name, v in trial.items() if name in both])]
            for side in sides
        ]
        if all(scores):
            found[case.id] = (scores[0], scores[1])
    return found


def _verdicts(made: Any) -> Mapping[tuple[str, str], list[dict[str, bool]]]:
    """What was decided in each trial of a case and arm; trials without any verdict are not there."""
    alive = {trial.key for trial in made.trials if trial.outcome not in DEAD}
    found: defaultdict[tuple[str, str], list[dict[str, bool]]] = defaultdict(list)
    for grading in made.gradings:
        decided = {each.id: each.verdict == "PASS" for each in grading.results if each.verdict != "UNGRADED"}
        if decided and grading.key in alive:
            found[grading.key.case_id, grading.key.arm].append(decided)
    return found


def _whole_trials(made: Any, arm: str) -> dict[str, list[bool]]:
    return {
        case: [all(trial.values()) for trial in trials] for (case, of), trials in _verdicts(made).items() if of == arm
    }


def _taken(made: Any, benchmark: Benchmark, arm: str, measure: str) -> dict[str, float]:
    """Geometric means of cases, over the runs of the benchmark's own list."""
    graded = {(str(run.eval_id), run.run_number) for run in benchmark.runs if run.configuration == arm}
    found: defaultdict[str, list[float]] = defaultdict(list)
    for trial in made.trials:
        if trial.key.arm != arm or (trial.key.case_id, trial.key.repeat) not in graded:
            continue
        value = {"seconds": trial.duration_ms / 1000, "tokens": trial.usage.total_tokens, "cost_usd": trial.cost_usd}
        if value[measure] is not None:
            found[trial.key.case_id].append(value[measure])
    return {case: geometric_mean(values) for case, values in found.items()}


def _clusters(by_case: Mapping[str, Any], made: Any) -> list[Any]:
    """Cases of one family averaged, element by element."""
    groups: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
    for case in made.plan.suite.cases:
        if case.id in by_case:
            groups["family" if case.family else "case", case.family or case.id].append(by_case[case.id])
    if any(isinstance(value, tuple) for value in by_case.values()):
        return [tuple(map(fmean, zip(*group, strict=True))) for group in groups.values()]
    return [fmean(group) for group in groups.values()]


def _interval(means: Sequence[tuple[float, float]]) -> tuple[float | None, float | None, float | None]:
    """Pseudo-observations at +-d and one of 0, as in docs/statistics.md."""
    gaps = [new - old for new, old in means]
    n = len(gaps)
    if n < 2:
        return (gaps[0] if gaps else None), None, None
    discord = sum(new * (1 - old) + old * (1 - new) for new, old in means)
    prior = (sum(gap**2 for gap in gaps) + 1) / (discord + 1)
    variance = (sum(gap**2 for gap in gaps) + prior) / (n + 1) - (sum(gaps) / (n + 1)) ** 2
    half = float(stats.t.ppf(0.975, n - 1)) * math.sqrt(variance / n)
    return fmean(gaps), max(fmean(gaps) - half, -1.0), min(fmean(gaps) + half, 1.0)


def _word(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "cannot tell"
    if low > 0 or high < 0:
        return "better" if low > 0 else "worse"
    return "no difference beyond the margin" if low > -MARGIN and high < MARGIN else "cannot tell"


def _share_as_far(pairs: Sequence[Pair]) -> float:
    """The share of all relabellings whose excess is as far from 0 as the observed one, in exact fractions."""
    chances, observed = {Fraction(0): 1.0}, Fraction(0)
    for new, old in pairs:
        pool = [Fraction(score).limit_denominator(5) for score in new + old]
        expected = sum(pool) * Fraction(len(new), len(pool))
        observed += sum(pool[: len(new)]) - expected
        drawn = Counter(sum(some) - expected for some in combinations(pool, len(new)))
        ways = math.comb(len(pool), len(new))
        summed: defaultdict[Fraction, float] = defaultdict(float)
        for before, chance in chances.items():
            for excess, count in drawn.items():
                summed[before + excess] += chance * count / ways
        chances = dict(summed)
    return min(1.0, sum(chance for excess, chance in chances.items() if abs(excess) >= abs(observed)))


def _student(by_case: Mapping[str, float], made: Any) -> tuple[float | None, float | None, float | None, int]:
    values = _clusters(by_case, made)
    if len(values) < 2 or max(values) - min(values) < 1e-12:
        return (fmean(values) if values else None), None, None, len(values)
    ends = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    return fmean(values), float(ends.low), float(ends.high), len(values)


def _same_over_cases(found: OverCases | None, expected: tuple[float | None, float | None, float | None, int]) -> None:
    estimate, low, high, n = expected
    assert found is not None
    _same(
        [found.estimate, found.low, found.high],
        [estimate, None if low is None else max(low, 0.0), None if high is None else min(high, 1.0)],
    )
    assert found.n_cases == n


def _same(found: Sequence[float | None], expected: Sequence[float | None]) -> None:
    """To 1e-9 of 1, or of the figure where it is larger; None is None."""
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None), (found, expected)
        assert one is None or one == pytest.approx(other, rel=1e-9, abs=1e-9)


def _case_cells(page: str) -> dict[str, dict[str, str]]:
    """Of each row of the case table, the texts of its figures by column."""
    table = page.partition('aria-label="Pass rate by case"')[2].partition("</tbody>")[0]
    columns = re.findall(r'<th scope="col">([^<]*)</th>', table)[1:]
    found: dict[str, dict[str, str]] = {}
    for row in re.findall(r'<tr><th scope="row">(.*?)</tr>', table, re.DOTALL):
        name = re.search(r">([^<]*)</a>", row)
        assert name
        found[name[1]] = dict(zip(columns, re.findall(r"<td[^>]*>([^<]*)</td>", row), strict=True))
    return found
