"""What gradings get wrong: summaries, verdicts, criteria."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

import pytest

from skilltrial.records.foreign import Statement, Tally

RUN = "iteration-1/eval-0/with_skill/run-1"


@pytest.fixture
def graded(scene):
    """One run with 3 of 4."""
    return scene({"eval-0": {"with_skill": ["PPPF"]}})


def only(found):
    """The one finding."""
    (finding,) = found
    return finding


def test_a_summary_that_contradicts_its_criteria(graded) -> None:
    """4 of 4 are claimed, 3 of 4 passed."""
    made = graded.with_grading(RUN, tally=Tally(passed=4, failed=0, total=4, pass_rate=1.0))
    finding = only(made.findings())
    assert (finding.code, finding.severity) == ("SA115", "error")
    assert finding.place == f"{RUN}/grading.json#summary.pass_rate"
    assert (finding.old, finding.right) == (1.0, 0.75)


def test_counts_that_contradict_the_criteria_beside_a_right_rate(graded) -> None:
    """The rate is right and the total is not."""
    finding = only(graded.with_grading(RUN, tally=Tally(passed=3, total=5, pass_rate=0.75)).findings())
    assert (finding.name, finding.place) == ("summary-wrong", f"{RUN}/grading.json#summary.total")
    assert (finding.old, finding.right) == (5, 4)


@pytest.mark.parametrize(("letters", "rate"), [("PPF", 0.67), ("PFFFFFFF", 0.12), ("PFFFFFFF", 0.13)])
def test_two_decimals_are_no_contradiction(scene, letters, rate) -> None:
    """Up to 0.005 is rounding."""
    made = scene({"eval-0": {"with_skill": [letters]}})
    assert not made.with_grading(RUN, tally=Tally(pass_rate=rate)).findings()


def test_more_than_rounding_is_a_contradiction(graded) -> None:
    """0.744 is not 0.75 rounded."""
    assert only(graded.with_grading(RUN, tally=Tally(pass_rate=0.744)).findings()).name == "summary-wrong"


def test_a_rate_in_per_cent(graded) -> None:
    """75 where 0.75 is meant; it contradicts nothing otherwise."""
    finding = only(graded.with_grading(RUN, tally=Tally(passed=3, failed=1, total=4, pass_rate=75)).findings())
    assert (finding.code, finding.old, finding.right) == ("SA110", 75, 0.75)


@pytest.mark.parametrize("rate", [math.nan, math.inf, -math.inf])
def test_a_rate_that_is_no_number(graded, rate) -> None:
    """It is said with the right one, and the finding can be written as JSON."""
    audit = graded.with_grading(RUN, tally=Tally(pass_rate=rate)).audit()
    finding = only(audit.findings)
    assert (finding.code, finding.old, finding.right) == ("SA111", str(rate), 0.75)
    assert str(rate) in str(asdict(audit))


def test_a_missing_summary_is_a_trap(graded) -> None:
    """Nothing is wrong yet; the aggregator will count 0 %."""
    finding = only(graded.with_grading(RUN, tally=None).findings())
    assert (finding.code, finding.severity, finding.right) == ("SA301", "note", 0.75)


def test_a_missing_summary_is_nothing_where_the_tool_needs_none(graded) -> None:
    """Only skill-creator's aggregator counts on it."""
    assert not graded.with_workspace(family="agentskills").with_grading(RUN, tally=None).findings()


def test_a_grading_that_cannot_be_read(scene) -> None:
    """It says why, and the run is in no rate."""
    made = scene({"eval-0": {"with_skill": ["!", "P"]}})
    finding = only(made.findings())
    assert (finding.code, finding.severity, finding.place) == ("SA202", "warning", f"{RUN}/grading.json")
    assert "line 3" in finding.message


def test_counts_without_criteria_are_in_no_rate(graded) -> None:
    """Nobody can check them."""
    made = graded.with_grading(RUN, statements=None)
    assert only(made.findings()).name == "counts-without-criteria"
    assert made.audit().iterations[0].arms[0].pass_rate.mean is None


def test_a_verdict_that_cannot_be_read(scene) -> None:
    """It is placed by its number."""
    finding = only(scene({"eval-0": {"with_skill": ["PUF"]}}).findings())
    assert (finding.code, finding.place) == ("SA208", f"{RUN}/grading.json#expectations[1]")


def statements(*texts: str) -> tuple[Statement, ...]:
    """All passed but the last."""
    return tuple(Statement(text=text, passed=text is not texts[-1]) for text in texts)


