"""What the four targets share: two arms, the runs with their verdicts, and what falls away on the way there."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from skilltrial.ports import ExportFile, Loss, Trialled
from skilltrial.records import layout
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Arm
from skilltrial.records.suite import Case
from skilltrial.records.trial import Trial

TREATMENTS, BASELINES = ("with_skill", "new_skill"), ("without_skill", "old_skill")
PAIRS = (("with_skill", "without_skill"), ("new_skill", "old_skill"))
"""For targets that take no other, or that would subtract the wrong way: the treatment is the first in the alphabet too."""
_EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A trial that the target gets. `results` have a verdict, `open` have none."""

    case: Case
    arm: str
    """The name in the target."""
    trial: Trial
    grading: Grading | None
    results: tuple[AssertionResult, ...]
    open: tuple[AssertionResult, ...]
    folder: Path
    """Of the trial, in our workspace."""
    outputs: tuple[str, ...]
    """Paths below `folder/outputs` that are there and can be written."""
    user_notes: tuple[str, ...]
    """What the agent of an imported run noted for people."""

    @property
    def n_passed(self) -> int:
        """How many results hold."""
        return sum(result.verdict == "PASS" for result in self.results)

    @property
    def pass_rate(self) -> float | None:
        """Passed over all with a verdict; None where nothing has one."""
        return self.n_passed / len(self.results) if self.results else None

    @property
    def seconds(self) -> float | None:
        """Wall clock; None where unknown."""
        return None if self.trial.duration_ms is None else self.trial.duration_ms / 1000

    @property
    def tokens(self) -> int | None:
        """All tokens; None where unknown."""
        return self.trial.usage.total_tokens

    def output_files(self, below: str) -> list[ExportFile]:
        """Copies of the outputs, under a folder of the target."""
        folder = self.folder / layout.OUTPUTS
        return [ExportFile(path=f"{below}/{path}", content=folder / path) for path in self.outputs]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One iteration for a target of two arms. `losses` are those that no target can do anything about."""

    source: Trialled
    arms: Mapping[str, Arm]
    """By their names in the target: the treatment, then the baseline, as far as there are any."""
    runs: tuple[Run, ...]
    """By case, arm, number."""
    by_case: Mapping[str, Sequence[Run]]
    """The same by case id."""
    losses: tuple[Loss, ...]

    @property
    def place(self) -> str:
        """The iteration's folder, in our workspace as in the target."""
        return layout.iteration_dir(self.source.iteration)

    def of(self, arm: str, case: Case | None = None) -> list[Run]:
        """The runs of an arm, of one case where given."""
        own = self.by_case.get(case.id, ()) if case else self.runs
        return [run for run in own if run.arm == arm]

    @property
    def cases(self) -> list[Case]:
        """The cases with a run, in the suite's order."""
        return [case for case in self.source.plan.suite.cases if case.id in self.by_case]

    def loss(self, what: str, runs: Iterable[Run] = ()) -> Loss:
        """A loss of this iteration, with the first places of it."""
        return Loss(place=self.place, what=what + _named([str(run.trial.key) for run in runs]))


