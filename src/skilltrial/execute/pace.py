"""Time and chance, handed in from outside."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from skilltrial.records.trial import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Clocks, sleep, and how long to wait before a retry."""

    now: Callable[[], datetime]
    """UTC, aware."""
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    retries: int = 2
    first_wait_s: float = 3.0
    longest_wait_s: float = 300.0

    def wait_s(self, n_failed: int, reason: Reason | None, *, seed: str) -> float | None:
        """Seconds before the next try: what the service asked for, else growing by 4 from `first_wait_s`, with jitter.

        `seed` names the trial and its plan: the same gives the same jitter. None where the service asked for longer than
        `longest_wait_s`: it would refuse an earlier try.
        """
        if reason and reason.retry_after_s is not None:
            return reason.retry_after_s if reason.retry_after_s <= self.longest_wait_s else None
        jitter = random.Random(f"{seed}\0{n_failed}").uniform(0.8, 1.2)  # noqa: S311 - no secret
        return min(self.first_wait_s * 4.0 ** (n_failed - 1) * jitter, self.longest_wait_s)
