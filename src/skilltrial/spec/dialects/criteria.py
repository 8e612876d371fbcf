"""Criteria of a case, as lists of them stand in files, under many names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from skilltrial.spec.dialects.draft import CriterionDraft
from skilltrial.spec.dialects.mapping import criterion, lenient
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node

NATIVE = ("expectations", "assertions")
LISTS = ("expected_behavior", "expected", "expect", "expected_result", "expected_action")
"""Criteria where a list stands there; a text says what is expected, as `expected_output`."""

Reading = Callable[[Node, Findings], CriterionDraft]
"""What one entry of a list means."""


def native_criteria(case: Node, keys: Iterable[str], findings: Findings) -> Iterator[CriterionDraft]:
    """Those of our own form (texts and objects), from the lists at some keys, in that order."""
    for key in keys:
        with findings.collecting():
            for node in items(case.child(key), findings):
                yield criterion(node, findings)


def other_criteria(case: Node, findings: Findings) -> Iterator[CriterionDraft]:
    """Those under all other names, where lists or texts stand there."""
    for key in other_keys(case):
        listed = case.children[key]
        reading = OTHERS.get(key, lenient)
        for node in [listed] if isinstance(listed.value, str) else listed.elements():
            yield reading(node, findings)


def other_keys(case: Node) -> list[str]:
    """The keys of a case that `other_criteria` reads."""
    return [key for key in (*OTHERS, *LISTS) if _holds_criteria(case.child(key), text_counts=key in OTHERS)]


def _holds_criteria(node: Node | None, *, text_counts: bool) -> bool:
    if node is None:
        return False
    return isinstance(node.value, list) or (text_counts and isinstance(node.value, str))


def items(node: Node | None, findings: Findings) -> Iterable[Node]:
    """The entries of a list; a text counts as a list of one. Raises `Invalid` for anything else."""
    if node is None:
        return []
    if isinstance(node.value, list):
        return node.elements()
    if isinstance(node.value, str):
        findings.repair(node.repair("list-missing", "is a text; it was read as a list with that one entry"))
        return [node] if node.value.strip() else []
    raise node.error("bad-assertions", f"must be a list, not {shown(node.value)}.")


def required(node: Node, findings: Findings) -> CriterionDraft:
    """A thing, in a word or two, that has to be there or be done."""
    return _worded("this must be there, or be done", node, findings)


def forbidden(node: Node, findings: Findings) -> CriterionDraft:
    """A thing that must not be there or be done."""
    return _worded("this must not be there, and not be done", node, findings)


def _worded(words: str, node: Node, findings: Findings) -> CriterionDraft:
    if not isinstance(node.value, str) or not node.value.strip():
        return lenient(node, findings)
    return CriterionDraft(node=node, means=f"{node.value} ({words})")


def included(node: Node, findings: Findings) -> CriterionDraft:
    """What the answer has to hold. Authors write prose there (`at least 1 source URL`), so it is never searched as a text."""
    return _worded("the answer or the files must contain this, in these or other words", node, findings)


def excluded(node: Node, findings: Findings) -> CriterionDraft:
    """What the answer must not hold, in the same way."""
    return _worded("neither the answer nor the files may contain this, in these or other words", node, findings)


def named(node: Node, findings: Findings) -> CriterionDraft:
    """A statement; but one word alone is the name of a check that the other tool has elsewhere."""
    if isinstance(node.value, str) and re.fullmatch(r"[\w.:/-]+", node.value, re.ASCII):
        reason = "it is the name of a check whose content is not in the file"
        return CriterionDraft(node=node, means=None, reason=reason)
    return lenient(node, findings)


OTHERS: Mapping[str, Reading] = {
    **dict.fromkeys(
        (
            *("criteria", "success_criteria", "acceptance_criteria", "expected_behaviors", "expected_behaviours"),
            *("grader_assertions", "required_assertions", "scorers", "verifiers", "graders", "objective_checks"),
            *("rubric", "judge_rubric", "rubrics", "validation_rules"),
        ),
        lenient,
    ),
    **dict.fromkeys(("expected_checks", "checks"), named),
    **dict.fromkeys(("required", "required_actions", "expected_outputs", "must"), required),
    **dict.fromkeys(
        ("forbidden", "forbid", "veto", "vetoes", "forbidden_actions", "forbidden_outputs", "must_not"), forbidden
    ),
    **dict.fromkeys(("must_include", "must_contain", "expected_output_contains", "output_contains"), included),
    **dict.fromkeys(
        ("must_not_include", "must_not_contain", "expected_output_excludes", "output_not_contains"), excluded
    ),
}
"""How an entry is read, by the key that the list stands at."""
