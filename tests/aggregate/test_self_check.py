"""The baseline against itself: words, noise, flips."""

from __future__ import annotations

import pytest

from skilltrial.aggregate.self_check import between_repeats, flips, self_check
from skilltrial.records.grading import AssertionResult, Grading, Verdict
from skilltrial.records.self_check import SelfCheck
from skilltrial.records.trial import TrialKey
from skilltrial.report.self_check import meaning, sentence


def _grading(case: str, arm: str, repeat: int, verdict: Verdict) -> Grading:
    result = AssertionResult(id="a", text="t", type="llm_judge", verdict=verdict, evidence="e", grader="judge")
    return Grading(key=TrialKey(case_id=case, arm=arm, repeat=repeat), results=(result,), digest="")


def _check(**fields: object) -> SelfCheck:
    told = {
        "skill_name": "s",
        "what": "no skill",
        "iteration": 1,
        "plan_digest": "sha256:0",
        "suite_digest": "sha256:1",
        "harness": "builtin",
        "model": "m",
        "made": "2026-01-01T00:00:00Z",
        "word": "no alarm",
        "estimate": 0.03,
        "low": -0.12,
        "high": 0.18,
        "level": 0.95,
        "p_value": 0.5,
        "n_cases": 8,
        "repeats_min": 3,
        "repeats_max": 3,
        "noise": 0.1,
        "visible": 0.15,
        "repeats": flips(0, 0),
        "n_excluded": 0,
    }
    return SelfCheck.model_validate({**told, **fields})


def test_runs_of_the_same_case_and_arm_are_compared_two_by_two() -> None:
    """Three runs PASS, PASS, FAIL are three pairs, of which two differ; other arms and cases are no pairs, UNGRADED is none."""
    found = between_repeats(
        [
            _grading("c", "twin_a", 1, "PASS"),
            _grading("c", "twin_a", 2, "PASS"),
            _grading("c", "twin_a", 3, "FAIL"),
            _grading("c", "twin_b", 1, "FAIL"),
            _grading("c", "twin_b", 2, "UNGRADED"),
            _grading("d", "twin_a", 1, "FAIL"),
        ]
    )
    assert (found.n, found.flipped, found.rate) == (3, 2, 2 / 3)


def test_nothing_judged_twice_has_no_rate() -> None:
    """It is unknown, not 0."""
    found = between_repeats([_grading("c", "twin_a", 1, "PASS")])
    assert (found.n, found.rate, found.low, found.high) == (0, None, None, None)


@pytest.mark.parametrize(("n_cases", "word"), [(1, "cannot tell"), (3, "cannot tell"), (4, "no alarm")])
def test_too_few_cases_for_any_alarm_tell_nothing(scene, n_cases: int, word: str) -> None:
    """With fewer than four no interval leaves 0 out, whatever comes."""
    table = {f"c{n}": {"with_skill": ["P"], "without_skill": ["P"]} for n in range(n_cases)}
    assert self_check(scene(table).benchmark(), []).word == word


def test_an_interval_that_holds_0_is_no_alarm() -> None:
    """One sentence with estimate, interval, cases and runs, and what is too small to be seen."""
    check = _check()
    assert sentence(check) == (
        "No false alarm: the baseline differs from itself by +3 points (95 % interval −12 to +18; 8 cases × 3 runs), "
        "and the interval holds 0, as it should."
    )
    assert meaning(check).endswith("Lifts below about 15 points cannot be told from it.")


def test_an_interval_without_0_is_an_alarm() -> None:
    """It says how often that happens by chance, and what to do."""
    check = _check(word="false alarm", low=0.01)
    assert sentence(check).startswith("False alarm: the baseline differs from itself by +3 points")
    assert "about 1 of 20 such checks" in meaning(check)
    assert "--iteration new" in meaning(check)


@pytest.mark.parametrize(("visible", "said"), [(1.2, "not even the largest lift"), (None, "So much is noise")])
def test_too_few_cases_promise_nothing(visible: float | None, said: str) -> None:
    """An interval as wide as the scale holds 0 whatever happens."""
    assert said in meaning(_check(visible=visible))


def test_without_an_interval_it_cannot_tell() -> None:
    """One case."""
    check = _check(word="cannot tell", low=None, high=None, n_cases=1)
    assert sentence(check).startswith("Cannot tell: with 1 case × 3 runs")


def test_a_note_cites_a_check_of_the_same_cases_agent_and_judge(scene) -> None:
    """With its figures; not where another model was asked, nor where there was no interval."""
    made = scene({name: {"with_skill": ["P"], "without_skill": ["F"]} for name in ("one", "two")})
    about = made.benchmark().metadata
    alike = {"suite_digest": about.suite_digest, "harness": about.harness.name, "model": about.executor_model}
    alike["judge_name"] = about.analyzer_model
    note = (
        "The baseline against itself (`skilltrial aa`) differed by +3 points (-12 to +18; 8 cases): so much is noise."
    )
    assert note in made.benchmark(noise=_check(**alike)).notes
    for other in ({"model": "another"}, {"judge_name": "another"}, {"low": None, "high": None}):
        assert made.benchmark(noise=_check(**{**alike, **other})).notes == made.benchmark().notes
