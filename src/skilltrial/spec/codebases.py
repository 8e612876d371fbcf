"""The `codebase` of a case: which repository or folder the agent works in."""

from __future__ import annotations

import re
from pathlib import Path

from skilltrial.records.suite import Codebase
from skilltrial.spec.findings import Findings, Invalid, shown, unknown_key
from skilltrial.spec.json_source import Node

_KEYS = frozenset({"url", "ref", "path"})
_LOGIN = re.compile(r"https?://[^/@]+@|[a-z+]+://[^/@:]*:[^/@]*@", re.IGNORECASE)
"""An address with a password; a name alone is one for http, where tokens are given like that."""
_HINT = 'Write {"url": …, "ref": …} for a repository, or {"path": …} for a folder.'


def read_codebase(node: Node, eval_file: Path, findings: Findings) -> Codebase:
    """What an author wrote, with an absolute path; a relative one starts at the eval file's folder.

    Raises `SpecError` where it names nothing, or two things, or a password. Whether it is there is not looked at.
    """
    texts = {key: _text(child) for key, child in node.children.items() if key in _KEYS}
    url, ref, path = (texts.get(key) for key in ("url", "ref", "path"))
    if (url is None) == (path is None) or (url is None) != (ref is None):
        raise node.error(
            "bad-codebase", f"must be a 'url' with a 'ref', or a 'path', not {shown(node.value)}.", hint=_HINT
        )
    if url is not None and _LOGIN.match(url):
        what = "has a login in it, which every record would show."
        hint = "Leave it out: git asks your own credential helper, or SSH."
        problem = node.children["url"].error("bad-codebase", what, hint=hint).problem
        raise Invalid(problem.model_copy(update={"value": ""}))
    for key, child in node.children.items():
        if key not in _KEYS and not str(key).startswith("$"):
            findings.repair(child.repair("unknown-key", unknown_key(str(key), _KEYS)))
    beside = eval_file if eval_file.is_dir() else eval_file.parent
    return Codebase(path=str(beside / path) if path else None, url=url, ref=ref, written=node.value)


def _text(node: Node) -> str:
    text = node.value
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise node.error("bad-codebase", f"must be a text, not {shown(text)}.", hint=_HINT)
    return text
