"""Documents of a trial as texts for the judge, each read in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

from anyio import to_thread

from skilltrial.grade.blindfold import names_skill_path
from skilltrial.grade.decision import Undecided
from skilltrial.grade.excerpt import condensed, excerpt
from skilltrial.grade.material import MAX_TEXT_BYTES, LeftFile, Material
from skilltrial.grade.reading import Broken, Kind, read_document

_LISTED = 200
DOCUMENTS = 16
"""Of one trial; reading each takes a process."""
TEXT_CHARS = 12_000
_MAX_BYTES = 20_000_000
"""Less than a check reads: several trials are shown at once."""
# In the order in which they are read: what has a text first.
_KINDS: Mapping[str, Kind] = {
    ".docx": "docx",
    ".docm": "docx",
    ".pptx": "pptx",
    ".pdf": "pdf",
    ".xlsx": "sheets",
    ".xlsm": "sheets",
    ".html": "html",
    ".htm": "html",
    ".zip": "archive",
    ".tar": "archive",
    ".tar.gz": "archive",
    ".tgz": "archive",
    ".tar.bz2": "archive",
    ".tar.xz": "archive",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".gif": "image",
    ".webp": "image",
    ".bmp": "image",
    ".tiff": "image",
    ".tif": "image",
}
_ORDER: Sequence[Kind] = tuple(dict.fromkeys(_KINDS.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """What is shown of a document."""

    text: str | None = None
    """Condensed; None: nothing."""
    note: str
    """What it is, or why it is not shown."""
    broken: bool = False
    """It is not what its name says."""


class FilesToShow(NamedTuple):
    """The files that the judge hears of, and how many there are besides."""

    files: Sequence[LeftFile]
    n_more: int


def files_to_show(material: Material) -> FilesToShow:
    """Of what the trial left, the agent's own first; without the files of skills and of an untouched codebase."""
    found = [file for file in material.files() if file.origin != "codebase"]
    files = [file for file in found if not names_skill_path(file.path, material.skill_names)]
    files.sort(key=lambda file: file.origin == "kept")
    return FilesToShow(files[:_LISTED], max(0, len(files) - _LISTED))


async def read_documents(material: Material, *, known: dict[str, DocumentText]) -> dict[str, DocumentText]:
    """The documents of a trial, by path. What cannot be read has a note that says why.

    `known` has what was read before, by content; it is added to.
    """
    kinds: list[tuple[Kind, LeftFile]] = [
        (kind, file) for file in files_to_show(material).files if (kind := _kind(file))
    ]
    kinds.sort(key=lambda each: _ORDER.index(each[0]))
    found: dict[str, DocumentText] = {}
    for kind, file in kinds[:DOCUMENTS]:
        content = f"{kind} {file.record.sha256}"
        found[file.path] = known.get(content) or await _read(kind, file, material)
        if file.record.sha256:
            known[content] = found[file.path]
    rest = DocumentText(note=f"not read: more than {DOCUMENTS} documents")
    return found | {file.path: rest for kind, file in kinds[DOCUMENTS:] if kind != "image"}


def _kind(file: LeftFile) -> Kind | None:
    # A page that fits is shown as it is written, since its markup may count; of a huge one the ends are, as of any text.
    name = file.path.lower()
    kind: Kind | None = next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), None)
    is_page = file.size is None or TEXT_CHARS < file.size <= MAX_TEXT_BYTES
    return None if kind == "html" and not is_page else kind


async def _read(kind: Kind, file: LeftFile, material: Material) -> DocumentText:
    try:
        data = await to_thread.run_sync(partial(material.data, file, limit=_MAX_BYTES))
        found = await read_document(kind, data, place="it", asked={"text": True})
    except Broken as error:
        return DocumentText(note=f"not shown: {excerpt(str(error), 300).rstrip('.')}", broken=True)
    except Undecided as gap:
        said = excerpt(str(gap), 300).rstrip(".")
        return DocumentText(note=f"pixels unknown: {said}" if kind == "image" else f"not shown: {said}")
    return _shown(kind, cast("dict[str, Any]", found))


def _shown(kind: Kind, found: dict[str, Any]) -> DocumentText:
    if kind == "image":
        return DocumentText(note=f"{found['format']} of {found['width']} × {found['height']} pixels")
    if kind == "archive":
        names = [f"{name}\t{size} bytes" for name, size in found["names"]]
        more = ["[… more files left out …]"] if found["more"] else []
        return DocumentText(
            text=condensed("\n".join([*names, *more]), TEXT_CHARS), note="an archive: names of its files"
        )
    if kind == "sheets":
        left_out = f", of which {len(found['sheets'])} are shown" if found["n"] > len(found["sheets"]) else ""
        text = "\n\n".join(map(_sheet, found["sheets"]))
        return DocumentText(text=condensed(text, TEXT_CHARS), note=f"a workbook, sheets: {found['n']}{left_out}")
    pages = "" if found["pages"] is None else f", pages: {found['pages']}"
    if not found["text"].strip():
        return DocumentText(note=f"no text in it{pages}; pictures of text are not read")
    return DocumentText(text=condensed(found["text"], TEXT_CHARS), note=f"its text{pages}")


def _sheet(sheet: dict[str, Any]) -> str:
    """The name and size, then the first rows and the last, cells parted by tabs."""
    least = "" if sheet["counted"] else "more than "
    lines = [f"sheet {sheet['name']!r}, rows: {least}{sheet['n_rows']}, columns: {sheet['n_columns']}"]
    rows = ["\t".join(map(_cell, row)) for _, row in sheet["rows"]]
    n_left_out = sheet["n_rows"] - len(rows)
    if n_left_out:
        rows[-1:-1] = [f"[… {n_left_out} of {sheet['n_rows']} rows left out …]"]
    return "\n".join([*lines, *rows])


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return f"{cast('dict[str, Any]', value)['formula']} (not computed)"
    return "" if value is None else str(value)
