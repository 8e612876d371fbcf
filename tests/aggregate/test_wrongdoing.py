"""Findings on what agents did beside their task."""

from __future__ import annotations

import pytest

from skilltrial.records.conduct import Conduct, LiveRead

CLEAN = Conduct(n_inspected=2, n_denials=0, outside=(), live=(), shadows=())


def cells(n=9):
    """Enough equal cases that nothing else is found."""
    return {f"c{i}": {"with_skill": ["P"], "without_skill": ["F"]} for i in range(n)}


def found(benchmark) -> dict[str, str]:
    """Severity by code."""
    return {finding.code: finding.severity for finding in benchmark.findings}


def once(arm="with_skill", **fields):
    """A change that gives one trial of an arm another conduct."""
    return lambda t: {
        "conduct": CLEAN.model_copy(update=fields) if (t.key.case_id, t.key.arm) == ("c0", arm) else CLEAN
    }


@pytest.mark.parametrize("arm", ["with_skill", "without_skill"])
@pytest.mark.parametrize(
    ("fields", "expected", "words"),
    [
        ({"shadows": ("/me/.claude/skills/tidy",)}, {"skill-shadowed": "invalid"}, "/me/.claude/skills/tidy"),
        (
            {"live": (LiveRead(source="evals", path="/s/tidy/evals/evals.json"),)},
            {"live-source-read": "invalid"},
            "its eval files: /s/tidy/evals/evals.json",
        ),
        ({"live": (LiveRead(source="program", path="/lib/x"),)}, {"program-read": "warning"}, "/lib/x"),
        ({"outside": ("/etc/x",)}, {"outside-writes": "warning"}, "/etc/x"),
    ],
)
def test_one_trial_is_enough(scene, arm: str, fields, expected, words: str) -> None:
    """In either arm, with the place named and the trial with it."""
    benchmark = scene(cells()).with_trials(once(arm, **fields)).benchmark()
    assert found(benchmark) == expected
    split = "1 of with_skill, 0 of without_skill" if arm == "with_skill" else "0 of with_skill, 1 of without_skill"
    assert f"In 1 of 18 trials ({split})" in benchmark.findings[0].message
    assert words in benchmark.findings[0].message
    assert [str(key) for key in benchmark.findings[0].trials] == [f"c0/{arm}/run-1"]


def test_an_invalid_one_stops_the_word(scene) -> None:
    """Whatever the figures say."""
    benchmark = scene(cells()).with_trials(once(shadows=("/x",))).benchmark()
    assert benchmark.lift.word == "cannot tell"
    assert "skill-shadowed" in benchmark.lift.why


def test_many_places_are_counted(scene) -> None:
    """Three are named."""
    benchmark = scene(cells()).with_trials(once(outside=tuple(f"/x{n}" for n in range(5)))).benchmark()
    assert "(/x0, /x1, /x2 and 2 more)" in benchmark.findings[0].message


def test_denials_in_one_arm_are_a_warning(scene) -> None:
    """Counted per arm."""
    benchmark = scene(cells()).with_trials(once(n_denials=2)).benchmark()
    assert found(benchmark) == {"permission-denials": "warning"}
    assert "2 in 9 trials of with_skill, 0 in 9 trials of without_skill" in benchmark.findings[0].message


def test_as_many_denials_in_both_arms_are_said(scene) -> None:
    """They still alter what an agent does."""
    refused = CLEAN.model_copy(update={"n_denials": 1})
    assert found(scene(cells()).with_trials(lambda _: {"conduct": refused}).benchmark()) == {
        "permission-denials": "info"
    }


def test_unknown_denials_are_not_none(scene) -> None:
    """An arm that does not tell is not like one that does."""
    quiet = CLEAN.model_copy(update={"n_denials": None})
    refused = CLEAN.model_copy(update={"n_denials": 1})
    made = scene(cells()).with_trials(lambda t: {"conduct": refused if t.key.arm == "with_skill" else quiet})
    benchmark = made.benchmark()
    assert found(benchmark) == {"permission-denials": "warning"}
    assert (
        "9 in 9 trials of with_skill, an unknown number in 9 trials of without_skill" in benchmark.findings[0].message
    )


def test_unknown_denials_everywhere_say_nothing(scene) -> None:
    """Nothing is claimed of them."""
    quiet = CLEAN.model_copy(update={"n_denials": None})
    assert found(scene(cells()).with_trials(lambda _: {"conduct": quiet}).benchmark()) == {}


@pytest.mark.parametrize("conduct", [None, Conduct(n_inspected=0, shadows=())])
def test_nothing_inspected_is_not_clean(scene, conduct: Conduct | None) -> None:
    """Without a transcript or without a call in it."""
    made = scene(cells()).with_trials(lambda t: {"conduct": conduct if t.key.case_id == "c0" else CLEAN})
    benchmark = made.benchmark()
    assert found(benchmark) == {"conduct-unverifiable": "info"}
    assert "In 2 of 18 trials" in benchmark.findings[0].message


def test_replays_are_not_inspected(scene) -> None:
    """Nothing ran, and their finding says so."""
    made = scene(cells()).with_trials(
        lambda t: {"harness": t.harness.model_copy(update={"discovery": "recorded"}), "conduct": None}
    )
    assert found(made.benchmark()) == {"recorded": "info"}


@pytest.mark.parametrize(("described", "expected"), [(True, {}), (None, {}), (False, {"listing-cut": "warning"})])
def test_a_description_that_was_cut_is_a_warning(scene, described: bool | None, expected: dict[str, str]) -> None:
    """The agent chose by less than what was written."""
    made = scene(cells()).with_trials(
        lambda t: (
            {"evidence": t.evidence.model_copy(update={"described": described})} if t.key.arm == "with_skill" else {}
        )
    )
    assert found(made.benchmark()) == expected
