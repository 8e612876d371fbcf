"""Files of all kinds, made by the programs' own libraries."""

from __future__ import annotations

import io
import struct
import tarfile
import wave
import zipfile

LONG = "".join(f"line {number} of many, with some words\n" for number in range(1, 12_001))
HOSTILE_HTML = b"""<!doctype html><title>x</title><h1 id=a>Report</h1><img src="pic.png" width=40>
<p id=said>no script ran</p><script>document.getElementById("said").textContent = "a script ran"</script>"""
JSON = b'{"big": 12345678901234567890, "twice": 1, "twice": 2, "list": [1, [2, {"a": null}]], "s": "<b>"}'
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30">
<script>alert(1)</script><circle cx="15" cy="15" r="9"/></svg>"""
MARKDOWN = b"""# Result

The *total* is **42**. See [the table](sub/table.csv), [the web](https://example.org/a) or [this](javascript:alert(1)).

- one
- two
    1. inner

| name | n |
|---|--:|
| apples | 3 |
| pears | 12 |

> quoted

```python
print("hello")
```

![The picture](pic.png) ![away](https://example.org/x.png) <script>alert(1)</script>
"""


def picture(kind: str = "PNG", *, spot: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    """A picture of 60 × 40 pixels with a spot of 10 × 10."""
    from PIL import Image

    image = Image.new("RGB", (60, 40), (240, 240, 250))
    image.paste(spot, (20, 10, 30, 20))
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def workbook() -> bytes:
    """Two sheets: three rows with a formula, and one cell."""
    import openpyxl

    book = openpyxl.Workbook()
    first = book.worksheets[0]
    first.title = "Sums"
    for row in (["name", "value"], ["a", 1], ["b", 2.5], ["all", "=SUM(B2:B3)"]):
        first.append(row)
    book.create_sheet("<b>Other").append(["only"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def word_document(text: str = "First paragraph.") -> bytes:
    """A Word document with one paragraph."""
    from docx import Document

    document = Document()
    document.add_paragraph(text)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def presentation() -> bytes:
    """One slide with a title."""
    from pptx import Presentation

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    title = slide.shapes.title
    assert title is not None
    title.text = "A slide"
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def pdf(text: str = "Words of a page", action: str = "") -> bytes:
    """A PDF of one page, written by hand; `action` goes into its catalogue."""
    stream = f"BT /F1 24 Tf 40 100 Td ({text}) Tj ET".encode()
    bodies = [
        f"<< /Type /Catalog /Pages 2 0 R {action} >>".encode(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places: list[int] = []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    begin = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % begin)


def sound() -> bytes:
    """A tenth of a second of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, 8000, 800, "NONE", "none"))
        out.writeframes(struct.pack("<800h", *([0] * 800)))
    return file.getvalue()


def zipped(names: dict[str, bytes]) -> bytes:
    """A zip with these files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in names.items():
            archive.writestr(name, data)
    return file.getvalue()


def tarred(names: dict[str, bytes]) -> bytes:
    """A .tar.gz with these files."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, data in names.items():
            part = tarfile.TarInfo(name)
            part.size = len(data)
            archive.addfile(part, io.BytesIO(data))
    return file.getvalue()


def one_of_each() -> dict[str, bytes]:
    """A file of each kind, by path."""
    return {
        "answer.md": MARKDOWN,
        "pic.png": picture(),
        "sub/table.csv": b'name;value\napples;3\n"pears; ripe";-1,5\n',
        "sub/deep/er/data.json": JSON,
        "log.jsonl": b'{"a": 1}\nno json\n[2]\n',
        "code.py": b'def total(values):\n    # adds\n    return sum(values) + len("abc")\n',
        "page.html": HOSTILE_HTML,
        "drawing.svg": SVG,
        "paper.pdf": pdf(),
        "book.xlsx": workbook(),
        "letter.docx": word_document(),
        "deck.pptx": presentation(),
        "all.zip": zipped({"inside/a.txt": b"12345", "b.txt": b""}),
        "all.tar.gz": tarred({"c.txt": b"123"}),
        "sound.wav": sound(),
        "bytes.bin": bytes(range(256)) * 3,
        "nothing.txt": b"",
        "long.txt": LONG.encode(),
        "\u202eexe.txt": "turned \u202earound\n".encode(),
        'quote".txt': b"quote\n",
        "new\nline.txt": b"newline in the name\n",
        "latin.txt": "Grüße\n".encode("latin-1"),
        "wide.txt": "wide ü\n".encode("utf-16"),
    }
