"""Who wants to know how it goes."""

from __future__ import annotations

from typing import Protocol

from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Reason, Trial, TrialKey


class Watcher(Protocol):
    """Told of every step, in the event loop; must not block or raise."""

    def begins(self, plan: Plan, *, finished: int, iteration: int) -> None: ...

    def trial_starts(self, key: TrialKey) -> None: ...

    def trial_retries(self, key: TrialKey, reason: Reason | None, wait_s: float) -> None: ...

    def trial_ends(self, trial: Trial) -> None: ...

    def trial_graded(self, key: TrialKey, grading: Grading) -> None: ...


class Silent:
    """Satisfies `Watcher` by ignoring everything."""

    def begins(self, plan: Plan, *, finished: int, iteration: int) -> None: ...

    def trial_starts(self, key: TrialKey) -> None: ...

    def trial_retries(self, key: TrialKey, reason: Reason | None, wait_s: float) -> None: ...

    def trial_ends(self, trial: Trial) -> None: ...

    def trial_graded(self, key: TrialKey, grading: Grading) -> None: ...
