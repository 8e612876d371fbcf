"""What reports say of a judge that people have checked, or have not."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.calibration import Agreement, Calibration, CorrectedRate, Figure, Standing
from skilltrial.report import html, markdown
from skilltrial.report.account import account

BANNER = "Uncalibrated judge: 12 of 12 verdicts are a judge's."


def calibration(standing: Standing, **fields: Any) -> Calibration:
    """Nine of twelve, and a lift that is smaller by people's verdicts."""
    agreement = Agreement(
        judge="openai:a",
        n=12,
        both_pass=6,
        both_fail=3,
        judge_passes=2,
        judge_fails=1,
        raw=Figure(estimate=0.75, low=0.468, high=0.911),
        kappa=Figure(estimate=None),
        ac1=Figure(estimate=-0.2, low=-0.5, high=0.3),
    )
    facts: dict[str, Any] = {
        "standing": standing,
        "banner": BANNER if standing == "uncalibrated" else "",
        "n_judged": 240,
        "n_labels": 12,
        "n_drawn": 12,
        "n_unsure": 0,
        "n_outdated": 0,
        "n_sighted": 0,
        "people": ("Ada\x1b[31m",),
        "people_alpha": None,
        "agreements": (agreement,),
        "rates": (
            CorrectedRate(
                arm="with_skill",
                judged=0.9,
                n_judged=120,
                n_labels=6,
                corrected=Figure(estimate=0.8, low=0.7, high=0.9),
                method="PPI++",
            ),
        ),
        "lift": Figure(estimate=0.2, low=-0.05, high=0.45),
    }
    return Calibration(**(facts | fields))


def with_calibration(benchmark: Benchmark, standing: Standing, **fields: Any) -> Benchmark:
    """The benchmark with it."""
    return benchmark.model_copy(update={"calibration": calibration(standing, **fields)})


def test_an_uncalibrated_judge_is_said_first_in_every_format(better: Benchmark) -> None:
    """It stands where notices stand, and in the record."""
    benchmark = with_calibration(better, "uncalibrated", lift=None)
    assert BANNER in account(benchmark).notices
    assert BANNER in markdown.render(benchmark)
    assert BANNER.replace("'", "&#39;") in html.render(benchmark)
    assert Benchmark.model_validate_json(benchmark.model_dump_json()).calibration == benchmark.calibration


def test_agreement_is_a_note_with_the_four_counts(better: Benchmark) -> None:
    """A figure that is not defined is no zero; names are harmless."""
    (note,) = [each for each in account(with_calibration(better, "noted", lift=None)).notes if "openai:a" in each]
    assert note == (
        "openai:a and people (Ada\\x1b[31m) say the same of 75 % of 12 assertions (95 % interval 47 % to 91 %); "
        "kappa not defined, AC1 −0.20 (−0.50 to 0.30). Both pass 6, both fail 3; the judge passes 2 that people fail, "
        "and fails 1 that people pass."
    )


@pytest.mark.parametrize(("standing", "in_headline"), [("noted", False), ("calibrated", True)])
def test_the_corrected_lift_is_a_note_or_stands_beside_the_headline(
    better: Benchmark, standing: Standing, in_headline: bool
) -> None:
    """By the number of labels; the raw one stays the headline either way."""
    said = (
        "With people's verdicts in the judge's place the difference is +20 points (95 % interval −5 to +45; 12 labels)."
    )
    told = account(with_calibration(better, standing))
    assert (said in told.headline.details) is in_headline
    assert any(said in note for note in told.notes) is not in_headline
    assert told.headline.sentence == account(better).headline.sentence


def test_a_report_without_a_judge_says_nothing_of_it(better: Benchmark) -> None:
    """Code needs no calibration."""
    assert account(better).notices == account(better.model_copy(update={"calibration": None})).notices
    assert "judge" not in " ".join(account(better).notices)
