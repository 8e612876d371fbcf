"""A folder of files with one case each, every file in its own form."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from skilltrial.spec.dialects.case_yaml import CASE_YAML
from skilltrial.spec.dialects.draft import CaseDraft, Draft, FileDialect
from skilltrial.spec.dialects.evaluation import EVALUATION
from skilltrial.spec.dialects.made_node import made_node
from skilltrial.spec.dialects.single_case import SINGLE_CASE
from skilltrial.spec.dialects.waza import WAZA_TASK
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

FORMS = (CASE_YAML, WAZA_TASK, EVALUATION, SINGLE_CASE)


def _fits(root: Node) -> bool:
    return isinstance(root.value, list) and any(node.file != root.file for node in root.children.values())


def _read(root: Node, findings: Findings) -> Draft:
    return Draft(root=root, cases=tuple(_cases(root, findings)))


def _cases(root: Node, findings: Findings) -> Iterator[CaseDraft]:
    for node in root.elements():
        form = next((form for form in FORMS if form.fits(node)), None)
        with findings.collecting():
            if form is None:
                raise node.error("unknown-form", "is no case of a form that is known here.")
            for case in form.read(node, findings).cases:
                yield _at_home(case, root)


def _at_home(case: CaseDraft, root: Node) -> CaseDraft:
    """A case whose input files are looked for beside its own file first."""
    home = Path(os.path.relpath(Path(case.node.file).parent, root.file)).as_posix()
    if case.files is None or home == ".":
        return case
    if case.files_root is not None and isinstance(case.files_root.value, str):
        home = f"{home}/{case.files_root.value}"
    return replace(case, files_root=made_node(home, case.files))


CASE_FOLDER = FileDialect(name="case-folder", fits=_fits, read=_read)
