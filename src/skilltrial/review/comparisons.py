"""Blind comparisons of an iteration, and the analyses after them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from pydantic import ValidationError

from skilltrial.errors import SpecError
from skilltrial.records import layout
from skilltrial.records.analysis import Analysis
from skilltrial.records.comparison import (
    COMPARISON_KEY,
    COMPARISON_SUMMARY,
    BlindComparison,
    ComparisonKey,
    Label,
)
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Plan
from skilltrial.records.preference import ArmPreference
from skilltrial.records.trial import TrialKey
from skilltrial.review.comparison_files import analysis_of, comparison_of
from skilltrial.review.exclusions import excluded_trials
from skilltrial.review.plans import file_state, plan_of
from skilltrial.review.subject import Query, Subject

_MOST_BYTES = 2_000_000
_WHOLE = 10
"""Comparisons that come whole with the list, so that a page in one file has them."""
Labels = Mapping[Label, TrialKey]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The files of an iteration, by their names without the ending."""

    comparisons: Mapping[str, BlindComparison]
    analyses: Mapping[str, Analysis]
    labels: Mapping[str, Labels]
    unreadable: tuple[str, ...]


def comparisons(subject: Subject, query: Query) -> object:
    """All of an iteration in short; with `unblind` also which arm each was of, and how often which arm won.

    Those of trials that people left out are in the list, and in no figure.
    """
    iteration = query.iteration(subject)
    found = _found(subject, iteration)
    unblind = query.optional("unblind") is not None
    out = excluded_trials(subject, iteration).keys()
    counted = {
        name: each
        for name, each in found.comparisons.items()
        if out.isdisjoint(found.labels[name].values() if name in found.labels else ())
    }
    rows: list[Json] = [
        {**_short(name, each, found, unblind=unblind), "left_out": name not in counted}
        for name, each in found.comparisons.items()
    ]
    lone = [name for name in found.analyses if name not in {_analysis_name(each, found) for each in found.comparisons}]
    return {
        "rows": rows,
        "whole": {name: _whole(name, found, unblind=unblind) for name in list(found.comparisons)[:_WHOLE]},
        "analyses": [{"name": name, **_analysis(found.analyses[name])} for name in lone],
        "unreadable": list(found.unreadable),
        "n_with_key": sum(name in found.labels for name in found.comparisons),
        "n_left_out": len(found.comparisons) - len(counted),
        "winners": dict(Counter(each.winner or "unknown" for each in counted.values())),
        "consistent": _consistent(counted.values()),
        "longer_won": _longer_won(counted.values()),
        "win_rates": _win_rates(counted, found.labels, plan_of(subject, iteration)) if unblind else None,
    }


def comparison(subject: Subject, query: Query) -> object:
    """The comparison `name` whole, with its analysis; with `unblind` also which trial each output is of."""
    found = _found(subject, query.iteration(subject))
    name = query.text("name")
    if name not in found.comparisons:
        raise SpecError(f"there is no comparison {name[:80]!r} in this iteration.")
    return _whole(name, found, unblind=query.optional("unblind") is not None)


def _whole(name: str, found: _Found, *, unblind: bool) -> dict[str, Json]:
    whole, analysis = found.comparisons[name], _analysis_name(name, found)
    return {
        **_short(name, whole, found, unblind=unblind),
        **whole.model_dump(mode="json"),
        "analysis": None if analysis is None else _analysis(found.analyses[analysis]),
    }


def _found(subject: Subject, iteration: int) -> _Found:
    folder = f"{layout.iteration_dir(iteration)}/{layout.COMPARISONS}"
    places = sorted(subject.store.find(f"{folder}/*.json"), key=_natural)
    stamp = tuple((place, file_state(subject.store.path(place))) for place in places)
    return subject.kept.get(("comparisons", iteration), stamp, lambda: _read(subject, places))


