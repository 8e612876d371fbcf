"""Files of each checked format in each state that an agent may leave them in: the table of docs/document-checks.md."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import anyio
import openpyxl
import pytest
from docx import Document
from PIL import Image
from pptx import Presentation
from pypdf import PdfWriter

from skilltrial.grade.checks.apart import check_apart
from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import Material
from skilltrial.records.document_checks import DocumentMatches, ImageMatches, TableMatches
from skilltrial.records.suite import Assertion, JsonMatches

Make = Callable[..., Material]
OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)
"""How an encrypted .docx begins, and a .doc under a new name."""


def _bytes(save: Callable[[io.BytesIO], Any]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["Total"])
    return _bytes(book.save)


def _docx() -> bytes:
    document = Document()
    document.add_paragraph("Total")
    return _bytes(document.save)


def _pptx() -> bytes:
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Total"
    return _bytes(deck.save)


def _pdf(password: str = "") -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    return _bytes(writer.write)


def _png() -> bytes:
    return _bytes(lambda stream: Image.linear_gradient("L").save(stream, "PNG"))


WHOLE = {
    "a.xlsx": _workbook(),
    "a.csv": b"Total\n",
    "a.docx": _docx(),
    "a.pptx": _pptx(),
    "a.pdf": _pdf(),
    "a.html": b"<p>Total",
    "a.png": _png(),
    "a.json": b'{"Total": 1}',
}


def _check(name: str) -> Assertion:
    fields = {"id": "c", "text": "c", "path": name}
    match name.rpartition(".")[2]:
        case "xlsx" | "csv":
            return TableMatches.model_validate({**fields, "columns": ["Total"]})
        case "png":
            return ImageMatches.model_validate({**fields, "not_blank": True})
        case "json":
            return JsonMatches.model_validate({**fields, "jsonpath": "$.Total"})
        case "pdf":
            return DocumentMatches.model_validate({**fields, "max_pages": 1})
        case _:
            return DocumentMatches.model_validate({**fields, "pattern": "Total"})


def _verdict(made: Material, name: str) -> tuple[str, str]:
    try:
        result = anyio.run(lambda: check_apart(_check(name), made, env={}, walls=None))
    except Undecided as gap:
        return "UNGRADED", str(gap)
    assert result is not None
    return result.verdict, result.evidence


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_file_passes_and_a_missing_or_an_empty_one_fails(material: Make, name: str) -> None:
    """The evidence of a failure names the file, or says what is there instead."""
    assert _verdict(material(WHOLE), name)[0] == "PASS"
    assert _verdict(material({"b.md": b""}), name) == ("FAIL", f"no file matches '{name}'; the trial left 'b.md'")
    verdict, evidence = _verdict(material({name: b""}), name)
    assert verdict == "FAIL"
    assert name in evidence


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xlsx", WHOLE["a.docx"]),
        ("a.docx", WHOLE["a.xlsx"]),
        ("a.pptx", WHOLE["a.pdf"]),
        ("a.pdf", WHOLE["a.png"]),
        ("a.png", WHOLE["a.pdf"]),
        ("a.json", WHOLE["a.html"]),
        *((name, b"# Total\n" * 40) for name in ("a.xlsx", "a.docx", "a.pptx", "a.pdf", "a.png", "a.json")),
        *(
            (name, WHOLE[name][: len(WHOLE[name]) // 2])
            for name in ("a.xlsx", "a.docx", "a.pptx", "a.pdf", "a.png", "a.json")
        ),
    ],
)
def test_a_file_of_another_kind_and_one_that_is_cut_off_fail(material: Make, name: str, data: bytes) -> None:
    """Nothing can open it under this name."""
    verdict, evidence = _verdict(material({name: data}), name)
    assert (verdict, name in evidence) == ("FAIL", True), evidence


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.pdf", _pdf("x")), ("a.xlsx", OLD_OFFICE), ("a.docx", OLD_OFFICE), ("a.pptx", OLD_OFFICE)],
)
def test_an_encrypted_file_is_not_graded(material: Make, name: str, data: bytes) -> None:
    """What is in it may be right."""
    verdict, evidence = _verdict(material({name: data}), name)
    assert (verdict, "is encrypted" in evidence) == ("UNGRADED", True), evidence
