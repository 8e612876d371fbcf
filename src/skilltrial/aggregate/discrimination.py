"""Whether an assertion tells the arms apart: one word from its verdicts, a description of these trials and no test."""

from __future__ import annotations

from collections.abc import Mapping

from skilltrial.aggregate.arms import Contest
from skilltrial.records.benchmark import Discrimination

_FEW = 2
"""With fewer verdicts in an arm, it cannot be seen whether its trials agree."""


def discrimination(passed: Mapping[str, int], graded: Mapping[str, int], sides: Contest) -> Discrimination:
    """The word for an assertion with so many PASS among so many verdicts in each arm; see docs/report.md.

    Trials without a verdict, or excluded, are in neither count.
    """
    names = [arm.name for arm in sides.arms]
    if sum(graded.values()) < _FEW or not all(graded[name] for name in names):
        return "cannot tell"
    if passed == graded:
        return "always passes"
    if not any(passed.values()):
        return "always fails"
    if sides.treatment is None or sides.baseline is None:
        return "flaky" if any(0 < passed[name] < graded[name] for name in graded) else "cannot tell"
    return _of_two(*((passed[name], graded[name]) for name in (sides.treatment.name, sides.baseline.name)))


def _of_two(treatment: tuple[int, int], baseline: tuple[int, int]) -> Discrimination:
    """Of PASS and verdicts of the arms that are compared, where not all arms agree."""
    (n_new, of_new), (n_old, of_old) = treatment, baseline
    if min(of_new, of_old) < _FEW:
        return "cannot tell"
    if n_new * of_old == n_old * of_new:
        return "no difference"
    for agrees, other in ((treatment, baseline), (baseline, treatment)):
        mostly_other_way = other[0] * 2 < other[1] if agrees[0] else other[0] * 2 > other[1]
        if agrees[0] in {0, agrees[1]} and mostly_other_way:
            return "helps" if n_new * of_old > n_old * of_new else "hurts"
    return "flaky"
