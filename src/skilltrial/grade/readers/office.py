"""Text of Word documents and of presentations. What their XML parser raises is a `SyntaxError`."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import Text, check_package, told


def read_docx(path: Path, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one shape for all readers
    """`text`: paragraphs and tables in their order (a row is a line, cells parted by tabs), then headers, footers; no `pages`."""
    check_package(path)
    from docx import Document  # noqa: PLC0415 - of an extra
    from docx.opc.exceptions import PackageNotFoundError  # noqa: PLC0415 - as above

    text = Text()
    try:
        document = Document(str(path))
        for line in _blocks(document):
            text.add(line)
        for section in document.sections:
            for part in (section.header, section.footer):
                for line in _blocks(part) if not part.is_linked_to_previous else ():
                    text.add(line)
    except (KeyError, ValueError, zipfile.BadZipFile, PackageNotFoundError, SyntaxError) as error:
        raise told(error, "Word document") from error
    return {"text": text.whole(), "pages": None}


def _blocks(part: Any) -> Iterator[str]:
    from docx.table import Table  # noqa: PLC0415 - of an extra

    for block in part.iter_inner_content():
        if not isinstance(block, Table):
            yield block.text
            continue
        for row in block.rows:
            yield "\t".join("\n".join(_blocks(cell)) for cell in row.cells)


def read_pptx(path: Path, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one shape for all readers
    """`text`: of all shapes, tables and notes, slide by slide; `pages`: how many slides there are."""
    check_package(path)
    from pptx import Presentation  # noqa: PLC0415 - of an extra
    from pptx.exc import PackageNotFoundError  # noqa: PLC0415 - as above

    text = Text()
    try:
        slides = list(Presentation(str(path)).slides)
        for slide in slides:
            for line in _shapes(slide.shapes):
                text.add(line)
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                text.add(slide.notes_slide.notes_text_frame.text)
    except (KeyError, ValueError, zipfile.BadZipFile, PackageNotFoundError, SyntaxError) as error:
        raise told(error, "presentation") from error
    return {"text": text.whole(), "pages": len(slides)}


def _shapes(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield from ("\t".join(cell.text for cell in row.cells) for row in shape.table.rows)
        elif shape.has_text_frame:
            yield shape.text_frame.text