def counted(number: int, noun: str) -> str:
    """`1 trial`, `2 trials`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def make_round(source: Trialled, *, flat: bool, pairs: Sequence[tuple[str, str]] = ()) -> Round:
    """The runs of the two compared arms that ended in a result.

    `flat`: the target has room for one run of each case and arm. `pairs`: the only names of treatment and baseline that the
    target takes; without, any two of the usual names.
    """
    arms, losses = _arms(source, pairs)
    names = {arm.name: name for name, arm in arms.items()}
    gradings = {grading.key: grading for grading in source.gradings}
    order = {case.id: place for place, case in enumerate(source.plan.suite.cases)}
    places = {name: place for place, name in enumerate(arms)}
    runs: list[Run] = []
    lost = _Lost()
    notes = _user_notes(source)
    for trial in source.trials:
        if trial.key.arm not in names or trial.key.case_id not in order:
            lost.arms[trial.key.arm] += 1
        elif trial.outcome in {"harness_error", "cancelled"}:
            lost.errors.append(str(trial.key))
        else:
            run = _run(source, trial, names[trial.key.arm], gradings.get(trial.key), lost)
            runs.append(replace(run, user_notes=notes.get(str(trial.key), ())))
    runs.sort(key=lambda run: (order[run.case.id], places[run.arm], run.trial.key.repeat))
    if flat:
        runs = _first_of_each(runs, lost)
    place = layout.iteration_dir(source.iteration)
    losses += [Loss(place=place, what=what) for what in lost.sentences()]
    by_case: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_case[run.case.id].append(run)
    return Round(source=source, arms=arms, runs=tuple(runs), by_case=by_case, losses=(*losses, *_results(place, runs)))


class _Lost:
    """What is met on the way and cannot come along."""

    def __init__(self) -> None:
        self.arms = Counter[str]()
        self.errors: list[str] = []
        self.repeats: list[str] = []
        self.files: list[str] = []

    def sentences(self) -> list[str]:
        third = [
            f"the {counted(n, 'trial')} of a third arm, {name!r}: the target compares two arms"
            for name, n in sorted(self.arms.items())
        ]
        kinds = (
            (self.errors, "trial", " that ended in an error outside the agent's doing"),
            (self.repeats, "repeat", ": the target has room for one run of each case and arm, the first is taken"),
            (self.files, "output file", ", not there any more or with an unsafe name"),
        )
        return [*third, *(f"{counted(len(keys), noun)}{what}{_named(keys)}" for keys, noun, what in kinds if keys)]


def _arms(source: Trialled, pairs: Sequence[tuple[str, str]]) -> tuple[dict[str, Arm], list[Loss]]:
    treatment = next((arm for arm in source.plan.arms if arm.role == "treatment"), None)
    baseline = next((arm for arm in source.plan.arms if arm.role == "baseline"), None)
    usual = (BASELINES[1], TREATMENTS[1]) if baseline and baseline.skill else (BASELINES[0], TREATMENTS[0])
    names = (treatment.name if treatment else "", baseline.name if baseline else "")
    fits = names in pairs if pairs else names[0] in {*TREATMENTS, ""} and names[1] in {*BASELINES, ""}
    written = names if fits else (usual[1], usual[0])
    arms: dict[str, Arm] = {}
    losses: list[Loss] = []
    for arm, name in zip((treatment, baseline), written, strict=True):
        if arm is not None:
            arms[name] = arm
            if arm.name != name:
                place = layout.iteration_dir(source.iteration)
                losses.append(Loss(place=place, what=f"the name of the arm {arm.name!r}: it is written as {name!r}"))
    return arms, losses


def _run(source: Trialled, trial: Trial, arm: str, grading: Grading | None, lost: _Lost) -> Run:
    case = source.plan.case(trial.key.case_id)
    results = _bound(case, grading)
    relative = layout.trial_dir(source.iteration, trial.key)
    folder = source.folder(relative)
    outputs: list[str] = []
    for file in trial.files:
        if not file.kept or file.change == "deleted":
            continue
        if _is_safe(file.path) and _is_there(folder / layout.OUTPUTS / file.path):
            outputs.append(file.path)
        else:
            lost.files.append(f"{trial.key}: {file.path!r}")
    return Run(
        case=case,
        arm=arm,
        trial=trial,
        grading=grading,
        results=tuple(result for result in results if result.verdict != "UNGRADED"),
        open=tuple(result for result in results if result.verdict == "UNGRADED"),
        folder=folder,
        outputs=tuple(outputs),
        user_notes=(),
    )


def _user_notes(source: Trialled) -> dict[str, tuple[str, ...]]:
    """By the name of the trial, from the record of the import."""
    record = source.documents.get(f"{layout.iteration_dir(source.iteration)}/{layout.IMPORT_RECORD}")
    runs = cast("Mapping[str, Json]", record).get("runs") if isinstance(record, Mapping) else None
    found: dict[str, tuple[str, ...]] = {}
    for run in cast("list[Json]", runs) if isinstance(runs, list) else ():
        fields: Mapping[str, Json] = cast("Mapping[str, Json]", run) if isinstance(run, Mapping) else {}
        notes = fields.get("user_notes")
        if isinstance(notes, list):
            found[str(fields.get("trial"))] = tuple(str(note) for note in cast("list[Json]", notes))
    return found


def _bound(case: Case, grading: Grading | None) -> list[AssertionResult]:
    """The results on the case's own assertions, in these words, once each: others count nowhere."""
    found: defaultdict[tuple[str, str, str], list[AssertionResult]] = defaultdict(list)
    for result in grading.results if grading else ():
        found[result.id, result.type, result.text].append(result)
    results: list[AssertionResult] = []
    for assertion in case.assertions:
        own = found[assertion.id, assertion.type, assertion.text]
        missing = AssertionResult(
            id=assertion.id, text=assertion.text, type=assertion.type, verdict="UNGRADED", evidence="", grader="none"
        )
        results.append(own[0] if len(own) == 1 else missing)
    return results


def _first_of_each(runs: Sequence[Run], lost: _Lost) -> list[Run]:
    kept: dict[tuple[str, str], Run] = {}
    for run in runs:
        if kept.setdefault((run.case.id, run.arm), run) is not run:
            lost.repeats.append(str(run.trial.key))
    return list(kept.values())


def _results(place: str, runs: Sequence[Run]) -> list[Loss]:
    told = (
        (
            [str(run.trial.key) for run in runs for _ in run.open],
            "assertion",
            " without a verdict (UNGRADED): the target knows passed and failed",
        ),
        (
            [str(run.trial.key) for run in runs if run.trial.outcome != "completed"],
            "trial",
            " that did not complete: the target does not tell how a run ended",
        ),
    )
    return [
        Loss(place=place, what=f"{counted(len(keys), noun)}{what}{_named(keys)}") for keys, noun, what in told if keys
    ]


def _is_safe(path: str) -> bool:
    return "\\" not in path and "\0" not in path and not any(part in {"", ".", ".."} for part in path.split("/"))


def _is_there(path: Path) -> bool:
    try:
        return path.is_file() and not os.path.islink(path)  # noqa: PTH114 - as above, without another error
    except OSError:
        return False


def _named(keys: Sequence[str]) -> str:
    unique = list(dict.fromkeys(keys))
    if not unique:
        return ""
    more = f" and {len(unique) - _EXAMPLES} more" if len(unique) > _EXAMPLES else ""
    return f" [{', '.join(unique[:_EXAMPLES])}{more}]"
