"""Simulated trials with a known truth: does the interval hold it, do tests cry wolf, what does stopping early save?

Recomputes what docs/statistics.md says of the interval, the exact permutation test and the group-sequential test, from the
functions that reports use. Ends with 1 where a limit is broken: an interval that covers less than 92 % in any design, more
than 5.5 % false alarms under the sharp null, or a share of trials more than 0.05 from the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skilltrial.stats.group_sequential import Round, group_sequential
from skilltrial.stats.lift_interval import lift_interval
from skilltrial.stats.permutation import Stratum, exact_p

Array = npt.NDArray[np.float64]
CASES = (5, 8, 10, 15, 20, 40)
REPEATS = (1, 2, 3, 5)
WIDTHS_AT = (5, 10, 20, 40)
QUICK_CASES, QUICK_REPEATS = (5, 20), (1, 3)
LEAST_COVERAGE = 0.92
MOST_FALSE_ALARMS = 0.055
ROOM = 0.05
EPSILON = 1e-12

STOPPING = (
    ("no effect", 20, 5, 0.52),
    ("20 points, varying by case", 20, 5, 0.62),
    ("20 points, varying by case", 10, 10, 0.50),
    ("20 points, varying by case", 20, 10, 0.39),
    ("all or nothing", 10, 5, 0.49),
)
"""Kind, cases, most rounds, and the share of the most trials that is used on average."""


@dataclass(frozen=True)
class Truth:
    """Chances of a pass by set and case in the two arms, and the mean lift over all cases that there could be."""

    treatment: Array
    baseline: Array
    lift: float


def no_effect(rng: np.random.Generator, shape: tuple[int, int]) -> Truth:
    """Cases of any difficulty."""
    chance = rng.random(shape)
    return Truth(chance, chance, 0)


def near_saturation(rng: np.random.Generator, shape: tuple[int, int]) -> Truth:
    """No effect, and nearly everything passes."""
    chance = rng.beta(18, 1, shape)
    return Truth(chance, chance, 0)


def averaging_to_zero(rng: np.random.Generator, shape: tuple[int, int]) -> Truth:
    """A third of the cases gains 35 points, a third loses them."""
    return Truth(0.5 + rng.choice([-0.35, 0, 0.35], shape), np.full(shape, 0.5), 0)


def twenty_points(rng: np.random.Generator, shape: tuple[int, int]) -> Truth:
    """On average 0.4 of what is missing, which is a half on average, is gained."""
    baseline = rng.beta(1.2, 1.2, shape)
    return Truth(baseline + rng.uniform(0, 0.8, shape) * (1 - baseline), baseline, 0.2)


def rare_gains(rng: np.random.Generator, shape: tuple[int, int]) -> Truth:
    """Nearly all pass, and 15 % of the cases gain hugely."""
    gains = rng.random(shape) < 0.15
    return Truth(np.where(gains, 0.9, 0.96), np.where(gains, 0.1, 0.95), 0.15 * 0.8 + 0.85 * 0.01)


def all_or_nothing(rng: np.random.Generator, shape: tuple[int, int]) -> Truth:
    """Every trial of a case ends alike; 40 % of the cases pass with the treatment alone."""
    draw = rng.random(shape)
    return Truth((draw < 0.7) * 1.0, (draw < 0.3) * 1.0, 0.4)


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Truth]] = {
    "no effect": no_effect,
    "no effect, nearly all pass": near_saturation,
    "effects that average to zero": averaging_to_zero,
    "20 points, varying by case": twenty_points,
    "15 % of cases gain hugely": rare_gains,
    "all or nothing": all_or_nothing,
}
SHARP = ("no effect", "no effect, nearly all pass")


@dataclass(frozen=True)
class Cell:
    """Shares of the sets of one design, and the mean width of the interval."""

    covered: float
    away_from_zero: float
    small_p: float | None
    """Under the sharp null alone."""
    width: float


def simulate(kind: str, cases: int, repeats: int, *, sets: int, rng: np.random.Generator) -> Cell:
    """Intervals of 95 % and exact p values of `sets` trials."""
    truth = KINDS[kind](rng, (sets, cases))
    treatment, baseline = (rng.binomial(repeats, chance) for chance in (truth.treatment, truth.baseline))
    intervals = [
        lift_interval(a, b) for a, b in zip((treatment / repeats).tolist(), (baseline / repeats).tolist(), strict=True)
    ]
    ends = np.array([(interval.low, interval.high) for interval in intervals])
    low, high = ends[:, 0], ends[:, 1]
    small = None
    if kind in SHARP:
        p_values = [exact_p(_strata(*row, repeats)) or 0.0 for row in zip(treatment, baseline, strict=True)]
        small = float(np.mean(np.array(p_values) <= 0.05))
    return Cell(
        covered=float(np.mean((low <= truth.lift + EPSILON) & (truth.lift - EPSILON <= high))),
        away_from_zero=float(np.mean((low > EPSILON) | (high < -EPSILON))),
        small_p=small,
        width=float(np.mean(high - low)),
    )


def stop_early(kind: str, cases: int, rounds: int, *, sets: int, rng: np.random.Generator) -> tuple[float, float]:
    """The share of `sets` trials that end with an effect, and the mean share of the most rounds that they take."""
    truth = KINDS[kind](rng, (sets, cases))
    passed = [rng.random((sets, cases, rounds)) < chance[:, :, None] for chance in (truth.treatment, truth.baseline)]
    wins, losses = (passed[0] & ~passed[1]).sum(axis=1), (passed[1] & ~passed[0]).sum(axis=1)
    tests = [
        group_sequential([Round(*pair) for pair in zip(*row, strict=True)], max_rounds=rounds)
        for row in zip(wins.tolist(), losses.tolist(), strict=True)
    ]
    effects = float(np.mean([test.verdict == "effect" for test in tests]))
    return effects, float(np.mean([len(test.looks) for test in tests])) / rounds


def main() -> int:
    """Print the tables and what is out of bounds; 1 where anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2_000, help="simulated trials of each design")
    parser.add_argument("--quick", action="store_true", help="a sixth of the designs")
    options = parser.parse_args()
    cases, repeats = (QUICK_CASES, QUICK_REPEATS) if options.quick else (CASES, REPEATS)
    broken = _coverage(cases, repeats, options.sets) + _stopping(options.sets)
    for line in broken:
        print(f"OUT OF BOUNDS: {line}")
    return 1 if broken else 0


