"""What the trials of an iteration have taken, and whether another one fits below the ceilings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from skilltrial.records.budget import CeilingName, Ceilings, Stop
from skilltrial.records.trial import Attempt, Trial, TrialKey

_MOST_UNTOLD = 3
"""So many tries that do not tell what they took, before any has told it: it will not be told."""


@dataclass(kw_only=True)
class _Account:
    """One ceiling on something that tries take. What is not told counts as much as the largest that was told."""

    name: CeilingName
    ceiling: float
    unit: Callable[[float], str]
    largest: float | None
    """Of one trial, of earlier iterations too."""
    known: float = 0.0
    n_untold: int = 0
    n_interrupted: int = 0
    silent: bool = False
    """A try that completed did not tell: nothing can be held."""

    def charge(self, amount: float | None, *, completed: bool) -> None:
        if amount is None:
            self.n_untold += 1
            self.silent = self.silent or (completed and self.largest is None)
            return
        self.known += amount
        self.largest = max(self.largest or 0.0, amount)

    def taken(self) -> float:
        return self.known + self._n_unknown * (self.largest or 0.0)

    def fits(self, n_running: int) -> bool:
        """Whether so many running trials, each as large as the largest so far, stay at or below the ceiling."""
        if self.largest is None:
            return n_running <= 1 and not self.cannot_be_held()
        return self.taken() + n_running * self.largest <= self.ceiling * (1 + 1e-9)

    def cannot_be_held(self) -> bool:
        return self.largest is None and (self.silent or self.n_untold >= _MOST_UNTOLD)

    def stop(self) -> Stop:
        if self.cannot_be_held():
            why = "the agent program did not tell what its trials took"
            why = why if self.silent else f"the first {self.n_untold} tries failed, and told nothing of what they took"
            message = f"{self.name} cannot be held: {why}. Use --max-trials, or another ceiling that it tells."
            return Stop(ceiling=self.name, message=message)
        taken = f"{self.unit(self.taken())} taken"
        if self._n_unknown:
            tries = "1 try" if self._n_unknown == 1 else f"{self._n_unknown} tries"
            taken += f" ({tries} of unknown size, counted as the largest known)"
        largest = f"another trial may take {self.unit(self.largest or 0.0)}"
        return Stop(ceiling=self.name, message=f"{self.name} {self.unit(self.ceiling)} is reached: {taken}, {largest}.")

    @property
    def _n_unknown(self) -> int:
        return self.n_untold + self.n_interrupted


class Ledger:
    """Keeps the ceilings of one iteration; all of it happens in one event loop.

    `free` are the arms whose trials cost no money. `earlier` are records of this iteration, `n_interrupted` the trials that
    began and left no record, `largest` what single trials took elsewhere with the same agent program and model: cost and
    tokens.
    """

    def __init__(
        self,
        ceilings: Ceilings,
        *,
        earlier: Iterable[Trial] = (),
        n_interrupted: int = 0,
        largest: tuple[float | None, float | None] = (None, None),
        free: frozenset[str] = frozenset(),
    ) -> None:
        self._cost = _account("--max-cost", ceilings.max_cost_usd, lambda usd: f"${usd:,.2f}", largest[0])
        self._tokens = _account("--max-tokens", ceilings.max_tokens, lambda n: f"{n:,.0f} tokens", largest[1])
        self._free = free
        self._most_trials = ceilings.max_trials
        self._begun: set[TrialKey] = set()
        self._running: set[TrialKey] = set()
        for trial in earlier:
            self._begun.add(trial.key)
            for attempt in trial.attempts:
                self.charge(attempt, trial.key.arm)
        for account in self._accounts:
            account.n_interrupted = n_interrupted

    def admits(self, key: TrialKey) -> bool:
        """Whether a trial may start now; it may be that it does once others have ended."""
        new = key not in self._begun
        if self._most_trials is not None and new and len(self._begun) >= self._most_trials:
            return False
        return all(account.fits(len(self._running) + 1) for account in self._accounts)

    def begin(self, key: TrialKey) -> None:
        """Reserve what the trial may take."""
        self._begun.add(key)
        self._running.add(key)

    def end(self, key: TrialKey) -> None:
        """Give back what was reserved; what was taken has been charged."""
        self._running.discard(key)

    def charge(self, attempt: Attempt, arm: str) -> None:
        """Book what a try in this arm took, with the model that played its user."""
        completed = attempt.outcome == "completed" and not attempt.cut
        if self._cost:
            self._cost.charge(attempt.spent_usd(free=arm in self._free), completed=completed)
        if self._tokens:
            self._tokens.charge(attempt.spent_tokens, completed=completed)

    def may_retry(self) -> bool:
        """Whether one more try of a running trial fits."""
        return all(account.fits(max(1, len(self._running))) for account in self._accounts)

    def stop(self, key: TrialKey) -> Stop | None:
        """Why this trial will not start, where no trial that runs could change it; None where one could, or it may start."""
        if self.admits(key):
            return None
        if self._most_trials is not None and key not in self._begun and len(self._begun) >= self._most_trials:
            trials = "1 trial" if self._most_trials == 1 else f"{self._most_trials:,} trials"
            return Stop(ceiling="--max-trials", message=f"--max-trials {self._most_trials} is reached: {trials} begun.")
        tight = [account for account in self._accounts if not account.fits(1)]
        return tight[0].stop() if tight and not self._running else None

    @property
    def _accounts(self) -> list[_Account]:
        return [account for account in (self._cost, self._tokens) if account]


def _account(
    name: CeilingName, ceiling: float | None, unit: Callable[[float], str], largest: float | None
) -> _Account | None:
    return None if ceiling is None else _Account(name=name, ceiling=ceiling, unit=unit, largest=largest)