def _natural(place: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", place)]


def _read(subject: Subject, places: Sequence[str]) -> _Found:
    found: dict[str, BlindComparison] = {}
    analyses: dict[str, Analysis] = {}
    labels: Mapping[str, Labels] = {}
    unreadable: list[str] = []
    for place in places:
        path = PurePosixPath(place)
        if path.name == COMPARISON_SUMMARY:
            continue  # the same figures, made here from the files
        value = read_json(subject, place)
        if path.name == COMPARISON_KEY:
            labels = _labels(value)
        elif (read := comparison_of(value)) is not None:
            found[path.stem] = read
        elif (told := analysis_of(value)) is not None:
            analyses[path.stem] = told
        else:
            unreadable.append(path.name)
    return _Found(comparisons=found, analyses=analyses, labels=labels, unreadable=tuple(unreadable))


def read_json(subject: Subject, place: str) -> Json:
    """A JSON file of a workspace; None where it cannot be read, is no regular file, or too large."""
    path = subject.store.path(place)
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _labels(value: Json) -> Mapping[str, Labels]:
    try:
        return ComparisonKey.model_validate(value).labels
    except ValidationError:
        return {}


def _analysis_name(name: str, found: _Found) -> str | None:
    """The analysis that says it is of this comparison, else that of the same number, or the only one of the only comparison."""
    said = (key for key, each in found.analyses.items() if each.skilltrial and each.skilltrial.comparison == name)
    by_number = f"analysis-{name.rpartition('-')[2]}"
    alone = "analysis" if len(found.comparisons) == 1 and "analysis" in found.analyses else None
    return next(said, by_number if by_number in found.analyses else alone)


def _short(name: str, whole: BlindComparison, found: _Found, *, unblind: bool) -> dict[str, Json]:
    labels = found.labels.get(name)
    return {
        "name": name,
        "case": whole.skilltrial.case_id if whole.skilltrial else None,
        "repeat": whole.skilltrial.repeat if whole.skilltrial else None,
        "winner": whole.winner,
        "scores": {label: scores.overall_score for label, scores in whole.rubric.items()},
        "has_analysis": _analysis_name(name, found) is not None,
        "has_key": labels is not None,
        "labels": {label: key.model_dump() for label, key in labels.items()} if labels and unblind else None,
    }


def _analysis(analysis: Analysis) -> dict[str, Json]:
    return analysis.model_dump(mode="json")


class _Share(NamedTuple):
    n: int
    of: int


def _consistent(whole: Iterable[BlindComparison]) -> Json:
    """Of those judged in both orders: how many had the same winner in both."""
    both = [each.skilltrial.orders for each in whole if each.skilltrial and len(each.skilltrial.orders) > 1]
    return _Share(sum(len({order.winner for order in orders}) == 1 for orders in both), len(both))._asdict()


def _longer_won(whole: Iterable[BlindComparison]) -> Json:
    """Of those with a winner and outputs of different length: how often the longer one won."""
    n = of = 0
    for each in whole:
        a, b = (each.skilltrial.n_chars.get("A"), each.skilltrial.n_chars.get("B")) if each.skilltrial else (None, None)
        if each.winner in (None, "TIE") or a is None or b is None or a == b:
            continue
        of += 1
        n += each.winner == ("A" if a > b else "B")
    return _Share(n, of)._asdict()


def _win_rates(comparisons: Mapping[str, BlindComparison], labels: Mapping[str, Labels], plan: Plan) -> list[Json]:
    """Of each two arms that were compared: the figures of `summary.json`, made of the files that are there."""
    from skilltrial.aggregate.preferences import Compared, preferences  # noqa: PLC0415 - numpy, which no other page needs

    order = [arm.name for arm in sorted(plan.arms, key=lambda arm: arm.role == "baseline")]
    known = [
        Compared(whole, labels[name])
        for name, whole in comparisons.items()
        if whole.winner is not None and len(labels.get(name, {})) > 1
    ]
    pairs = dict.fromkeys(_pair(each.arms, order) for each in known if len(each.arms) > 1)
    families = {case.id: case.family for case in plan.suite.cases}
    return [_told(each) for each in preferences(known, list(pairs), families)]


def _pair(arms: Iterable[str], order: Sequence[str]) -> tuple[str, str]:
    one, other = sorted(arms, key=lambda arm: (order.index(arm) if arm in order else len(order), arm))
    return one, other


def _told(each: ArmPreference) -> Json:
    return {
        "arm": each.arm,
        "against": each.against,
        "n_comparisons": each.n_comparisons,
        "n_cases": len(each.cases),
        "estimate": each.win_rate,
        "low": each.low,
        "high": each.high,
    }
