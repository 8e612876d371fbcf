"""One case a file: an object with a `prompt` that is no list of cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from skilltrial.spec.dialects.draft import Draft, FileDialect
from skilltrial.spec.dialects.made_node import text_of
from skilltrial.spec.dialects.vocabulary import SKILL, draft_case, first_of
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_LISTS = ("evals", "cases", "tasks", "scenarios", "test_cases", "stimuli", "queries", "tests")
_UNUSED: Mapping[str, str] = {
    "arms": "the set-ups that are compared; skilltrial has its own",
    "registry": "where the skill comes from",
    "model": "the agent's model; give --model",
    "judge": "the judge's model",
}


def _fits(root: Node) -> bool:
    if not isinstance(root.value, dict) or text_of(root.child("prompt")) is None:
        return False
    return not any(key in root.children for key in (*_LISTS, "should_trigger"))


def _read(root: Node, findings: Findings) -> Draft:
    draft = draft_case(root, findings)
    skill = first_of(root, SKILL)
    used = draft.used if skill is None else draft.used | {str(skill.path[-1])}
    case = replace(draft, used=used, unused={**draft.unused, **_UNUSED})
    return Draft(root=root, skill_name=skill, cases=(case,), used=frozenset(map(str, root.children)), keeps_paths=False)


SINGLE_CASE = FileDialect(name="single-case", fits=_fits, read=_read)
