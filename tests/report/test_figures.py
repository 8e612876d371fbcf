"""Numbers as people read them."""

from __future__ import annotations

import pytest

from skilltrial.report import figures


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (None, "unknown"),
        (0.0, "0 %"),
        (0.001, "<1 %"),
        (0.125, "13 %"),
        (0.5, "50 %"),
        (0.999, ">99 %"),
        (1.0, "100 %"),
    ],
)
def test_percent(rate: float | None, shown: str) -> None:
    """Unknown is not 0 %, nearly nothing is not 0 %, nearly all is not 100 %."""
    assert figures.percent(rate) == shown


@pytest.mark.parametrize(
    ("difference", "shown"),
    [
        (None, "unknown"),
        (0.667, "+67 points"),
        (-0.5, "−50 points"),
        (0.01, "+1 point"),
        (-0.01, "−1 point"),
        (0.0, "0 points"),
        (0.004, "+0.4 points"),
        (-0.0004, "−0.04 points"),
        (0.625, "+63 points"),
        (-0.625, "−63 points"),
        (0.07, "+7 points"),
    ],
)
def test_points(difference: float | None, shown: str) -> None:
    """Whole points with their sign; an effect near 0 keeps its sign and gets decimals."""
    assert figures.points(difference) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "unknown"), (0.0, "0.0 s"), (9.44, "9.4 s"), (125.0, "2 min 5 s"), (3780.0, "1 h 3 min")],
)
def test_seconds(value: float | None, shown: str) -> None:
    """Spans are in the unit that fits them."""
    assert figures.seconds(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "unknown"), (0.0, "$0"), (0.00001, "<$0.0001"), (0.0123, "$0.0123"), (1234.5, "$1,234.50")],
)
def test_dollars(value: float | None, shown: str) -> None:
    """A known cost of nothing is $0; an unknown one is unknown."""
    assert figures.dollars(value) == shown


@pytest.mark.parametrize(
    ("new", "old", "shown"),
    [
        (None, 10.0, "unknown"),
        (10.0, None, "unknown"),
        (15.0, 10.0, "+50 %"),
        (7.5, 10.0, "−25 %"),
        (10.0, 10.0, "0 %"),
        (0.1 + 0.2, 0.3, "0 %"),
        (1003.0, 1000.0, "+0.3 %"),
        (9997.0, 10000.0, "−<0.1 %"),
        (0.0, 0.0, "0"),
        (1200.0, 0.0, "+1,200"),
        (200.0, 10.0, "+1,900 %"),
    ],
)
def test_change(new: float | None, old: float | None, shown: str) -> None:
    """A change is in per cent of the old figure; from zero there is no per cent."""
    assert figures.change(new, old, figures.count) == shown


@pytest.mark.parametrize(("new", "tone"), [(200.0, "warning"), (104.0, "plain"), (96.0, "plain"), (50.0, "good")])
def test_more_effort_is_never_good_news(new: float, tone: str) -> None:
    """More time or tokens is a warning, less is good, small changes are nothing."""
    assert figures.effort_tone(new, 100.0) == tone


def test_effort_from_zero_is_a_warning() -> None:
    """Any cost is more than none."""
    assert figures.effort_tone(0.01, 0.0) == "warning"


@pytest.mark.parametrize(("p_value", "shown"), [(0.0004, "less than 0.1 %"), (0.031, "3.1 %"), (1.0, "100 %")])
def test_chance(p_value: float, shown: str) -> None:
    """Probabilities are in per cent, with a decimal where they are small."""
    assert figures.chance(p_value) == shown
