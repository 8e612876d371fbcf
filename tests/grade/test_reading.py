"""Readers of documents: their limits, and what is said where a library is not there."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import anyio
import docx
import openpyxl
import pytest
from PIL import Image

from skilltrial.grade import reading
from skilltrial.grade.decision import Undecided
from skilltrial.grade.reading import Broken, Document, Kind, read_document, read_together

LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">%s]>' % b"".join(
    b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)
)


def _read(kind: Kind, data: bytes, **asked: Any) -> Any:
    return anyio.run(lambda: read_document(kind, data, place="the file 'x'", asked=asked))


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["a"])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _with_part(data: bytes, name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in source.namelist():
            target.writestr(part, content if part == name else source.read(part))
        if name not in source.namelist():
            target.writestr(name, content)
    return stream.getvalue()


def test_a_zip_bomb_is_not_unpacked() -> None:
    """What the parts say of themselves is enough to leave it closed."""
    bomb = _with_part(_workbook(), "xl/media/big.bin", b"\0" * 120_000_000)
    assert len(bomb) < 200_000
    for kind in ("workbook", "docx", "pptx"):
        with pytest.raises(Undecided, match="unpacks to 120,0"):
            _read(kind, bomb)


def test_what_takes_too_much_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser without memory speaks of an error in the file; that is no verdict on the agent."""
    stream = io.BytesIO()
    docx.Document().save(stream)
    head = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    long = head + b"<w:p><w:r><w:t>x</w:t></w:r></w:p>" * 300_000 + b"</w:body></w:document>"
    monkeypatch.setattr(reading, "_MEMORY", 60_000_000)
    with pytest.raises(Undecided):
        _read("docx", _with_part(stream.getvalue(), "word/document.xml", long))


def test_entities_are_not_expanded() -> None:
    """A billion laughs ends with a word, not with the memory."""
    sheet = LAUGHS + b"<worksheet><sheetData><row><c t='str'><v>&a9;</v></c></row></sheetData></worksheet>"
    with pytest.raises((Undecided, Broken)):
        _read("workbook", _with_part(_workbook(), "xl/worksheets/sheet1.xml", sheet))


@pytest.mark.skipif(sys.platform != "linux", reason="the system holds the limit on Linux")
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file whose pixels are many does not fill the machine."""
    stream = io.BytesIO()
    Image.new("RGB", (4000, 4000)).save(stream, "PNG", compress_level=1)
    monkeypatch.setattr(reading, "_MEMORY", 30_000_000)
    with pytest.raises(Undecided, match="needs more than 30 MB of memory to be read"):
        _read("image", stream.getvalue(), pixels=True)


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that does not come to an end is killed."""
    monkeypatch.setattr(reading, "_TIMEOUT_S", 0.01)
    with pytest.raises(Undecided, match=r"the file 'x' could not be read within 0\.01 s"):
        _read("html", b"<p>x")


def test_long_answers_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a small file that says much."""
    monkeypatch.setattr(reading, "_ANSWER_BYTES", 1000)
    with pytest.raises(Undecided, match="holds more than the 1,000 bytes"):
        _read("html", b"<p>" + b"x" * 2000)


def test_a_missing_library_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No verdict, and what to do."""
    (tmp_path / "openpyxl.py").write_text("raise ModuleNotFoundError(name='openpyxl')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Undecided, match=r"without the library 'openpyxl': pip install 'skilltrial\[documents\]'"):
        _read("workbook", _workbook())


def test_a_reader_that_dies_is_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a fault in a library's own code would end it."""
    (tmp_path / "openpyxl.py").write_text("import os\nprint('never an answer', flush=True)\nos.abort()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Undecided, match="its reader ended with -6 and said never an answer"):
        _read("workbook", _workbook())


def test_readers_have_nothing_of_the_persons(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither keys nor folders: a library that is turned against us finds none."""
    monkeypatch.setenv("SOME_KEY", "sk-1")
    (tmp_path / "openpyxl.py").write_text("import os\nraise OSError(sorted(os.environ), os.getcwd())\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Undecided) as gap:
        _read("workbook", _workbook())
    assert "SOME_KEY" not in str(gap.value)
    assert str(Path.cwd()) not in str(gap.value)


def test_a_reader_that_dies_leaves_what_was_read_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of several in one process: the others are for a process of their own, and so is what has no answer but a reason."""
    (tmp_path / "openpyxl.py").write_text("import os\nos.abort()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    html = Document("html", b"<p>x", {})
    documents = [html, Document("docx", b"no document", {}), html, Document("workbook", _workbook(), {}), html]
    assert anyio.run(read_together, documents) == [
        {"text": "x", "pages": None},
        None,
        {"text": "x", "pages": None},
        None,
        None,
    ]
