"""Foreign workspaces in one table: what each run of each case and arm came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from skilltrial.audit.outputs import Look, OutputsSeen
from skilltrial.audit.run import audit
from skilltrial.records.audit import Audit, AuditFinding
from skilltrial.records.foreign import (
    Criterion,
    Document,
    ForeignArm,
    ForeignCase,
    ForeignGrading,
    ForeignIteration,
    ForeignRun,
    ForeignTiming,
    ForeignWorkspace,
    Statement,
    Tally,
)

ROLES = {
    "with_skill": "treatment",
    "new_skill": "treatment",
    "without_skill": "baseline",
    "old_skill": "baseline",
}
VERDICTS = {"P": True, "F": False, "U": None}
SECONDS = {"treatment": 30.0, "baseline": 20.0, None: 10.0}
TOKENS = {"treatment": 3000, "baseline": 2000, None: 1000}
PLACE = "iteration-1/benchmark.json"

Table = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class Scene:
    """A workspace of one iteration."""

    workspace: ForeignWorkspace

    @property
    def iteration(self) -> ForeignIteration:
        """The only one."""
        return self.workspace.iterations[0]

    def audit(self, benchmark: Any = None, look: Look | None = None) -> Audit:
        """Audited, with this benchmark.json in the iteration."""
        scene = self
        if benchmark is not None:
            scene = self.with_iteration(documents=(Document(place=PLACE, kind="benchmark", value=benchmark),))
        return audit(scene.workspace, outputs=look or (lambda *_: OutputsSeen()))

    def findings(self, benchmark: Any = None, *names: str) -> list[AuditFinding]:
        """What was found, of these kinds or of all."""
        return [each for each in self.audit(benchmark).findings if not names or each.name in names]

    def with_workspace(self, **fields: Any) -> Scene:
        """The same with other fields."""
        return replace(self, workspace=replace(self.workspace, **fields))

    def with_iteration(self, **fields: Any) -> Scene:
        """The same with other fields of the iteration."""
        return self.with_workspace(iterations=(replace(self.iteration, **fields),))

    def with_runs(self, change: Callable[[ForeignRun], Mapping[str, Any]]) -> Scene:
        """The same with fields of runs changed."""
        return self.with_iteration(runs=tuple(replace(run, **change(run)) for run in self.iteration.runs))

    def with_grading(self, place: str, **fields: Any) -> Scene:
        """The same with fields of the grading of the run at this place changed."""
        return self.with_runs(lambda run: {"grading": replace(run.grading, **fields)} if run.place == place else {})


@pytest.fixture(scope="session")
def scene() -> Callable[..., Scene]:
    """`make_scene`, for tests that cannot import it."""
    return make_scene


def make_scene(table: Table, **fields: Any) -> Scene:
    """A scene of `{case: {arm: [cell, …]}}`, one cell a run.

    A cell has a letter a criterion: `P`, `F` or `U` (no verdict). `?` was not graded, `!` has a grading that cannot be read.
    Summaries are right, treatments take 30 s and 3,000 tokens, baselines 20 s and 2,000. `fields` are of the workspace.
    """
    names = list(dict.fromkeys(arm for row in table.values() for arm in row))
    cases: list[ForeignCase] = []
    runs: list[ForeignRun] = []
    for number, (key, row) in enumerate(table.items()):
        cells = [cell for cells in row.values() for cell in cells if cell[0] not in "?!"]
        width = max(map(len, cells), default=0)
        place = f"iteration-1/{key}"
        cases.append(
            ForeignCase(
                key=key,
                id=number,
                prompt=f"Do {key}.",
                criteria=tuple(Criterion(text=f"{key} holds {n}") for n in range(width)),
                place=place,
                metadata=f"{place}/eval_metadata.json",
            )
        )
        runs += [
            _run(key, arm, repeat, cell) for arm, cells in row.items() for repeat, cell in enumerate(cells, start=1)
        ]
    arms = tuple(ForeignArm(name=name, role=ROLES.get(name), why="a known name") for name in names)
    order = {"treatment": 0, "baseline": 1, None: 2}
    iteration = ForeignIteration(
        number=1,
        place="iteration-1",
        cases=tuple(cases),
        arms=tuple(sorted(arms, key=lambda arm: order[arm.role])),
        runs=tuple(runs),
    )
    settings = {"root": "/w", "family": "skill-creator", "iterations": (iteration,), **fields}
    return Scene(ForeignWorkspace(**settings))


def _run(case: str, arm: str, repeat: int, cell: str) -> ForeignRun:
    place, role = f"iteration-1/{case}/{arm}/run-{repeat}", ROLES.get(arm)
    timing = ForeignTiming(place=f"{place}/timing.json", total_tokens=TOKENS[role], duration_s=SECONDS[role])
    return ForeignRun(
        place=place,
        case=case,
        arm=arm,
        run_number=repeat,
        grading=None if cell == "?" else _grading(f"{place}/grading.json", case, cell),
        timing=timing,
        outputs=f"{place}/outputs",
    )


def _grading(place: str, case: str, cell: str) -> ForeignGrading:
    if cell == "!":
        return ForeignGrading(place=place, statements=None, fault="no valid JSON, line 3")
    passed, failed = cell.count("P"), cell.count("F")
    rate = round(passed / (passed + failed), 2) if passed + failed else 0
    return ForeignGrading(
        place=place,
        statements=tuple(
            Statement(text=f"{case} holds {n}", passed=VERDICTS[letter], evidence="seen")
            for n, letter in enumerate(cell)
        ),
        tally=Tally(passed=passed, failed=failed, total=passed + failed, pass_rate=rate),
        execution_metrics={"output_chars": 777},
    )
