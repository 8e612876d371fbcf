"""A copy of somebody's repository or folder for agents to work in. Nothing of it is run: no hook, no filter."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skilltrial.adapters.workspace.repository import LFS_POINTER, NOTHING, Repository, without_user
from skilltrial.errors import PlanError
from skilltrial.records.plan import CodeFile, codebase_digest
from skilltrial.records.suite import Codebase

_TIMEOUT_S = 600.0
_MOST_FILES = 20_000
_MOST_BYTES = 500_000_000
_MACHINERY = {".git", ".hg", ".svn"}
_EXACT = "* -text -eol -ident -filter -working-tree-encoding\n"
"""As `info/attributes`, which wins over a repository's own: files as git keeps them, and no program of the person's on them."""
_PROTOCOLS = "file:git:http:https:ssh"
_HEX = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebaseSource:
    """Which codebase, and what of it agents may not find."""

    codebase: Codebase
    beside: Path
    """Where a relative address starts: the eval file's folder."""
    hidden: Sequence[Path] = ()
    """Folders and files that are left out where they lie inside: skills under trial, evals, the workspace. A file also where its
    twin does, with all of a folder `evals` around it: a fetched repository may be the one that the evals are from."""
    skill_names: frozenset[str] = frozenset()
    """Skills that are left out wherever a folder `skills` holds them: the arm without the skill would find them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebaseCopy:
    """What was copied."""

    source: str
    """An absolute path, or the address and the ref, without a password."""
    commit: str | None
    digest: str
    n_files: int
    n_bytes: int
    left_out: tuple[str, ...]
    """Folders that hold a skill under trial, the evals or the workspace."""
    remarks: tuple[str, ...]
    """What else agents do not find, as clauses."""


def copy_codebase(source: CodebaseSource, *, into: Path, scratch: Path, env: Mapping[str, str]) -> CodebaseCopy:
    """Copy the files of a codebase into the new folder `into`; `scratch` is an empty folder for what is fetched.

    Of a repository: what it has at the commit; of a folder in one: what git tracks there or does not ignore; of any other
    folder: everything. A link to a file inside becomes a file, other links are left out. Raises `PlanError` for what is not
    there, cannot be reached, has no files, or has too many or too large ones, and `NotInstalled` without git.
    """
    codebase = source.codebase
    if codebase.url is not None:
        git = _git(source.beside, env, protocols=_PROTOCOLS)
        name = f"{without_user(codebase.url)} at {codebase.ref}"
        folder, commit = scratch / "files", _fetch(git, codebase.url, codebase.ref or "", scratch, name)
        paths, dirty = sorted(_walk(folder)), False
    else:
        folder = Path(os.path.realpath(codebase.path or ""))
        name = str(folder)
        if not folder.is_dir():
            hint = "A relative path of a codebase starts at the eval file's folder."
            raise PlanError("the codebase is not there, or is no folder.", where=codebase.path or "", hint=hint)
        paths, commit, dirty = _of_folder(folder, env)
    taken = _Copies(folder, into, source, name)
    taken.take(paths)
    return taken.copy(source=name, commit=None if dirty else commit)


class _Copies:
    """Copies files one by one, and keeps the account."""

    def __init__(self, folder: Path, into: Path, source: CodebaseSource, name: str) -> None:
        self._folder, self._into, self._name = folder, into, name
        self._hidden = [Path(os.path.realpath(path)) for path in source.hidden]
        self._skill_names = source.skill_names
        self._files: list[CodeFile] = []
        self._n_bytes = 0
        self._left_out: list[str] = []
        self._links: list[str] = []
        self._pointers: list[str] = []
        self._odd: list[str] = []
        self._submodules = False

    def take(self, paths: Sequence[str]) -> None:
        twins = self._skills(paths) | self._evals(paths)
        # What lies around all of it, like the skill whose evals hold the codebase, is hidden from nobody here.
        hidden = [place for place in self._hidden if place.is_relative_to(self._folder)]
        covers = {str(place.relative_to(self._folder)) for place in hidden} | twins
        used = {above for path in paths for above in _with_parents(path) if above in covers}
        self._left_out = sorted(used)
        self._submodules = ".gitmodules" in paths
        for path in paths:
            if used.isdisjoint(_with_parents(path)):
                self._take(path)
        if not self._files:
            rest = f" but what no agent may find: {', '.join(used)}" if used else ""
            raise PlanError(f"the codebase has no files{rest}.", where=self._name)

    def _skills(self, paths: Sequence[str]) -> set[str]:
        """Folders below a `skills` that hold a skill under trial, by the folder's name or by its own."""
        found: set[str] = set()
        for path in map(PurePosixPath, paths):
            if path.name == "SKILL.md" and len(path.parts) > 2 and path.parts[-3] == "skills":  # noqa: PLR2004
                names = {path.parent.name, _skill_name(self._folder / path)}
                if not self._skill_names.isdisjoint(names):
                    found.add(path.parent.as_posix())
        return found

    def _evals(self, paths: Sequence[str]) -> set[str]:
        """Files that are the same as a hidden one, or the folders `evals` that hold them."""
        texts = {place.name: place.read_bytes() for place in self._hidden if place.is_file()}
        found: set[str] = set()
        for path in map(PurePosixPath, paths):
            place = self._folder / path
            if path.name in texts and place.is_file() and place.read_bytes() == texts[path.name]:
                found.add((path.parent if path.parent.name == "evals" else path).as_posix())
        return found

    def _take(self, path: str) -> None:
        place = self._folder / path
        real = Path(os.path.realpath(place))
        try:
            mode = place.lstat().st_mode
            if not real.is_relative_to(self._folder):
                raise FileNotFoundError
            if stat.S_ISLNK(mode):
                inside = real.relative_to(self._folder).as_posix()
                if not _MACHINERY.isdisjoint(PurePosixPath(inside).parts) or not self._is_open(inside):
                    raise FileNotFoundError
            status = real.stat()
        except OSError:
            self._links.append(path)
            return
        if not stat.S_ISREG(status.st_mode):
            (self._links if stat.S_ISLNK(mode) else self._odd).append(path)
            return
        self._n_bytes += status.st_size
        if len(self._files) >= _MOST_FILES or self._n_bytes > _MOST_BYTES:
            self._refuse(path)
        self._copy(path, real, executable=bool(status.st_mode & stat.S_IXUSR))

    def _is_open(self, path: str) -> bool:
        return set(self._left_out).isdisjoint(_with_parents(path))

    def _refuse(self, path: str) -> None:
        raise PlanError(
            f"the codebase has more than {_MOST_FILES:,} files or {_MOST_BYTES / 1e6:,.0f} MB (reached at {path!r}).",
            where=self._name,
            hint="Every trial gets a copy of it. Point to a smaller part, or let .gitignore leave out what is built.",
        )

    def _copy(self, path: str, real: Path, *, executable: bool) -> None:
        target = self._into / path
        try:
            path.encode("utf-8")
            data = real.read_bytes()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o755 if executable else 0o644)
        except (OSError, UnicodeEncodeError) as error:
            shown = path.encode("utf-8", "replace").decode()
            hint = "Remove the file, or let .gitignore leave it out."
            raise PlanError(
                f"the file {shown!r} of the codebase cannot be copied ({error}).", where=self._name, hint=hint
            ) from error
        if data.startswith(LFS_POINTER):
            self._pointers.append(path)
        self._files.append(CodeFile(path, hashlib.sha256(data).hexdigest(), executable))

    def copy(self, *, source: str, commit: str | None) -> CodebaseCopy:
        remarks = (
            _remark(self._links, "link that leads nowhere inside, to a folder, or to what is left out"),
            _remark(self._odd, "entry that is no file"),
            "submodules, which are not fetched" if self._submodules else "",
            _remark(self._pointers, "file whose content is in Git LFS (agents get the pointer)"),
        )
        return CodebaseCopy(
            source=source,
            commit=commit,
            digest=codebase_digest(self._files),
            n_files=len(self._files),
            n_bytes=self._n_bytes,
            left_out=tuple(self._left_out),
            remarks=tuple(filter(None, remarks)),
        )


