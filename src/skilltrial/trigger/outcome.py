"""What a run of a query came to."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.budget import Stop
from skilltrial.records.trial import Trial

MOST_ERRORS = 0.2
"""Above this share of runs without a result nothing is claimed, and nothing more is paid for."""
NOT_RUN = "not run"
"""What stands in place of a reason for runs that never began."""
_FEWEST_RUNS = 10
"""Before so many have ended, a share says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the transcript of a trial shows besides its evidence."""

    taken: tuple[str, ...] = ()
    """Other skills that were loaded."""
    listing_chars: int | None = None
    """Length of the listing of skills; None where it is not shown."""
    n_skills: int | None = None
    """How many skills the agent program said it knows; None where it does not say."""
    undescribed: tuple[str, ...] = ()
    """Skills that lay there and whose whole description is not in that listing."""


def counts_as_loaded(trial: Trial) -> bool | None:
    """Whether the skill's text got to the agent; None for a run without a result: an error, or one that time ended before."""
    if trial.evidence.reached:
        return True
    if trial.outcome in ("harness_error", "cancelled", "timed_out"):
        return None
    return trial.evidence.reached


class ErrorWatch:
    """Stops the rest once too many runs of this command ended without a result."""

    def __init__(self) -> None:
        self._n_ended = 0
        self._n_errors = 0

    def __call__(self, trial: Trial) -> Stop | None:
        """What stops the rest; None where it may go on."""
        self._n_ended += 1
        self._n_errors += counts_as_loaded(trial) is None
        if self._n_ended < _FEWEST_RUNS or self._n_errors / self._n_ended <= MOST_ERRORS:
            return None
        reason = f"; the last time: {trial.reason.message.rstrip('.')}" if trial.reason else ""
        message = f"{self._n_errors} of {self._n_ended} runs ended without a result{reason}. The rest is not run."
        return Stop(message=message)
