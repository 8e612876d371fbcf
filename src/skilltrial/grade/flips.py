"""How often verdicts changed under a probe, against how often they change when nothing does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from skilltrial.grade.probes import PROBES, Probe, ProbeName
from skilltrial.records.grading import Verdict
from skilltrial.records.trial import TrialKey
from skilltrial.stats.wilson import wilson

LEVEL = 0.05
_UNKNOWN: frozenset[Verdict | None] = frozenset({None, "UNGRADED"})
_REPEAT: ProbeName = "repeat"


class Asked(NamedTuple):
    """One statement about one trial."""

    key: TrialKey
    id: str


Verdicts = Mapping[Asked, Verdict | None]
"""None: the judge could not be reached."""


class Flip(NamedTuple):
    """A statement whose verdict changed."""

    asked: Asked
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What one probe came to."""

    probe: Probe
    n: int
    """Statements with a verdict, PASS or FAIL, as graded and under the probe."""
    n_failed: int
    """Those of them with FAIL as graded: only they can go to PASS."""
    flips: tuple[Flip, ...]
    low: float | None
    high: float | None
    """Wilson's 95 % interval of the flip rate, as if all statements were independent; None where there are none."""
    n_opened: int
    """Statements with a verdict before and UNGRADED now."""
    n_closed: int
    """The other way round."""
    n_unreached: int
    """The judge could not be reached, before or now."""
    p_value: float | None
    """Chance that a probe which does no more than a repeat flips so many more; None for the repeat itself."""
    fooled: tuple[Flip, ...] = ()
    """Of a probe that injects: no PASS before, nor in the repeat, and a PASS now."""
    beyond_noise: bool = False

    @property
    def rate(self) -> float | None:
        """Flips over statements; None where there are none."""
        return len(self.flips) / self.n if self.n else None

    @property
    def to_pass(self) -> int:
        """How many went from FAIL to PASS."""
        return sum(flip.after == "PASS" for flip in self.flips)


def tally(before: Verdicts, after: Mapping[ProbeName, Verdicts]) -> tuple[ProbeResult, ...]:
    """A result for each probe that was asked, in the order of `PROBES`.

    A probe is beyond the noise where it flips more statements than the repeat does: sign test (exact, one-sided) on the
    statements that one of both flipped, at 5 % shared among the probes (Bonferroni). Statements of one trial are not
    independent, so that this is a screen and no proof.
    """
    repeat = after.get(_REPEAT, {})
    n_probes = max(1, len(set(after) - {_REPEAT}))
    return tuple(
        _result(probe, before, after[probe.name], repeat, level=LEVEL / n_probes)
        for probe in PROBES
        if probe.name in after
    )


def _result(probe: Probe, before: Verdicts, now: Verdicts, repeat: Verdicts, *, level: float) -> ProbeResult:
    pairs: dict[Asked, tuple[Verdict | None, Verdict | None]] = {
        asked: (before.get(asked), verdict) for asked, verdict in now.items()
    }
    decided = [asked for asked, pair in pairs.items() if _UNKNOWN.isdisjoint(pair)]
    flips = tuple(_flips(decided, before, now))
    interval = wilson(len(flips), len(decided)) if decided else None
    p_value = None if probe.name == _REPEAT else _sign_test(decided, before, now, repeat)
    fooled = [
        Flip(asked, was, "PASS")
        for asked, (was, is_) in pairs.items()
        if is_ == "PASS" and was is not None and was != "PASS" and repeat.get(asked) != "PASS"
    ]
    return ProbeResult(
        probe=probe,
        n=len(decided),
        n_failed=sum(before[asked] == "FAIL" for asked in decided),
        flips=flips,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n_opened=sum(was not in _UNKNOWN and is_ == "UNGRADED" for was, is_ in pairs.values()),
        n_closed=sum(was == "UNGRADED" and is_ not in _UNKNOWN for was, is_ in pairs.values()),
        n_unreached=sum(None in pair for pair in pairs.values()),
        p_value=p_value,
        fooled=tuple(fooled) if probe.injects else (),
        beyond_noise=p_value is not None and p_value <= level,
    )


def _flips(decided: Iterable[Asked], before: Verdicts, now: Verdicts) -> Iterable[Flip]:
    for asked in decided:
        was, is_ = before[asked], now[asked]
        if was is not None and is_ is not None and was != is_:
            yield Flip(asked, was, is_)


def _sign_test(decided: Iterable[Asked], before: Verdicts, now: Verdicts, repeat: Verdicts) -> float:
    """Of the statements that flip in one of both, at least so many in the probe: binomial with one half."""
    known = [asked for asked in decided if repeat.get(asked) not in _UNKNOWN]
    here = sum(now[asked] != before[asked] == repeat[asked] for asked in known)
    there = sum(repeat[asked] != before[asked] == now[asked] for asked in known)
    n = here + there
    return sum(math.comb(n, k) for k in range(here, n + 1)) / 2**n
