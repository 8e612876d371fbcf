"""How far a judge can be trusted, by what people said of the same assertions. None is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Standing = Literal["uncalibrated", "noted", "calibrated"]
"""By the number of labels: agreement alone, corrected figures as a note, corrected figures beside the headline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An estimate with its 95 % interval; either may be unknown."""

    estimate: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One judge and people, on the assertions on which both have a verdict."""

    judge: str
    """A judge's name; of several, that of all with commas between them is their common verdict."""
    n: int
    both_pass: int
    both_fail: int
    judge_passes: int
    """The judge says PASS and people FAIL."""
    judge_fails: int
    """The judge says FAIL and people PASS."""
    raw: Figure
    """The share on which they agree; Wilson's interval."""
    kappa: Figure
    """Cohen's; interval by drawing whole cases again, as that of AC1."""
    ac1: Figure
    """Gwet's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """Does a judge say the same when it is asked the same again?"""

    judge: str
    n: int
    """Assertions of trials on which it gave two verdicts or more."""
    unanimous: Figure
    """The share on which all of them were the same; Wilson's interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate:
    """The share of an arm's judged assertions that people would pass."""

    arm: str
    judged: float
    """The share that the judge passes."""
    n_judged: int
    n_labels: int
    corrected: Figure
    method: Literal["PPI++", "Rogan-Gladen", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Of the judges of one iteration. Labels are people's blind verdicts on the statements and trials as they are now."""

    standing: Standing
    banner: str
    """What every report has to say before its figures; empty where nothing needs saying."""
    n_judged: int
    """PASS and FAIL of a judge, in all arms."""
    n_labels: int
    """Judged assertions on which people say PASS or FAIL."""
    n_drawn: int
    """Those of them that were drawn at random to check this judge: the only ones that correct figures."""
    n_unsure: int
    """Judged assertions of which people are unsure, or on which as many say PASS as FAIL."""
    n_outdated: int
    """Verdicts of people on statements or trials that have changed since, or have no verdict of a judge now; they do not count."""
    n_sighted: int
    """Verdicts of people who saw the arm or the judge's verdict; they do not count."""
    people: tuple[str, ...]
    people_alpha: float | None
    """Krippendorff's alpha among people, where several looked at the same."""
    agreements: tuple[Agreement, ...] = ()
    consistency: tuple[Consistency, ...] = ()
    length_effect: Figure | None = None
    """Correlation of the judge's PASS with the length of the final message, among assertions of which people say the same. Above
    0: it passes long answers more."""
    position_effect: Figure | None = None
    """The same with the place of the assertion among the judged ones of its trial."""
    rates: tuple[CorrectedRate, ...] = ()
    lift: Figure | None = None
    """The lift by people's verdicts on the judged assertions, where there are enough labels."""
    remarks: tuple[str, ...] = ()
    """Why a figure is missing, and what to do."""
