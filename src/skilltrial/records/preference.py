"""`comparisons/summary.json`: what the blind comparisons of an iteration come to."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record


class Share(Record):
    """Part of a whole: counts over everything, and the mean over cases with its 95 % interval. None is unknown."""

    n: int
    of: int
    mean: float | None = None
    """Over cases, each with its own share."""
    low: float | None = None
    high: float | None = None


class CasePreference(Record):
    """One case, in the comparisons of two arms."""

    case_id: str
    wins: int
    ties: int
    losses: int

    @property
    def share(self) -> float:
        """Won by the first arm, a tie being half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)


class ArmPreference(Record):
    """How often `arm` was preferred to `against`."""

    arm: str
    against: str
    cases: tuple[CasePreference, ...]
    win_rate: float | None
    """Mean over cases of the share won, a tie being half. None without a comparison."""
    low: float | None = None
    """95 % interval over cases; None below two cases."""
    high: float | None = None

    @property
    def n_comparisons(self) -> int:
        """Of all cases."""
        return sum(case.wins + case.ties + case.losses for case in self.cases)

    @property
    def preferred(self) -> str | None:
        """The arm on whose side of a half the whole interval is; None: cannot tell."""
        if self.low is None or self.high is None:
            return None
        return self.arm if self.low > 0.5 else self.against if self.high < 0.5 else None  # noqa: PLR2004 - no preference


class ArmStrength(Record):
    """One of more than two arms on a common scale: the log of its strength, the mean of all being 0."""

    arm: str
    log_strength: float
    low: float | None = None
    high: float | None = None


class LengthEffect(Record):
    """Does the longer output win? Correlation of the log ratio of the lengths with the verdict (1, 0 or -1)."""

    r: float | None
    low: float | None = None
    high: float | None = None
    longer_won: Share


class Uncompared(Record):
    """A case and repeat of two arms without a comparison."""

    case_id: str
    repeat: int
    arms: tuple[str, str]
    why: Literal["no result", "left out by people", "judge failed", "not asked"]
    """One of the trials has none, or was left out in the review page; the judge gave no answer that can be used; a ceiling came
    before."""
    message: str


class PreferenceSummary(Record):
    """All comparisons of one judge, in one iteration, of the arms that were asked for."""

    schema_version: Literal[1] = 1
    judge: str
    seed: int
    n_comparisons: int
    arms: tuple[ArmPreference, ...]
    order_consistency: Share
    """Comparisons in which both orders had the same verdict."""
    first_won: Share
    """Of the verdicts with a winner, each order by itself: the output that was shown first won. A half is no bias."""
    length: LengthEffect
    strengths: tuple[ArmStrength, ...] = ()
    """By Bradley and Terry; empty of two arms, or where no chain of comparisons links them."""
    uncompared: tuple[Uncompared, ...] = ()
    cost_usd: float | None = None
    """Of all comparisons and rubrics counted here; None: one does not tell."""
