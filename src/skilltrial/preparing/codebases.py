"""What the cases of a suite work in: fetched and looked through before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from skilltrial import wiring
from skilltrial.errors import PlanError
from skilltrial.records.plan import Arm, PlannedCodebase
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, Codebase, Suite

_NAMED = 3
"""Cases that a sentence names; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebases:
    """What was found. Folders may be temporary: copy before they go."""

    planned: tuple[PlannedCodebase, ...] = ()
    folders: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """By digest."""
    notices: tuple[str, ...] = ()


def find_codebases(
    suite: Suite, skill: Skill, arms: Sequence[Arm], *, workspace: Path, scratch: Path, env: Mapping[str, str]
) -> Codebases:
    """Copy every codebase of the suite once, below `scratch`.

    The skills of the arms, the evals, reference solutions and the workspace are in no copy. Raises `PlanError` for a
    codebase that cannot be had, and for a file of a case that does not fit into it.
    """
    skills = [arm.skill for arm in arms if arm.skill]
    names = frozenset([skill.name, *(one.name for one in skills)])
    eval_file = Path(suite.path)
    # Files that assertions compare with lie beside the evals.
    evals = eval_file.parent if eval_file.parent.name == "evals" else eval_file
    references = [Path(case.reference.folder) for case in suite.cases if case.reference and case.reference.folder]
    hidden = [Path(skill.folder), workspace, eval_file, evals, *(Path(one.folder) for one in skills), *references]
    planned: list[PlannedCodebase] = []
    folders: dict[str, Path] = {}
    notices: list[str] = []
    for number, (codebase, cases) in enumerate(_groups(suite).items()):
        place = scratch / f"codebase-{number}"
        fetched, folder = place / "fetched", place / "copy"
        fetched.mkdir(parents=True)
        copy = wiring.copy_codebase(
            codebase,
            beside=eval_file if eval_file.is_dir() else eval_file.parent,
            hidden=hidden,
            skill_names=names,
            into=folder,
            scratch=fetched,
            env=env,
        )
        for case in cases:
            _require_room(case, folder)
        ids = tuple(case.id for case in cases)
        planned.append(
            PlannedCodebase(
                case_ids=ids,
                source=copy.source,
                commit=copy.commit,
                digest=copy.digest,
                n_files=copy.n_files,
                n_bytes=copy.n_bytes,
            )
        )
        folders[copy.digest] = folder
        notices += _notices(ids, copy.left_out, copy.remarks)
    return Codebases(planned=tuple(planned), folders=folders, notices=tuple(notices))


def _groups(suite: Suite) -> dict[Codebase, list[Case]]:
    groups: dict[Codebase, list[Case]] = {}
    for case in suite.cases:
        if case.codebase is not None:
            groups.setdefault(case.codebase.model_copy(update={"written": None}), []).append(case)
    return groups


def _require_room(case: Case, folder: Path) -> None:
    """A file of the case may take the place of one of the codebase, but of no folder."""
    for file in case.files:
        above = (folder / parent for parent in PurePosixPath(file.path).parents if parent.name)
        if (folder / file.path).is_dir() or any(place.is_file() for place in above):
            raise PlanError(
                f"the file {file.path!r} of the case {case.id!r} needs a place where the codebase has "
                f"{'a folder' if (folder / file.path).is_dir() else 'a file'}.",
                hint="Give the agent the file under another path.",
            )


def _notices(ids: Sequence[str], left_out: Sequence[str], remarks: Sequence[str]) -> list[str]:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    of = f"The codebase of {', '.join(ids[:_NAMED])}{more}"
    notices: list[str] = []
    if left_out:
        what = ", ".join(left_out)
        notices.append(f"{of} lacks {what} in every arm: the skill under trial, its evals or this workspace.")
    if remarks:
        notices.append(f"{of} is given to agents without, or with less: {'; '.join(remarks)}.")
    return notices
