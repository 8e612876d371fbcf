"""What people's verdicts say of a judge: twelve labels counted by hand, and the rules on how many are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from skilltrial.records.calibration import Calibration
from skilltrial.records.grading import Grading, JudgeFacts, Vote
from skilltrial.records.journal import PersonVerdict

SAID = {"P": "PASS", "F": "FAIL", "?": "UNSURE"}
TWELVE = {
    "c1": {"with_skill": ["PP"], "without_skill": ["PF"]},
    "c2": {"with_skill": ["PP"], "without_skill": ["FF"]},
    "c3": {"with_skill": ["PP"], "without_skill": ["PF"]},
}
PEOPLE = ["PP", "PF", "PF", "FF", "PF", "PP"]
"""In the order of cases and arms: of the judge's 8 PASS people fail 2, of its 4 FAIL they pass 1."""


def known(scene: Any, *, judge: str = "sha256:j", seats: Sequence[str] = ()) -> Any:
    """The scene with gradings that say what was judged, and by whom."""

    def told(grading: Grading) -> Grading:
        parts = {"trial": f"t:{grading.key}", "judge": judge}
        parts |= {f"assertion:{each.id}": f"a:{grading.key.case_id}:{each.id}" for each in grading.results}
        results = tuple(
            each.model_copy(update={"votes": tuple(Vote(judge=seat, verdict=each.verdict) for seat in seats)})
            for each in grading.results
        )
        facts = JudgeFacts(model="openai:a")
        return grading.model_copy(update={"parts": parts, "judge": facts, "results": results})

    return replace(scene, gradings=tuple(told(grading) for grading in scene.gradings))


def say(scene: Any, letters: Sequence[str], **fields: Any) -> list[PersonVerdict]:
    """A person's verdicts on the trials in their order, a letter an assertion; `.` is no verdict."""
    return [
        PersonVerdict(
            **{
                "at": datetime(2026, 1, 2, tzinfo=UTC),
                "by": "Ada",
                "iteration": 1,
                "key": grading.key,
                "assertion": result.id,
                "verdict": SAID[letter],
                "blind": True,
                "trial_digest": grading.parts["trial"],
                "assertion_digest": grading.parts[f"assertion:{result.id}"],
                "drawn_for": "sha256:j",
                **fields,
            }
        )
        for grading, word in zip(scene.gradings, letters, strict=False)
        for result, letter in zip(grading.results, word, strict=True)
        if letter != "."
    ]


def calibration(scene: Any, said: Sequence[PersonVerdict]) -> Calibration:
    """Of the scene's judge."""
    found = scene.benchmark(said=said).calibration
    assert found is not None
    return found


def test_twelve_labels_have_the_agreement_counted_by_hand(scene) -> None:
    """9 of 12, kappa 8/17, AC1 9/17; Wilson (9 + 1.9207) / (12 + 3.8415) -+ 1.96 sqrt(2.25 + 0.9604) / 15.8415."""
    twelve = known(scene(TWELVE))
    found = calibration(twelve, say(twelve, PEOPLE))
    (agreement,) = found.agreements
    assert (agreement.judge, agreement.n) == ("openai:a", 12)
    assert (agreement.both_pass, agreement.both_fail) == (6, 3)
    assert (agreement.judge_passes, agreement.judge_fails) == (2, 1)
    assert agreement.raw.estimate == pytest.approx(3 / 4)
    assert (agreement.raw.low, agreement.raw.high) == pytest.approx((0.4677, 0.9111), abs=2e-4)
    assert agreement.kappa.estimate == pytest.approx(8 / 17)
    assert agreement.ac1.estimate == pytest.approx(9 / 17)
    assert agreement.kappa.low is not None
    assert (found.n_judged, found.n_labels, found.n_drawn, found.people) == (12, 12, 12, ("Ada",))


