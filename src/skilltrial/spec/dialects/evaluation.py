"""One evaluation a file, as in Anthropic's guide on skills: `skills`, `query`, `files`, a list `expected_behavior`."""

from __future__ import annotations

from dataclasses import replace

from skilltrial.spec.dialects.draft import Draft, FileDialect
from skilltrial.spec.dialects.vocabulary import draft_case
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node


def _fits(root: Node) -> bool:
    query = root.child("query") if isinstance(root.value, dict) else None
    if query is None or not isinstance(query.value, str):
        return False
    return root.child("expected_behavior") is not None or root.child("skills") is not None


def _read(root: Node, findings: Findings) -> Draft:
    case = draft_case(root, findings)
    skills = root.child("skills")
    first = skills.child(0) if skills is not None else None
    if first is not None and skills is not None and len(skills.children) == 1:
        case = replace(case, used=case.used | {"skills"})
    several = {"skills": "skills that are offered together; the one on trial is offered alone"}
    return Draft(
        root=root,
        skill_name=first,
        cases=(replace(case, unused={**case.unused, **several}),),
        used=frozenset(map(str, root.children)),
        keeps_paths=False,
    )


EVALUATION = FileDialect(name="anthropic-evaluation", fits=_fits, read=_read)