def _strata(treatment: npt.NDArray[np.int64], baseline: npt.NDArray[np.int64], repeats: int) -> list[Stratum]:
    arms = ((tuple([1.0] * k + [0.0] * (repeats - k)) for k in arm.tolist()) for arm in (treatment, baseline))
    return [Stratum(*pair) for pair in zip(*arms, strict=True)]


def _coverage(cases: tuple[int, ...], repeats: tuple[int, ...], sets: int) -> list[str]:
    rng = np.random.default_rng(20)
    broken: list[str] = []
    wide = [n for n in WIDTHS_AT if n in cases]
    print(
        f"{len(KINDS) * len(cases) * len(repeats)} designs, {sets:,} sets each: the least coverage of each kind, the most"
    )
    print("intervals beside 0, the most exact p of at most 5 %, and the mean width\n")
    print(f"{'what is true':28}{'covered':>8}{'not 0':>8}{'p<=5%':>8}   width at {'/'.join(map(str, wide))} cases")
    for kind in KINDS:
        cells = {(n, r): simulate(kind, n, r, sets=sets, rng=rng) for n in cases for r in repeats}
        small = [cell.small_p for cell in cells.values() if cell.small_p is not None]
        widths = "/".join(f"{np.mean([cell.width for (n, _), cell in cells.items() if n == m]):.2f}" for m in wide)
        away = max(cell.away_from_zero for cell in cells.values())
        print(
            f"{kind:28}{min(cell.covered for cell in cells.values()):8.1%}{away:8.1%}"
            f"{f'{max(small):.1%}' if small else '':>8}   {widths}"
        )
        broken += [
            f"{kind}, {n} cases, {r} repeats: covered {cell.covered:.1%}"
            for (n, r), cell in cells.items()
            if cell.covered < LEAST_COVERAGE
        ]
        if small and max(*small, away) > MOST_FALSE_ALARMS:
            broken.append(f"{kind}: {max(*small, away):.1%} false alarms")
    return broken


def _stopping(sets: int) -> list[str]:
    rng = np.random.default_rng(21)
    broken: list[str] = []
    print(f"\n{'stopping early':28}{'cases':>6}{'rounds':>8}{'effect':>8}{'used':>7}{'table':>7}")
    for kind, cases, rounds, expected in STOPPING:
        effects, used = stop_early(kind, cases, rounds, sets=sets, rng=rng)
        print(f"{kind:28}{cases:6}{rounds:8}{effects:8.1%}{used:7.2f}{expected:7.2f}")
        if abs(used - expected) > ROOM:
            broken.append(f"{kind}, {cases} cases, {rounds} rounds: {used:.2f} of the trials, not {expected:.2f}")
        if kind in SHARP and effects > MOST_FALSE_ALARMS:
            broken.append(f"{kind}, {cases} cases, {rounds} rounds: {effects:.1%} false alarms")
    return broken


if __name__ == "__main__":
    sys.exit(main())
