"""A judge that errs, and what labels of people are worth: coverage and width of the intervals for one rate.

Sensitivity 0.9, specificity 0.8, 200 items, true rate 0.85. Recomputes the table of docs/calibration.md. Ends with 1 where PPI++
covers less than 90 % with 30 labels or 92 % with 60, or where the judge's own interval looks right.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from skilltrial.stats.interval import Interval
from skilltrial.stats.judge_correction import ppi_mean, rogan_gladen
from skilltrial.stats.wilson import wilson

N, RATE, SENSITIVITY, SPECIFICITY = 200, 0.85, 0.9, 0.8
LEAST = {30: 0.90, 60: 0.92}
MOST_RAW = 0.65


def intervals(rng: np.random.Generator, n_labels: int) -> dict[str, Interval | None]:
    """Of one simulated set."""
    truth = rng.random(N) < RATE
    judged = np.where(truth, rng.random(N) < SENSITIVITY, rng.random(N) > SPECIFICITY)
    people, same, rest = truth[:n_labels], judged[:n_labels], judged[n_labels:]
    errors = rogan_gladen(
        int(rest.sum()),
        len(rest),
        right_passes=int((people & same).sum()),
        n_passes=int(people.sum()),
        right_fails=int((~people & ~same).sum()),
        n_fails=int((~people).sum()),
    )
    return {
        "judge alone": wilson(int(judged.sum()), N),
        "labels alone": ppi_mean(people.tolist(), same.tolist(), []).interval,
        "PPI++": ppi_mean(people.tolist(), same.tolist(), rest.tolist()).interval,
        "Rogan-Gladen": errors.interval if errors else None,
    }


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    broken = False
    print("labels  interval       covered   width  refused")
    for n_labels, least in LEAST.items():
        rng = np.random.default_rng(options.seed)
        sets = [intervals(rng, n_labels) for _set in range(options.sets)]
        for name in sets[0]:
            found = [interval for each in sets if (interval := each[name]) is not None]
            covered = sum(interval.low <= RATE <= interval.high for interval in found) / len(found)
            width = sum(interval.high - interval.low for interval in found) / len(found)
            print(f"{n_labels:6}  {name:13}  {covered:7.1%}  {width:6.3f}  {len(sets) - len(found):7}")
            broken |= (name == "PPI++" and covered < least) or (name == "judge alone" and covered > MOST_RAW)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
