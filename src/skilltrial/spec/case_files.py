"""The `files` of a case: where they come from, and where the agent finds them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from skilltrial.records.suite import CaseFile
from skilltrial.spec.file_tree import TreeFile, find_files, is_inside, sha256_of
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node

_STRIPPED = ("evals/files/", "evals/", "files/")
_AGENT_FOLDERS = {".claude", ".agents", ".codex", ".opencode", ".gemini"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MAX_PATH_CHARS = 400


class Roots(NamedTuple):
    """Where an eval file and its skill lie."""

    eval_file: Path
    skill: Path | None
    skill_files: frozenset[str]
    """What an agent with the skill gets, by path below the skill's folder."""

    first: str | None = None
    """A folder beside the eval file that is searched before all others."""

    def places(self) -> list[Path]:
        """The folders that `files` are looked for in, in order."""
        beside = self.eval_file if self.eval_file.is_dir() else self.eval_file.parent
        skill = self.skill or (beside.parent if beside.name == "evals" else beside)
        first = [beside / self.first] if self.first is not None else []
        return list(dict.fromkeys([*first, skill, skill / "evals", beside]))


def read_case_files(
    node: Node | None, prompt: str, roots: Roots, findings: Findings, *, keeps_paths: bool
) -> list[CaseFile]:
    """The input files of a case, from a list of paths (and of objects with a `path`) or a map of paths to contents.

    Adds to `findings` an error for each entry that is not there, lies outside the skill, or would take another's place.
    """
    if node is None:
        return []
    files: list[CaseFile] = []
    if isinstance(node.value, dict):
        for entry in node.elements():
            with findings.collecting():
                files.append(_written_file(entry, findings))
    elif isinstance(node.value, list):
        for entry in node.elements():
            with findings.collecting():
                if isinstance(entry.value, dict):
                    files.extend(_placed_files(entry, roots, findings))
                    continue
                path = check_path(entry, entry.value)
                to = place_for_agent(path, prompt, keeps_paths=keeps_paths)
                files.extend(_found_files(entry, path, to, roots, findings))
    else:
        with findings.collecting():
            hint = "Write a list of paths, or an object of path: content."
            raise node.error("bad-files", f"must be a list or an object, not {shown(node.value)}.", hint=hint)
    with findings.collecting():
        return _distinct(node, files)
    return []


def check_path(node: Node, written: object, *, owner: str = "skill") -> str:
    """A relative path with forward slashes, normalised. Raises `SpecError` for what could point out of the owner's folder."""
    hint = f"Write a path below the {owner}'s folder, with forward slashes."
    if not isinstance(written, str):
        raise node.error("bad-path", f"must be a path in text, not {shown(written)}.", hint=hint)
    if not written.strip() or len(written) > _MAX_PATH_CHARS or _CONTROL.search(written):
        raise node.error("bad-path", f"is no usable path: {shown(written)}.", hint=hint)
    if "\\" in written:
        raise node.error("bad-path", f"has a backslash: {shown(written)}.", hint=hint)
    path = PurePosixPath(written)
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", written):
        raise node.error("outside-skill", f"points outside the {owner}: {shown(written)}.", hint=hint)
    if any(part.lower() == ".git" for part in path.parts):
        hint = "The agent's folder has a git repository of its own."
        raise node.error("git-folder", f"points into a .git folder: {shown(written)}.", hint=hint)
    return path.as_posix()


def place_for_agent(path: str, prompt: str, *, keeps_paths: bool) -> str:
    """Where the agent finds a file that is listed as `path`."""
    return path if keeps_paths or is_named(prompt, path) else _stripped(path)


def is_named(prompt: str, path: str) -> bool:
    """Whether the prompt itself says where the file is; then it has to be there."""
    return re.search(rf"(?<!\w){re.escape(path)}(?!\w)", prompt) is not None


def _stripped(path: str) -> str:
    for prefix in _STRIPPED:
        if f"{path}/".startswith(prefix):
            return f"{path}/".removeprefix(prefix).rstrip("/")
    return path


def _placed_files(entry: Node, roots: Roots, findings: Findings) -> list[CaseFile]:
    """Of an object that says where the file goes, and either what it holds or where it comes from."""
    to, content, source = entry.child("path"), entry.child("content"), entry.child("source")
    if to is None or (content is None and source is None):
        hint = "Or write an object with 'path', and 'content' or 'source'."
        raise entry.error("bad-path", f"must be a path in text, not {shown(entry.value)}.", hint=hint)
    if content is not None:
        return [_written_file(content, findings, path=to.value)]
    path = check_path(to, to.value)
    return _found_files(entry, check_path(source, source.value) if source else path, path, roots, findings)


