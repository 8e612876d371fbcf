"""A skill folder -> one `.skill` file: a zip that is the same, byte for byte, wherever it is made from the same files."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from skilltrial.errors import SpecError
from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill, SkillFile
from skilltrial.spec.findings import Invalid, Problem, invalid, shown
from skilltrial.spec.lint.secrets import find_secrets
from skilltrial.spec.skill import SKILL_FILE, load_skill
from skilltrial.spec.validate import validate_skill
from skilltrial.spec.whole_file import write_whole

SUFFIX = ".skill"
_MOMENT = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_REGULAR = 0o100000
_MODE = 0o644
_EXECUTABLE = 0o755
_MAX_BYTES = 200 * 1024 * 1024

_LEFT_OUT_FOLDERS = {"node_modules", ".venv", "venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".idea", ".vscode"}
_LEFT_OUT_FILES = {".DS_Store", "Thumbs.db", ".gitignore", ".gitattributes"}
_UNPACKABLE = {"link-outside", "link-broken", "link-hidden", "link-loop", "not-a-file", "name-not-utf8"}
_LEFT_OUT_ENDINGS = (".pyc", ".pyo", ".swp", ".part", SUFFIX)


class Package(NamedTuple):
    """A written archive."""

    path: Path
    size: int
    """Bytes."""
    sha256: str
    skill: Skill
    files: tuple[str, ...]
    """Paths in the skill, sorted; in the archive they stand below the skill's name."""
    left_out: tuple[str, ...]
    """Files that agents would get from the folder, and that do not belong into an archive."""

    def summary(self) -> dict[str, Json]:
        """For programs, without the skill's texts."""
        return {
            "schema_version": 1,
            "path": str(self.path),
            "size": self.size,
            "sha256": self.sha256,
            "skill": {"name": self.skill.name, "fingerprint": self.skill.fingerprint},
            "files": list(self.files),
            "left_out": list(self.left_out),
        }


def package(folder: Path, out: Path | None = None) -> Package:
    """Check a skill and write it to `out`, by default `<name>.skill` beside its folder. Nothing else is written.

    `evals/`, version control, caches, workspaces, `.env` files and archives are not taken. A packed skill that is there is
    replaced; anything else stays. Raises `SpecError` with the first of the errors that `validate` finds, for links, and for
    what looks like a key; `StoreError` where the file cannot be written.
    """
    skill = load_skill(folder)
    root = Path(skill.folder)
    _refuse_errors(validate_skill(root))
    _refuse_left_out(skill)
    target = Path(os.path.abspath(out if out is not None else root.parent / f"{skill.name}{SUFFIX}"))  # noqa: PTH100 - links stay
    if target.is_dir():
        target /= f"{skill.name}{SUFFIX}"
    if os.path.lexists(target) and not _is_packed_skill(target):
        hint = "Give another name with --out, or remove it."
        raise SpecError(
            "what is there is no packed skill, and stays.", where=str(target), hint=hint, code="file-exists"
        )
    taken = [file for file in skill.files if not _is_left_out(file.path) and (root / file.path) != target]
    data = _archive(skill.name, root, taken)
    write_whole(target, data)
    left_out = tuple(sorted({file.path for file in skill.files} - {file.path for file in taken}))
    return Package(
        target, len(data), hashlib.sha256(data).hexdigest(), skill, tuple(file.path for file in taken), left_out
    )


def _is_packed_skill(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith(f"/{SKILL_FILE}") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def _refuse_errors(problems: list[Problem]) -> None:
    # Secrets are looked for in what is packed; a key in a file that is left out stays at home.
    errors = [problem for problem in problems if problem.severity == "error" and problem.code != "secret"]
    if not errors:
        return
    first = errors[0]
    more = f"({len(errors) - 1} more: `skilltrial validate` lists all.)" if len(errors) > 1 else ""
    raise Invalid(first.model_copy(update={"hint": f"{first.hint} {more}".strip()}))


def _refuse_left_out(skill: Skill) -> None:
    """What reading the skill left out (links that leave it, devices) would be missing from the archive without a word."""
    for repair in skill.repairs:
        if repair.code in _UNPACKABLE and not _is_left_out(repair.path):
            message = f"{repair.path} cannot be packed ({repair.code})."
            hint = "Put the file itself there, or remove it."
            raise invalid("link-packed", message, file=str(Path(skill.folder) / repair.path), hint=hint)


def _is_left_out(path: str) -> bool:
    parts = PurePosixPath(path).parts
    if not _LEFT_OUT_FOLDERS.isdisjoint(parts[:-1]):
        return True
    name = parts[-1]
    return name in _LEFT_OUT_FILES or name.endswith(_LEFT_OUT_ENDINGS) or name == ".env" or name.startswith(".env.")


def _archive(name: str, root: Path, files: list[SkillFile]) -> bytes:
    if sum(file.size for file in files) > _MAX_BYTES:
        message = f"the skill has more than {_MAX_BYTES // 1024**2} MB of files."
        raise invalid("too-large", message, file=str(root), hint="Is a download or a build among them?")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression=zipfile.ZIP_STORED) as archive:
        for file, data in _contents(root, files):
            entry = zipfile.ZipInfo(f"{name}/{file.path}", date_time=_MOMENT)
            entry.create_system = _UNIX
            entry.external_attr = (_REGULAR | (_EXECUTABLE if file.executable else _MODE)) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def _contents(root: Path, files: list[SkillFile]) -> Iterator[tuple[SkillFile, bytes]]:
    for file in files:
        path = root / file.path
        _refuse_links(root, file.path)
        data = path.read_bytes()
        secret = next((secret for secret in find_secrets(data) if secret.sure), None)
        if secret is not None:
            message = f"this looks like {secret.kind}; nothing was packed."
            hint = "Take it out, revoke it, and let the script read it from the environment."
            raise invalid("secret", message, file=str(path), line=secret.line, hint=hint)
        yield file, data


def _refuse_links(root: Path, path: str) -> None:
    steps = [root / part for part in (PurePosixPath(path), *PurePosixPath(path).parents) if part != PurePosixPath()]
    link = next((step for step in steps if step.is_symlink()), None)
    if link is not None:
        message = f"{shown(path)} is, or lies behind, a link; an archive holds no links."
        raise invalid("link-packed", message, file=str(link), hint="Put the file itself there.")