def test_a_dropped_criterion_is_named(graded) -> None:
    """Three of four were answered."""
    made = graded.with_grading(
        RUN, statements=statements("eval-0 holds 0", "eval-0 holds 1", "eval-0 holds 2"), tally=None
    )
    finding = only(made.findings(None, "criterion-dropped"))
    assert finding.severity == "warning"
    assert finding.right == ["eval-0 holds 3"]


def test_an_invented_criterion_changes_the_rate(graded) -> None:
    """4 of 5 with it, 4 of 4 without."""
    texts = [f"eval-0 holds {n}" for n in range(4)]
    made = graded.with_grading(RUN, statements=statements(*texts, "Looks professional throughout"), tally=None)
    finding = only(made.findings(None, "criterion-invented"))
    assert (finding.severity, finding.old, finding.right) == ("error", 0.8, 1.0)


def test_a_repeated_criterion_weighs_more(graded) -> None:
    """P P P F and the first again as F: 3 of 5 with it, 3 of 4 without."""
    again = (*graded.iteration.runs[0].grading.statements, Statement(text="eval-0 holds 0", passed=False))
    finding = only(graded.with_grading(RUN, statements=again, tally=None).findings(None, "criterion-repeated"))
    assert (finding.severity, finding.old, finding.right) == ("error", 0.6, 0.75)


def test_a_reworded_criterion_is_a_note(graded) -> None:
    """Half of the words in common is the same criterion; case and punctuation are no rewording."""
    made = graded.with_grading(
        RUN,
        statements=statements("Eval-0 holds 0.", "eval-0 holds 1", "eval-0 holds 2", "it holds 3 in eval-0"),
        tally=None,
    )
    findings = made.findings(None, "criterion-reworded", "criterion-dropped", "criterion-invented")
    finding = only(findings)
    assert (finding.code, finding.old, finding.right) == ("SA309", "it holds 3 in eval-0", "eval-0 holds 3")


def test_a_criterion_that_was_cut_short_is_the_same(scene) -> None:
    """All of its words are the declared one's."""
    made = scene({"eval-0": {"with_skill": ["PP"]}})
    (case,) = made.iteration.cases
    long = replace(case.criteria[1], text="The layout feels developer-focused (terminal, code blocks, dark)")
    made = made.with_iteration(cases=(replace(case, criteria=(case.criteria[0], long)),))
    texts = statements("eval-0 holds 0", "The layout feels developer-focused")
    assert (
        only(made.with_grading(RUN, statements=texts, tally=None).findings(None, "criterion-reworded")).code == "SA309"
    )


def test_names_in_place_of_all_texts_match_in_order(scene) -> None:
    """Nothing is dropped or invented; the words are other ones."""
    made = scene({"eval-0": {"with_skill": ["PP"]}})
    findings = made.with_grading(RUN, statements=statements("skips_interview", "collects"), tally=None).findings()
    assert [finding.code for finding in findings] == ["SA301", "SA309", "SA309"]
    assert [finding.right for finding in findings[1:]] == ["eval-0 holds 0", "eval-0 holds 1"]


def test_criteria_in_another_order_are_all_there(graded) -> None:
    """Order means nothing."""
    backwards = tuple(reversed(graded.iteration.runs[0].grading.statements))
    assert not graded.with_grading(RUN, statements=backwards).findings()


def test_criteria_are_bound_by_id_where_both_have_one(scene) -> None:
    """Other words under the same id are the same criterion."""
    made = scene({"eval-0": {"with_skill": ["P"]}})
    (case,) = made.iteration.cases
    criteria = tuple(replace(each, id="total") for each in case.criteria)
    made = made.with_iteration(cases=(replace(case, criteria=criteria),))
    made = made.with_grading(RUN, statements=(Statement(id="total", text="Nothing alike", passed=True),))
    assert not made.findings()


def test_where_nothing_declares_criteria_none_is_invented(graded) -> None:
    """Unknown is no accusation."""
    (case,) = graded.iteration.cases
    made = graded.with_iteration(cases=(replace(case, criteria=None),))
    assert not made.findings()


def test_arms_that_were_asked_different_things(scene) -> None:
    """Four criteria against two, which nothing declares; with as many in both arms there is nothing to say."""
    uneven = scene({"eval-0": {"with_skill": ["PPPP"], "without_skill": ["PP"]}})
    undeclared = uneven.with_iteration(cases=(replace(uneven.iteration.cases[0], criteria=None),))
    (finding,) = undeclared.findings(None, "criteria-differ")
    assert (finding.code, finding.place) == ("SA218", "iteration-1/eval-0")
    assert "4 criteria in 'with_skill' and 2 in 'without_skill'" in finding.message
    assert not uneven.findings(None, "criteria-differ")
