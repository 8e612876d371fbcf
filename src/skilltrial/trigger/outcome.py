"""What a run of a query came to."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.trial import Trial


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
