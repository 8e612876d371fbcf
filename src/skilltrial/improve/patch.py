"""Two versions of a skill -> a patch that git takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping


def patch_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """A unified diff over all files of text (path -> bytes), for `git apply` in the skill's folder.

    Only files that a model wrote can differ, and those are text; one that was binary before is named and left out.
    """
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
        yield f"Binary files a/{path} and b/{path} differ\n"
        return
    yield f"diff --git a/{path} b/{path}\n"
    if old is None:
        yield "new file mode 100644\n"
    elif new is None:
        yield "deleted file mode 100644\n"
    before, after = (
        "/dev/null" if text is None else _quoted(f"{side}/{path}") for side, text in zip("ab", texts, strict=True)
    )
    # Only line feeds part lines for git.
    rows = difflib.unified_diff(_lines(texts[0] or ""), _lines(texts[1] or ""), before, after)
    for row in rows:
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _quoted(name: str) -> str:
    return f"{name}\t" if " " in name else name
