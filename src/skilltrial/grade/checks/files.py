"""`file_exists`, `file_absent` and `file_matches`: what lay in the agent's folder at the end."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from skilltrial.grade.decision import CheckResult, Undecided, decided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import LeftFile, Material
from skilltrial.grade.patterns import matches, shown
from skilltrial.records.suite import FileAbsent, FileExists, FileMatches


def check_file_exists(assertion: FileExists, material: Material) -> CheckResult:
    """A made or changed file matches the glob; with `any`, one that was there before counts too.

    Raises `Undecided` where the only matches are no files that can be vouched for (a link, a device).
    """
    found = counted(assertion.path, material, kept_too=assertion.any)
    if not found:
        return failed(none_counts(assertion.path, material))
    # Only regular files have a size; one that was too large to keep was there all the same.
    at_hand = [file for file in found if not file.gap or file.size is not None]
    if not at_hand:
        raise Undecided(f"{excerpt(found[0].path)!r} was there, but is not at hand: {excerpt(found[0].gap)}.")
    return passed(f"{_listed(at_hand)} ({at_hand[0].origin})")


def check_file_absent(assertion: FileAbsent, material: Material) -> CheckResult:
    """Nothing in the folder matches the glob at the end. Raises `Undecided` where not all files are known."""
    found = material.find(assertion.path)
    if found:
        return failed(f"{_listed(found)} ({found[0].origin})")
    return passed(no_file(assertion.path, material))


def check_file_matches(assertion: FileMatches, material: Material) -> CheckResult:
    """The text of any file that counts and matches the glob holds the pattern; negated, there are such files and none holds it.

    Raises `Undecided` where the verdict hangs on a file that cannot be read.
    """
    files = counted(assertion.path, material, kept_too=assertion.any)
    if not files:
        return failed(none_counts(assertion.path, material))
    read: list[LeftFile] = []
    unread: list[str] = []
    for match in matches(assertion.pattern, _texts(files, material, read=read, unread=unread)):
        if match:
            return decided(not assertion.negate, f"{excerpt(read[-1].path)!r} has: {shown(match)}")
    if unread:
        raise Undecided(unread[0])
    require_all_known(assertion.path, material)
    return decided(assertion.negate, f"{_listed(files)}: no match for {excerpt(assertion.pattern)!r}")


def counted(glob: str, material: Material, *, kept_too: bool) -> list[LeftFile]:
    """The files that match the glob and that the agent made or changed; with `kept_too` also those that it left as they were."""
    found = material.find(glob)
    return found if kept_too else [file for file in found if file.origin in {"created", "modified"}]


def none_counts(glob: str, material: Material) -> str:
    """That no file counts, and what is there instead. Raises `Undecided` where not all files are known."""
    untouched = material.find(glob)
    if not untouched or material.unlisted(glob):
        return no_file(glob, material)
    return f"{_listed(untouched)} was there from the start, and the agent did not change it"


def only_file(glob: str, material: Material, *, kept_too: bool) -> LeftFile | CheckResult:
    """The one file that counts, or the verdict where there is none. Raises `Undecided` where there are, or may be, several."""
    files = counted(glob, material, kept_too=kept_too)
    if not files:
        return failed(none_counts(glob, material))
    if len(files) > 1:
        raise Undecided(f"{len(files)} files match {glob!r}; name one of them.")
    require_all_known(glob, material)
    return files[0]


def _texts(files: Iterable[LeftFile], material: Material, *, read: list[LeftFile], unread: list[str]) -> Generator[str]:
    """One text after the other; notes which file it is, and why others have none."""
    for file in files:
        try:
            text = material.text(file)
        except Undecided as gap:
            unread.append(str(gap))
        else:
            read.append(file)
            yield text


def require_all_known(glob: str, material: Material) -> None:
    """For a verdict about all files that match the glob. Raises `Undecided` where there may be others than are known."""
    if why := material.unlisted(glob):
        raise Undecided(f"not all files that match {glob!r} are known: {excerpt(why)}.")


def no_file(glob: str, material: Material) -> str:
    """That nothing matches, and what is there instead. Raises `Undecided` where not all files are known."""
    if why := material.unlisted(glob):
        raise Undecided(f"no known file matches {glob!r}, but not all are known: {excerpt(why)}.")
    left = material.files()
    return f"no file matches {glob!r}; the trial left {_listed(left) if left else 'none'}"


def _listed(files: list[LeftFile] | tuple[LeftFile, ...]) -> str:
    names = ", ".join(repr(excerpt(file.path, 80)) for file in files[:5])
    return f"{names} and {len(files) - 5} more" if len(files) > 5 else names  # noqa: PLR2004 - as many as a line holds
