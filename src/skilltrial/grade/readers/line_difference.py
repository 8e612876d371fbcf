"""How two texts differ, in lines and in the words of lines that took each other's place."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

_EXACT_LINES = 2_000
"""Up to so many every line counts; in longer texts those that stand there very often are no anchors."""
_MARKED_LINES = 600
_MARKED_CHARS = 400
_ALIKE = 0.35
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)


def read_lines(path: Path, asked: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one shape for all readers
    """`blocks` in order: {`same`: lines}, or {`left`, `right`}: lines in pieces [1 where it differs, text].

    The document is a list of both texts.
    """
    left, right = (text.splitlines() for text in json.loads(path.read_bytes()))
    exact = max(len(left), len(right)) <= _EXACT_LINES
    budget = _MARKED_LINES
    blocks: list[dict[str, Any]] = []
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=not exact).get_opcodes():
        if kind == "equal":
            blocks.append({"same": left[i:j]})
            continue
        marked = min(j - i, m - k, budget)
        budget -= marked
        pairs = [_marked(old, new) for old, new in zip(left[i : i + marked], right[k : k + marked], strict=True)]
        olds = [pair[0] for pair in pairs] + [[[0, line]] for line in left[i + marked : j]]
        news = [pair[1] for pair in pairs] + [[[0, line]] for line in right[k + marked : m]]
        blocks.append({"left": olds, "right": news})
    return {"blocks": blocks}


def _marked(old: str, new: str) -> tuple[list[list[Any]], list[list[Any]]]:
    plain = [[0, old]], [[0, new]]
    if max(len(old), len(new)) > _MARKED_CHARS:
        return plain
    olds, news = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return plain
    left: list[list[Any]] = []
    right: list[list[Any]] = []
    for kind, i, j, k, m in matcher.get_opcodes():
        changed = int(kind != "equal")
        left.append([changed, "".join(olds[i:j])])
        right.append([changed, "".join(news[k:m])])
    return [piece for piece in left if piece[1]], [piece for piece in right if piece[1]]
