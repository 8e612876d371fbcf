"""`aa/check.json`: the baseline against itself, through the whole pipeline."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record

SAME_ARMS = (
    "Both arms are the same: this is a check for false alarms (`skilltrial aa`). Whatever difference is seen here is noise, and "
    "nothing is said about the skill."
)
"""A notice of every plan of such a check."""


class Flips(Record):
    """Verdicts that were given twice on the same thing, and how many of them differ."""

    n: int
    flipped: int
    low: float | None
    """Wilson's 95 % interval of the share, as if all were independent; None where there are none."""
    high: float | None

    @property
    def rate(self) -> float | None:
        """None where there are none."""
        return self.flipped / self.n if self.n else None


class SelfCheck(Record):
    """What two arms that are the same came to. Differences are as those of a lift; all of them are noise."""

    schema_version: Literal[1] = 1
    skill_name: str
    what: str
    """The baseline, in words."""
    iteration: int
    plan_digest: str
    suite_digest: str
    harness: str
    model: str | None
    made: str
    """ISO 8601."""
    word: Literal["no alarm", "false alarm", "cannot tell"]
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    p_value: float | None
    n_cases: int
    repeats_min: int
    repeats_max: int
    noise: float | None
    """Standard deviation over cases of the difference between the arms; None with fewer than two cases."""
    visible: float | None
    """Half-width of the interval: what is smaller cannot be told from nothing with these cases, runs and judge."""
    repeats: Flips
    """Of an assertion, in every two runs of the same case in the same arm."""
    judge: Flips | None = None
    """Of a judge's verdict, asked again about the same trial. None: no judge, or it could not be asked."""
    judge_name: str | None = None
    n_excluded: int
