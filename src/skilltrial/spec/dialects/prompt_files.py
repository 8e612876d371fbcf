"""Objects with `evals` whose prompts are paths of text files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from skilltrial.spec.dialects.draft import CaseDraft, Draft, FileDialect
from skilltrial.spec.dialects.evals_object import read_evals
from skilltrial.spec.dialects.made_node import elements, has_list, text_of
from skilltrial.spec.dialects.text_reference import text_or_file
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_PATH = re.compile(r"[^\s\\:]+/[^\s\\:]+\.(?:md|txt)")
_MAX_PATH_CHARS = 400
"""The pattern takes quadratic time, which a prompt of a megabyte must not pay."""


def _fits(root: Node) -> bool:
    if not has_list(root, "evals"):
        return False
    prompts = [text_of(case.child("prompt")) for case in elements(root.child("evals"))]
    return all(prompt is not None and _is_path(prompt.strip()) for prompt in prompts)


def _is_path(text: str) -> bool:
    return len(text) <= _MAX_PATH_CHARS and _PATH.fullmatch(text) is not None


def _read(root: Node, findings: Findings) -> Draft:
    draft = read_evals(root, findings)
    return replace(draft, cases=tuple(_cases(draft.cases, findings)))


def _cases(cases: tuple[CaseDraft, ...], findings: Findings) -> Iterator[CaseDraft]:
    for case in cases:
        with findings.collecting():
            prompt = text_or_file(case.prompt, findings)
            yield replace(case, prompt=prompt, expected_output=text_or_file(case.expected_output, findings))


PROMPT_FILES = FileDialect(name="evals-of-prompt-files", fits=_fits, read=_read)
