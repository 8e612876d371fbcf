"""Old benchmarks in every known shape, with the faults of the programs that write them; values worked out by hand.

The scene: two cases, two runs in each arm. With the skill 2/2, 1/2 and 2/2, 2/2: mean 0.875, spread 0.25. Without it 1/2, 0/2 and
1/2, 1/2: mean 0.375, spread 0.25. 30 s and 3,000 tokens against 20 s and 2,000; 777 characters of output everywhere.
"""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from typing import Any

import pytest

from skilltrial.records.foreign import Document, ForeignTiming, Tally

PLACE = "iteration-1/benchmark.json"
TABLE = {
    "eval-0": {"with_skill": ["PP", "PF"], "without_skill": ["PF", "FF"]},
    "eval-1": {"with_skill": ["PP", "PP"], "without_skill": ["PF", "PF"]},
}
RATES = {"with_skill": [1.0, 0.5, 1.0, 1.0], "without_skill": [0.5, 0.0, 0.5, 0.5]}


@pytest.fixture
def made(scene):
    """The scene of the module."""
    return scene(TABLE)


def stats(mean: float, stddev: float, least: float, most: float) -> dict[str, float]:
    """As skill-creator writes them."""
    return {"mean": mean, "stddev": stddev, "min": least, "max": most}


