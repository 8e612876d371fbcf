"""Two versions of a skill -> a patch that git takes."""

from __future__ import annotations

import base64
import difflib
import hashlib
import zlib
from collections.abc import Iterator, Mapping

_ROW = 52
"""Bytes in a line of a binary patch."""
_NOTHING = "0" * 40


def patch_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """A unified diff over all files (path -> bytes), for `git apply` in the skill's folder; binary files as git writes them."""
    return "".join(
        row
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
        for row in _of_file(path, before.get(path), after.get(path))
    )


def changed_paths(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """Paths whose file was made, changed or removed."""
    return tuple(path for path in sorted({*before, *after}) if before.get(path) != after.get(path))


def _of_file(path: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    try:
        texts = [None if data is None else data.decode("utf-8") for data in (old, new)]
    except UnicodeDecodeError:
        yield from _head(path, old, new)
        yield f"index {_blob(old)}..{_blob(new)}\nGIT binary patch\n"
        yield from _literal(new or b"")
        yield from _literal(old or b"")
        return
    yield from _head(path, old, new)
    before, after = (
        "/dev/null" if text is None else _quoted(f"{side}/{path}") for side, text in zip("ab", texts, strict=True)
    )
    # Only line feeds part lines for git.
    rows = difflib.unified_diff(_lines(texts[0] or ""), _lines(texts[1] or ""), before, after)
    for row in rows:
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"


def _head(path: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    yield f"diff --git a/{path} b/{path}\n"
    if old is None:
        yield "new file mode 100644\n"
    elif new is None:
        yield "deleted file mode 100644\n"


def _blob(data: bytes | None) -> str:
    """The name that git gives a file's content."""
    if data is None:
        return _NOTHING
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _literal(data: bytes) -> Iterator[str]:
    """All of a file in git's form: the length of each line as a letter, then its bytes in base 85."""
    yield f"literal {len(data)}\n"
    packed = zlib.compress(data)
    for start in range(0, len(packed), _ROW):
        row = packed[start : start + _ROW]
        length = chr(ord("A") + len(row) - 1) if len(row) <= 26 else chr(ord("a") + len(row) - 27)  # noqa: PLR2004 - letters
        yield f"{length}{base64.b85encode(row, pad=True).decode()}\n"
    yield "\n"


def _lines(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _quoted(name: str) -> str:
    return f"{name}\t" if " " in name else name
