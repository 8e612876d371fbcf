"""Texts that may stand in a file of their own."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from skilltrial.spec.file_tree import is_inside
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.text_file import read_text

_MAX_BYTES = 1024 * 1024
_PATH = re.compile(r"[^\s\\:*?\"<>|\x00-\x1f]{1,300}")
_TEXT_SUFFIXES = {".md", ".txt"}


def text_or_file(node: Node | None, findings: Findings) -> Node | None:
    """The text of the file that a value names, below the folder of the eval file; else the value itself.

    Raises `SpecError` for the path of a `.md` or `.txt` file that is not there: an agent that got the path instead of the
    text would be tried on something else.
    """
    if node is None or not isinstance(node.value, str) or not _PATH.fullmatch(node.value.strip()):
        return node
    written = node.value.strip()
    path = PurePosixPath(written)
    folder = Path(node.file).parent
    file = folder / path
    # Path.is_file raises for names that are too long, as a prompt without spaces may be.
    is_file = os.path.isfile(file)  # noqa: PTH113 - as above
    if not path.is_absolute() and ".." not in path.parts and is_file and is_inside(file, folder):
        findings.repair(node.repair("text-from-file", f"names a file; its text is taken from {written}"))
        return Node(read_text(file, findings, max_bytes=_MAX_BYTES).strip(), node.file, node.line, node.path)
    if "/" in written and path.suffix.lower() in _TEXT_SUFFIXES:
        what = f"names {shown(written)}, which is not there. Tried: {file}."
        raise node.error("file-missing", what, hint="Write the text itself, or put the file there.")
    return node
