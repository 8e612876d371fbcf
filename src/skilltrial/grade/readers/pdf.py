"""Text of PDF files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import Broken, Text, TooMuch


def read_pdf(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """`pages`: how many there are; `text`: of all pages, None where it is not asked for."""
    if path.stat().st_size == 0:
        raise Broken("is empty")
    from pypdf import PdfReader  # noqa: PLC0415 - of an extra
    from pypdf.errors import DependencyError, FileNotDecryptedError, PdfReadError  # noqa: PLC0415 - as above

    text = Text()
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise TooMuch("is encrypted")
        n_pages = len(reader.pages)
        for page in reader.pages if asked.get("text") else ():
            text.add(page.extract_text())
    except (DependencyError, FileNotDecryptedError) as error:
        raise TooMuch("is encrypted") from error
    except PdfReadError as error:
        raise Broken(f"is no PDF that can be opened ({str(error)[:200]})") from error
    return {"text": text.whole() if asked.get("text") else None, "pages": n_pages}
