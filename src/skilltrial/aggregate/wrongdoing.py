"""What agents did that no trial allows for: reads of its sources, writes outside, refused calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.records.benchmark import Finding
from skilltrial.records.conduct import Conduct, Source
from skilltrial.records.record import Severity
from skilltrial.records.trial import Trial

_SOURCES: dict[Source, str] = {
    "skill": "the skill's own folder",
    "evals": "its eval files",
    "workspace": "the workspace with the other trials",
    "program": "this program",
}
_MOST_PLACES = 3


def misconduct(census: Census, sides: Contest) -> Iterator[Finding]:
    """Of the trials of the compared arms in which the agent had its chance; a leak in a failed trial is a leak too."""
    names = {arm.name for arm in sides.arms}
    trials = [trial for trial in census.trials if trial.key.arm in names]
    yield from _told(
        trials,
        lambda conduct: conduct.shadows or (),
        code="skill-shadowed",
        severity="invalid",
        what="the agent got the skill from another place than the trial's own",
        todo="take that copy away, or isolate the agent, and run again.",
    )
    yield from _told(
        trials,
        lambda conduct: _read(conduct, ("skill", "evals", "workspace")),
        code="live-source-read",
        severity="invalid",
        what="the agent went to what belongs to the trial itself",
        todo="run it with --sandbox auto, which keeps all that out of reach.",
    )
    yield from _told(
        trials,
        lambda conduct: _read(conduct, ("program",)),
        code="program-read",
        severity="warning",
        what="the agent looked into skilltrial, and may know that it was on trial",
        todo="run it with --sandbox auto, which keeps that out of reach.",
    )
    yield from _told(
        trials,
        lambda conduct: conduct.outside or (),
        code="outside-writes",
        severity="warning",
        what="the agent wrote outside the trial's folders",
        todo="what it left there was not graded, and other trials may have met it: look there, and use --sandbox auto.",
    )
    yield from _denials(trials, sides)
    yield from _uninspected(trials)


def _told(
    trials: Sequence[Trial],
    places: Callable[[Conduct], Sequence[str]],
    *,
    code: str,
    severity: Severity,
    what: str,
    todo: str,
) -> Iterator[Finding]:
    found = [(trial, places(trial.conduct)) for trial in trials if trial.conduct is not None and places(trial.conduct)]
    if not found:
        return
    named = list(dict.fromkeys(place for _trial, own in found for place in own))
    more = f" and {len(named) - _MOST_PLACES} more" if len(named) > _MOST_PLACES else ""
    counts = Counter(trial.key.arm for trial, _own in found)
    split = ", ".join(f"{counts[arm]} of {arm}" for arm in dict.fromkeys(trial.key.arm for trial in trials))
    yield Finding(
        code=code,
        severity=severity,
        message=f"In {len(found)} of {len(trials)} trials ({split}) {what} ({', '.join(named[:_MOST_PLACES])}{more}): {todo}",
        trials=tuple(trial.key for trial, _own in found),
    )


def _read(conduct: Conduct, sources: Sequence[Source]) -> tuple[str, ...]:
    return tuple(f"{_SOURCES[read.source]}: {read.path}" for read in conduct.live or () if read.source in sources)


def _denials(trials: Sequence[Trial], sides: Contest) -> Iterator[Finding]:
    """None is no number: an arm whose agent program does not tell may have had any."""
    counts: list[int | None] = []
    texts: list[str] = []
    for arm in sides.arms:
        told = [t.conduct.n_denials if t.conduct else None for t in trials if t.key.arm == arm.name]
        known = [count for count in told if count is not None]
        counts.append(sum(known) if len(known) == len(told) else None)
        number = (
            "an unknown number" if told and not known else ("at least " * (len(known) < len(told)) + str(sum(known)))
        )
        texts.append(f"{number} in {len(told)} trials of {arm.name}")
    refused = [t.key for t in trials if t.conduct is not None and t.conduct.n_denials]
    if refused:
        alike = None not in counts and len(set(counts)) == 1
        yield Finding(
            code="permission-denials",
            severity="info" if alike else "warning",
            message=f"Calls that the agent program refused: {', '.join(texts)}. What is refused changes what an agent does: "
            "allow in both arms what the task needs.",
            trials=tuple(refused),
        )


def _uninspected(trials: Sequence[Trial]) -> Iterator[Finding]:
    """Replays and imports say of themselves that nothing ran here."""
    own = [trial for trial in trials if trial.harness.discovery not in ("recorded", "unknown")]
    ended = [trial for trial in own if trial.outcome not in ("harness_error", "cancelled")]
    dark = [trial.key for trial in ended if trial.conduct is None or trial.conduct.outside is None]
    if dark:
        yield Finding(
            code="conduct-unverifiable",
            severity="info",
            message=f"In {len(dark)} of {len(ended)} trials no tool call could be looked at, so that writes outside and "
            "reads of the skill's sources cannot be ruled out there.",
            trials=tuple(dark),
        )
