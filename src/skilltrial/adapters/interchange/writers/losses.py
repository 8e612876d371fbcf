"""What falls away because a target has no place for it: the parts that several targets share."""

from __future__ import annotations

from collections.abc import Sequence

from skilltrial.adapters.interchange.writers.rounds import Round, Run, counted
from skilltrial.adapters.interchange.writers.transcripts import has_transcript
from skilltrial.ports import Loss


def unheld(round_: Round, *, holds: Sequence[str] = ()) -> list[Loss]:
    """Further results that a target has no place for: cost, evidence, claims, critique; `holds` names what it does hold."""
    told = (
        ("cost", "the cost of {}", [run for run in round_.runs if run.trial.cost_usd is not None]),
        (
            "evidence",
            "whether the agent read the skill, of {}",
            [run for run in round_.runs if run.trial.evidence.reached is not None],
        ),
        ("notes", "the agent's notes on {}", [run for run in round_.runs if run.user_notes]),
        ("claims", "the claims that the judge checked in {}", [r for r in round_.runs if _claims(r)]),
        ("critique", "the judge's critique of the assertions in {}", [r for r in round_.runs if _critique(r)]),
    )
    return [
        round_.loss(what.format(counted(len(runs), "trial")), runs)
        for name, what, runs in told
        if runs and name not in holds
    ]


def unmeasured(round_: Round, runs: Sequence[Run], *, instead: str) -> list[Loss]:
    """Times and tokens of `runs` that are not known, for targets that must have a number: what they have `instead`."""
    told = (
        ("the time", [run for run in runs if run.seconds is None]),
        ("the tokens", [run for run in runs if run.tokens is None]),
    )
    return [
        round_.loss(f"that {what} of {counted(len(missing), 'trial')} is not known: {instead}", missing)
        for what, missing in told
        if missing
    ]


def transcripts_lost(round_: Round) -> list[Loss]:
    """All of them, for targets that have no transcripts."""
    runs = [run for run in round_.runs if has_transcript(run)]
    return [round_.loss(f"the transcripts of {counted(len(runs), 'trial')}", runs)] if runs else []


def documents_lost(round_: Round, *, kinds: Sequence[str]) -> list[Loss]:
    """The workspace's documents whose path holds one of `kinds`, for targets that have no such file."""
    places = [place for place in round_.source.documents if any(kind in place for kind in kinds)]
    return [Loss(place=place, what="the target has no such file") for place in sorted(places)]


def _claims(run: Run) -> bool:
    return bool(run.grading and run.grading.claims)


def _critique(run: Run) -> bool:
    return bool(run.grading and run.grading.eval_feedback)
