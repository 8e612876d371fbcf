"""The primary rule: is a treatment better, or at least not worse by more than the margin, on cases like these?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from skilltrial.gate.comparison import Comparison
from skilltrial.gate.settling import settling
from skilltrial.records.gate import Rule, RuleOutcome
from skilltrial.records.settings import GateSettings
from skilltrial.report.figures import plural, points, signed_points
from skilltrial.stats.adjusted_p import holm
from skilltrial.stats.student_t import t_probability, t_quantile

NAME = "primary"


def primary_rules(
    comparisons: Sequence[Comparison], settings: GateSettings, *, place: str, invalid: Sequence[str]
) -> list[Rule]:
    """One rule a comparison: passed where its whole interval is above the threshold, failed where it is below.

    The threshold is 0, or minus the margin. With several comparisons each has to be as clear as Holm asks for, in either
    direction. `invalid` are codes of findings that leave nothing to compare.
    """
    if settings.primary == "none":
        return []
    threshold = 0.0 if settings.primary == "improvement" else -settings.margin
    if not comparisons:
        said = "There is no baseline to compare with; give a promoted one with --against FILE, or run a baseline arm."
        return [_undecided("", said, threshold=threshold, place=place)]
    adjusted = _adjusted(comparisons, threshold)
    return [
        _rule(compared, ps, threshold, place=place, invalid=invalid, several=len(adjusted) > 1)
        for compared, ps in zip(comparisons, adjusted, strict=True)
    ]


def _adjusted(comparisons: Sequence[Comparison], threshold: float) -> list[tuple[float, float] | None]:
    """By Holm: how likely is so high, and so low, a difference if the truth is the threshold? One-sided, by the interval's t."""
    raw = [_one_sided(compared, threshold) for compared in comparisons]
    known = [p for p in raw if p is not None]
    above = iter(holm([p[0] for p in known]))
    below = iter(holm([p[1] for p in known]))
    return [None if p is None else (next(above), next(below)) for p in raw]


def _one_sided(compared: Comparison, threshold: float) -> tuple[float, float] | None:
    if compared.estimate is None or not compared.half_width or compared.n_clusters < 2:  # noqa: PLR2004 - no interval
        return None
    df = compared.n_clusters - 1
    error = compared.half_width / t_quantile((1 + compared.level) / 2, df)
    distance = (compared.estimate - threshold) / error
    return t_probability(-distance, df), t_probability(distance, df)


def _rule(
    compared: Comparison,
    ps: tuple[float, float] | None,
    threshold: float,
    *,
    place: str,
    invalid: Sequence[str],
    several: bool,
) -> Rule:
    if invalid:
        said = f"The comparison itself is not valid ({', '.join(invalid)}); see the findings of the report."
        return _undecided(compared.about, said, threshold=threshold, place=place)
    if ps is None or compared.low is None or compared.high is None:
        said = f"{plural(compared.n_cases, 'case')} with a verdict in both: an interval needs at least two."
        settle = settling(compared, threshold)
        return _undecided(compared.about, said, threshold=threshold, place=place, settle=settle)
    alpha = (1 - compared.level) / 2 + math.ulp(1.0)
    outcome: RuleOutcome = "pass" if ps[0] <= alpha else "fail" if ps[1] <= alpha else "undecided"
    return Rule(
        name=NAME,
        about=compared.about,
        outcome=outcome,
        unit="points",
        figure=compared.estimate,
        low=compared.low,
        high=compared.high,
        threshold=threshold,
        said=f"{_figures(compared, threshold)}: {_why(compared, outcome, threshold, several=several)}",
        settle=settling(compared, threshold) if outcome == "undecided" else "",
        place=place,
        p_adjusted=min(1.0, ps[0]),
    )


def _figures(compared: Comparison, threshold: float) -> str:
    low, high = compared.repeats
    repeats = plural(low, "repeat") if low == high else f"{low} to {high} repeats"
    interval = f"95 % interval {signed_points(compared.low)} to {signed_points(compared.high)}"
    near = [end for end in (compared.low, compared.high) if end is not None and _looks_equal(end, threshold)]
    exact = "".join(f", to be exact {end * 100:+.4g}" for end in near)
    grouped = compared.n_clusters < compared.n_cases
    families = f" in {plural(compared.n_clusters, 'family', 'families')}" if grouped else ""
    return f"{points(compared.estimate)} ({interval}{exact}, {plural(compared.n_cases, 'case')}{families}, {repeats})"


def _looks_equal(end: float, threshold: float) -> bool:
    return end != threshold and signed_points(end) == signed_points(threshold)


def _why(compared: Comparison, outcome: RuleOutcome, threshold: float, *, several: bool) -> str:
    at = points(threshold) if threshold else "0"
    if outcome == "pass":
        return f"the whole interval is above {at}."
    if outcome == "fail":
        return f"the whole interval is below {at}."
    clear = compared.low is not None and compared.high is not None and not compared.low <= threshold <= compared.high
    if several and clear:
        return f"the interval is beyond {at}, but of several comparisons Holm asks each to be clearer."
    return f"the interval holds {at}, so neither side of it can be ruled out."


def _undecided(about: str, said: str, *, threshold: float, place: str, settle: str = "") -> Rule:
    return Rule(
        name=NAME,
        about=about,
        outcome="undecided",
        unit="points",
        figure=None,
        threshold=threshold,
        said=said,
        settle=settle,
        place=place,
    )