def rows() -> list[dict[str, Any]]:
    """skill-creator's rows, all right."""
    found: list[dict[str, Any]] = []
    for arm, rates in RATES.items():
        for number, rate in enumerate(rates):
            passed = round(rate * 2)
            result = {
                "pass_rate": rate,
                "passed": passed,
                "failed": 2 - passed,
                "total": 2,
                "time_seconds": 30.0 if arm == "with_skill" else 20.0,
                "tokens": 3000 if arm == "with_skill" else 2000,
            }
            place = {"eval_id": number // 2, "configuration": arm, "run_number": number % 2 + 1}
            found.append({**place, "result": result, "expectations": [], "notes": []})
    return found


def right() -> dict[str, Any]:
    """skill-creator's shape with nothing wrong in it."""
    return {
        "metadata": {"skill_name": "tidy", "executor_model": "m", "evals_run": [0, 1], "runs_per_configuration": 2},
        "runs": rows(),
        "run_summary": {
            "with_skill": {
                "pass_rate": {"mean": 0.875, "min": 0.5, "max": 1.0},
                "time_seconds": stats(30.0, 0.0, 30.0, 30.0),
                "tokens": stats(3000, 0, 3000, 3000),
            },
            "without_skill": {
                "pass_rate": {"mean": 0.375, "min": 0.0, "max": 0.5},
                "time_seconds": stats(20.0, 0.0, 20.0, 20.0),
                "tokens": stats(2000, 0, 2000, 2000),
            },
            "delta": {"pass_rate": "+0.50", "time_seconds": "+10.0", "tokens": "+1000"},
        },
        "notes": [],
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    """The right one with one value changed."""
    benchmark = copy.deepcopy(right())
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    inner: Any = benchmark
    for part in parents:
        inner = inner[part]
    inner[last] = value
    return benchmark


def only(findings):
    """The one finding."""
    (finding,) = findings
    return finding


def test_a_right_benchmark_gives_no_finding(made) -> None:
    """In skill-creator's shape without a spread over cases."""
    assert not made.findings(right())


def test_a_spread_over_cases_is_a_warning(made) -> None:
    """Once a benchmark, though the value is right."""
    benchmark = changed("run_summary/with_skill/pass_rate/stddev", 0.25)
    benchmark["run_summary"]["without_skill"]["pass_rate"]["stddev"] = 0.25
    finding = only(made.findings(benchmark))
    assert (finding.code, finding.severity, finding.old) == ("SA210", "warning", 0.25)


def test_a_spread_over_one_case_is_none(scene) -> None:
    """Runs of one case vary by chance alone."""
    table = {"eval-0": {"with_skill": ["PP", "PF"]}}
    summary = {"with_skill": {"pass_rate": stats(0.75, 0.3536, 0.5, 1.0)}}
    assert not scene(table).findings({"run_summary": summary})


def test_a_spread_that_is_divided_by_n(made) -> None:
    """0.25 is the sample's; sqrt(3/4) of it is the population's."""
    benchmark = changed("run_summary/with_skill/pass_rate/stddev", 0.2165)
    finding = only(made.findings(benchmark, "figure-wrong", "spread-divided-by-n"))
    assert (finding.code, finding.severity, finding.right) == ("SA311", "note", 0.25)
    assert "4 runs is divided by 4, not 3" in finding.message


@pytest.mark.parametrize(
    ("metric", "written", "right_value"),
    [("pass_rate", "-0.50", 0.5), ("time_seconds", "-10.0", 10.0), ("tokens", "-1000", 1000.0)],
)
def test_an_inverted_sign(made, metric, written, right_value) -> None:
    """Each figure by itself, with the text as old value."""
    finding = only(made.findings(changed(f"run_summary/delta/{metric}", written)))
    assert (finding.code, finding.severity) == ("SA101", "error")
    assert finding.place == f"{PLACE}#run_summary.delta.{metric}"
    assert (finding.old, finding.right) == (written, right_value)


def test_an_inverted_sign_of_wrong_means(made) -> None:
    """The benchmark's own means differ by 0.6, its difference is -0.60: both are wrong, and so is the sign."""
    benchmark = changed("run_summary/delta/pass_rate", "-0.60")
    benchmark["run_summary"]["with_skill"]["pass_rate"] = {"mean": 0.975}
    findings = made.findings(benchmark)
    assert [finding.name for finding in findings] == ["sign-inverted", "figure-wrong"]
    assert findings[0].right == 0.5


def test_no_difference_has_no_sign(scene) -> None:
    """-0.00 is nothing."""
    same = scene({"eval-0": {"with_skill": ["P"], "without_skill": ["P"]}})
    assert not same.findings({"run_summary": {"delta": {"pass_rate": "-0.00"}}})


def test_a_difference_that_is_not_that_of_its_own_means(made) -> None:
    """The text was written by hand."""
    finding = only(made.findings(changed("run_summary/delta/pass_rate", "+0.80")))
    assert (finding.code, finding.right) == ("SA103", 0.5)
    assert "own means" in finding.message


@pytest.mark.parametrize("written", [0.5, "+0.50", "+50%", 50, "+0.496", "50 pp"])
def test_a_right_difference_in_many_spellings(made, written) -> None:
    """Numbers, texts, per cent."""
    assert not made.findings(changed("run_summary/delta/pass_rate", written))


def test_a_made_up_baseline(scene) -> None:
    """One arm alone, and a gain over nothing."""
    one = scene({"eval-0": {"with_skill": ["PF"]}})
    summary = {"with_skill": {"pass_rate": {"mean": 0.5}}, "delta": {"pass_rate": "+0.50"}}
    finding = only(one.findings({"run_summary": summary}))
    assert (finding.code, finding.old, finding.right) == ("SA102", "+0.50", None)


def test_an_arm_that_was_never_run(scene) -> None:
    """Its figures have nothing behind them."""
    one = scene({"eval-0": {"with_skill": ["PF"]}})
    summary = {"with_skill": {"pass_rate": {"mean": 0.5}}, "without_skill": {"pass_rate": {"mean": 0.0}}}
    finding = only(one.findings({"run_summary": summary}))
    assert (finding.code, finding.right) == ("SA217", None)


def test_a_third_arm_that_the_difference_leaves_out(scene) -> None:
    """It is named."""
    row = {"with_skill": ["P"], "without_skill": ["F"], "old_skill": ["P"]}
    findings = scene({"eval-0": row}).findings({"run_summary": {"delta": {"pass_rate": "+1.00"}}})
    finding = only(each for each in findings if each.code == "SA204")
    assert "'old_skill'" in finding.message


def test_an_arm_without_figures(made) -> None:
    """The benchmark does not know it."""
    benchmark = right()
    del benchmark["run_summary"]["without_skill"]
    assert only(made.findings(benchmark, "arm-ignored")).severity == "warning"


def test_characters_as_tokens(made) -> None:
    """In a row and in the mean of its arm."""
    benchmark = changed("runs/0/result/tokens", 777)
    benchmark["run_summary"]["with_skill"]["tokens"] = {"mean": 777, "max": 777}
    findings = made.findings(benchmark, "characters-as-tokens")
    assert [finding.place for finding in findings] == [
        f"{PLACE}#run_summary.with_skill.tokens.mean",
        f"{PLACE}#run_summary.with_skill.tokens.max",
        f"{PLACE}#runs[0].result.tokens",
    ]
    assert [finding.right for finding in findings] == [3000, 3000, 3000]


def test_characters_where_tokens_are_unknown(made) -> None:
    """The right value is unknown, not zero."""
    unknown = made.with_runs(lambda run: {"timing": ForeignTiming(place="t", duration_s=run.timing.duration_s)})
    benchmark = {"runs": rows()}
    for row in benchmark["runs"]:
        row["result"]["tokens"] = 777
    findings = unknown.findings(benchmark)
    assert {finding.code for finding in findings} == {"SA104"}
    assert findings[0].right is None


@pytest.mark.parametrize("metric", ["tokens", "time_seconds"])
def test_zero_for_what_was_recorded(made, metric) -> None:
    """timing.json has it."""
    finding = only(made.findings(changed(f"runs/0/result/{metric}", 0)))
    assert (finding.code, finding.old, finding.right) == ("SA105", 0, 3000 if metric == "tokens" else 30.0)


def test_zero_for_what_nobody_recorded(made) -> None:
    """In all rows, and in the means over them."""
    unknown = made.with_runs(lambda run: {"timing": None, "grading": replace(run.grading, execution_metrics=None)})
    summary = {"with_skill": {"tokens": stats(0, 0, 0, 0)}}
    finding = only(unknown.findings({"run_summary": summary}, "zero-for-unknown", "figure-wrong"))
    assert (finding.code, finding.old, finding.right) == ("SA105", 0, None)


def without_summary(made):
    """Nothing in the first run's grading but its criteria: 2 of 2."""
    return made.with_grading("iteration-1/eval-0/with_skill/run-1", tally=None)


def test_a_missing_summary_counted_as_zero(made) -> None:
    """Row 0 instead of 1; mean (0 + 0.5 + 1 + 1) / 4 = 0.625 instead of 0.875."""
    benchmark = changed("runs/0/result", {"pass_rate": 0.0, "passed": 0, "failed": 0, "total": 0})
    benchmark["run_summary"]["with_skill"] = {"pass_rate": {"mean": 0.625}}
    benchmark["run_summary"]["delta"] = {}
    findings = without_summary(made).findings(benchmark, "missing-summary-as-zero")
    assert [(finding.old, finding.right) for finding in findings] == [(0.625, 0.875), (0.0, 1.0)]


def test_a_wrong_summary_that_is_believed(made) -> None:
    """The second run says 2 of 2 and has 1 of 2: row 1.0, mean 1.0."""
    lying = made.with_grading("iteration-1/eval-0/with_skill/run-2", tally=Tally(passed=2, total=2, pass_rate=1.0))
    benchmark = changed("runs/1/result/pass_rate", 1.0)
    benchmark["run_summary"]["with_skill"]["pass_rate"] = {"mean": 1.0}
    findings = lying.findings(benchmark, "row-wrong", "figure-wrong", "summary-wrong")
    assert [finding.name for finding in findings] == ["row-wrong", "figure-wrong", "summary-wrong"]
    assert "believes summaries" in findings[1].message
    assert (findings[0].old, findings[0].right) == (1.0, 0.5)


def test_counts_of_a_row_that_are_wrong(made) -> None:
    """The rate is right and the total is not."""
    finding = only(made.findings(changed("runs/0/result/total", 3)))
    assert (finding.code, finding.place, finding.right) == ("SA107", f"{PLACE}#runs[0].result.total", 2)


def test_ungraded_runs_counted_as_failures(scene) -> None:
    """1.0 and nothing: 0.5 is claimed."""
    summary = {"with_skill": {"pass_rate": {"mean": 0.5}}}
    finding = only(
        scene({"eval-0": {"with_skill": ["P", "?"]}}).findings({"run_summary": summary}, "ungraded-as-failed")
    )
    assert (finding.code, finding.old, finding.right) == ("SA112", 0.5, 1.0)


def test_times_over_the_graded_runs_alone(scene) -> None:
    """30 s graded, 60 s not: 45 s of both and 30 s of the one are right, 60 s is not; that a run lacks a grading is said."""
    vanished = scene({"eval-0": {"with_skill": ["P", "?"], "without_skill": ["P"]}})
    slow = vanished.with_runs(
        lambda run: {"timing": replace(run.timing, duration_s=60.0)} if run.run_number == 2 else {}
    )
    for mean, delta in ((45.0, "+25.0"), (30.0, "+10.0")):
        summary = {
            "with_skill": {"time_seconds": {"mean": mean, "stddev": 0.0 if mean == 30.0 else 21.2132}},
            "without_skill": {"time_seconds": {"mean": 20.0}},
            "delta": {"time_seconds": delta},
        }
        assert [finding.code for finding in slow.findings({"run_summary": summary})] == ["SA201"]
    wrong = {"run_summary": {"with_skill": {"time_seconds": {"mean": 60.0}}}}
    assert only(slow.findings(wrong, "figure-wrong")).right == 45.0


def test_a_mean_of_nothing_that_says_so(scene) -> None:
    """slow-powers writes 0 beside n = 0."""
    one = scene({"eval-0": {"with_skill": ["P"]}}).with_runs(lambda _: {"timing": None})
    assert not one.findings({"run_summary": {"with_skill": {"total_tokens": {"mean": 0, "stddev": 0, "n": 0}}}})


def test_times_with_the_grader_are_right_too(made) -> None:
    """`total_duration_seconds` is documented as both together."""
    graded = made.with_runs(lambda run: {"timing": replace(run.timing, grader_s=12.0)})
    benchmark = {"run_summary": {"with_skill": {"time_seconds": {"mean": 42.0}}, "without_skill": {}}}
    assert not graded.findings(benchmark, "figure-wrong")


def test_a_graded_run_without_a_row(made) -> None:
    """It is named by its folder."""
    benchmark = right()
    del benchmark["runs"][3]
    finding = only(made.findings(benchmark))
    assert (finding.code, finding.place) == ("SA203", "iteration-1/eval-1/with_skill/run-2")


def test_a_row_without_a_run(made) -> None:
    """Perhaps its folder was removed."""
    benchmark = right()
    benchmark["runs"].append({"eval_id": 7, "configuration": "with_skill", "run_number": 1, "result": {}})
    finding = only(made.findings(benchmark))
    assert (finding.code, finding.place) == ("SA217", f"{PLACE}#runs[8]")


def test_an_empty_benchmark(made) -> None:
    """The aggregator found nothing and wrote zeros."""
    zeros = stats(0.0, 0.0, 0.0, 0.0)
    summary = {"with_skill": {"pass_rate": zeros}, "delta": {"pass_rate": "+0.00"}}
    finding = only(made.findings({"metadata": {"evals_run": []}, "runs": [], "run_summary": summary}))
    assert (finding.code, finding.old, finding.right) == ("SA114", 0, 8)


def test_the_number_of_runs_is_counted(made, scene) -> None:
    """3 is claimed; there are 2, or between 1 and 2."""
    finding = only(made.findings(changed("metadata/runs_per_configuration", 3)))
    assert (finding.code, finding.old, finding.right) == ("SA109", 3, 2)
    uneven = scene({"eval-0": {"with_skill": ["P", "P"], "without_skill": ["P"]}})
    benchmark = {"metadata": {"runs_per_configuration": 2}, "run_summary": {"with_skill": {"pass_rate": {"mean": 1.0}}}}
    assert only(uneven.findings(benchmark, "runs-per-configuration-wrong")).right == "1–2"


def test_placeholders(made) -> None:
    """Models, names and paths that nobody filled in."""
    benchmark = changed("metadata/executor_model", "<model-name>")
    benchmark["metadata"]["skill_path"] = "<path/to/skill>"
    findings = made.findings(benchmark)
    assert [(finding.code, finding.old) for finding in findings] == [
        ("SA211", "<model-name>"),
        ("SA211", "<path/to/skill>"),
    ]


def test_rates_in_per_cent(made) -> None:
    """87.5 where 0.875 is meant; the spread, the range and the difference go by the same scale."""
    benchmark = right()
    benchmark["run_summary"]["with_skill"]["pass_rate"] = {"mean": 87.5, "min": 50, "max": 100}
    benchmark["run_summary"]["delta"]["pass_rate"] = 50
    finding = only(made.findings(benchmark))
    assert (finding.code, finding.old, finding.right) == ("SA110", 87.5, 0.875)


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize(
    "path", ["run_summary/with_skill/pass_rate/mean", "runs/0/result/pass_rate", "runs/0/result/tokens"]
)
def test_figures_that_are_no_numbers(made, path, value) -> None:
    """They are never compared."""
    finding = only(made.findings(changed(path, value)))
    assert (finding.code, finding.old) == ("SA111", str(value))


def test_rounding_to_two_decimals_is_right(scene) -> None:
    """2/3 as 0.67, and differences of two rounded figures."""
    table = {"eval-0": {"with_skill": ["PPF"], "without_skill": ["PFF"]}}
    summary = {
        "with_skill": {"pass_rate": {"mean": 0.67}},
        "without_skill": {"pass_rate": {"mean": 0.33}},
        "delta": {"pass_rate": "+0.34"},
    }
    assert not scene(table).findings({"run_summary": summary})


def test_rows_of_cases_without_metadata_are_found_by_their_place(scene) -> None:
    """Then the aggregator numbers the folders in the order of their texts."""
    made = scene({"eval-sales": {"with_skill": ["P"]}, "eval-bugs": {"with_skill": ["F"]}})
    cases = tuple(replace(case, metadata=None, id=None) for case in made.iteration.cases)
    benchmark = {
        "runs": [
            {"eval_id": number, "configuration": "with_skill", "run_number": 1, "result": {"pass_rate": rate}}
            for number, rate in enumerate((0.0, 1.0))
        ]
    }
    findings = made.with_iteration(cases=cases).findings(benchmark)
    assert {finding.name for finding in findings} == {"metadata-missing"}


def skill_builder() -> dict[str, Any]:
    """skill-builder's shape of the scene's first runs: 2/2 and 2/2 against 1/2 and 1/2."""

    def config(rate: float, tokens: int, ms: int, passed: int) -> dict[str, Any]:
        row = {"pass_rate": rate, "pass_count": passed, "fail_count": 2 - passed, "tokens": tokens, "duration_ms": ms}
        return {
            "overall_pass_rate": rate,
            "total_tokens_mean": tokens,
            "total_tokens_stddev": 0,
            "duration_ms_mean": ms,
            "duration_ms_stddev": 0,
            "evals": [{"eval_id": name, **row} for name in ("eval-0", "eval-1")],
        }

    return {
        "iteration": 1,
        "configs": {"with_skill": config(1.0, 3000, 30_000, 2), "without_skill": config(0.5, 2000, 20_000, 1)},
        "comparison": {"pass_rate_delta": 0.5, "token_overhead_percent": 50.0, "time_overhead_percent": 50.0},
    }


@pytest.fixture
def single(scene):
    """One run in each arm of each case, in skill-builder's workspace."""
    row = {"with_skill": ["PP"], "without_skill": ["PF"]}
    return scene({"eval-0": row, "eval-1": row}, family="skill-builder")


def test_a_right_benchmark_of_skill_builder(single) -> None:
    """Milliseconds, per cent of overhead, rows in the configurations."""
    assert not single.findings(skill_builder())


def test_what_skill_builders_benchmark_gets_wrong(single) -> None:
    """The sign, an overhead, a row and a time."""
    benchmark = skill_builder()
    benchmark["comparison"] = {"pass_rate_delta": -0.5, "token_overhead_percent": 33.3}
    benchmark["configs"]["with_skill"]["evals"][1]["pass_count"] = 1
    benchmark["configs"]["without_skill"]["duration_ms_mean"] = 25_000
    findings = single.findings(benchmark)
    assert [(finding.code, finding.place.partition("#")[2], finding.right) for finding in findings] == [
        ("SA101", "comparison.pass_rate_delta", 0.5),
        ("SA103", "comparison.token_overhead_percent", 50.0),
        ("SA107", "configs.with_skill.evals[1].pass_count", 2),
        ("SA108", "configs.without_skill.duration_ms_mean", 20_000.0),
    ]


def test_a_row_of_skill_builder_is_of_all_repeats(made) -> None:
    """Counts are summed, rates, tokens and times averaged: 3 of 4 in case 0."""
    row = {
        "eval_id": "eval-0",
        "pass_rate": 0.75,
        "pass_count": 3,
        "fail_count": 1,
        "tokens": 3000,
        "duration_ms": 30_000,
    }
    rest = {"eval_id": "eval-1", "pass_count": 4}
    configs = {"with_skill": {"evals": [row, rest]}}
    named = made.with_workspace(family="skill-builder")
    wanted = ("row-wrong", "figure-without-runs", "zero-for-unknown")
    assert not named.findings({"configs": configs}, *wanted)
    row["pass_count"] = 2
    assert only(named.findings({"configs": configs}, *wanted)).right == 3


def test_both_shapes_in_one_file_are_checked(made) -> None:
    """As our own benchmark has them."""
    both = {
        **right(),
        "configs": {"with_skill": {"overall_pass_rate": 0.5}, "without_skill": {"overall_pass_rate": 0.375}},
    }
    finding = only(made.findings(both))
    assert (finding.place, finding.right) == (f"{PLACE}#configs.with_skill.overall_pass_rate", 0.875)


def test_a_mean_over_all_criteria_is_right_where_the_shape_does_not_say(scene) -> None:
    """1 of 1 and 1 of 3: 0.67 over runs, 0.5 over criteria."""
    made = scene({"eval-0": {"with_skill": ["P"]}, "eval-1": {"with_skill": ["PFF"]}}, family="skill-builder")
    assert not made.findings({"configs": {"with_skill": {"overall_pass_rate": 0.5}}})
    assert made.findings({"run_summary": {"with_skill": {"pass_rate": {"mean": 0.5}}}}, "figure-wrong")


def test_the_sign_trap_of_slow_powers(scene) -> None:
    """In mode revision the difference is old minus new, and says so; an improvement reads as a loss."""
    made = scene({"eval-0": {"old_skill": ["PF"], "new_skill": ["PP"]}}, family="slow-powers")
    benchmark = {
        "mode": "revision",
        "conditions_compared": ["old_skill", "new_skill"],
        "run_summary": {
            "old_skill": {"pass_rate": {"mean": 0.5, "stddev": 0, "n": 1}, "duration_ms": {"mean": 20_000, "n": 1}},
            "new_skill": {"pass_rate": {"mean": 1.0, "stddev": 0, "n": 1}, "total_tokens": {"mean": 3000, "n": 1}},
        },
        "delta": {
            "direction": "old_skill - new_skill",
            "pass_rate": -0.5,
            "duration_ms": -10_000,
            "total_tokens": -1000,
        },
    }
    findings = made.findings(benchmark)
    assert [(finding.code, finding.place.partition("#")[2], finding.right) for finding in findings] == [
        ("SA101", "delta.pass_rate", 0.5),
        ("SA101", "delta.duration_ms", 10_000.0),
        ("SA101", "delta.total_tokens", 1000.0),
    ]
    assert "'old_skill - new_skill'" in findings[0].message


def test_the_count_of_slow_powers(made) -> None:
    """Where it is given, n is the number of graded runs."""
    finding = only(
        made.findings(
            {"run_summary": {"with_skill": {"pass_rate": {"mean": 0.875, "n": 3}}, "without_skill": {}}}, "figure-wrong"
        )
    )
    assert (finding.old, finding.right) == (3, 4)


def test_a_count_of_times_that_are_not_here_is_no_fault(made) -> None:
    """The copy that was kept has no timing.json; unknown is not 0."""
    bare = made.with_runs(lambda _: {"timing": None})
    summary = {"with_skill": {"duration_ms": {"mean": 30_000, "n": 4}}, "without_skill": {"duration_ms": {"n": 4}}}
    assert not bare.findings({"run_summary": summary})


def test_numbers_as_in_agentskills_guide(scene) -> None:
    """Plain numbers in place of objects and texts."""
    made = scene({"eval-0": {"with_skill": ["PP"], "without_skill": ["PF"]}}, family="agentskills")
    summary = {
        "with_skill": {"pass_rate": {"mean": 1.0}, "time_seconds": {"mean": 30.0}, "tokens": {"mean": 3000}},
        "without_skill": {"pass_rate": {"mean": 0.5}, "time_seconds": {"mean": 20.0}, "tokens": {"mean": 2000}},
        "delta": {"pass_rate": 0.5, "time_seconds": 10.0, "tokens": 1000},
    }
    assert not made.findings({"run_summary": summary})


@pytest.mark.parametrize(
    "junk",
    [
        [], "text", 7, {}, {"runs": 3}, {"runs": [1, None, {}]}, {"run_summary": []}, {"run_summary": {"with_skill": 3}},
        {"configs": {"with_skill": None}}, {"configs": {"a": {"evals": {}}}}, {"configurations": []}, {"delta": {"pass_rate": {}}},
        {"metadata": []}, {"run_summary": {"delta": "up"}}, {"runs": [{"configuration": "with_skill", "result": []}]},
    ],
)  # fmt: skip
def test_junk_is_no_crash(made, junk) -> None:
    """It is said not to be checked, or not to be a run."""
    names = {finding.name for finding in made.findings(junk)}
    assert names & {"benchmark-not-checked", "figure-without-runs", "run-not-in-benchmark"}


@pytest.mark.parametrize("number", [10**400, True, "1e999", "٣", "+", "--5", {"mean": True}])
def test_numbers_that_are_none_are_left_out(made, number) -> None:
    """Neither a crash nor a comparison."""
    benchmark = changed("run_summary/delta/pass_rate", number)
    assert not made.findings(benchmark)


def test_means_over_runs_that_are_not_here_are_not_checked(made) -> None:
    """A row has no run: the mean over five cannot be held against four. Without it, 0.9 would be wrong."""
    benchmark = changed("run_summary/with_skill/pass_rate/mean", 0.9)
    benchmark["run_summary"]["delta"]["pass_rate"] = "+0.53"
    benchmark["runs"].append({"eval_id": 7, "configuration": "with_skill", "run_number": 1, "result": {}})
    assert [(finding.code, finding.severity) for finding in made.findings(benchmark)] == [("SA217", "warning")]


def test_a_difference_over_runs_that_are_not_here_is_held_against_its_own_means(made) -> None:
    """0.9 − 0.375 is 0.525, not −0.53."""
    benchmark = changed("run_summary/with_skill/pass_rate/mean", 0.9)
    benchmark["run_summary"]["delta"]["pass_rate"] = "-0.53"
    benchmark["runs"].append({"eval_id": 7, "configuration": "with_skill", "run_number": 1, "result": {}})
    finding = only(made.findings(benchmark, "sign-inverted"))
    assert finding.right == 0.525


def test_the_only_row_and_the_only_run_of_a_case_belong_together(scene) -> None:
    """The row says run 2 after a second try; the folder is flat and says nothing."""
    one = scene({"eval-0": {"with_skill": ["PF"]}})
    row = {"eval_id": 0, "configuration": "with_skill", "run_number": 2, "result": {"pass_rate": 0.5}}
    assert not one.findings({"runs": [row]})


def test_an_arm_of_zeros_that_was_never_run_is_a_made_up_baseline(scene) -> None:
    """The aggregator writes zeros for an arm of which it found nothing."""
    one = scene({"eval-0": {"with_skill": ["PF"]}})
    summary = {
        "with_skill": {"pass_rate": {"mean": 0.5}},
        "without_skill": {"pass_rate": {"mean": 0.0}},
        "delta": {"pass_rate": "+0.50"},
    }
    assert [finding.code for finding in one.findings({"run_summary": summary})] == ["SA102", "SA217"]


@pytest.mark.parametrize(
    ("written", "right_value"), [("+38pp", 50), ("+38%", 50), (38, 50), (0.38, 0.5), ("+0.38", 0.5)]
)
def test_a_right_difference_is_in_the_unit_of_the_old_one(made, written, right_value) -> None:
    """Per cent beside per cent, fractions beside fractions."""
    assert only(made.findings(changed("run_summary/delta/pass_rate", written))).right == right_value


@pytest.mark.parametrize("written", [50, 50.0, "50 %", "+50%"])
def test_an_overhead_in_per_cent(made, written) -> None:
    """3,000 tokens over 2,000 are 50 % more, with the sign written or not."""
    configs = {"with_skill": {"total_tokens_mean": 3000}, "without_skill": {"total_tokens_mean": 2000}}
    assert not made.findings({"configs": configs, "comparison": {"token_overhead_percent": written}})


def test_right_values_have_no_noise_of_floats(scene) -> None:
    """1/3, and not all of its digits."""
    one = scene({"eval-0": {"with_skill": ["PFF"]}})
    finding = only(one.findings({"run_summary": {"with_skill": {"pass_rate": {"mean": 0.5}}}}))
    assert finding.right == 0.333333


def test_a_mean_of_rows_that_are_wrong(made) -> None:
    """One row says 10 s: the mean is 25 instead of 30, and the least is 10."""
    benchmark = changed("runs/0/result/time_seconds", 10.0)
    benchmark["run_summary"]["with_skill"]["time_seconds"] = {"mean": 25.0, "min": 10.0}
    benchmark["run_summary"]["delta"]["time_seconds"] = "+5.0"
    first, second = made.findings(benchmark, "figure-wrong")
    assert "the benchmark's own rows" in first.message
    assert second.message.startswith("Wrong like its mean: ")


def test_a_benchmark_of_the_whole_that_names_no_round(made) -> None:
    """With two rounds nobody can tell which of them it is about; with its number it is checked."""
    document = Document(place="benchmark.json", kind="benchmark", value={"run_summary": {"delta": {"pass_rate": -0.5}}})
    second = replace(made.iteration, number=2, place="iteration-2")
    both = made.with_workspace(iterations=(made.iteration, second))
    assert [finding.code for finding in both.with_workspace(documents=(document,)).findings()] == ["SA310"]
    named = replace(document, value={**document.value, "iteration": 2})
    assert [finding.code for finding in both.with_workspace(documents=(named,)).findings()] == ["SA101"]


def test_the_difference_of_two_other_arms(scene) -> None:
    """The aggregator takes the first two by name: alpha − with_skill; `without_skill` is what it leaves out."""
    one = scene({"eval-0": {"alpha": ["PFFF"], "with_skill": ["PPPP"], "without_skill": ["FFFF"]}})
    means = {
        arm: {"pass_rate": {"mean": mean}}
        for arm, mean in (("alpha", 0.25), ("with_skill", 1.0), ("without_skill", 0.0))
    }
    found = one.findings({"run_summary": {**means, "delta": {"pass_rate": "-0.75"}}}, "delta-wrong", "arm-ignored")
    wrong, ignored = found
    assert (wrong.code, wrong.right) == ("SA103", 1.0)
    assert wrong.message.startswith("This is alpha minus with_skill; ")
    assert "'without_skill'" in ignored.message


def test_a_rate_of_scores_on_a_scale_cannot_be_checked(scene) -> None:
    """The grader gave 0.75 of a point each: neither the row nor the mean can be counted again, but the tokens can."""
    scaled = scene({"eval-0": {"with_skill": ["UU"]}}).with_grading(
        "iteration-1/eval-0/with_skill/run-1", tally=Tally(pass_rate=0.75)
    )
    row = {"eval_id": 0, "configuration": "with_skill", "run_number": 1, "result": {"pass_rate": 0.75}}
    summary = {"with_skill": {"pass_rate": {"mean": 0.75}, "tokens": {"mean": 7}}}
    found = scaled.findings({"runs": [row], "run_summary": summary})
    assert {finding.code for finding in found if finding.severity == "error"} == {"SA108"}


def test_a_total_may_count_what_has_no_verdict(scene) -> None:
    """One of three has none: a total of 3 is right, and so is one of 2."""
    one = scene({"eval-0": {"with_skill": ["PFU"]}})
    for total in (2, 3):
        row = {
            "eval_id": 0,
            "configuration": "with_skill",
            "run_number": 1,
            "result": {"pass_rate": 0.5, "total": total},
        }
        counted = one.with_grading("iteration-1/eval-0/with_skill/run-1", tally=Tally(passed=1, total=total))
        assert {finding.code for finding in counted.findings({"runs": [row]})} == {"SA208"}


def test_a_mean_over_rows_of_zero(made) -> None:
    """Two of four rows say 0 tokens, and nobody recorded them: 1,500 is no mean of four runs."""
    benchmark = right()
    for row in benchmark["runs"][:2]:
        row["result"]["tokens"] = 0
    benchmark["run_summary"]["with_skill"]["tokens"] = {"mean": 1500}
    del benchmark["run_summary"]["delta"]
    unknown = made.with_runs(
        lambda run: {"timing": None} if run.place.startswith("iteration-1/eval-0/with_skill") else {}
    )
    (finding,) = [each for each in unknown.findings(benchmark, "zero-for-unknown") if "run_summary" in each.place]
    assert (finding.old, finding.right) == (1500, 3000)


def test_rows_of_two_cases_with_one_id(scene) -> None:
    """Each case has its own row, in order: 1 of 1 and 0 of 1."""
    made = scene({"eval-0": {"with_skill": ["P"]}, "eval-1": {"with_skill": ["F"]}})
    first, second = made.iteration.cases
    twins = made.with_iteration(cases=(first, replace(second, id=0)))
    rows = [
        {"eval_id": 0, "pass_rate": rate, "pass_count": int(rate), "fail_count": int(1 - rate)} for rate in (1.0, 0.0)
    ]
    benchmark = {"configs": {"with_skill": {"evals": rows}}, "comparison": {}}
    assert not twins.findings(benchmark, "row-wrong")
    flat = [
        {"eval_id": 0, "configuration": "with_skill", "run_number": 1, "result": {"pass_rate": r}} for r in (1.0, 0.0)
    ]
    assert not twins.findings({"runs": flat}, "row-wrong", "run-not-in-benchmark")


def test_the_lift_in_our_own_benchmark_is_no_difference_of_means(scene) -> None:
    """It leaves out what one arm alone answered; elsewhere the same value is wrong."""
    table = {"eval-0": {"with_skill": ["PP"], "without_skill": ["PF"]}}
    benchmark = {"configs": {"with_skill": {"overall_pass_rate": 1.0}}, "comparison": {"pass_rate_delta": 0.4}}
    assert not scene(table, family="native").findings(benchmark, "delta-wrong")
    assert scene(table, family="skill-builder").findings(benchmark, "delta-wrong")
