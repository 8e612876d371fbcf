"""The checks of a skill's cases, run where no agent worked: on the untouched files, and on reference solutions."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from anyio import to_thread

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.execute.codebases import folder_files
from skilltrial.grade.material import Material
from skilltrial.grade.trial import grade_trial
from skilltrial.grade.unrun import checked, findings, unrun_trial
from skilltrial.plan.plan import only_cases
from skilltrial.ports import Confinement, Workspace
from skilltrial.preparing.codebases import find_codebases
from skilltrial.records.events import AssistantMessage
from skilltrial.records.grading import Grading
from skilltrial.records.layout import DOUBLES, OUTPUTS
from skilltrial.records.oracle import CheckedCase, Oracle, OracleFinding
from skilltrial.records.reference import Reference
from skilltrial.records.suite import Case, CaseFile
from skilltrial.records.trial import OutputFile
from skilltrial.request import default_workspace
from skilltrial.spec.lint.rule import Place, PlaceKey
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import examine_suite, load_suite

_SKILL_ROOT = ".claude/skills"
"""Where a skill would lie; there is none, and git is told not to look there, as in a trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRequest:
    """What a person asks for."""

    skill: Path
    env: Mapping[str, str] = field(repr=False)
    evals: Path | None = None
    only: tuple[str, ...] = ()
    """Ids of cases."""
    sandbox: str = "none"
    """What commands of checks run in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What all cases share."""

    workspace: Workspace
    walls: Confinement | None
    env: Mapping[str, str]
    scratch: Path
    code: Mapping[str, tuple[CaseFile, ...]]
    """The files of codebases, by the case's id."""


async def consult(request: OracleRequest) -> Oracle:
    """Run every check of every case as grading does; no agent, no judge, nothing is written.

    Raises `SpecError` and `PlanError` for what cannot be read or prepared, and `NotInstalled` for a sandbox that does not hold.
    """
    skill = load_skill(request.skill)
    suite = only_cases(load_suite(skill, request.evals), request.only)
    places = examine_suite(Path(suite.path), skill).places  # the record of the suite does not have them
    folder = Path(skill.folder)
    confinement = await to_thread.run_sync(_confinement, request, folder)
    with ExitStack() as stack:
        scratch = wiring.make_scratch()
        stack.callback(scratch.remove)
        root = default_workspace(folder)
        found = await to_thread.run_sync(
            lambda: find_codebases(suite, skill, (), workspace=root, scratch=scratch.folder, env=request.env)
        )
        desk = _Desk(
            workspace=wiring.make_workspace(request.env, confinement),
            walls=await to_thread.run_sync(wiring.walls_of_checks, confinement, request.env),
            env=request.env,
            scratch=scratch.folder,
            code={
                case_id: folder_files(found.folders[each.digest]) for each in found.planned for case_id in each.case_ids
            },
        )
        rows = [await _look_at(desk, case, number) for number, case in enumerate(suite.cases)]
    told = [one for case, row in zip(suite.cases, rows, strict=True) for one in findings(case, row)]
    return Oracle(
        skill=skill.name,
        evals=suite.path,
        cases=tuple(rows),
        findings=tuple(_placed(one, places, suite.path) for one in told),
    )


def _confinement(request: OracleRequest, folder: Path) -> Confinement | None:
    hidden = (folder, *([request.evals] if request.evals else []))
    return wiring.open_sandbox(request.sandbox, request.env, hidden=hidden)


async def _look_at(desk: _Desk, case: Case, number: int) -> CheckedCase:
    """Both states of a case, in one folder that is made as a trial's is."""
    before, after = (desk.scratch / f"case-{number}-{name}" for name in ("untouched", "reference"))
    solved: Grading | None = None
    async with desk.workspace.open(case.files, None, skill_root=_SKILL_ROOT, code=desk.code.get(case.id, ())) as place:
        before.mkdir()
        untouched = await _graded(desk, case, before, await desk.workspace.collect(place, before), answer="")
        if case.reference is not None:
            await to_thread.run_sync(_lay, case.reference, place.work, case.id)
            after.mkdir()
            files = await desk.workspace.collect(place, after)
            solved = await _graded(desk, case, after, files, answer=case.reference.answer)
    return checked(case, untouched, solved)


async def _graded(desk: _Desk, case: Case, folder: Path, files: Sequence[OutputFile], *, answer: str | None) -> Grading:
    (folder / DOUBLES).touch()
    material = Material(
        case=case,
        trial=unrun_trial(case, folder.name, files=files, answer=answer),
        events=(AssistantMessage(ordinal=0, text=answer or ""),),
        outputs=folder / OUTPUTS,
        code=desk.code.get(case.id, ()),
    )
    return await grade_trial(material, judge=None, no_judge_reason="no judge", env=desk.env, walls=desk.walls)


def _lay(reference: Reference, work: Path, case_id: str) -> None:
    """Make the agent's folder what the reference says. Raises `SpecError` where something cannot be put or removed."""
    for path in reference.removes:
        target = work / path
        if not os.path.lexists(target):
            hint = "Name a file or folder that the case starts with."
            raise SpecError(f"the reference of {case_id!r} removes {path!r}, which is not there.", hint=hint)
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink()
    for file in reference.files:
        target = work / file.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.source or "", target)
        except OSError as error:
            message = (
                f"the file {file.path!r} of the reference of {case_id!r} cannot be put in place ({error.strerror})."
            )
            raise SpecError(message, where=str(file.source)) from error


def _placed(found: OracleFinding, places: Mapping[PlaceKey, Place], path: str) -> OracleFinding:
    place = places.get((found.case_id, found.assertion_id)) or Place(None, "")
    return found.model_copy(update={"file": place.file or path, "line": place.line})
