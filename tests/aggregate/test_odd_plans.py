"""Plans with gaps: right numbers, the right word, no NaN; every value is worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.plan import Arm
from skilltrial.records.skill import SkillRef
from skilltrial.report.headline import headline

WITH = Arm(name="with_skill", role="treatment", skill=SkillRef(name="tidy", folder="/s", fingerprint="sha256:1"))
THIRD = Arm(name="third", role="treatment", skill=SkillRef(name="tidy", folder="/t", fingerprint="sha256:2"))
WITHOUT = Arm(name="without_skill", role="baseline")


def rows(*cells: tuple[str, ...]) -> dict[str, dict[str, list[str]]]:
    """A row a case: treatment, baseline, and a third arm."""
    names = (WITH.name, WITHOUT.name, THIRD.name)
    return {
        f"c{n}": {name: [] if cell == "none" else cell.split(" ") for name, cell in zip(names, row, strict=False)}
        for n, row in enumerate(cells, start=1)
    }


def figures(benchmark: Benchmark) -> dict[str, Any]:
    """What a table of expectations names."""
    lift = benchmark.lift
    return {
        "lift": lift and lift.estimate,
        "word": lift and lift.word,
        "n": lift and lift.n_cases,
        "p": lift and lift.p_value,
        "cases": [row.word for row in benchmark.cases],
        "excluded": len(benchmark.excluded),
        "k": {name: found.k for name, found in benchmark.reliability.items()},
        "seconds": [ratio.estimate for ratio in benchmark.ratios if ratio.measure == "seconds"],
    }


NOTHING = {"lift": None, "word": "cannot tell", "n": 0, "p": None, "seconds": [None]}
PLANS: dict[str, tuple[dict[str, dict[str, list[str]]], dict[str, Any]]] = {
    # lift (1 + 1/2) / 2; p: 3 of 4 and 1 of 4 passes dealt out again, 1/4 x 1/2 as far out as that
    "unequal repeats": (
        rows(("P P P", "F"), ("P F", "F F")),
        {"lift": 0.75, "word": "cannot tell", "n": 2, "p": 0.125, "cases": ["helps", "flaky"], "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": None}, "seconds": [pytest.approx(1.5)]},
    ),
    "missing cells": (
        rows(("P", "F"), ("P", "-"), ("harness_error", "F")),
        {"lift": 1, "word": "cannot tell", "n": 1, "p": 1, "cases": ["cannot tell"] * 3, "excluded": 2}
        | {"k": {"with_skill": None, "without_skill": None}, "seconds": [pytest.approx(1.5)]},
    ),
    "a case that one arm was not planned for": (
        rows(("P P", "F F"), ("P P", "none")),
        {"lift": 1, "word": "cannot tell", "n": 1, "p": 1 / 3, "cases": ["helps", "cannot tell"], "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": 2}, "seconds": [pytest.approx(1.5)]},
    ),
    "a case without assertions": (
        rows(("P", "F"), ("", "")),
        {"lift": 1, "word": "cannot tell", "n": 1, "p": 1, "cases": ["cannot tell"] * 2, "excluded": 2}
        | {"k": {"with_skill": None, "without_skill": None}, "seconds": [pytest.approx(1.5)]},
    ),
    "all pass": (
        rows(*[("P P", "P P")] * 4),
        {"lift": 0, "word": "cannot tell", "n": 4, "p": 1, "cases": ["both pass"] * 4, "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": 2}, "seconds": [pytest.approx(1.5)]},
    ),
    "all fail": (
        rows(*[("F F", "F F")] * 4),
        {"lift": 0, "word": "cannot tell", "n": 4, "p": 1, "cases": ["both fail"] * 4, "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": 2}, "seconds": [pytest.approx(1.5)]},
    ),
    # four wins outright: both ends of 2^4 relabellings
    "one repeat": (
        rows(*[("P", "F")] * 4),
        {"lift": 1, "word": "better", "n": 4, "p": 0.125, "cases": ["cannot tell"] * 4, "excluded": 0}
        | {"k": {"with_skill": None, "without_skill": None}, "seconds": [pytest.approx(1.5)]},
    ),
    "one case, one repeat": (
        rows(("F", "P")),
        {"lift": -1, "word": "cannot tell", "n": 1, "p": 1, "cases": ["cannot tell"], "excluded": 0}
        | {"k": {"with_skill": None, "without_skill": None}, "seconds": [pytest.approx(1.5)]},
    ),
    "all ungraded": (
        rows(("U U", "U U"), ("U", "U")),
        NOTHING | {"cases": ["cannot tell"] * 2, "excluded": 6, "k": {"with_skill": None, "without_skill": None}},
    ),
    "nothing run": (
        rows(("-", "-")),
        NOTHING | {"cases": ["cannot tell"], "excluded": 2, "k": {"with_skill": None, "without_skill": None}},
    ),
    "all timed out": (
        rows(*[("timed_out:P timed_out:P", "timed_out:F timed_out:F")] * 4),
        {"lift": 1, "word": "better", "n": 4, "p": 2 / 6**4, "cases": ["helps"] * 4, "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": 2}, "seconds": [pytest.approx(1.5)]},
    ),
    # of three statements two hold, and one: no trial passes, and yet treatment is always ahead
    "no trial passes whole": (
        rows(("PPF PPF", "PFF PFF")),
        {"lift": pytest.approx(1 / 3), "word": "cannot tell", "n": 1, "cases": ["helps"], "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": 2}, "seconds": [pytest.approx(1.5)]},
    ),
    "worse": (
        rows(*[("F F", "P P")] * 4),
        {"lift": -1, "word": "worse", "n": 4, "p": 2 / 6**4, "cases": ["harms"] * 4, "excluded": 0}
        | {"k": {"with_skill": 2, "without_skill": 2}, "seconds": [pytest.approx(1.5)]},
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_numbers_and_words(scene, name) -> None:
    """And nothing in the file that JSON does not know."""
    table, expected = PLANS[name]
    benchmark: Benchmark = scene(table).benchmark()
    found = figures(benchmark)
    assert {key: found[key] for key in expected} == {
        key: pytest.approx(value) if isinstance(value, float) else value for key, value in expected.items()
    }
    json.loads(benchmark.model_dump_json(), parse_constant=pytest.fail)
    assert Benchmark.model_validate_json(benchmark.model_dump_json()) == benchmark


def test_one_arm(scene) -> None:
    """No lift, no ratio, no delta; its own rates are there."""
    benchmark = scene(rows(("P F",)), arms=(WITH,)).benchmark()
    found = figures(benchmark)
    assert found == {"lift": None, "word": None, "n": None, "p": None, "cases": ["cannot tell"], "excluded": 0} | {
        "k": {"with_skill": 2},
        "seconds": [],
    }
    assert (benchmark.lifts, benchmark.comparison, "delta" in benchmark.run_summary) == ((), None, False)
    assert (benchmark.cases[0].treatment, benchmark.cases[0].harm) == (0.5, None)


def test_a_third_arm_is_compared_with_the_baseline(scene) -> None:
    """Four cases: the first arm wins all (p 1/8), the third one (p 1): adjusted for two, 1/4 and 1."""
    table = rows(("P", "F", "P"), *[("P", "F", "F")] * 3)
    benchmark = scene(table, arms=(WITHOUT, WITH, THIRD)).benchmark()
    assert [(lift.treatment, lift.baseline, lift.estimate, lift.p_adjusted) for lift in benchmark.lifts] == [
        ("with_skill", "without_skill", 1, 0.25),
        ("third", "without_skill", 0.25, 1),
    ]
    assert benchmark.lift == benchmark.lifts[0]
    assert [(ratio.treatment, ratio.measure) for ratio in benchmark.ratios] == [
        (arm, measure) for arm in ("with_skill", "third") for measure in ("seconds", "tokens", "cost_usd")
    ]
    assert scene(rows(("P", "F"))).benchmark().lift.p_adjusted is None


def test_a_third_arm_has_findings_of_its_own(scene) -> None:
    """That the third was never offered its skill spoils its comparison alone."""
    made = scene(rows(*[("P", "F", "P")] * 4), arms=(WITH, THIRD, WITHOUT))
    benchmark = made.with_trials(
        lambda t: (
            {"evidence": t.evidence.model_copy(update={"offered": False, "loaded": False, "attempted": False})}
            if t.key.arm == "third"
            else {}
        )
    ).benchmark()
    assert [lift.word for lift in benchmark.lifts] == ["better", "cannot tell"]
    assert "skill-not-offered" in benchmark.lifts[1].why


def test_cases_of_one_family_are_one_observation(scene) -> None:
    """c1 and c2 are won, c3 and c4 not: (1 + 0 + 0) / 3 with a family, 1/2 without."""
    made = scene(rows(("P", "F"), ("P", "F"), ("F", "F"), ("F", "F")))
    benchmark = made.with_cases(lambda case: {"family": "won"} if case.id in ("c1", "c2") else {}).benchmark()
    assert made.benchmark().lift.estimate == 0.5
    assert (benchmark.lift.estimate, benchmark.lift.n_cases, benchmark.lift.n_clusters) == (pytest.approx(1 / 3), 4, 3)
    assert [row.family for row in benchmark.cases] == ["won", "won", None, None]
    assert [f.message.partition(".")[0] for f in benchmark.findings if f.code == "few-cases"] == [
        "Cases that can be compared: 3 (those of one family as one)"
    ]


def test_a_family_takes_its_time_once(scene) -> None:
    """Cases of one family take 4 and 16 times as long (8 together), a third 1 time: the geometric mean is 8 ** (1 / 2)."""
    made = scene(rows(("P", "F"), ("P", "F"), ("P", "F")))
    ids = [case.id for case in made.plan.suite.cases]
    times = dict(zip(ids, (4_000, 16_000, 1_000), strict=True))
    timed = made.with_trials(
        lambda trial: {"duration_ms": times[trial.key.case_id] if trial.key.arm == "with_skill" else 1_000}
    )
    family = timed.with_cases(lambda case: {"family": "long"} if case.id in ids[:2] else {}).benchmark()
    found = next(ratio for ratio in family.ratios if ratio.measure == "seconds")
    assert (found.estimate, found.n_cases) == (pytest.approx(8**0.5), 2)
    assert "3 cases in 2 families × 1 run" in headline(family).sentence


def test_one_family_cannot_tell(scene) -> None:
    """However many cases it has."""
    made = scene(rows(*[("P", "F")] * 8)).with_cases(lambda _: {"family": "all"})
    lift = made.benchmark().lift
    assert (lift.word, lift.estimate, lift.low, lift.n_cases, lift.n_clusters) == ("cannot tell", 1, None, 8, 1)
    assert lift.why.startswith("All cases are of one family")


def test_pass_at_k_and_pass_hat_k(scene) -> None:
    """The fewest are 2: 1, 1 and 0 of pass@2; 2 of 3 passes give 1/3 for pass^2, the others 1 and 0."""
    found = scene(rows(("P P", "F F"), ("P P F", "F F"), ("F F", "F F"))).benchmark().reliability["with_skill"]
    assert found.k == 2
    assert (found.pass_at_k.estimate, found.pass_at_k.n_cases) == (pytest.approx(2 / 3), 3)
    assert found.pass_hat_k.estimate == pytest.approx((1 + 1 / 3) / 3)
    # 0, 1/3, 1: sd 0.5092, t(2) = 4.3027, / sqrt 3: +- 1.2649, clipped
    assert (found.pass_hat_k.low, found.pass_hat_k.high) == (0, 1)


def test_passes_of_a_case(scene) -> None:
    """Wilson of 2 in 2: from 2 / (2 + 1.96^2)."""
    row = scene(rows(("PP PP", "PF FF FF"))).benchmark().cases[0]
    assert (row.passes["with_skill"].passed, row.passes["with_skill"].graded, row.passes["with_skill"].high) == (
        2,
        2,
        1,
    )
    assert row.passes["with_skill"].low == pytest.approx(2 / (2 + 1.959964**2), abs=1e-6)
    assert (row.passes["without_skill"].passed, row.passes["without_skill"].low) == (0, 0)
    assert scene(rows(("P F", "P F"))).benchmark().cases[0].harm == pytest.approx(0.5)


def test_ratios_are_geometric_means_over_cases(scene) -> None:
    """Twice as long and eight times as long are four times; within a case 10 and 40 seconds are 20."""
    seconds = {("c1", "with_skill", 1): 10, ("c1", "with_skill", 2): 40, ("c2", "with_skill", 1): 80}
    made = scene(rows(("P P", "F"), ("P", "F"))).with_trials(
        lambda t: {"duration_ms": seconds.get((t.key.case_id, t.key.arm, t.key.repeat), 10) * 1000}
    )
    ratio = made.benchmark().ratios[0]
    assert (ratio.measure, ratio.estimate, ratio.n_cases) == ("seconds", pytest.approx(4), 2)
    assert ratio.low is not None
    assert ratio.low < 1 < ratio.high


@pytest.mark.parametrize(("cost", "n"), [(None, 1), (0.0, 0)])
def test_unknown_cost_is_left_out_and_none_at_all_has_no_ratio(scene, cost, n) -> None:
    """Of two cases; to leave out what was free would make the rest look dear."""
    made = scene(rows(("P", "F"), ("P", "F"))).with_trials(
        lambda t: {"cost_usd": cost} if (t.key.case_id, t.key.arm) == ("c1", "with_skill") else {}
    )
    ratio = made.benchmark().ratios[2]
    assert (ratio.measure, ratio.estimate, ratio.n_cases) == ("cost_usd", 1 if n else None, n)


def test_each_arm_names_the_models_that_served_it(scene) -> None:
    """An arm may have a model of its own."""
    made = scene(rows(("P", "F"))).with_trials(
        lambda t: {"harness": t.harness.model_copy(update={"model_served": f"model of {t.key.arm}"})}
    )
    summary = made.benchmark().run_summary
    assert summary["with_skill"].models == ("model of with_skill",)
    assert summary["without_skill"].models == ("model of without_skill",)
