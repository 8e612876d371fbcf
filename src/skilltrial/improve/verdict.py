"""A version against the incumbent: how far apart they are, and what that makes of it."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.records.improvement import ScorePair, Standing, VersionResult
from skilltrial.stats.families import by_family
from skilltrial.stats.lift_interval import lift_interval


def standing_of(
    version: str, incumbent: str, pairs: Sequence[ScorePair], *, iteration: int, repeats: int, doubt: str = ""
) -> Standing:
    """The regularised paired cluster-t interval at 95 % over families of cases (`stats.lift_interval`)."""
    families = [each.family for each in pairs]
    new = by_family([each.version for each in pairs], families)
    old = by_family([each.incumbent for each in pairs], families)
    interval = lift_interval(new, old)
    return Standing(
        version=version,
        incumbent=incumbent,
        iteration=iteration,
        repeats=repeats,
        pairs=tuple(pairs),
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        rate=sum(new) / len(new) if new else None,
        incumbent_rate=sum(old) / len(old) if old else None,
        doubt=doubt,
    )


def result_of(standing: Standing) -> VersionResult:
    """`won` where the whole interval is above zero, `lost` where it is below; all else, and what is in doubt, is a tie."""
    if standing.doubt or standing.low is None or standing.high is None:
        return "tie"
    if standing.low > 0:
        return "won"
    return "lost" if standing.high < 0 else "tie"


def is_worth_a_look(standing: Standing) -> bool:
    """Whether the best version on select goes on to the hold-out cases, each look at which makes them say less."""
    return standing.estimate is not None and standing.estimate > 0
