"""What a plan of so many cases and repeats could find: `skilltrial power`."""

from __future__ import annotations

from skilltrial.records.pilot import Pilot
from skilltrial.records.record import Record


class Wanted(Record):
    """What is to be found, and how surely. The test is one-sided: is the lift above 0?"""

    lift: float
    """The true mean over cases, as a fraction of 1."""
    power: float
    """The chance to find it."""
    alpha: float
    """The chance to find a lift where there is none."""
    n_cases: int | None
    """That there are; None: not known."""
    repeats: int
    """Of each case in each arm."""


class Sight(Record):
    """One line of the table."""

    n_cases: int
    lifts: tuple[float, ...]
    """The smallest that are found with the chance wanted, by `Design.repeats`. Above 1: none."""


class Rate(Record):
    """What one case takes, run once in each arm, by the means of earlier trials; None: unknown."""

    usd: float | None
    seconds: float | None
    """Of agents, one after another."""


class Payoff(Record):
    """How many repeats make the lift most exact for the money."""

    case_in_trials: int
    """If writing another case costs as much as so many trials."""
    repeats: int | None
    """None: any number is as good, since cases do not differ."""


class Design(Record):
    """Answers to `Wanted`, with the variances of `pilot`."""

    wanted: Wanted
    pilot: Pilot
    source: str
    """Where the variances are from, in words."""
    cases_needed: int | None
    """With the repeats wanted; None: more than a million."""
    repeats_needed: int | None
    """With the cases that there are; None also where no number of repeats suffices."""
    smallest_lift: float | None
    """With cases and repeats as wanted. None: fewer than two cases, or not known how many. Above 1: none can be found."""
    power_here: float | None
    """The chance that these find the lift wanted."""
    repeats: tuple[int, ...]
    table: tuple[Sight, ...]
    payoffs: tuple[Payoff, ...]
    rate: Rate
