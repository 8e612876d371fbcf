"""Files of every kind that an agent may leave, ordinary and hostile ones."""

from __future__ import annotations

import io
import json
from pathlib import Path

from openpyxl import Workbook
from PIL import Image
from pypdf import PdfWriter

BIG_NAME = "big.txt"
BIG_LINE = b"0123456789 abcdefghijklmnopqrstuvwxyz\n"
BIG_BYTES = 50_000_000


def ordinary_files(outputs: Path, *, salt: str, rich: bool) -> None:
    """A report and its numbers; with `rich` one file of every kind. The salt makes trials differ."""
    _put(outputs, "report.md", f"# Sum\n\nThe sum is **3** ({salt}).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n".encode())
    _put(outputs, "rows.csv", f"name,value\nsum,3\n{salt},4\n".encode())
    if not rich:
        return
    _put(outputs, "notes.txt", f"plain words\nof {salt}\nand the same line\n".encode())
    _put(outputs, "code.py", f'def total(rows):\n    """Of {salt}."""\n    return sum(rows)\n'.encode())
    _put(outputs, "page.html", f"<!doctype html><title>t</title><h1>A page of {salt}</h1>".encode())
    _put(outputs, "data.json", json.dumps({"salt": salt, "rows": [{"n": n} for n in range(30)]}).encode())
    _put(outputs, "lines.jsonl", b'{"a": 1}\n{"a": 2}\n')
    _put(outputs, "binary.bin", bytes(range(256)) * 8)
    _put(outputs, "nested/deeper/inner.txt", b"in a folder of a folder\n")
    _put(outputs, "empty.txt", b"")
    _put(outputs, "picture.png", picture(salt))
    _put(outputs, "paper.pdf", _pdf())
    _put(outputs, "book.xlsx", _book(salt))
    _put(outputs, "user_notes.md", b"# Notes\n\nUnsure of row 4.\n")


def hostile_files(outputs: Path, nasty: str, *, big: bool) -> None:
    """What tries to run, to leave, to flood; names as bad as Linux takes them."""
    _put(outputs, "evil.html", _EVIL_PAGE.encode())
    _put(outputs, "evil.svg", _EVIL_PICTURE.encode())
    _put(
        outputs,
        "evil.md",
        f"{nasty}\n\n[x](javascript:window.top.__owned=21)\n\n<img src=x onerror=window.__owned=22>\n".encode(),
    )
    _put(outputs, "evil.csv", f'=cmd(),"<img src=x onerror=window.__owned=23>"\n"{"x" * 20}",2\n'.encode())
    _put(outputs, "evil.json", json.dumps({nasty: [nasty], "__proto__": {"owned": True}}).encode())
    _put(outputs, "quo\"te's <b>.txt", nasty.encode())
    _put(outputs, "line\nbreak.txt", b"a name of two lines\n")
    _put(outputs, "bidi \u202egnp.txt", b"a name that turns round\n")
    _put(outputs, "#hash?query&x=%2e%2e%2f.txt", b"a name like an address\n")
    _put(outputs, "latin.txt", "caf\xe9".encode("latin-1"))
    (outputs / "leaves").symlink_to("/etc/passwd")
    if big:
        _put(outputs, BIG_NAME, BIG_LINE * (BIG_BYTES // len(BIG_LINE) + 1))


_EVIL_PAGE = """<!doctype html><body>A page that attacks
<script>
try { top.__owned = 31 } catch (e) {}
try { parent.document.title = "owned" } catch (e) {}
try { top.location = "https://elsewhere.invalid/" } catch (e) {}
try { fetch("https://elsewhere.invalid/") } catch (e) {}
try { window.open("https://elsewhere.invalid/") } catch (e) {}
</script>
<meta http-equiv="refresh" content="0;url=https://elsewhere.invalid/">
<img src="https://elsewhere.invalid/x.png"><form action="https://elsewhere.invalid/" target="_top"></form>
</body>"""
_EVIL_PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="top.__owned=32">
<script>top.__owned=33</script><rect width="40" height="40" fill="teal"/>
<image href="https://elsewhere.invalid/x.png" width="1" height="1"/></svg>"""


def picture(salt: str) -> bytes:
    """A small PNG, another colour by another salt."""
    taken = io.BytesIO()
    Image.new("RGB", (64, 48), (sum(salt.encode()) % 256, 90, 160)).save(taken, "PNG")
    return taken.getvalue()


def _pdf() -> bytes:
    taken, writer = io.BytesIO(), PdfWriter()
    writer.add_blank_page(width=200, height=200)
    writer.write(taken)
    return taken.getvalue()


def _book(salt: str) -> bytes:
    taken, book = io.BytesIO(), Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["name", "value"])
    sheet.append([salt, 3])
    book.create_sheet("Second").append(["<b>other</b>", 4])
    book.save(taken)
    return taken.getvalue()


def _put(outputs: Path, name: str, data: bytes) -> None:
    path = outputs / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
