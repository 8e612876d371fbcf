"""A trial's transcript, looked at with knowledge of where everything lies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skilltrial.execute.conduct import Grounds, observe
from skilltrial.ports import TrialFolders
from skilltrial.records.conduct import Conduct, Source
from skilltrial.records.plan import Plan
from skilltrial.records.trial import HarnessResult

_PROGRAM = Path(__file__).parents[1]
_PRIVATE = {"bwrap": "/tmp", "docker": "/", "podman": "/"}  # noqa: S108 - nothing is made there
"""What is a trial's own in a sandbox, beside its folders, by the first word of the isolation."""


def conduct_of(
    result: HarnessResult,
    folders: TrialFolders | None,
    plan: Plan,
    *,
    workspace: Path,
    isolation: str,
    tells_denials: bool,
) -> Conduct | None:
    """What the agent did beside its task; None where there were no folders, or where a replay had others.

    `workspace` is where the results of all arms lie.
    """
    if folders is None or result.discovery == "recorded":
        return None
    root = str(folders.root)
    live = dict.fromkeys(_live(plan, workspace))
    grounds = Grounds(
        work=str(folders.work),
        home=str(folders.home),
        tmp=str(folders.tmp),
        root=root,
        private=tuple(place for level, place in _PRIVATE.items() if isolation.startswith(level)),
        live=tuple((source, path) for source, path in live if not Path(root).is_relative_to(path)),
    )
    return observe(result.events, grounds, names=_names(plan), tells_denials=tells_denials)


def _live(plan: Plan, workspace: Path) -> Iterator[tuple[Source, str]]:
    """Inner places first: eval files lie in the skill's folder, and a workspace may too."""
    skills = {plan.skill.folder, *(arm.skill.folder for arm in plan.arms if arm.skill)}
    suite = PurePosixPath(plan.suite.path)
    yield from _ways("evals", str(suite.parent if suite.parent.name == "evals" else suite))
    yield from _ways("workspace", str(workspace))
    for folder in sorted(skills):
        yield from _ways("skill", folder)
    yield from _ways("program", str(_PROGRAM))


def _ways(source: Source, path: str) -> Iterator[tuple[Source, str]]:
    """As it is called, and without links; what has no absolute path is not on this machine."""
    if os.path.isabs(path):  # noqa: PTH117 - a text
        yield source, os.path.normpath(path)
        yield source, os.path.realpath(path)


def _names(plan: Plan) -> set[str]:
    refs = [plan.skill, *(arm.skill for arm in plan.arms if arm.skill)]
    return {name for ref in refs for name in (ref.name, PurePosixPath(ref.folder).name) if name}
