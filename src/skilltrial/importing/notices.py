"""What every report on an imported iteration has to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skilltrial.records.foreign import ForeignIteration, ForeignRun
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial


def notices(
    iteration: ForeignIteration,
    *,
    origin: str,
    trials: Sequence[Trial],
    cases: Sequence[Case],
    n_invented: int,
    unplaced: Sequence[str],
) -> tuple[str, ...]:
    """Where it is from, what could not be known, and what in it is of another kind than the rest."""
    place = f", {iteration.place}" if iteration.place not in {"", "."} else ""
    said = [f"Imported from {origin}{place}: verdicts, times and tokens are those of that tool."]
    unknown = list(_unknown(trials, cases))
    if unknown:
        said.append(f"Not known: {'; '.join(unknown)}.")
    said += _gradings(iteration.runs)
    if n_invented:
        said.append(
            f"Criteria in the gradings that the cases do not declare: {n_invented}. They are kept and counted, and marked in "
            "plan.json."
        )
    if unplaced:
        said.append(f"The role of {', '.join(unplaced)} is not known; compared with the baseline as treatments.")
    return tuple(said)


def _unknown(trials: Sequence[Trial], cases: Sequence[Case]) -> Iterator[str]:
    yield "how the trials were kept apart"
    if not any(trial.harness.model_served or trial.harness.model_asked for trial in trials):
        yield "the model"
    if all(trial.evidence.reached is None for trial in trials):
        yield "whether the agent read the skill"
    for what, missing in (
        ("the time", sum(trial.duration_ms is None for trial in trials)),
        ("the tokens", sum(trial.usage.total_tokens is None for trial in trials)),
    ):
        if missing:
            yield f"{what} of {missing} of {len(trials)} runs"
    prompts = sum(not case.prompt for case in cases)
    if prompts:
        yield f"the prompt of {prompts} of {len(cases)} cases"


def _gradings(runs: Sequence[ForeignRun]) -> list[str]:
    gradings = [run.grading for run in runs]
    told = (
        ("No grading", sum(grading is None for grading in gradings)),
        ("A grading that cannot be read", sum(bool(grading and grading.fault) for grading in gradings)),
        (
            "Counts alone, without a verdict on a criterion",
            sum(bool(grading and not grading.fault and grading.statements is None) for grading in gradings),
        ),
    )
    return [f"{what}: {number} of {len(runs)} runs, which are in no rate." for what, number in told if number]