def test_twelve_labels_are_too_few_to_correct_anything(scene) -> None:
    """Agreement only, and every report says so."""
    twelve = known(scene(TWELVE))
    found = calibration(twelve, say(twelve, PEOPLE))
    assert found.standing == "uncalibrated"
    assert found.lift is None
    assert [rate.method for rate in found.rates] == ["none", "none"]
    assert found.banner.startswith("Uncalibrated judge: 12 of 12 verdicts are a judge's, and only 12 of them have")


def test_without_a_judge_there_is_nothing_to_calibrate(scene) -> None:
    """Verdicts of code need no person."""
    assert scene({"c": {"with_skill": ["U"], "without_skill": ["U"]}}).benchmark().calibration is None


def test_without_a_label_the_banner_stands_alone(scene) -> None:
    """No agreement is not an agreement of zero."""
    found = calibration(known(scene(TWELVE)), [])
    assert found.agreements == ()
    assert "none of them has a person's verdict beside it" in found.banner


def test_a_grading_without_digests_cannot_be_checked(scene) -> None:
    """Those of other tools do not say what was judged."""
    assert "nobody can check it" in calibration(scene(TWELVE), []).banner


def test_the_last_word_of_a_person_counts(scene) -> None:
    """Changed from FAIL to PASS; the same in another iteration, since the trial is the same."""
    twelve = known(scene(TWELVE))
    said = [*say(twelve, ["F."]), *say(twelve, ["P."], iteration=7)]
    (agreement,) = calibration(twelve, said).agreements
    assert (agreement.n, agreement.both_pass) == (1, 1)


def test_unsure_people_and_divided_people_are_no_verdict(scene) -> None:
    """One is unsure of the first, two are divided on the second."""
    twelve = known(scene(TWELVE))
    found = calibration(twelve, [*say(twelve, ["?P"]), *say(twelve, [".F"], by="Bea")])
    assert (found.n_labels, found.n_unsure, found.agreements) == (0, 2, ())


def test_people_who_saw_the_verdict_do_not_count(scene) -> None:
    """They agree with what they were shown."""
    twelve = known(scene(TWELVE))
    found = calibration(twelve, say(twelve, ["PP"], blind=False))
    assert (found.n_labels, found.n_sighted) == (0, 2)


def test_verdicts_on_another_statement_or_trial_do_not_count(scene) -> None:
    """The wording changed after the first, the trial was run again after the others; one of those was said anew."""
    twelve = known(scene(TWELVE))
    old = [
        *say(twelve, ["P."], assertion_digest="a:old"),
        *say(twelve, ["..", "PP"], trial_digest="t:old"),
        *say(twelve, ["..", "P."]),
    ]
    found = calibration(twelve, old)
    assert (found.n_labels, found.n_outdated) == (1, 2)


def test_several_people_have_an_alpha_and_the_majority_is_the_truth(scene) -> None:
    """5 PASS and 4 FAIL on three items, one of them 2 : 1: disagreement 2 · 2 · 1 / 2 observed, 2 · 5 · 4 / 8 expected."""
    twelve = known(scene(TWELVE))
    said = [
        *say(twelve, ["PP", "F."], by="Ada"),
        *say(twelve, ["PP", "F."], by="Bea"),
        *say(twelve, ["FP", "F."], by="Cyd"),
    ]
    found = calibration(twelve, said)
    assert found.n_labels == 3
    assert found.people_alpha == pytest.approx(1 - 2 / 5)


def test_each_judge_of_a_panel_has_its_own_agreement(scene) -> None:
    """The second always says FAIL: right where people say FAIL, 5 of 12."""
    twelve = known(scene(TWELVE), seats=("openai:a", "openai:b"))

    def split(grading: Grading) -> Grading:
        results = tuple(
            each.model_copy(update={"votes": (each.votes[0], each.votes[1].model_copy(update={"verdict": "FAIL"}))})
            for each in grading.results
        )
        return grading.model_copy(update={"results": results})

    twelve = replace(twelve, gradings=tuple(map(split, twelve.gradings)))
    found = calibration(twelve, say(twelve, PEOPLE))
    assert [(each.judge, each.both_pass + each.both_fail) for each in found.agreements[1:]] == [
        ("openai:a", 9),
        ("openai:b", 5),
    ]


