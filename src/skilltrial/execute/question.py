"""Whether an agent's message asks its user something, by a rule that is told in docs/conversations.md."""

from __future__ import annotations

import re

_CODE = re.compile(r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\w{1,2}[.)])\s+\S")
_SPAN = re.compile(r"`[^`\n]*`")
_ASKING = re.compile("[\uff1f\u061f\u2047\u2048\u2049]|[?\u037e\u055e\u1367\u2e2e\ua60f][^\\w\\s]*(?:\\s|$)")
"""A question mark of any script, at the end of a sentence: in `/find?q=1` it is none."""
_MOST_CHARS = 20_000
"""From the end; what stands before is no last line."""


def asks(message: str) -> bool:
    """Whether the last line that is no item of a list and no code holds a question, or an item of a list after it does."""
    text = _SPAN.sub("_", _CODE.sub("", message[-_MOST_CHARS:]))
    for line in reversed(text.splitlines()):
        if not line.strip():
            continue
        if _ASKING.search(line):
            return True
        if not _ITEM.match(line):
            return False
    return False
