"""`document_matches`: documents made by the libraries that make them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from docx import Document
from pptx import Presentation
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from skilltrial.grade.checks.document import check_document
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.document_checks import DocumentMatches

Make = Callable[..., Material]


def _run(made: Material, path: str, **fields: Any) -> CheckResult:
    assertion = DocumentMatches.model_validate({"id": "d", "text": "d", "path": path, **fields})
    return anyio.run(lambda: check_document(assertion, made))


def _saved(document: Any) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx() -> bytes:
    document = Document()
    document.add_heading("Invoice")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Total", "119.00"
    document.add_paragraph("Thank you.")
    document.sections[0].header.paragraphs[0].text = "ACME"
    return _saved(document)


def _pptx() -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Results"
    table = slide.shapes.add_table(1, 2, 0, 0, 9_000, 9_000).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Lift", "12"
    slide.notes_slide.notes_text_frame.text = "Say it slowly"
    deck.slides.add_slide(deck.slide_layouts[6])
    return _saved(deck)


def _pdf(*texts: str, password: str = "") -> bytes:
    writer = PdfWriter()
    for text in texts:
        page = writer.add_blank_page(200, 200)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = content
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


HTML = (
    b"<html><head><style>p{color:red}</style></head><body><p>Grand <b>total</b>:</p><td>1</td><script>hidden()</script>"
)


@pytest.mark.parametrize(
    ("name", "data", "pattern"),
    [
        ("a.docx", _docx(), r"(?s)^Invoice\nTotal\t119\.00\nThank you\..*ACME$"),
        ("a.pptx", _pptx(), r"(?s)^Results\nLift\t12\nSay it slowly$"),
        ("a.pdf", _pdf("Page one", "Total 119"), r"(?s)Page one.*Total 119"),
        ("a.html", HTML, r"^Grand total:\n1$"),
    ],
)
def test_the_text_of_each_kind(material: Make, name: str, data: bytes, pattern: str) -> None:
    """Tables, headers and notes belong to it; scripts and styles do not."""
    made = material({name: data})
    assert _run(made, name, pattern=pattern).verdict == "PASS"
    assert _run(made, name, pattern=pattern, negate=True).verdict == "FAIL"
    assert "no match for 'Gross'" in _run(made, name, pattern="Gross").evidence


def test_pages_and_slides_are_counted(material: Make) -> None:
    """Between the least and the most, both included."""
    made = material({"a.pdf": _pdf("one", "two"), "a.pptx": _pptx()})
    assert _run(made, "a.pdf", min_pages=2, max_pages=2).evidence == "the file 'a.pdf' has 2 pages"
    assert _run(made, "a.pdf", max_pages=1).evidence == "the file 'a.pdf' has 2 pages, not at most 1"
    assert _run(made, "a.pptx", min_pages=3, pattern="Results").verdict == "FAIL"


def test_pages_of_a_word_document_cannot_be_told(material: Make) -> None:
    """They come about when it is printed."""
    with pytest.raises(Undecided, match="has no pages that can be counted"):
        _run(material({"a.docx": _docx()}), "a.*", max_pages=3)


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.pdf", "a.html"])
def test_empty_files_fail(material: Make, name: str) -> None:
    """Also where the pattern must not be there: a document was wanted."""
    made = material({name: b""})
    for negate in (False, True):
        result = _run(made, name, pattern="x", negate=negate)
        assert result == CheckResult("FAIL", f"the file '{name}' is empty.")


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.pdf"])
def test_files_that_are_something_else_fail(material: Make, name: str) -> None:
    """Plain text under the name of a document, as agents without a tool for it write."""
    assert _run(material({name: b"# Report\n" * 40}), name, pattern="Report").verdict == "FAIL"


@pytest.mark.parametrize(("name", "data"), [("a.docx", _pptx()), ("a.pptx", _docx())])
def test_documents_of_another_kind_fail(material: Make, name: str, data: bytes) -> None:
    """A presentation is no Word document."""
    result = _run(material({name: data}), name, pattern="x")
    assert (result.verdict, "is a broken" in result.evidence) == ("FAIL", True)


def test_encrypted_documents_cannot_be_decided(material: Make) -> None:
    """What is in them may be right."""
    made = material({"a.pdf": _pdf("secret", password="x"), "b.docx": bytes.fromhex("d0cf11e0a1b11ae1")})
    for name in ("a.pdf", "b.docx"):
        with pytest.raises(Undecided, match="is encrypted"):
            _run(made, name, pattern="secret")


def test_a_pdf_without_text_says_so(material: Make) -> None:
    """A scan, say."""
    result = _run(material({"a.pdf": _pdf("")}), "a.pdf", pattern="x")
    assert result == CheckResult("FAIL", "the file 'a.pdf' has no text (pictures of text are not read)")


def test_negated_no_file_may_hold_it(material: Make) -> None:
    """One that does is enough to fail."""
    made = material({"a.html": b"<p>fine", "b.html": b"<p>TODO"})
    assert "'b.html' has: TODO" in _run(made, "*.html", pattern="TODO", negate=True).evidence
    assert _run(made, "*.html", pattern="FIXME", negate=True).verdict == "PASS"
