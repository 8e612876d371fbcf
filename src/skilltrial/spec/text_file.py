"""Text files of authors: regular, not too large, UTF-8."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from skilltrial.records.repair import Repair
from skilltrial.spec.findings import Findings, invalid

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: Path, findings: Findings, *, max_bytes: int) -> str:
    """The text of a UTF-8 file without its byte-order mark (a repair).

    Raises `SpecError` for what is not a regular file, cannot be read, is larger than `max_bytes`, or is not UTF-8.
    """
    data = _read_bytes(path, max_bytes)
    if data.startswith(_UTF16_MARKS):
        raise invalid("not-utf8", "the file is UTF-16 text.", file=str(path), line=1, hint="Save it as UTF-8.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = data[error.start : error.start + 1]
        message = f"the file is not UTF-8 text: byte {found!r} at offset {error.start}."
        raise invalid("not-utf8", message, file=str(path), line=line, hint="Save it as UTF-8.") from None
    if not text.startswith("\ufeff"):
        return text
    message = "the file starts with a byte-order mark, which was skipped; some readers refuse it"
    findings.repair(Repair(code="byte-order-mark", message=message, file=str(path), line=1))
    return text[1:]


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise invalid("not-a-file", "this is a folder, not a file.", file=str(path))
        if not stat.S_ISREG(status.st_mode):
            raise invalid("not-a-file", "this is not a regular file.", file=str(path))
        if status.st_size > max_bytes:
            message = f"the file has {status.st_size} bytes, more than the {max_bytes} that are read."
            raise invalid("too-large", message, file=str(path), hint="Is it the right file?")
        return path.read_bytes()
    except FileNotFoundError:
        raise invalid("no-such-file", "there is no such file.", file=str(path)) from None
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise invalid("unreadable", f"the file cannot be read: {reason}.", file=str(path)) from None
