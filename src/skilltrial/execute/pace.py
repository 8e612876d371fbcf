"""Time and chance, handed in from outside."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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
    longest_wait_s: float = 120.0
    rng: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - jitter

    def wait_s(self, n_failed: int, reason: Reason | None) -> float:
        """Seconds before the next try: what the service asked for, else growing by 4 from `first_wait_s`, with jitter."""
        if reason and reason.retry_after_s is not None:
            return min(reason.retry_after_s, self.longest_wait_s)
        wait = self.first_wait_s * 4.0 ** (n_failed - 1)
        return min(wait * self.rng.uniform(0.8, 1.2), self.longest_wait_s)
