"""`image_matches`: format, size, whether anything is on it, and whether it looks like another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import cast

from anyio import to_thread

from skilltrial.grade.checks.candidates import bytes_of, called, over_candidates
from skilltrial.grade.decision import CheckResult, Undecided, decided, failed, passed
from skilltrial.grade.material import LeftFile, Material, opened
from skilltrial.grade.reading import MAX_DOCUMENT_BYTES, Broken, read_document
from skilltrial.records.case_file import CaseFile
from skilltrial.records.document_checks import ImageMatches, ImageSize
from skilltrial.records.json_value import Json


async def check_image(assertion: ImageMatches, material: Material) -> CheckResult:
    """One of the files is an image with all that the assertion asks for.

    Raises `Undecided` where the verdict hangs on a file that cannot be read, and where the golden image is not at hand.
    """
    golden = await _hash_of_golden(assertion.golden_file) if assertion.golden_file is not None else None

    async def look(file: LeftFile) -> CheckResult:
        if PurePosixPath(file.path).suffix.lower() == ".svg":
            raise Undecided(f"{called(file)} is a drawing, which has no pixels; use file_matches.")
        data = await bytes_of(file, material)
        asked = {"pixels": assertion.not_blank or golden is not None}
        found = await read_document("image", data, place=called(file), asked=asked)
        return _verdict(assertion, called(file), cast("Mapping[str, Json]", found), golden=golden)

    return await over_candidates(look, material, glob=assertion.path, kept_too=assertion.any)


async def _hash_of_golden(golden: CaseFile) -> int:
    data = await to_thread.run_sync(_golden, golden)
    place = f"the golden image {golden.path!r}"
    try:
        found = await read_document("image", data, place=place, asked={"pixels": True})
    except Broken as error:
        raise Undecided(str(error)) from error
    return int(str(cast("Mapping[str, Json]", found)["hash"]), 16)


def _golden(golden: CaseFile) -> bytes:
    source = Path(golden.source or "")
    with opened(source.parent, source.name) as stream:
        data = stream.read(MAX_DOCUMENT_BYTES)
    if not golden.sha256.endswith(hashlib.sha256(data).hexdigest()):
        raise Undecided(f"the golden image {golden.path!r} has changed since the plan was made.")
    return data


def _verdict(assertion: ImageMatches, place: str, found: Mapping[str, Json], *, golden: int | None) -> CheckResult:
    results = list(_results(assertion, found, golden=golden))
    wrong = [result.evidence for result in results if result.verdict == "FAIL"]
    said = wrong or [result.evidence for result in results]
    return (failed if wrong else passed)(f"{place}: {'; '.join(said)}")


def _results(assertion: ImageMatches, found: Mapping[str, Json], *, golden: int | None) -> Iterator[CheckResult]:
    width, height = cast("int", found["width"]), cast("int", found["height"])
    yield _sized(assertion.size or ImageSize(), width, height)
    if assertion.format is not None:
        yield decided(found["format"] == assertion.format, f"{found['format']}")
    if assertion.not_blank:
        yield failed("it is blank: one colour all over") if found["blank"] else passed("not blank")
    if golden is not None:
        distance = (int(str(found["hash"]), 16) ^ golden).bit_count()
        holds = distance <= assertion.max_distance
        limit = "" if holds else f", more than {assertion.max_distance}"
        yield decided(holds, f"{distance} of 64 bits differ from the golden image{limit}")


def _sized(size: ImageSize, width: int, height: int) -> CheckResult:
    asked = (
        (size.width, width == size.width, "wide"),
        (size.height, height == size.height, "high"),
        (size.min_width, width >= (size.min_width or 0), "wide at least"),
        (size.min_height, height >= (size.min_height or 0), "high at least"),
        (size.max_width, size.max_width is None or width <= size.max_width, "wide at most"),
        (size.max_height, size.max_height is None or height <= size.max_height, "high at most"),
    )
    wrong = [f"{value} {what}" for value, holds, what in asked if value is not None and not holds]
    return decided(not wrong, f"{width} × {height} pixels" + (f", not {', '.join(wrong)}" if wrong else ""))
