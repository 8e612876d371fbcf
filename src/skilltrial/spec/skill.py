"""A folder with a SKILL.md -> `Skill`."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path, PurePosixPath

from skilltrial.records.json_value import Json
from skilltrial.records.repair import Repair
from skilltrial.records.skill import Skill, SkillFile
from skilltrial.spec.file_tree import find_files, is_inside, is_utf8
from skilltrial.spec.findings import Findings, invalid, shown
from skilltrial.spec.front_matter import FrontMatter, read_front_matter
from skilltrial.spec.text_file import read_text

SKILL_FILE = "SKILL.md"
MAX_BYTES = 1024 * 1024

_HIDDEN_ANYWHERE = {".git", ".hg", ".svn", "__pycache__", "node_modules", ".DS_Store", ".skilltrial"}
_NO_FOLDER_NAME = re.compile(r"[/\\\x00-\x1f\x7f]|\A\.{0,2}\Z")
_MAX_NAME_BYTES = 200


def load_skill(folder: Path) -> Skill:
    """Read a skill folder, or the folder of a SKILL.md that is given itself.

    What had to be interpreted is in `repairs`. Raises `SpecError` where there is no skill, or none that an agent could be given.
    """
    folder = skill_folder(folder)
    file = folder / SKILL_FILE
    findings = Findings()
    text = read_text(file, findings, max_bytes=MAX_BYTES)
    front = read_front_matter(text, findings, file=str(file))
    name = _name(front, folder, findings)
    description = _description(front, file, findings)
    files = tuple(
        SkillFile(path=found.path, size=found.size, sha256=found.sha256, executable=found.executable)
        for found in find_files(folder, findings, within=folder, skips=is_hidden)
    )
    return Skill(
        name=name,
        description=description,
        folder=str(folder),
        frontmatter=front.values,
        body=front.body,
        files=files,
        fingerprint=_fingerprint(files),
        repairs=tuple(findings.repairs),
    )


def skill_folder(path: Path) -> Path:
    """The absolute folder of the skill that a path names. Raises `SpecError` where there is no SKILL.md."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    if not is_utf8(str(path)):
        raise invalid("name-not-utf8", f"the path {shown(str(path))} is not UTF-8.", hint="Rename the folder.")
    if path.name == SKILL_FILE and path.is_file():
        path = path.parent
    if not path.exists():
        raise invalid("no-such-folder", "there is no such file or folder.", file=str(path))
    if not path.is_dir():
        hint = "Give the folder that holds SKILL.md."
        raise invalid("not-a-skill", "this is a file, not a skill's folder.", file=str(path), hint=hint)
    try:
        names = sorted(entry.name for entry in path.iterdir())
    except OSError as error:
        raise invalid("unreadable", f"the folder cannot be read: {error.strerror}.", file=str(path)) from None
    if SKILL_FILE not in names:
        message = f"there is no {SKILL_FILE} in this folder."
        raise invalid("no-skill-file", message, file=str(path), hint=_missing_hint(path, names))
    if not is_inside(path / SKILL_FILE, path):
        raise invalid("link-outside", f"{SKILL_FILE} is a link that leaves the folder.", file=str(path / SKILL_FILE))
    return path


def _missing_hint(folder: Path, names: list[str]) -> str:
    for name in names:
        if name.lower() == SKILL_FILE.lower():
            return f"Rename {name!r} to {SKILL_FILE!r}: agents look for exactly that."
    skills = [name for name in names if (folder / name / SKILL_FILE).is_file()]
    skills += [f"skills/{file.parent.name}" for file in sorted((folder / "skills").glob(f"*/{SKILL_FILE}"))]
    if skills:
        more = ", …" if len(skills) > 5 else ""  # noqa: PLR2004 - a few are enough to get the idea
        return f"Give one of the skills in it: {', '.join(skills[:5])}{more}."
    return "Give the folder of a skill, or write a SKILL.md with `name` and `description`."


def is_hidden(path: str) -> bool:
    """What agents do not get. `evals/` and workspaces count only at the top, where they are ours and not the skill's."""
    parts = PurePosixPath(path).parts
    if not _HIDDEN_ANYWHERE.isdisjoint(parts):
        return True
    return any(part == "evals" or part.endswith("-workspace") for part in parts[:1])


def _name(front: FrontMatter, folder: Path, findings: Findings) -> str:
    file = str(folder / SKILL_FILE)
    line = front.lines.get("name", 1)
    name = _text(front.values.get("name"))
    if not name:
        name = folder.name
        message = f"there is no name; the folder's name {name!r} is used"
        findings.repair(Repair(code="name-missing", message=message, file=file, line=line, path="name"))
    elif name != folder.name:
        message = f"the name {shown(name)} differs from the folder's name {folder.name!r}; the former is used"
        findings.repair(
            Repair(code="name-differs", message=message, file=file, line=line, path="name", value=shown(name))
        )
    if _NO_FOLDER_NAME.search(name) or len(name.encode("utf-8", "replace")) > _MAX_NAME_BYTES:
        message = f"the name {shown(name)} cannot be the name of a folder."
        hint = "Use up to 64 lower-case letters, digits and hyphens."
        raise invalid("bad-name", message, file=file, line=line, hint=hint)
    return name


def _description(front: FrontMatter, file: Path, findings: Findings) -> str | None:
    written = front.values.get("description")
    text = _text(written)
    if text is None:
        message = "there is no description in text; agents leave out such a skill"
        line = front.lines.get("description", 1)
        findings.repair(
            Repair(code="description-missing", message=message, file=str(file), line=line, path="description")
        )
    return text


def _text(value: Json) -> str | None:
    """A text as agents see it; None for nothing and for lists and maps."""
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _fingerprint(files: tuple[SkillFile, ...]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.path}\0{int(file.executable)}\0{file.sha256}\n".encode())
    return f"sha256:{digest.hexdigest()}"
