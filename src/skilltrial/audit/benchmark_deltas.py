"""A benchmark's differences: their sign, and whether there is a baseline behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import permutations

from skilltrial.audit.claims import Claim, Claims, Delta, Metric
from skilltrial.audit.closeness import close
from skilltrial.audit.figures import graded_stat
from skilltrial.audit.gradings import as_fraction
from skilltrial.audit.rules import ARM_IGNORED, DELTA, NO_BASELINE, NOT_A_NUMBER, SIGN, inside
from skilltrial.audit.scores import Round
from skilltrial.audit.wording import signed
from skilltrial.records.audit import ArmFigures, AuditFinding
from skilltrial.records.estimate import Stat

_PAIR = 2
_OUR_LIFT = "comparison.pass_rate_delta"
"""In our own benchmarks the lift, which is over the assertions that both arms answered, and no difference of means."""
_MOST_ARMS = 20
"""Among which the two that a benchmark subtracts are looked for."""


def delta_findings(
    place: str,
    claims: Claims,
    found: Round,
    figures: Mapping[str, ArmFigures],
    *,
    partly: AbstractSet[tuple[str, Metric]] = frozenset(),
) -> Iterator[AuditFinding]:
    """Differences with the wrong sign or size, made-up baselines, arms that take no part.

    For a figure of an arm in `partly` something is missing: the benchmark's own means are all that there is to hold against.
    """
    present = [name for name, own in figures.items() if own.n_runs]
    told = [
        arm for arm, stats in claims.summary.items() if arm in present or any(claim.value for claim in stats.values())
    ]
    if claims.deltas and len(present) == 1 and len(told) <= 1:
        for delta in claims.deltas:
            if delta.claim.value != 0:
                yield NO_BASELINE.at(
                    inside(place, delta.claim.path),
                    f"{present[0]!r} is the only arm; the difference is its own mean, as if a baseline had passed nothing.",
                    old=delta.claim.written,
                )
        return
    yield from _ignored(place, claims, found, present)
    if found.treatment is None or found.baseline is None:
        return
    sides = figures[found.treatment.name], figures[found.baseline.name]
    if sides[0].n_runs and sides[1].n_runs:
        for delta in claims.deltas:
            ours = found.family == "native" and delta.claim.path == _OUR_LIFT
            if not ours and not _is_of_graded(delta, found, sides):
                yield from _delta(place, delta, claims, sides, partly)


def _is_of_graded(delta: Delta, found: Round, sides: tuple[ArmFigures, ArmFigures]) -> bool:
    """Whether a difference of times or tokens is right over graded runs alone."""
    if delta.metric not in {"time_seconds", "tokens"}:
        return False
    means = (graded_stat(found.by_arm[side.arm.name], delta.metric).mean for side in sides)
    right = _between(delta, *means)
    return right is not None and _close(delta, delta.claim.value, right)


def _ignored(place: str, claims: Claims, found: Round, present: list[str]) -> Iterator[AuditFinding]:
    if not claims.summary and not claims.deltas:
        return
    pair = set(_compared(claims) or (arm.name for arm in (found.treatment, found.baseline) if arm is not None))
    for name in present:
        if claims.summary and name not in claims.summary:
            yield ARM_IGNORED.at(place, f"The benchmark has no figures of {name!r}, which has runs.")
        elif claims.deltas and len(present) > _PAIR and len(pair) == _PAIR and name not in pair:
            yield ARM_IGNORED.at(place, f"The difference leaves {name!r} out, which has runs.")


def _compared(claims: Claims) -> tuple[str, str] | None:
    """The two arms that the benchmark subtracts, the second from the first, by its own means."""
    deltas = [delta for delta in claims.deltas if math.isfinite(delta.claim.value)]
    arms = list(claims.summary)[:_MOST_ARMS]
    pairs = [
        pair
        for pair in permutations(arms, _PAIR)
        if deltas and all(_is_between(delta, claims, pair) for delta in deltas)
    ]
    return pairs[0] if len(pairs) == 1 else None


def _is_between(delta: Delta, claims: Claims, pair: tuple[str, str]) -> bool:
    own = _between(delta, *(_claimed(claims, name, delta.metric) for name in pair))
    return own is not None and _close(delta, delta.claim.value, own)


def _delta(
    place: str,
    delta: Delta,
    claims: Claims,
    sides: tuple[ArmFigures, ArmFigures],
    partly: AbstractSet[tuple[str, Metric]],
) -> Iterator[AuditFinding]:
    if delta.metric == "pass_rate" and 1 < abs(delta.claim.value) < math.inf:
        delta = replace(delta, claim=replace(delta.claim, value=delta.claim.value / 100, factor=0.01))
    where, old = inside(place, delta.claim.path), delta.claim.value
    right = _between(
        delta, *(None if (side.arm.name, delta.metric) in partly else _mean(side, delta.metric) for side in sides)
    )
    if not math.isfinite(old):
        yield NOT_A_NUMBER.at(where, "The difference is no number.", old=old, right=right)
        return
    own = _between(delta, *(_claimed(claims, side.arm.name, delta.metric) for side in sides))
    if right is not None and _close(delta, old, right):
        return
    # What the benchmark's own means give is right as far as anybody can tell where no runs tell more.
    written, shown = delta.claim.written, delta.claim.in_its_unit(own if right is None else right)
    one, other = (side.arm.name for side in sides)
    if _is_mirrored(delta, old, own) or _is_mirrored(delta, old, right):
        stated = f" (it says so: {claims.direction!r})" if claims.direction else ""
        yield SIGN.at(where, f"This is {other} minus {one}{stated}.", old=written, right=shown)
    elif own is not None and not _close(delta, old, own):
        own = delta.claim.in_its_unit(own) or 0.0
        message = f"{one} minus {other} of the benchmark's own means is {signed(own)}."
        if compared := _compared(claims):
            message = f"This is {compared[0]} minus {compared[1]}; {message}"
        yield DELTA.at(where, message, old=written, right=shown)
    elif right is not None:
        yield DELTA.at(where, "The means that it is the difference of are wrong.", old=written, right=shown)


def _is_mirrored(delta: Delta, old: float, right: float | None) -> bool:
    """Whether the sign is the other one; near 0 there is none."""
    return right is not None and not _close(delta, right, -right) and _close(delta, old, -right)


def _close(delta: Delta, old: float, right: float) -> bool:
    """Two means and their difference are rounded, each by half a digit."""
    if delta.kind == "percent":
        return abs(old - right) <= 0.5  # noqa: PLR2004 - half a per cent
    metric = delta.metric
    half = (old + right) / 2
    return close(metric, old, right) or (close(metric, old, half) and close(metric, half, right))


def _between(delta: Delta, one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    if delta.kind == "difference":
        return one - other
    return 100 * (one - other) / other if other else None


def _mean(side: ArmFigures, metric: Metric) -> float | None:
    stats: dict[Metric, Stat] = {
        "pass_rate": side.pass_rate,
        "time_seconds": side.time_seconds,
        "tokens": side.tokens,
    }
    return stats[metric].mean if metric in stats else None


def _claimed(claims: Claims, arm: str, metric: Metric) -> float | None:
    claim: Claim | None = claims.summary.get(arm, {}).get((metric, "mean"))
    if claim is None or not math.isfinite(claim.value):
        return None
    return as_fraction(claim.value) if metric == "pass_rate" else claim.value
