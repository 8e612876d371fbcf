"""The History page: the iterations side by side, and the versions of anybody's `history.json`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from skilltrial.operations.trend import read_trend
from skilltrial.records.history import HistoryVersion
from skilltrial.records.trend import Trend, TrendPoint
from skilltrial.report.comparisons import interval_words
from skilltrial.report.figures import NOTHING, dollars, percent, points
from skilltrial.report.history import (
    change_sentences,
    rates_sentence,
    short,
    shown_lift,
    title,
    trend_table,
    version_table,
)
from skilltrial.report.plain_text import line
from skilltrial.review.plain_tables import plain_table
from skilltrial.review.subject import Query, Subject

_DEEPEST = 60
"""Of a tree of versions: a file of others may go on for ever."""


def history(subject: Subject, query: Query) -> object:
    """Everything of the page; raises `SpecError` where there is neither an iteration nor a `history.json`."""
    del query
    trend = read_trend(subject.store)
    rows = [point.row for point in trend.points if point.row]
    return {
        "title": title(trend),
        "most_cost": dollars(max((row.cost_usd or 0 for row in rows), default=None)),
        "points": [_point(point) for point in trend.points],
        "table": plain_table(trend_table(trend)),
        "changes": list(change_sentences(trend)),
        "rates": rates_sentence(trend),
        "notices": list(trend.notices),
        "versions": plain_table(version_table(trend)),
        "tree": _tree(trend),
    }


def _point(point: TrendPoint) -> dict[str, object]:
    lift, row = shown_lift(point), point.row
    pair = (row.lift.treatment, row.lift.baseline) if row and row.lift else ()
    rates = {name: row.pass_rates.get(name) for name in pair} if row else {}
    told = "no valid lift" if lift is None else f"{points(lift.estimate)}, interval {interval_words(lift)}, {lift.word}"
    return {
        "iteration": point.iteration,
        "comparable": point.comparable,
        "readable": row is not None,
        "estimate": lift and lift.estimate,
        "low": lift and lift.low,
        "high": lift and lift.high,
        "words": f"Iteration {point.iteration}{f' (skill {short(row.skill_fingerprint)})' if row else ''}: {told}",
        "rates": [rates.get(name) for name in pair],
        "rate_words": f"Iteration {point.iteration}: {_rate_words(rates) or 'no pass rates'}",
        "cost": row and row.cost_usd,
        "cost_words": f"Iteration {point.iteration}: {NOTHING if row is None else dollars(row.cost_usd)} for all trials",
    }


def _rate_words(rates: Mapping[str, float | None]) -> str:
    return ", ".join(f"{line(name, 40)} {percent(rate)}" for name, rate in rates.items())


def _tree(trend: Trend) -> list[dict[str, object]]:
    """Versions below the one they were made from; one whose parent is not there, or that is its own ancestor, stands at the top."""
    found = trend.versions.iterations if trend.versions else ()
    best = trend.versions.current_best if trend.versions else None
    names = {version.version for version in found}
    below: defaultdict[str | None, list[HistoryVersion]] = defaultdict(list)
    for version in found:
        below[version.parent if version.parent in names else None].append(version)
    seen: set[str] = set()
    roots = _grown(below[None], below, best, seen, 0)
    lost = [version for version in found if version.version not in seen]
    return [*roots, *(_node(version, best, []) for version in lost)]


def _grown(
    versions: Sequence[HistoryVersion],
    below: Mapping[str | None, list[HistoryVersion]],
    best: str | None,
    seen: set[str],
    depth: int,
) -> list[dict[str, object]]:
    grown: list[dict[str, object]] = []
    for version in versions:
        if version.version in seen or depth > _DEEPEST:
            continue
        seen.add(version.version)
        children = _grown(below.get(version.version, ()), below, best, seen, depth + 1)
        grown.append(_node(version, best, children))
    return grown


def _node(version: HistoryVersion, best: str | None, children: list[dict[str, object]]) -> dict[str, object]:
    return {
        "version": line(version.version, 40),
        "rate": NOTHING if version.expectation_pass_rate is None else percent(version.expectation_pass_rate),
        "result": line(version.grading_result, 40) or NOTHING,
        "best": version.is_current_best or version.version == best,
        "iteration": version.iteration,
        "children": children,
    }
