"""`document_matches`: the text and the pages of Word, PDF, PowerPoint and HTML files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import cast

from anyio import to_thread

from skilltrial.grade.checks.candidates import bytes_of, called, over_candidates
from skilltrial.grade.decision import CheckResult, Undecided, decided, failed, passed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import LeftFile, Material
from skilltrial.grade.patterns import search, shown
from skilltrial.grade.reading import Kind, read_document
from skilltrial.records.document_checks import DocumentMatches

_KINDS: Mapping[str, Kind] = {
    ".docx": "docx",
    ".docm": "docx",
    ".pptx": "pptx",
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
}


async def check_document(assertion: DocumentMatches, material: Material) -> CheckResult:
    """The text of one of the files holds the pattern, and it has as many pages; negated, none of them does.

    Raises `Undecided` where the verdict hangs on a file that is locked, too large, or has no pages.
    """

    async def look(file: LeftFile) -> CheckResult:
        return await _verdict(assertion, file, material)

    return await over_candidates(
        look, material, glob=assertion.path, kept_too=assertion.any, all_of_them=assertion.negate
    )


async def _verdict(assertion: DocumentMatches, file: LeftFile, material: Material) -> CheckResult:
    kind = _KINDS.get(PurePosixPath(file.path).suffix.lower())
    if kind is None:
        raise Undecided(f"{called(file)} is no document that is read; there are {', '.join(_KINDS)}.")
    data = await bytes_of(file, material)
    asked = {"text": assertion.pattern is not None}
    found = cast("Mapping[str, object]", await read_document(kind, data, place=called(file), asked=asked))
    pages = _pages(assertion, file, found["pages"])
    if assertion.pattern is None or (pages is not None and pages.verdict == "FAIL"):
        return pages or passed(f"{called(file)} can be opened")
    return await to_thread.run_sync(_matched, assertion, file, str(found["text"]))


def _pages(assertion: DocumentMatches, file: LeftFile, n_pages: object) -> CheckResult | None:
    least, most = assertion.min_pages, assertion.max_pages
    if least is None and most is None:
        return None
    if not isinstance(n_pages, int):
        raise Undecided(f"{called(file)} has no pages that can be counted; PDF files and presentations have.")
    holds = (least is None or n_pages >= least) and (most is None or n_pages <= most)
    wanted = " and ".join(
        [*([f"at least {least}"] if least is not None else []), *([f"at most {most}"] if most is not None else [])]
    )
    return decided(holds, f"{called(file)} has {n_pages} pages" + ("" if holds else f", not {wanted}"))


def _matched(assertion: DocumentMatches, file: LeftFile, text: str) -> CheckResult:
    if not text.strip() and not assertion.negate:
        return failed(f"{called(file)} has no text (pictures of text are not read)")
    if match := search(assertion.pattern or "", text):
        return decided(not assertion.negate, f"{called(file)} has: {shown(match)}")
    return decided(assertion.negate, f"{called(file)}: no match for {excerpt(assertion.pattern or '')!r} in its text")