def _written_file(entry: Node, findings: Findings, *, path: object = None) -> CaseFile:
    path = check_path(entry, entry.path[-1] if path is None else path)
    if path == ".":
        raise entry.error("bad-path", "names no file.")
    if not isinstance(entry.value, str):
        hint = "Write the file's content as one text."
        raise entry.error("bad-content", f"must be the file's content in text, not {shown(entry.value)}.", hint=hint)
    _note_agent_folder(entry, path, findings)
    sha256 = hashlib.sha256(entry.value.encode()).hexdigest()
    return CaseFile(path=path, content=entry.value, sha256=sha256)


def _found_files(entry: Node, path: str, to: str, roots: Roots, findings: Findings) -> list[CaseFile]:
    files = located_files(entry, path, to, roots, findings)
    if to != path and not isinstance(entry.value, dict):
        findings.repair(entry.repair("file-moved", f"is at {to or '.'!r} for the agent, without its leading folder"))
    _note_agent_folder(entry, to, findings)
    _note_reveals(entry, locate(entry, path, roots), roots, findings)
    return files


def located_files(entry: Node, path: str, to: str, roots: Roots, findings: Findings) -> list[CaseFile]:
    """The file at a path, or all files of a folder, to lie at `to`. Raises `Invalid` where there is none in the skill."""
    source = locate(entry, path, roots)
    if source.is_dir():
        found = find_files(source, findings, within=_boundary(source, roots), skips=_is_left_out)
        if not found:
            findings.repair(entry.repair("folder-empty", f"is a folder without files: {shown(path)}"))
    else:
        real = Path(os.path.realpath(source))
        if not real.is_file():
            raise entry.error("not-a-file", f"is neither a file nor a folder: {shown(path)}.")
        found = [TreeFile("", real, 0, sha256_of(real), executable=False)]
    return [
        CaseFile(path=_joined(to, file.path) or source.name, source=str(file.source), sha256=file.sha256)
        for file in found
    ]


def held_out_place(path: str) -> str:
    """Where a file that the agent never sees is put for a check, without a leading `evals/files/`."""
    return _stripped(path)


def _joined(folder: str, path: str) -> str:
    return "/".join(part for part in (folder if folder != "." else "", path) if part)


def locate(entry: Node, path: str, roots: Roots) -> Path:
    """Where a path of an author leads. Raises `Invalid` where nothing is there, or it is a link that leaves the skill."""
    tried = [place / path for place in roots.places()]
    for source in tried:
        if os.path.exists(source):  # noqa: PTH110 - Path.exists raises for loops and long names before Python 3.12
            if not any(is_inside(source, place) for place in roots.places()):
                hint = "Copy the file into the skill's `evals/files/`."
                raise entry.error("outside-skill", f"is a link that leaves the skill: {shown(path)}.", hint=hint)
            return source
    places = ", ".join(str(source) for source in tried)
    raise entry.error("file-missing", f"names {shown(path)}, which is not there. Tried: {places}.")


def _boundary(source: Path, roots: Roots) -> Path:
    return next(place for place in roots.places() if is_inside(source, place))


def _is_left_out(path: str) -> bool:
    return not {".git", ".hg", ".svn", "__pycache__", ".DS_Store"}.isdisjoint(PurePosixPath(path).parts)


def _note_agent_folder(entry: Node, path: str, findings: Findings) -> None:
    first = PurePosixPath(path).parts[:1]
    if first and first[0] in _AGENT_FOLDERS:
        what = f"is in {first[0]!r}, where agents keep settings and skills; it is given to every arm"
        findings.repair(entry.repair("file-configures-agent", what))


def _note_reveals(entry: Node, source: Path, roots: Roots, findings: Findings) -> None:
    real = Path(os.path.realpath(source))
    if Path(os.path.realpath(roots.eval_file)).is_relative_to(real):
        findings.repair(entry.repair("file-of-evals", "gives the agent the eval file, with the expected results"))
    if roots.skill is None:
        return
    top = Path(os.path.realpath(roots.skill))
    if any((top / path).is_relative_to(real) for path in roots.skill_files):
        findings.repair(entry.repair("file-of-skill", "is part of the skill, and is given to the arm without it too"))


def _distinct(node: Node, files: list[CaseFile]) -> list[CaseFile]:
    """Without exact repetitions. Raises `SpecError` where two files need one place."""
    taken: dict[str, CaseFile] = {}
    for file in files:
        other = taken.setdefault(file.path, file)
        if other.sha256 != file.sha256:
            both = f"{other.source or 'a content'} and {file.source or 'a content'}"
            raise node.error("file-collision", f"puts two files at {file.path!r}: {both}.", hint="Rename one of them.")
    _check_nesting(node, taken)
    return list(taken.values())


def _check_nesting(node: Node, taken: Mapping[str, CaseFile]) -> None:
    for path in taken:
        for parent in PurePosixPath(path).parents:
            if parent.as_posix() in taken:
                what = f"needs {parent.as_posix()!r} both as a file and as the folder of {path!r}."
                raise node.error("file-collision", what, hint="Rename one of them.")
