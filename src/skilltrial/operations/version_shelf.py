"""The versions of a skill in its workspace: folders, patches, and back to the skill."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skilltrial.errors import SpecError
from skilltrial.improve.patch import changed_paths, patch_of
from skilltrial.improve.proposal import proposal_fault, version_files
from skilltrial.operations.history_keeping import known_versions
from skilltrial.operations.proposing import ProposedVersion
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.improvement import Improvement, Version
from skilltrial.records.skill import Skill
from skilltrial.spec.findings import Problem
from skilltrial.spec.skill import SKILL_FILE, load_skill
from skilltrial.spec.validate import validate
from skilltrial.spec.whole_file import write_whole

_SUMMARY_CHARS = 300
_MAX_FINDINGS = 20
_NUMBERED = re.compile(r"v[0-9]{1,6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionShelf:
    """Satisfies `Shelf`: `versions/v1/<folder of the skill>` and `versions/v1.patch` in the workspace."""

    store: Store
    folder_name: str
    """The skill's own: agents may tell skills by it."""

    def folder(self, name: str) -> Path:
        """Where a version is, or will be."""
        return self.store.path(f"{layout.VERSIONS}/{name}/{self.folder_name}")

    def patch(self, name: str) -> Path:
        """Against the version that the improvement began with."""
        return self.store.path(f"{layout.VERSIONS}/{name}.patch")

    def files(self, name: str) -> Mapping[str, bytes]:
        """All files of a version, by path."""
        return files_of(load_skill(self.folder(name)))

    def keep(self, name: str, skill: Skill) -> None:
        """A copy of a skill as it is, under a name that is free for it or has it already."""
        self._publish(name, files_of(skill), executable=[each.path for each in skill.files if each.executable])

    def put(self, state: Improvement, proposed: ProposedVersion, *, round_: int) -> Version | str:
        """Write it as the next version; why it is none, where it is none. Putting the same again is the same."""
        parent = state.version(state.incumbent)
        source = load_skill(self.folder(parent.name))
        before = files_of(source)
        written = [(each.path, each.content) for each in proposed.files]
        if fault := proposal_fault(written, proposed.deleted, before):
            return fault
        after = version_files(written, proposed.deleted, before)
        executable = [each.path for each in source.files if each.executable and each.path in after]
        with tempfile.TemporaryDirectory(prefix="skilltrial-") as scratch:
            place = Path(scratch, self.folder_name)
            _write(place, after, executable)
            linted = _lint(place, self.folder(parent.name), source)
            if linted.fault:
                return linted.fault
            fingerprint = load_skill(place).fingerprint
        if same := next((each.name for each in state.versions if each.fingerprint == fingerprint), None):
            return f"this is {same} again."
        name = self.free_name(fingerprint, known=[each.name for each in state.versions])
        self._publish(name, after, executable=executable)
        first = self.files(state.versions[0].name)
        self.store.write(f"{layout.VERSIONS}/{name}.patch", patch_of(first, after).encode("utf-8"))
        return Version(
            name=name,
            parent=parent.name,
            origin="model",
            round=round_,
            summary=" ".join(proposed.summary.split())[:_SUMMARY_CHARS],
            fingerprint=fingerprint,
            changed=changed_paths(before, after),
            warnings=linted.warnings,
        )

    def is_kept(self, name: str, fingerprint: str | None) -> bool:
        """Whether the version of this fingerprint lies there."""
        folder = self.folder(name)
        return (folder / SKILL_FILE).is_file() and load_skill(folder).fingerprint == fingerprint

    def free_name(self, fingerprint: str, *, known: Collection[str] = ()) -> str:
        """The next name for a version: no record has it, `known` neither, and nothing else lies in its place.

        The version itself may lie there: a killed command left it.
        """
        names = {*known_versions(self.store), *known}
        number = max((int(name[1:]) for name in names if _NUMBERED.fullmatch(name)), default=-1) + 1
        while self.store.path(f"{layout.VERSIONS}/v{number}").exists() and not self.is_kept(f"v{number}", fingerprint):
            number += 1
        return f"v{number}"

    def _publish(self, name: str, files: Mapping[str, bytes], *, executable: Sequence[str]) -> None:
        """In its place in one step. What lies there already is the same: see `free_name`."""
        if self.store.path(f"{layout.VERSIONS}/{name}").exists():
            return
        staged = self.store.stage()
        _write(staged / self.folder_name, files, executable)
        self.store.publish(staged, f"{layout.VERSIONS}/{name}")


def files_of(skill: Skill) -> dict[str, bytes]:
    """What agents get of a skill, by path."""
    return {each.path: Path(skill.folder, each.path).read_bytes() for each in skill.files}


def apply_files(skill: Skill, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """Write into the skill's folder what differs between two versions; the paths.

    Files that nobody changed since are written over; a file that somebody did change is left alone, and so is all else
    then. So is a place that lies behind a link. Raises `SpecError` for both, naming them, before anything is written.
    """
    now, changed = files_of(skill), changed_paths(before, after)
    clashes = [path for path in changed if now.get(path) not in (before.get(path), after.get(path))]
    if clashes:
        raise SpecError(
            f"{', '.join(clashes)} changed since the version was made.",
            where=skill.folder,
            hint="Nothing was written. Apply the patch by hand (`git apply -3`), or improve the skill as it is now.",
        )
    linked = next((place for path in changed if (place := _link_on(Path(skill.folder), path))), None)
    if linked is not None:
        raise SpecError("this is a link, and is not written through.", where=str(linked), hint="Nothing was written.")
    for path in changed:
        target, data = Path(skill.folder, path), after.get(path)
        if data is None:
            target.unlink(missing_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data)
    return changed


def _link_on(folder: Path, path: str) -> Path | None:
    """The first link on the way from the folder to this file; what it points to may be anybody's."""
    places = [folder / parent for parent in reversed(Path(path).parents)][1:]
    return next((place for place in (*places, folder / path) if place.is_symlink()), None)


def _write(folder: Path, files: Mapping[str, bytes], executable: Sequence[str]) -> None:
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if path in executable:
            target.chmod(target.stat().st_mode | 0o111)


class _Linted(NamedTuple):
    fault: str
    """Why it is no version; empty where it is."""
    warnings: tuple[str, ...] = ()


def _lint(place: Path, parent: Path, source: Skill) -> _Linted:
    """What the parent has not: an error makes it no version, and so does another name."""
    had = {(each.code, each.message) for each in validate(parent).problems}
    found = validate(place)
    if found.skill is None or found.skill.name != source.name:
        named = found.skill is not None
        other = f"the skill is called {source.name!r}, and has to keep that name." if named else ""
        return _Linted(other or _told(found.problems, "error") or "this is no skill.")
    new = [each for each in found.problems if (each.code, each.message) not in had]
    if fault := _told(new, "error"):
        return _Linted(fault)
    warnings = [each for each in new if each.severity == "warning"][:_MAX_FINDINGS]
    return _Linted("", tuple(f"{each.code} {each.message}" for each in warnings))


def _told(problems: Sequence[Problem], severity: str) -> str:
    lines = [
        f"{SKILL_FILE if each.file.endswith(SKILL_FILE) else ''} {each.message} {each.hint}".strip()
        for each in problems
        if each.severity == severity
    ]
    return " ".join(lines[:_MAX_FINDINGS])
