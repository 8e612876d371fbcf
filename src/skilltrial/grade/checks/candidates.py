"""Documents that a glob names, of which one has to be as described."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from anyio import to_thread

from skilltrial.grade.checks.files import counted, none_counts, require_all_known
from skilltrial.grade.decision import CheckResult, Undecided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import LeftFile, Material
from skilltrial.grade.reading import MAX_DOCUMENT_BYTES, Broken

_MAX_FILES = 20

Look = Callable[[LeftFile], Awaitable[CheckResult]]
"""The verdict on one file. Raises `Broken` and `Undecided`."""


async def over_candidates(
    look: Look, material: Material, *, glob: str, kept_too: bool, all_of_them: bool = False
) -> CheckResult:
    """One of the files that match the glob holds (or all of them do), and there is one. A broken file does not hold.

    Only what the agent made or changed counts, unless `kept_too`. Raises `Undecided` where the verdict hangs on a file
    that has none, or where so many match that reading them would take too long.
    """
    files = counted(glob, material, kept_too=kept_too)
    if not files:
        return failed(none_counts(glob, material))
    if len(files) > _MAX_FILES:
        raise Undecided(f"{len(files)} files match {glob!r}, more than the {_MAX_FILES} that are read; name fewer.")
    gaps: list[str] = []
    said: list[str] = []
    for file in files:
        try:
            result = await _looked(look, file)
        except Undecided as gap:
            gaps.append(str(gap))
            continue
        if (result.verdict == "PASS") is not all_of_them:
            return result
        said.append(result.evidence)
    if gaps:
        raise Undecided(gaps[0])
    require_all_known(glob, material)
    more = f" (and {len(said) - 1} more files)" if len(said) > 1 else ""
    return (passed if all_of_them else failed)(f"{said[0]}{more}")


async def bytes_of(file: LeftFile, material: Material) -> bytes:
    """All of a file, up to a limit. Raises `Undecided` as `Material.data` does."""
    return await to_thread.run_sync(partial(material.data, file, limit=MAX_DOCUMENT_BYTES))


def called(file: LeftFile) -> str:
    """How evidence calls a file."""
    return f"the file {excerpt(file.path, 80)!r}"


async def _looked(look: Look, file: LeftFile) -> CheckResult:
    try:
        return await look(file)
    except Broken as error:
        return failed(str(error))