def test_consistency_is_counted_over_the_samples_of_a_judge(scene) -> None:
    """Asked twice, it changes its mind on one of two; a sample without a verdict says nothing."""
    one = known(scene({"c": {"with_skill": ["PPP"], "without_skill": ["U" * 3]}}))
    votes = [("PASS", "FAIL"), ("PASS", "PASS"), ("PASS", "UNGRADED")]
    results = tuple(
        result.model_copy(
            update={"votes": tuple(Vote(judge="j", sample=n, verdict=said) for n, said in enumerate(pair, 1))}  # pyright: ignore[reportArgumentType] (the three verdicts)
        )
        for result, pair in zip(one.gradings[0].results, votes, strict=True)
    )
    first = one.gradings[0].model_copy(update={"results": results})
    (consistency,) = calibration(replace(one, gradings=(first, *one.gradings[1:])), []).consistency
    assert (consistency.judge, consistency.n, consistency.unanimous.estimate) == ("j", 2, 0.5)


def test_a_judge_that_passes_long_answers_shows_it(scene) -> None:
    """People fail all four; it passes the two long ones: the correlation is 1."""
    four = known(
        scene(
            {
                name: {"with_skill": [letter], "without_skill": ["U"]}
                for name, letter in zip("abcd", "PFPF", strict=True)
            }
        )
    )
    four = four.with_trials(
        lambda trial: {"final_message": "x" * (400 if trial.key.case_id in "ac" else 10), "attempts": trial.attempts}
    )
    found = calibration(four, say(four, ["F", ".", "F", ".", "F", ".", "F"]))
    assert found.length_effect is not None
    assert found.length_effect.estimate == pytest.approx(1)
    assert found.position_effect is None


def test_a_judge_that_tires_shows_it(scene) -> None:
    """It passes the first and fails the second of each trial, where people pass both: the correlation is -1."""
    found = known(scene({"a": {"with_skill": ["PF"], "without_skill": ["PF"]}}))
    effect = calibration(found, say(found, ["PP", "PP"])).position_effect
    assert effect is not None
    assert effect.estimate == pytest.approx(-1)


def cases(n: int, treatment: str, baseline: str) -> dict[str, Any]:
    """The same cells in n cases."""
    return {f"c{number:02}": {"with_skill": [treatment], "without_skill": [baseline]} for number in range(n)}


def test_thirty_labels_correct_figures_as_a_note(scene) -> None:
    """20 cases, judge 100 % and 0 %; 15 of 40 labels an arm, in treatment a third FAIL: 2/3, and the lift falls by 1/3."""
    many = known(scene(cases(20, "PP", "FF")))
    letters = [word for n in range(20) for word in (("F." if n < 5 else "P.", "F.") if n < 15 else ("..", ".."))]
    found = calibration(many, say(many, letters))
    assert (found.standing, found.n_drawn, found.banner) == ("noted", 30, "")
    treatment, baseline = found.rates
    assert (treatment.method, treatment.judged) == ("PPI++", 1)
    assert treatment.corrected.estimate == pytest.approx(2 / 3)
    assert baseline.corrected.estimate == 0
    assert baseline.corrected.high == pytest.approx(0.2039, abs=1e-4)  # Wilson of 0 in 15
    assert found.lift is not None
    assert found.lift.estimate == pytest.approx(2 / 3)
    assert found.lift.high is not None
    assert found.lift.high > 2 / 3


def test_with_a_label_on_everything_corrected_figures_are_the_peoples(scene) -> None:
    """15 cases with 60 items: people pass 1 of 2 in treatment and in every third baseline."""
    many = known(scene(cases(15, "PP", "PF")))
    letters = [word for n in range(15) for word in ("PF", "PF" if n % 3 == 0 else "FF")]
    found = calibration(many, say(many, letters))
    assert found.standing == "calibrated"
    assert [rate.corrected.estimate for rate in found.rates] == pytest.approx([1 / 2, 1 / 6])
    assert found.lift is not None
    assert found.lift.estimate == pytest.approx(1 / 2 - 1 / 6)


