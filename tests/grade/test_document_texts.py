"""What the judge sees of documents: texts of those that can be read, a reason for the others, and never more than its budget."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import anyio
import openpyxl
import pytest
from docx import Document
from PIL import Image
from pptx import Presentation

from skilltrial.grade import document_texts
from skilltrial.grade.document_texts import DocumentText, read_documents
from skilltrial.grade.judge_prompt import judge_prompt
from skilltrial.grade.judge_view import judge_view
from skilltrial.grade.material import Material
from skilltrial.records.suite import LlmJudge

Make = Callable[..., Material]
STATEMENT = LlmJudge(id="one", text="The total is named.", rubric="The total is named.")


def _read(made: Material, known: dict[str, DocumentText] | None = None) -> dict[str, DocumentText]:
    async def main() -> dict[str, DocumentText]:
        return await read_documents(made, known={} if known is None else known)

    return anyio.run(main)


def _prompt(made: Material) -> str:
    return judge_prompt(judge_view(made, documents=_read(made)), [STATEMENT])


def _saved(document: Any) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx(text: str) -> bytes:
    document = Document()
    document.add_paragraph(text)
    return _saved(document)


def _pptx(title: str) -> bytes:
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = title
    return _saved(deck)


def _xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Sales"
    sheet.append(["month", "amount"])
    for number in range(100):
        sheet.append([f"m{number}", number])
    sheet.append(["total", "=SUM(B2:B101)"])
    book.create_sheet("Empty")
    return _saved(book)


def test_office_documents_are_shown_as_their_text(material: Make) -> None:
    """Under the name of the file in the list, so that a quote from one has a place."""
    made = material({"a.docx": _docx("The total is 119."), "b.pptx": _pptx("Results of May")})
    prompt = _prompt(made)
    assert "its text)\n" in prompt
    assert "FILE 1 OF THE LIST" in prompt
    assert "The total is 119." in prompt
    assert "its text, pages: 1)" in prompt
    assert "Results of May" in prompt


def test_of_a_workbook_each_sheet_has_its_first_rows_and_its_last(material: Make) -> None:
    """With the number of rows and columns, and what is left out between them; a formula that nothing computed is one."""
    found = _read(material({"s.xlsx": _xlsx()}))["s.xlsx"]
    assert found.note == "a workbook, sheets: 2"
    assert found.text is not None
    lines = found.text.splitlines()
    assert lines[:3] == ["sheet 'Sales', rows: 102, columns: 2", "month\tamount", "m0\t0"]
    assert lines[20:23] == ["m18\t18", "[… 81 of 102 rows left out …]", "total\t=SUM(B2:B101) (not computed)"]
    assert lines[-1] == "sheet 'Empty', rows: 0, columns: 0"


def test_of_an_archive_the_names_are_shown(material: Make) -> None:
    """Of a zip as of a tar; nothing is unpacked."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("report/total.txt", "119")
    with tarfile.open(fileobj=tarred, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("notes.md"))
    found = _read(material({"a.zip": zipped.getvalue(), "b.tar.gz": tarred.getvalue()}))
    assert (found["a.zip"].text, found["b.tar.gz"].text) == ("report/total.txt\t3 bytes", "notes.md\t0 bytes")


def test_an_archive_that_would_fill_a_disk_is_named_as_far_as_it_is_near(material: Make) -> None:
    """The name behind 200 MB of zeros is not looked for."""
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w:gz") as tar:
        for name, size in (("zeros", 200_000_000), ("last", 0)):
            info = tarfile.TarInfo(name)
            info.size = size
            tar.addfile(info, _Zeros(size))
    found = _read(material({"a.tgz": tarred.getvalue()}))["a.tgz"]
    assert found.text == "zeros\t200000000 bytes\n[… more files left out …]"


class _Zeros(io.RawIOBase):
    def __init__(self, left: int) -> None:
        self.left = left

    def read(self, size: int = -1) -> bytes:
        taken = min(self.left, size)
        self.left -= taken
        return bytes(taken)


def test_a_picture_that_is_not_shown_has_its_size_in_pixels(material: Make) -> None:
    """For judges without eyes."""
    made = material({"chart.png": _saved_png()})
    assert "a picture, not shown to you, PNG of 30 × 20 pixels)" in _prompt(made)


def _saved_png() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(stream, "PNG")
    return stream.getvalue()


def test_a_long_page_is_shown_as_text_and_a_short_one_as_it_is_written(material: Make) -> None:
    """The markup of a page may be what a statement is about, as far as there is room for it."""
    short = b"<h1>Total</h1>"
    long = b"<style>" + b"x" * 20_000 + b"</style><h1>Sum</h1><p>119"
    prompt = _prompt(material({"long.html": long, "short.html": short}))
    assert "<h1>Total</h1>" in prompt
    assert "\nSum\n119\n" in prompt
    assert "<h1>Sum" not in prompt


@pytest.mark.parametrize(
    ("name", "data", "note"),
    [
        ("a.docx", b"no zip", "not shown: it is no document of its kind"),
        ("a.docx", b"", "not shown: it is empty"),
        ("a.xlsx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(64), "not shown: it is encrypted"),
        ("a.pdf", b"%PDF-1.4 and no more", "not shown: it is no PDF"),
        ("a.zip", b"PK\x03\x04 and no more", "not shown: it is no archive"),
        ("a.png", b"no picture", "not shown: it is no image"),
        ("a.bin", b"\x7fELF\0\0", "not shown: no text, a program"),
    ],
)
def test_what_cannot_be_read_says_why(material: Make, name: str, data: bytes, note: str) -> None:
    """In the list of files, where the judge looks for it."""
    prompt = _prompt(material({name: data}))
    assert f"{name} (created by the agent, {len(data)} bytes, {note}" in prompt


def test_the_same_content_is_read_once(material: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where another trial has it under another name."""
    made = material({"a.docx": _docx("The total is 119.")})
    known: dict[str, DocumentText] = {}
    first = _read(made, known)
    monkeypatch.setattr(document_texts, "read_document", None)
    assert _read(made, known) == first


def test_no_more_documents_are_read_than_the_limit(material: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has text comes first; the others are named, with the reason."""
    monkeypatch.setattr(document_texts, "DOCUMENTS", 1)
    found = _read(material({"a.zip": b"no archive", "b.docx": _docx("The total is 119."), "c.png": b"no picture"}))
    assert found["b.docx"].text == "The total is 119."
    assert found["a.zip"].note == "not read: more than 1 documents"
    assert "c.png" not in found


def test_of_a_text_of_many_megabytes_the_ends_are_shown(material: Make) -> None:
    """What is between them is never in memory at once; a table says how many lines it has."""
    log = b"first line\n" + b"x" * 20_000_000 + b"\nlast line"
    page = b"<p>page" + b"x" * 5_000_000
    table = b"name,n\n" + b"a,1\n" * 3_000_000 + b"z,2\n"
    prompt = _prompt(material({"a.log": log, "b.csv": table, "c.html": page}))
    assert "first line\nxxx" in prompt
    assert "[… most of 20000021 bytes left out …]" in prompt
    assert "xxx\nlast line" in prompt
    assert "<p>pagexxx" in prompt
    assert "[… 2999961 of 3000002 lines left out …]\nz,2" in prompt
    assert len(prompt) < 40_000
