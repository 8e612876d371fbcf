"""Numbers as people read them.

None is "unknown", never a zero. What is not quite nothing or everything is never rounded to 0 % or 100 %. Signs are U+2212
and `+`. Tones say whether a figure is good news; formats turn them into colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

Tone = Literal["good", "bad", "warning", "muted", "plain"]

UNKNOWN = "unknown"
NOTHING = "–"

_HAIR = 1e-9
"""What floating point adds to a figure of no size."""
_NOTEWORTHY = 0.05
"""Changes of time, tokens and cost below this share get no colour."""


def percent(rate: float | None) -> str:
    """A fraction of 1 in whole per cent."""
    if rate is None:
        return UNKNOWN
    whole = _whole(rate * 100)
    if whole == 0 and rate > 0:
        return "<1 %"
    if whole == 100 and rate < 1:  # noqa: PLR2004 - per cent
        return ">99 %"
    return f"{whole} %"


def signed_points(difference: float | None) -> str:
    """A difference of fractions in percentage points, without the unit: `+67`, `−0.4`."""
    if difference is None:
        return UNKNOWN
    value = difference * 100
    size = abs(value)
    digits = 0 if size == 0 or _whole(size) >= 1 else 1 if round(size, 1) > 0 else 2
    text = f"{size:.{digits}f}" if digits else str(_whole(size))
    if float(text) == 0:
        return text if size == 0 else f"{_sign(value)}0"
    return _sign(value) + text


def points(difference: float | None) -> str:
    """A difference of fractions with its unit: `+67 points`."""
    number = signed_points(difference)
    if difference is None:
        return number
    return f"{number} point" if number[1:] == "1" else f"{number} points"


def size_in_points(value: float) -> str:
    """The size of a difference, without its sign: `27 points`."""
    number = signed_points(abs(value)).lstrip("+")
    return f"{number} point" if number == "1" else f"{number} points"


def count(number: float | None) -> str:
    """A whole number with thousands separated."""
    return UNKNOWN if number is None else f"{round(number):,}"


def seconds(value: float | None) -> str:
    """A span of time."""
    if value is None:
        return UNKNOWN
    if value < 100:  # noqa: PLR2004 - one decimal is of use below
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def dollars(value: float | None) -> str:
    """A cost in US dollars, with more digits the smaller it is."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return "$0"
    if value < 0.0001:  # noqa: PLR2004 - the smallest that four digits show
        return "<$0.0001"
    return f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


def chance(probability: float) -> str:
    """A probability in per cent, with a decimal where it is small."""
    if probability < 0.001:  # noqa: PLR2004 - the smallest that one decimal shows
        return "less than 0.1 %"
    if 0.99 < probability < 1:  # noqa: PLR2004 - what is not certain is not rounded to it
        return "more than 99 %"
    return f"{probability * 100:.1f} %" if probability < 0.1 else f"{probability:.0%}".replace("%", " %")  # noqa: PLR2004


def plural(number: int, singular: str, several: str | None = None) -> str:
    """A count with its noun: `1 case`, `6 cases`."""
    noun = singular if number == 1 else several or f"{singular}s"
    return f"{number:,} {noun}"


def change(new: float | None, old: float | None, unit: Callable[[float | None], str]) -> str:
    """How a figure grew, in per cent of the old one; from zero, as a figure in its unit."""
    if new is None or old is None:
        return UNKNOWN
    if old == 0:
        return unit(0) if new == 0 else f"+{unit(new)}"
    share = (new - old) / old
    size = abs(share) * 100
    if size < _HAIR:
        return "0 %"
    if (whole := _whole(size)) >= 1:
        return f"{_sign(share)}{whole:,} %"
    return f"{_sign(share)}{size:.1f} %" if round(size, 1) > 0 else f"{_sign(share)}<0.1 %"


def gain_tone(difference: float | None) -> Tone:
    """The tone of a difference where more is better."""
    if difference is None:
        return "muted"
    return "good" if difference > 0 else "bad" if difference < 0 else "plain"


def effort_tone(new: float | None, old: float | None) -> Tone:
    """The tone of a change of time, tokens or cost: less is better, and small changes are nothing."""
    if new is None or old is None:
        return "muted"
    if abs(new - old) <= _NOTEWORTHY * old:
        return "plain"
    return "warning" if new > old else "good"


def _whole(value: float) -> int:
    """Rounded half up, as people do by hand; a hair's breadth of floating point does not count."""
    return math.floor(value + 0.5 + _HAIR)


def _sign(value: float) -> str:
    return "−" if value < 0 else "+"