def test_cases_of_a_family_are_one_observation_of_the_corrected_lift(scene) -> None:
    """Ten of 15 cases are a family: people's 0.5 - 0.2 there, 0.5 in four others and 0 in one: (0.3 + 2) / 6 = 2.3 / 6.

    Six observations have the half-width t(0.975, 5) s / sqrt(6) = 2.5706 * 0.20412 / 2.4495 = 0.2142, which the raw lift's exceeds.
    """
    kin = scene(cases(15, "PP", "PF")).with_cases(lambda case: {"family": "kin" if case.id < "c10" else None})
    many = known(kin)
    said = say(many, [word for n in range(15) for word in ("PF", "PF" if n % 3 == 0 else "FF")])
    lift = many.benchmark().lift
    found = calibration(many, said).lift
    assert found is not None
    assert found.estimate == pytest.approx(2.3 / 6)
    assert lift.n_clusters == 6
    assert found.low == pytest.approx(2.3 / 6 - lift.visible)
    assert lift.visible > 0.2142


def test_labels_of_one_family_do_not_show_how_far_figures_may_be_off(scene) -> None:
    """All cases are of one family: estimates, but no interval of the lift and of kappa."""
    many = known(scene(cases(15, "PP", "PF")).with_cases(lambda _case: {"family": "kin"}))
    found = calibration(many, say(many, [word for n in range(15) for word in ("PF", "PF" if n % 3 == 0 else "FF")]))
    assert found.lift is not None
    assert (found.lift.estimate, found.lift.low) == (pytest.approx(1 / 2 - 1 / 6), None)
    assert found.agreements[0].kappa.estimate is not None
    assert found.agreements[0].kappa.low is None
    assert all(rate.corrected.low is None for rate in found.rates)


def test_a_stratum_that_nobody_looked_at_is_not_corrected(scene) -> None:
    """No label on what the judge fails in the baseline."""
    many = known(scene(cases(30, "PP", "PF")))
    letters = ["P."] * 60
    found = calibration(many, say(many, letters))
    assert (found.n_drawn, found.standing, found.lift) == (60, "noted", None)
    assert "FAIL of in without_skill (30 assertions)" in " ".join(found.remarks)


def test_another_judge_asks_for_another_draw(scene) -> None:
    """The old labels still say how often it errs, and correct by Rogan and Gladen; its own are asked for."""
    many = known(scene(cases(20, "PP", "FF")), judge="sha256:new")
    letters = [word for n in range(20) for word in (("P.", "P." if n < 3 else "F.") if n < 15 else ("..", ".."))]
    found = calibration(many, say(many, letters))
    assert (found.n_labels, found.n_drawn, found.standing) == (30, 0, "noted")
    assert "calibrated anew" in found.banner
    # sensitivity 15/18, specificity 12/12
    assert [rate.method for rate in found.rates] == ["Rogan-Gladen", "Rogan-Gladen"]
    assert found.rates[1].corrected.estimate == 0
    assert found.lift is None


def test_a_judge_near_chance_corrects_nothing_and_is_named(scene) -> None:
    """It passes everything: sensitivity 1, specificity 0."""
    many = known(scene(cases(20, "PP", "PP")), judge="sha256:new")
    found = calibration(many, say(many, ["PF"] * 40))
    assert [rate.method for rate in found.rates] == ["none", "none"]
    assert "near chance" in " ".join(found.remarks)


def test_the_same_labels_give_the_same_bytes(scene) -> None:
    """Intervals are drawn with the plan's seed."""
    twelve = known(scene(TWELVE))
    first, second = (twelve.benchmark(said=say(twelve, PEOPLE)).model_dump_json() for _time in range(2))
    assert first == second