def _remark(paths: Sequence[str], what: str) -> str:
    if not paths:
        return ""
    return f"{len(paths)} × a {what}: {paths[0]!r}{' and others' if len(paths) > 1 else ''}"


def _with_parents(path: str) -> Iterator[str]:
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _skill_name(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(4096).decode("utf-8", "replace")
    except OSError:
        return ""
    found = re.search(r"^name:[ \t]*[\"']?([^\"'\r\n]*?)[\"']?[ \t]*$", head, re.MULTILINE)
    return found[1] if found else ""


def _walk(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        above = Path(parent).relative_to(folder).as_posix()
        folders[:] = [name for name in folders if name not in _MACHINERY]
        links = [name for name in folders if Path(parent, name).is_symlink()]
        yield from (name if above == "." else f"{above}/{name}" for name in (*names, *links) if name not in _MACHINERY)


def _of_folder(folder: Path, env: Mapping[str, str]) -> tuple[list[str], str | None, bool]:
    """The paths of a folder's files, the commit that its repository is at, and whether it is not as it was there."""
    if not any(os.path.lexists(place / ".git") for place in (folder, *folder.parents)):
        return sorted(_walk(folder)), None, False
    git = _git(folder, env, protocols=NOTHING)
    listing = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listing is None:
        raise PlanError(f"the codebase's repository cannot be read: git says {git.said!r}.", where=str(folder))
    paths = {os.fsdecode(path).rstrip("/") for path in listing.split(b"\0") if path}
    there = sorted(path for path in paths if os.path.lexists(folder / path))
    commit = git.run("rev-parse", "--verify", "--quiet", "HEAD")
    return there, commit.decode().strip() if commit else None, not _is_unchanged(git)


def _is_unchanged(git: Repository) -> bool:
    """Whether git sees all as it was committed; filters that the repository itself names are not run for that."""
    listing = git.run("config", "--list", "--includes", "--show-scope", "--name-only", "-z")
    if listing is None:
        return False
    fields = [os.fsdecode(field) for field in listing.split(b"\0")]
    own = {name for scope, name in zip(fields[::2], fields[1::2], strict=False) if scope in {"local", "worktree"}}
    filters = [name for name in own if name.startswith("filter.")]
    if any("=" in name for name in filters):
        return False  # no value can be given to such a name
    off = [word for name in filters for word in ("-c", f"{name}=")]
    return git.run(*off, "status", "--porcelain", "-z", "--ignore-submodules=all", "--", ".") == b""


def _fetch(git: Repository, url: str, ref: str, scratch: Path, name: str) -> str:
    """Check a commit out below `scratch`; its name."""
    if ref.startswith(("-", "+")) or re.search(r"[\s:\x00-\x1f]", ref) or url.startswith("-"):
        raise PlanError(f"{ref!r} can be no branch, tag or commit.", where=name)
    repository, files = scratch / "repository", scratch / "files"
    _must(git, name, "init", "-q", "--bare", "--template=", str(repository))
    (repository / "info").mkdir(exist_ok=True)
    (repository / "info" / "attributes").write_text(_EXACT, encoding="utf-8")
    files.mkdir()
    at = f"--git-dir={repository}"
    fetched = git.run(at, "fetch", "-q", "--depth=1", "--no-tags", "--", url, ref) is not None
    wanted = "FETCH_HEAD"
    if not fetched and _HEX.fullmatch(ref):  # servers give branches and tags alone, or whole names of commits
        both = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        fetched, wanted = git.run(at, "fetch", "-q", "--no-tags", "--", url, *both) is not None, ref
    commit = git.run(at, "rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}") if fetched else None
    if commit is None:
        hint = "Is the address right, can it be reached from here, and has it this branch, tag or commit?"
        said = f" (git says {git.said!r})" if git.said else ""
        raise PlanError(f"the codebase cannot be fetched{said}.", where=name, hint=hint)
    found = commit.decode().strip()
    exact = ("-c", "core.autocrlf=false", "-c", "core.symlinks=true", "-c", "core.bare=false")
    _must(git, name, at, f"--work-tree={files}", *exact, "checkout", "-q", "--force", "--detach", found)
    return found


def _git(folder: Path, env: Mapping[str, str], *, protocols: str) -> Repository:
    hint = "Install git: the codebase is kept in it."
    return Repository(folder, env, protocols=protocols, timeout_s=_TIMEOUT_S, hint=hint)


def _must(git: Repository, name: str, *arguments: str) -> None:
    if git.run(*arguments) is None:
        raise PlanError(f"the codebase cannot be read: git says {git.said!r}.", where=name)
