"""Lists of cases under many names, with many names for their fields: one reader, by the vocabulary."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from skilltrial.spec.dialects.criteria import NATIVE, other_keys
from skilltrial.spec.dialects.draft import CaseDraft, Draft, FileDialect
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.trigger_words import query_of, says_outright
from skilltrial.spec.dialects.vocabulary import EXPECTED, FILE_LABELS, LABELS, PROMPT, SKILL, draft_case, first_of
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

KEYS = ("cases", "test_cases", "tests", "tasks", "scenarios", "examples")


def _fits(key: str | None, root: Node) -> bool:
    node = root if key is None else root.child(key) if isinstance(root.value, dict) else None
    if node is None or not isinstance(node.value, list):
        return False
    return key is not None or any(map(_is_case, node.elements()))


def _is_case(entry: Node) -> bool:
    """Whether an entry of a bare list, which may be anything, has a prompt and what comes of it."""
    expects = (*EXPECTED, *NATIVE)
    return first_of(entry, PROMPT) is not None and (first_of(entry, expects) is not None or bool(other_keys(entry)))


def _read(key: str | None, root: Node, findings: Findings) -> Draft:
    found = objects(entries(root, key), findings)
    _refuse_manifest(root, found)
    left_out = [entry for entry in found if _is_blank(entry)]
    for entry in left_out:
        findings.repair(
            entry.repair("case-left-out", "has an empty prompt, which no agent can be given; it is left out")
        )
    found = [entry for entry in found if not _is_blank(entry)]
    skill = first_of(root, SKILL) if isinstance(root.value, dict) else None
    name = skill.value if skill is not None and isinstance(skill.value, str) else None
    queries = [query_of(entry, name) for entry in found] if all(map(says_outright, found)) else []
    return Draft(
        root=root,
        skill_name=skill,
        cases=tuple(_labelled(draft_case(entry, findings)) for entry in found),
        left_out=tuple(left_out),
        queries=tuple(replace(query, used=frozenset(map(str, query.node.children))) for query in queries),
        used=frozenset((key or "", *([str(skill.path[-1])] if skill else []))),
        unused=FILE_LABELS,
        keeps_paths=False,
    )


def _labelled(case: CaseDraft) -> CaseDraft:
    return replace(case, unused={**LABELS, **case.unused})


def _is_blank(entry: Node) -> bool:
    """Whether a case has a prompt, which is empty: in these files a way to say that there is nothing to do."""
    prompt = first_of(entry, PROMPT)
    return prompt is not None and isinstance(prompt.value, str) and not prompt.value.strip()


def _refuse_manifest(root: Node, found: list[Node]) -> None:
    """A file that says where the prompts are, and has none."""
    files = [first_of(entry, ("tests", "evals", "cases")) for entry in found]
    named = [file.value for file in files if file is not None and isinstance(file.value, str)]
    if named and len(named) == len(found) and not any(first_of(entry, PROMPT) for entry in found):
        what = f"has no prompts; its entries name other files that hold them, like {named[0][:80]!r}."
        raise root.error("cases-elsewhere", what, hint="Give one of those files.")


CASE_LISTS: tuple[FileDialect, ...] = (
    *(FileDialect(name=key, fits=partial(_fits, key), read=partial(_read, key)) for key in KEYS),
    FileDialect(name="list", fits=partial(_fits, None), read=partial(_read, None)),
)
